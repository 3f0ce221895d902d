/* SPDX-License-Identifier: Apache-2.0 */
/* lua_text.c - tostring, print and string.format: without addresses, and no more than so much text. */
#include "script/lua/lua_sandbox.h"

#include <string.h>

#define PRINTED_MAX ((size_t)64 << 10) /* bytes that print() shows of a whole script */
#define LINE_SHOWN 4000

const char *rft_lua_text(lua_State *lua, int index, size_t *length) {
    int type = lua_type(lua, index);
    bool plain = type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
    if (!plain && luaL_getmetafield(lua, index, "__tostring") != LUA_TNIL) {
        lua_pop(lua, 1);
        plain = true;
    }
    if (plain) {
        return luaL_tolstring(lua, index, length);
    }
    if (luaL_getmetafield(lua, index, "__name") != LUA_TSTRING) {
        lua_pushstring(lua, lua_typename(lua, type));
    }
    return lua_tolstring(lua, -1, length);
}

static int api_tostring(lua_State *lua) {
    luaL_checkany(lua, 1);
    rft_lua_text(lua, 1, NULL);
    return 1;
}

/* ---- print ---- */

static void show(rft_script *script, const char *text) {
    rft_watch_pause(script->watch, true); /* a terminal that takes nothing in is not the script's time */
    rft_log_info(script->log, "%.*s", LINE_SHOWN, text);
    rft_watch_pause(script->watch, false);
    size_t length = strlen(text);
    script->printed_bytes += length < LINE_SHOWN ? length + 1 : LINE_SHOWN;
    if (script->printed_bytes >= PRINTED_MAX) {
        rft_log_info(script->log, "print: what follows is not shown; these were %zu KiB", PRINTED_MAX >> 10);
    }
}

static int api_print(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    int count = lua_gettop(lua);
    luaL_Buffer line;
    if (script->printed_bytes >= PRINTED_MAX) {
        return 0;
    }
    luaL_buffinit(lua, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            luaL_addchar(&line, '\t');
        }
        rft_lua_text(lua, i, NULL);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    show(script, lua_tostring(lua, -1));
    return 0;
}

/* ---- string.format ---- */

/* "%s" gets the text from here, and "%p" becomes "%s". */
static int guarded_format(lua_State *lua) {
    size_t size;
    const char *format = luaL_checklstring(lua, 1, &size);
    int count = lua_gettop(lua), argument = 1;
    char *own = memcpy(lua_newuserdatauv(lua, size + 1, 0), format, size + 1);
    for (size_t i = 0; i < size; i++) {
        if (own[i] != '%' || own[++i] == '%') {
            continue;
        }
        i += strspn(own + i, "-+ #0123456789.");
        argument++;
        if ((own[i] == 's' || own[i] == 'p') && argument <= count) {
            own[i] = 's';
            rft_lua_text(lua, argument, NULL);
            lua_replace(lua, argument);
        }
    }
    lua_pushlstring(lua, own, size);
    lua_replace(lua, 1);
    lua_settop(lua, count);
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

void rft_sandbox_guard_format(lua_State *lua) {
    lua_getfield(lua, -1, "format");
    lua_pushcclosure(lua, guarded_format, 1);
    lua_setfield(lua, -2, "format");
}

void rft_sandbox_open_text(lua_State *lua) {
    lua_pushcfunction(lua, api_tostring);
    lua_setfield(lua, -2, "tostring");
    lua_pushcfunction(lua, api_print);
    lua_setfield(lua, -2, "print");
}
