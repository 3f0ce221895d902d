/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_read.h"

#include "base/units.h"
#include "script/lua/lua_locate.h"
#include "script/lua/lua_values.h"
#include "script/lua/lua_ways.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 16384 /* what is read is copied, perhaps often: it must not multiply a large text */

/* ---- paths and messages ---- */

static size_t format_path(const rft_at *at, char *out, size_t size) {
    if (!at) {
        out[0] = '\0';
        return 0;
    }
    size_t length = format_path(at->up, out, size);
    if (length + 1 >= size) {
        return length;
    }
    int added;
    if (at->key) {
        added = snprintf(out + length, size - length, "%s%s", length ? "." : "", at->key);
    } else {
        added = snprintf(out + length, size - length, "[%lld]", (long long)at->index);
    }
    length += (size_t)added;
    return length < size ? length : size - 1;
}

/* The place of what stands at `at`: of the key where the text shows it, else of the call or the function. */
static void find_place(lua_State *lua, const rft_at *at, char *out, size_t size) {
    const rft_script *script = rft_lua_script(lua);
    int line = 0;
    if (!rft_lua_place(lua, out, size)) {
        snprintf(out, size, "%s", script->where);
    }
    const char *text = rft_lua_source(script, out, &line);
    int found = text ? rft_locate(text, line, at) : 0;
    if (found > 0) {
        size_t length = (size_t)(strrchr(out, ':') - out);
        snprintf(out + length, size - length, ":%d", found);
    }
}

static _Noreturn void fail_at(lua_State *lua, const rft_at *at, int code, const char *remedy, const char *text) {
    char path[240], place[200], like[400];
    format_path(at, path, sizeof(path));
    find_place(lua, at, place, sizeof(place));
    const char *example = remedy ? NULL : rft_ways_example(path);
    if (example) {
        snprintf(like, sizeof(like), "write it like this: %s", example);
    }
    rft_lua_fault_at(lua, place, code, example ? like : remedy, "%s%s%s", path, path[0] ? ": " : "", text);
}

void rft_read_fail(lua_State *lua, const rft_at *at, const char *remedy, const char *format, ...) {
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fail_at(lua, at, RFT_E_SCRIPT, remedy, text);
}

void rft_read_fail_code(lua_State *lua, const rft_at *at, int code, const char *remedy, const char *format, ...) {
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fail_at(lua, at, code, remedy, text);
}

const char *rft_read_describe(lua_State *lua, int index, char *out, size_t size) {
    switch (lua_type(lua, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
        snprintf(out, size, "nothing (nil)");
        break;
    case LUA_TSTRING:
        snprintf(out, size, "the text \"%.60s\"", lua_tostring(lua, index));
        break;
    case LUA_TBOOLEAN:
        snprintf(out, size, "%s", lua_toboolean(lua, index) ? "true" : "false");
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index)) {
            snprintf(out, size, "%lld", (long long)lua_tointeger(lua, index));
        } else {
            rft_str digits = RFT_STR_INIT; /* no Lua call until it is copied out */
            rft_str_add_double(&digits, lua_tonumber(lua, index));
            snprintf(out, size, "the number %s", rft_str_get(&digits));
            rft_str_clear(&digits);
        }
        break;
    case LUA_TUSERDATA:
        if (luaL_getmetafield(lua, index, "__name") == LUA_TSTRING) {
            snprintf(out, size, "%s", lua_tostring(lua, -1));
            lua_pop(lua, 1);
        } else {
            snprintf(out, size, "a userdata");
        }
        break;
    default:
        snprintf(out, size, "a %s", luaL_typename(lua, index));
    }
    return out;
}

const char *rft_read_unquoted(lua_State *lua, int index, char *out, size_t size) {
    double number;
    const char *text = lua_type(lua, index) == LUA_TSTRING ? lua_tostring(lua, index) : "";
    if (!rft_text_to_double(text, &number)) {
        return NULL;
    }
    snprintf(out, size, "drop the quotes: %.40s", text);
    return out;
}

void rft_read_wrong(lua_State *lua, int index, const rft_at *at, const char *what) {
    char got[120], unquoted[80];
    rft_read_describe(lua, index, got, sizeof(got));
    bool is_number = strncmp(what, "a number", 8) == 0 || strncmp(what, "a whole number", 14) == 0;
    rft_read_fail(lua, at, is_number ? rft_read_unquoted(lua, index, unquoted, sizeof(unquoted)) : NULL,
                  "expected %s, got %s", what, got);
}

const char *rft_read_hint(char *out, size_t size, const char *word, const char *const *candidates, size_t count) {
    const char *meant = rft_ways_of_key(word, candidates, count);
    const char *nearest = meant ? meant : rft_text_nearest(word, candidates, count);
    if (nearest) {
        snprintf(out, size, ", did you mean \"%s\"?", nearest);
    } else {
        out[0] = '\0';
    }
    return out;
}

const char *rft_read_known(char *out, size_t size, const char *const *names, size_t count) {
    size_t length = (size_t)snprintf(out, size, count ? "known:" : "there are none");
    for (size_t i = 0; i < count && length + 64 < size; i++) {
        bool said = false; /* variants share names */
        for (size_t earlier = 0; earlier < i && !said; earlier++) {
            said = strcmp(names[earlier], names[i]) == 0;
        }
        if (said) {
            continue;
        }
        length += (size_t)snprintf(out + length, size - length, "%s %.60s", i ? "," : "", names[i]);
    }
    return out;
}

/* ---- tables ---- */

void rft_read_table(lua_State *lua, int index, const rft_at *at) {
    char place[200];
    bool is_result = !at->up && strcmp(at->key, "return") != 0; /* of a function, not of the file */
    if (lua_isnoneornil(lua, index) && is_result && !rft_lua_place(lua, place, sizeof(place))) {
        rft_read_fail(lua, at, "write return in front of the table: return { ... }",
                      "the function returned nothing; is return forgotten?");
    }
    if (!lua_istable(lua, index)) {
        rft_read_wrong(lua, index, at, "a table");
    }
}

static _Noreturn void unknown_key(lua_State *lua, int key, const rft_at *at, const rft_key_set *set) {
    if (lua_type(lua, key) != LUA_TSTRING) {
        char got[120];
        rft_read_describe(lua, key, got, sizeof(got));
        rft_read_fail(lua, at, NULL, "unknown key: %s", got);
    }
    const char *word = lua_tostring(lua, key);
    rft_at here = {at, word, 0};
    char hint[120], known[400];
    rft_read_hint(hint, sizeof(hint), word, set->names, set->count);
    rft_read_fail(lua, &here, rft_read_known(known, sizeof(known), set->names, set->count), "unknown key%s", hint);
}

void rft_read_keys(lua_State *lua, int index, const rft_at *at, rft_key_table keys, lua_Integer positions) {
    const rft_key_set *set = rft_keys(keys);
    rft_read_table(lua, index, at);
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 4, NULL);
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        bool known = false;
        if (lua_isinteger(lua, -1)) {
            lua_Integer position = lua_tointeger(lua, -1);
            known = position >= 1 && position <= positions;
        } else if (lua_type(lua, -1) == LUA_TSTRING) {
            for (size_t i = 0; i < set->count && !known; i++) {
                known = strcmp(lua_tostring(lua, -1), set->names[i]) == 0;
            }
        }
        if (!known) {
            unknown_key(lua, lua_gettop(lua), at, set);
        }
    }
}

lua_Integer rft_read_list(lua_State *lua, int index, const rft_at *at, lua_Integer most) {
    rft_read_table(lua, index, at);
    index = lua_absindex(lua, index);
    lua_Integer count = 0;
    lua_Integer length = (lua_Integer)lua_rawlen(lua, index);
    luaL_checkstack(lua, 4, NULL);
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        if (!lua_isinteger(lua, -1) || lua_tointeger(lua, -1) < 1 || lua_tointeger(lua, -1) > length) {
            char got[120];
            rft_read_describe(lua, -1, got, sizeof(got));
            rft_read_fail(lua, at, NULL, "expected a list {a, b, ...}, it has the key %s",
                          lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : got);
        }
        count++;
    }
    if (count != length) {
        rft_read_fail(lua, at, NULL, "the list has a gap (nil) in it");
    }
    if (length > most) {
        rft_read_fail(lua, at, NULL, "%lld elements, at most %lld are allowed", (long long)length, (long long)most);
    }
    return length;
}

bool rft_read_field(lua_State *lua, int index, const char *key) {
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 4, NULL);
    lua_pushstring(lua, key);
    return lua_rawget(lua, index) != LUA_TNIL;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t rft_read_sorted_keys(lua_State *lua, int index, const char **out, size_t most) {
    size_t count = 0;
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 4, NULL);
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        if (count < most && lua_type(lua, -1) == LUA_TSTRING) {
            out[count++] = lua_tostring(lua, -1);
        }
    }
    qsort(out, count, sizeof(*out), compare_texts);
    return count;
}

/* ---- scalars ---- */

int64_t rft_read_int(lua_State *lua, int index, const rft_at *at, int64_t least, int64_t most) {
    int exact = 0;
    lua_Integer number = lua_type(lua, index) == LUA_TNUMBER ? lua_tointegerx(lua, index, &exact) : 0;
    if (!exact && lua_type(lua, index) != LUA_TNUMBER) {
        rft_read_wrong(lua, index, at, "a whole number");
    }
    rft_lua_script(lua)->is_of_value = !exact || number < least || number > most;
    if (!exact) {
        char got[120];
        rft_read_describe(lua, index, got, sizeof(got));
        rft_read_fail(lua, at, "use // or ceil_div() where / leaves a fraction", "expected a whole number, got %s",
                      got);
    }
    if (number < least || number > most) {
        if (most == INT64_MAX) {
            rft_read_fail(lua, at, NULL, "%lld is too small, the least is %lld", (long long)number, (long long)least);
        }
        rft_read_fail(lua, at, NULL, "%lld is outside %lld to %lld", (long long)number, (long long)least,
                      (long long)most);
    }
    return number;
}

double rft_read_real(lua_State *lua, int index, const rft_at *at, double least, double most) {
    if (lua_type(lua, index) != LUA_TNUMBER) {
        rft_read_wrong(lua, index, at, "a number");
    }
    double number = lua_tonumber(lua, index);
    if (!(number >= least && number <= most) || isinf(number)) {
        char got[120];
        rft_lua_script(lua)->is_of_value = true;
        rft_read_describe(lua, index, got, sizeof(got));
        rft_str limits = RFT_STR_INIT; /* no Lua call until it is copied out */
        rft_str_add_double(&limits, least);
        rft_str_add(&limits, isinf(most) || most >= 1e300 ? " or more" : " to ");
        if (!isinf(most) && most < 1e300) {
            rft_str_add_double(&limits, most);
        }
        char text[80];
        snprintf(text, sizeof(text), "%s", rft_str_get(&limits));
        rft_str_clear(&limits);
        rft_read_fail(lua, at, NULL, "expected a number, %s, got %s", text, got);
    }
    return number;
}

bool rft_read_bool(lua_State *lua, int index, const rft_at *at) {
    if (!lua_isboolean(lua, index)) {
        rft_read_wrong(lua, index, at, "true or false");
    }
    return lua_toboolean(lua, index);
}

const char *rft_read_text(lua_State *lua, int index, const rft_at *at) {
    if (lua_type(lua, index) != LUA_TSTRING) {
        rft_read_wrong(lua, index, at, "text");
    }
    size_t length;
    const char *text = lua_tolstring(lua, index, &length);
    if (strlen(text) != length) {
        rft_read_fail(lua, at, NULL, "the text contains a zero byte");
    }
    if (length > TEXT_MAX) {
        rft_read_fail(lua, at, NULL, "the text is longer than %d bytes", TEXT_MAX);
    }
    return text;
}

double rft_read_seconds(lua_State *lua, int index, const rft_at *at) {
    if (lua_type(lua, index) == LUA_TNUMBER) {
        return rft_read_real(lua, index, at, 0, 1e9);
    }
    if (lua_type(lua, index) != LUA_TSTRING) {
        rft_read_wrong(lua, index, at, "seconds, or text with a unit like \"2s\"");
    }
    double seconds;
    rft_err parsed = RFT_ERR_INIT;
    if (rft_units_parse_seconds(&seconds, rft_read_text(lua, index, at), &parsed) != 0) {
        rft_read_fail(lua, at, parsed.remedy[0] ? parsed.remedy : "write 250us, 2s, 10m or 1.5h", "%s", parsed.message);
    }
    return seconds;
}

void rft_read_function(lua_State *lua, int index, const rft_at *at) {
    if (!lua_isfunction(lua, index) || lua_iscfunction(lua, index)) {
        rft_read_wrong(lua, index, at, "a function");
    }
}

const char *rft_read_name(lua_State *lua, int index, const rft_at *at) {
    const char *name = rft_read_text(lua, index, at);
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c; c++) {
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    }
    if (!good || strlen(name) > 60) {
        rft_read_fail(lua, at, "letters, digits and _, at most 60", "\"%.80s\" is not a name", name);
    }
    if (rft_keys_is_lua_word(name)) {
        rft_read_fail(lua, at, NULL, "\"%s\" is a Lua keyword and cannot be a name", name);
    }
    return name;
}

const char **rft_read_texts(lua_State *lua, int index, const rft_at *at, rft_arena *arena, size_t *count) {
    lua_Integer length = rft_read_list(lua, index, at, 4096);
    const char **texts = rft_arena_calloc(arena, (size_t)length + 1, sizeof(*texts));
    for (lua_Integer i = 1; i <= length; i++) {
        rft_at here = {at, NULL, i};
        lua_rawgeti(lua, index, i);
        texts[i - 1] = rft_arena_strdup(arena, rft_read_text(lua, -1, &here));
        lua_pop(lua, 1);
    }
    *count = (size_t)length;
    return texts;
}

rft_value rft_read_value(lua_State *lua, int index, const rft_at *at, rft_arena *arena, bool *is_ctype) {
    if (is_ctype) {
        *is_ctype = false;
    }
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index)) {
            return rft_value_int(lua_tointeger(lua, index));
        }
        if (!isfinite(lua_tonumber(lua, index))) {
            rft_read_fail(lua, at, NULL, "the value is not a finite number");
        }
        return rft_value_real(lua_tonumber(lua, index));
    case LUA_TBOOLEAN:
        return rft_value_bool(lua_toboolean(lua, index));
    case LUA_TSTRING:
        return rft_value_text(rft_arena_strdup(arena, rft_read_text(lua, index, at)));
    default: {
        const char *ctype = rft_ctype_text(lua, index);
        if (ctype && is_ctype) {
            *is_ctype = true;
            return rft_value_text(rft_arena_strdup(arena, ctype));
        }
        rft_read_wrong(lua, index, at, "a number, a boolean or text");
    }
    }
}

void rft_push_value(lua_State *lua, const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        lua_pushinteger(lua, value->as.integer);
        break;
    case RFT_VALUE_REAL:
        lua_pushnumber(lua, value->as.real);
        break;
    case RFT_VALUE_BOOL:
        lua_pushboolean(lua, value->as.integer != 0);
        break;
    case RFT_VALUE_TEXT:
        lua_pushstring(lua, value->as.text);
        break;
    }
}
