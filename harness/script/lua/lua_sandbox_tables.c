/* SPDX-License-Identifier: Apache-2.0 */
/* lua_sandbox_tables.c - pairs() in a fixed order, and the table functions whose C loops must be bounded. */
#include "script/lua/lua_read.h"
#include "script/lua/lua_sandbox.h"
#include "script/lua/lua_strict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVE_MAX 1000000
#define SORT_BYTES_MAX 1e10 /* compared by strcoll at worst; about a second a GB */

/* ---- pairs ---- */

typedef struct sort_key {
    int kind; /* 0 number, 1 text, 2 boolean */
    double number;
    lua_Integer integer;
    const char *text;
    size_t length;
    lua_Integer position; /* in the unsorted list */
} sort_key;

static int compare_keys(const void *left, const void *right) {
    const sort_key *a = left, *b = right;
    if (a->kind != b->kind) {
        return a->kind - b->kind;
    }
    if (a->kind == 1) {
        int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
        return order ? order : (a->length > b->length) - (a->length < b->length);
    }
    if (a->number == b->number) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    return a->number < b->number ? -1 : 1;
}

static bool read_key(lua_State *lua, int index, sort_key *key) {
    *key = (sort_key){0};
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
        key->number = lua_tonumber(lua, index);
        key->integer = lua_isinteger(lua, index) ? lua_tointeger(lua, index) : 0;
        return true;
    case LUA_TSTRING:
        key->kind = 1;
        key->text = lua_tolstring(lua, index, &key->length);
        return true;
    case LUA_TBOOLEAN:
        key->kind = 2;
        key->number = lua_toboolean(lua, index);
        return true;
    default:
        return false;
    }
}

static int next_pair(lua_State *lua) {
    lua_Integer count = (lua_Integer)lua_rawlen(lua, lua_upvalueindex(2));
    lua_Integer at = lua_tointeger(lua, lua_upvalueindex(3));
    while (at < count) {
        lua_settop(lua, 0);
        lua_rawgeti(lua, lua_upvalueindex(2), ++at);
        lua_pushvalue(lua, 1);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) { /* removed meanwhile otherwise */
            lua_pushinteger(lua, at);
            lua_replace(lua, lua_upvalueindex(3));
            return 2;
        }
    }
    lua_pushnil(lua);
    return 1;
}

int rft_sandbox_pairs(lua_State *lua) {
    lua_settop(lua, 1);
    if (rft_strict_data(lua, 1)) {
        lua_replace(lua, 1);
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    size_t count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, 1)) {
        lua_pop(lua, 1);
        count++;
    }
    sort_key *keys = lua_newuserdatauv(lua, (count + 1) * sizeof(*keys), 0); /* 2 */
    lua_createtable(lua, (int)count, 0);                                     /* 3: as found */
    lua_pushnil(lua);
    for (size_t i = 0; i < count && lua_next(lua, 1); i++) {
        lua_pop(lua, 1);
        if (!read_key(lua, -1, &keys[i])) {
            rft_lua_fault(lua, RFT_E_SCRIPT, "use numbers, text or booleans as keys",
                          "pairs: a %s as a key has no order", luaL_typename(lua, -1));
        }
        keys[i].position = (lua_Integer)i + 1;
        lua_pushvalue(lua, -1);
        lua_rawseti(lua, 3, keys[i].position);
    }
    lua_settop(lua, 3);
    qsort(keys, count, sizeof(*keys), compare_keys);
    lua_pushvalue(lua, 1);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(lua, 3, keys[i].position);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, next_pair, 3);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

/* ---- table.sort, table.move ---- */

static int guarded_sort(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    double bytes = 0;
    for (lua_Integer i = 1; i <= count; i++) {
        size_t length = 0;
        if (lua_rawgeti(lua, 1, i) == LUA_TSTRING) {
            lua_tolstring(lua, -1, &length);
        }
        bytes += (double)length + 8;
        lua_pop(lua, 1);
    }
    if (bytes * 2 * log2((double)count + 2) > SORT_BYTES_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL, "table.sort: the list is too large (%lld elements)", (long long)count);
    }
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

static int guarded_move(lua_State *lua) {
    lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3);
    if (last >= first && (double)last - (double)first >= MOVE_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL, "table.move: more than %d elements", MOVE_MAX);
    }
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

void rft_sandbox_guard_tables(lua_State *lua) {
    static const luaL_Reg guards[] = {{"sort", guarded_sort}, {"move", guarded_move}};
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        lua_getfield(lua, -1, guards[i].name);
        lua_pushcclosure(lua, guards[i].func, 1);
        lua_setfield(lua, -2, guards[i].name);
    }
}
