/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_sandbox.h"

#include "base/str.h"
#include "base/units.h"
#include "script/lua/lua_contents.h"
#include "script/lua/lua_csv.h"
#include "script/lua/lua_json.h"
#include "script/lua/lua_modules.h"
#include "script/lua/lua_read.h"
#include "script/lua/lua_strict.h"
#include "script/lua/lua_struct.h"
#include "script/lua/lua_values.h"
#include "script/lua/lua_ways.h"
#include "script/sweep_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 256
#define PRINTED_MAX ((size_t)64 << 10) /* bytes that print() shows of a whole script */
#define LINE_SHOWN 4000

static const char *const base_names[] = {"assert", "error",    "ipairs", "pairs", "pcall",
                                         "select", "tonumber", "type",   NULL};
static const char *const string_names[] = {"byte",  "char",  "find", "format",  "gmatch", "gsub",  "len",
                                           "lower", "match", "rep",  "reverse", "sub",    "upper", NULL};
static const char *const table_names[] = {"concat", "insert", "move", "pack", "remove", "sort", "unpack", NULL};
static const char *const refused_math[] = {"random", "randomseed"};

/* Opens a library and leaves only the names in the list (NULL: all). The table stays on the stack: it is also what
 * the metatable of texts points to, so it is emptied in place. */
static void open_library(lua_State *lua, lua_CFunction open, const char *name, const char *const *allowed) {
    luaL_requiref(lua, name, open, 0);
    if (!allowed) {
        return;
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        bool keep = false;
        for (size_t i = 0; allowed[i] && !keep; i++) {
            keep = strcmp(lua_tostring(lua, -1), allowed[i]) == 0;
        }
        if (!keep) {
            lua_pushvalue(lua, -1);
            lua_pushnil(lua);
            lua_rawset(lua, -4);
        }
    }
}

/* ---- globals: read only, unknown names are errors ---- */

static int unknown_global(lua_State *lua) {
    const char *names[NAMES_MAX];
    char hint[120];
    const char *word = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    size_t count = rft_read_sorted_keys(lua, 1, names, NAMES_MAX);
    const char *way = rft_ways_of_name(word);
    if (way) {
        rft_lua_fault(lua, RFT_E_SCRIPT, way, "unknown name \"%.80s\"", word);
    }
    rft_read_hint(hint, sizeof(hint), word, names, count);
    rft_lua_fault(
        lua, RFT_E_SCRIPT,
        "a name of your own is declared first: local NAME = ...; a text stands in quotes; dimensions are p.NAME, "
        "parameters c.NAME, buffers b.NAME",
        "unknown name \"%.80s\"%s", word, hint);
}

/* A field that a library lacks; the library's name is in the upvalue. */
static int unknown_field(lua_State *lua) {
    const char *names[NAMES_MAX];
    char name[120], hint[120], known[400];
    const char *word = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    snprintf(name, sizeof(name), "%s.%.80s", lua_tostring(lua, lua_upvalueindex(1)), word);
    const char *way = rft_ways_of_name(name);
    if (way) {
        rft_lua_fault(lua, RFT_E_SCRIPT, way, "unknown name \"%s\"", name);
    }
    size_t count = rft_read_sorted_keys(lua, 1, names, NAMES_MAX);
    rft_read_hint(hint, sizeof(hint), word, names, count);
    rft_lua_fault(lua, RFT_E_SCRIPT, rft_read_known(known, sizeof(known), names, count), "unknown name \"%s\"%s", name,
                  hint);
}

/* Names the library on top in the table at `known`, closed to unknown names; popped. */
static void close_library(lua_State *lua, int known, const char *name) {
    lua_createtable(lua, 0, 1);
    lua_pushstring(lua, name);
    lua_pushcclosure(lua, unknown_field, 1);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_setfield(lua, known, name);
}

static int new_global(lua_State *lua) {
    const char *word = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    rft_lua_fault(lua, RFT_E_SCRIPT, "write \"local\" in front of it", "\"%.80s\" would become a global name", word);
}

/* The functions live in a table of their own behind an empty one, so that setting a known name is refused too. */
static void close_globals(lua_State *lua) {
    int known = lua_gettop(lua);
    lua_createtable(lua, 0, 0);
    lua_createtable(lua, 0, 2);
    lua_pushvalue(lua, known);
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, unknown_global);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, known);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, new_global);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushvalue(lua, known);
    lua_setfield(lua, LUA_REGISTRYINDEX, RFT_KNOWN_GLOBALS);
}

static void open_units(lua_State *lua) {
    for (const rft_unit *unit = rft_units_constants(); unit->name; unit++) {
        rft_value value = rft_value_real(unit->factor);
        rft_push_value(lua, &value);
        lua_setfield(lua, -2, unit->name);
    }
}

void rft_sandbox_open(lua_State *lua) {
    lua_createtable(lua, 0, 96);
    int known = lua_gettop(lua);
    luaL_requiref(lua, "_G", luaopen_base, 0);
    for (size_t i = 0; base_names[i]; i++) {
        lua_getfield(lua, -1, base_names[i]);
        lua_setfield(lua, known, base_names[i]);
    }
    lua_pop(lua, 1);
    open_library(lua, luaopen_string, "string", string_names);
    rft_sandbox_guard_strings(lua);
    rft_sandbox_guard_format(lua);
    close_library(lua, known, "string");
    open_library(lua, luaopen_table, "table", table_names);
    rft_sandbox_guard_tables(lua);
    close_library(lua, known, "table");
    open_library(lua, luaopen_math, "math", NULL);
    for (size_t i = 0; i < sizeof(refused_math) / sizeof(refused_math[0]); i++) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, refused_math[i]);
    }
    close_library(lua, known, "math");
    open_library(lua, luaopen_utf8, "utf8", NULL);
    close_library(lua, known, "utf8");
    lua_pushcfunction(lua, rft_sandbox_pairs);
    lua_setfield(lua, known, "pairs");
    rft_sandbox_open_text(lua);
    lua_pushcfunction(lua, rft_modules_require);
    lua_setfield(lua, known, "require");
    lua_pushcfunction(lua, rft_csv_read);
    lua_setfield(lua, known, "csv");
    lua_pushcfunction(lua, rft_json_of_file);
    lua_setfield(lua, known, "json");
    rft_strict_open(lua);
    rft_values_open(lua);
    rft_launch_api_open(lua);
    rft_struct_open(lua);
    rft_contents_open(lua);
    rft_sweep_api_open(lua);
    open_units(lua);
    close_globals(lua);
}

/* ---- tostring, print and string.format: without addresses, and no more than so much text ---- */

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
