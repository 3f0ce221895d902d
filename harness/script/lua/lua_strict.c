/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_strict.h"

#include "script/lua/lua_read.h"

#include <string.h>

#define HINTS_MAX 256
#define STRICT "rft.strict"

/* Whether the function that asks calls p, c, gpu or b (at index 1) by the name of another of them, as a launch that is
 * written function(p, c, b) does. */
static bool is_misnamed(lua_State *lua, const char *name) {
    static const char *const names[] = {"p", "c", "gpu", "b", "t"};
    lua_Debug caller;
    bool found = false;
    const char *local = lua_getstack(lua, 1, &caller) ? lua_getlocal(lua, &caller, 1) : NULL;
    for (int i = 1; local && !found; local = lua_getlocal(lua, &caller, ++i)) {
        bool same = lua_rawequal(lua, -1, 1) && strcmp(local, name) != 0;
        lua_pop(lua, 1);
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            found = found || (same && strcmp(local, names[k]) == 0);
        }
    }
    if (local) {
        lua_pop(lua, 1);
    }
    return found;
}

static int strict_index(lua_State *lua) {
    const char *name = luaL_checkudata(lua, 1, STRICT);
    lua_getiuservalue(lua, 1, 1);
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, -2) != LUA_TNIL) {
        return 1;
    }
    lua_pop(lua, 1);
    const char *names[HINTS_MAX];
    char hint[120], known[400];
    size_t count = rft_read_sorted_keys(lua, -1, names, HINTS_MAX);
    rft_read_known(known, sizeof(known), names, count);
    if (is_misnamed(lua, name)) {
        rft_lua_fault(lua, RFT_E_SCRIPT,
                      "launch and prepare are called with (p, c, gpu, b), buffers and traffic with (p, c, gpu), prior "
                      "with (p, c, gpu, t), work with (p): name what comes before, too",
                      "%s.%.80s: unknown name; by its position the parameter is %s, whatever it is called", name,
                      lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?", name);
    }
    if (count == 0 && strcmp(name, "c") == 0 && lua_type(lua, 2) == LUA_TSTRING) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "params lists a kernel's; a reference is the same for all configurations",
                      "c.%.80s: there are no parameters here", lua_tostring(lua, 2));
    }
    if (lua_type(lua, 2) != LUA_TSTRING) {
        rft_lua_fault(lua, RFT_E_SCRIPT, known, "%s: unknown name (a %s)", name, luaL_typename(lua, 2));
    }
    rft_read_hint(hint, sizeof(hint), lua_tostring(lua, 2), names, count);
    rft_lua_fault(lua, RFT_E_SCRIPT, known, "%s.%.80s: unknown name%s", name, lua_tostring(lua, 2), hint);
}

static int strict_newindex(lua_State *lua) {
    const char *name = luaL_checkudata(lua, 1, STRICT);
    rft_lua_fault(lua, RFT_E_SCRIPT, "use a local variable", "%s cannot be changed", name);
}

void rft_strict_open(lua_State *lua) {
    luaL_newmetatable(lua, STRICT);
    lua_pushcfunction(lua, strict_index);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, strict_newindex);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

void rft_strict_wrap(lua_State *lua, const char *name) {
    size_t size = strlen(name) + 1;
    memcpy(lua_newuserdatauv(lua, size, 1), name, size);
    lua_insert(lua, -2);
    lua_setiuservalue(lua, -2, 1);
    luaL_setmetatable(lua, STRICT);
}

bool rft_strict_data(lua_State *lua, int index) {
    if (!luaL_testudata(lua, index, STRICT)) {
        return false;
    }
    lua_getiuservalue(lua, index, 1);
    return true;
}
