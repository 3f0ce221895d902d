/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_sandbox_pattern.c - string functions whose work in C no hook can interrupt, bounded before they start.
 *
 * Lua's matcher backtracks: k items with an open quantifier (* + -) against n bytes can be divided among the bytes in
 * C(n + k, k) ways, each of q items with ? doubles that, every start position tries again unless the pattern is
 * anchored, %b and back references run over the subject once more each time. The last greedy item with nothing behind
 * it never backtracks, so it is not counted. The product bounds the steps; beyond RFT_PATTERN_WORK_MAX the call is
 * refused.
 */
#include "script/lua/lua_sandbox.h"

#include <math.h>
#include <string.h>

/* Bytes scanned a second by memchr and memcmp are an order of magnitude more than matcher steps. */
#define PLAIN_WORK_MAX 1e10
#define REP_BYTES_MAX RFT_LUA_BLOCK_MAX

typedef struct shape {
    int open;       /* items with * + - that can backtrack */
    int optional;   /* items with ? */
    int balances;   /* %b */
    int references; /* %1 */
    double items;   /* single items and literals */
    double widest;  /* bytes of the longest [set] */
} shape;

/* One past the class that starts at `at`, as lstrlib's classEnd; at the end of the pattern for a malformed one. */
static size_t class_end(const char *pattern, size_t size, size_t at) {
    if (pattern[at] == '%') {
        return at + 2 < size ? at + 2 : size;
    }
    if (pattern[at] != '[') {
        return at + 1;
    }
    at++;
    if (at < size && pattern[at] == '^') {
        at++;
    }
    do {
        if (at >= size) {
            return size;
        }
        at += pattern[at] == '%' ? 2 : 1;
    } while (at >= size || pattern[at] != ']');
    return at + 1 < size ? at + 1 : size;
}

static bool only_closes(const char *pattern, size_t size, size_t at) {
    for (; at < size; at++) {
        if (pattern[at] != ')') {
            return false;
        }
    }
    return true;
}

static shape shape_of(const char *pattern, size_t size, size_t at) {
    shape found = {.items = 1, .widest = 1};
    while (at < size) {
        char c = pattern[at];
        char next = at + 1 < size ? pattern[at + 1] : '\0';
        found.items += 1;
        if (c == '(' || c == ')') {
            at++;
        } else if (c == '%' && next == 'b') {
            found.balances++;
            at += 4;
        } else if (c == '%' && next >= '0' && next <= '9') {
            found.references++;
            at += 2;
        } else if (c == '%' && next == 'f') {
            at += 2;
        } else {
            size_t end = class_end(pattern, size, at);
            if (end <= at) {
                end = at + 1;
            }
            if (c == '[' && (double)(end - at) > found.widest) {
                found.widest = (double)(end - at);
            }
            char quantifier = end < size ? pattern[end] : '\0';
            if (quantifier == '?') {
                found.optional++;
            } else if (quantifier == '-' ||
                       ((quantifier == '*' || quantifier == '+') && !only_closes(pattern, size, end + 1))) {
                found.open++;
            }
            at = quantifier && strchr("*+-?", quantifier) ? end + 1 : end;
        }
    }
    return found;
}

double rft_pattern_work(const char *pattern, size_t pattern_bytes, size_t subject_bytes, bool is_plain,
                        bool has_anchor) {
    double n = (double)subject_bytes + 1;
    bool literal = true;
    for (size_t i = 0; i < pattern_bytes; i++) {
        literal = literal && (pattern[i] == '\0' || !strchr("^$*+?.([%-", pattern[i]));
    }
    if (is_plain || literal) {
        return n * (double)(pattern_bytes + 1) * (RFT_PATTERN_WORK_MAX / PLAIN_WORK_MAX);
    }
    bool anchored = has_anchor && pattern[0] == '^';
    shape found = shape_of(pattern, pattern_bytes, anchored ? 1 : 0);
    double work = (anchored ? 1 : n) * found.items * found.widest;
    for (int i = 1; i <= found.open && work < 1e300; i++) {
        work *= (n + i) / i;
    }
    for (int i = 0; i < found.balances + found.references && work < 1e300; i++) {
        work *= n;
    }
    return found.optional < 900 ? work * ldexp(1, found.optional) : INFINITY;
}

/* The function behind the guard, with the same arguments: called as plain C, so that messages name it rightly. */
static int call_original(lua_State *lua) {
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

static void guard(lua_State *lua, const char *name, bool is_plain, bool has_anchor) {
    size_t subject_bytes, pattern_bytes;
    luaL_checklstring(lua, 1, &subject_bytes);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_bytes);
    if (rft_pattern_work(pattern, pattern_bytes, subject_bytes, is_plain, has_anchor) > RFT_PATTERN_WORK_MAX) {
        rft_lua_fault(
            lua, RFT_E_SCRIPT,
            "use fewer * + - in the pattern, anchor it with ^, match shorter text, or find() with plain = true",
            "string.%s: the pattern \"%.60s\" could backtrack too long on %zu bytes", name, pattern, subject_bytes);
    }
}

static int guarded_find(lua_State *lua) {
    guard(lua, "find", lua_toboolean(lua, 4), true);
    return call_original(lua);
}

static int guarded_match(lua_State *lua) {
    guard(lua, "match", false, true);
    return call_original(lua);
}

static int guarded_gmatch(lua_State *lua) {
    guard(lua, "gmatch", false, false);
    return call_original(lua);
}

static int guarded_gsub(lua_State *lua) {
    guard(lua, "gsub", false, true);
    return call_original(lua);
}

/* ("").rep(2^60) would spin in C without allocating anything. */
static int guarded_rep(lua_State *lua) {
    size_t length, separator = 0;
    luaL_checklstring(lua, 1, &length);
    lua_Integer count = luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &separator);
    if (count > 0 && length + separator == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    if (count > 0 && (double)count * (double)(length + separator) > (double)REP_BYTES_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "a sweep describes work, it does not do it: keep large data in the kernel",
                      "string.rep: the result would be longer than %zu MiB", REP_BYTES_MAX >> 20);
    }
    return call_original(lua);
}

void rft_sandbox_guard_strings(lua_State *lua) {
    static const luaL_Reg guards[] = {{"find", guarded_find},
                                      {"match", guarded_match},
                                      {"gmatch", guarded_gmatch},
                                      {"gsub", guarded_gsub},
                                      {"rep", guarded_rep}};
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        lua_getfield(lua, -1, guards[i].name);
        lua_pushcclosure(lua, guards[i].func, 1);
        lua_setfield(lua, -2, guards[i].name);
    }
}
