/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_sandbox.h - what a script can reach. Lua's own functions from an allow list, some of them guarded:
 *
 *   base    assert error ipairs pairs pcall print select tonumber tostring type require arg
 *   string  byte char find format gmatch gsub len lower match rep reverse sub upper
 *   table   concat insert move pack remove sort unpack
 *   math    all but random and randomseed (a sweep asked twice answers the same)
 *   utf8    all
 *
 * Not there, each for a reason: load, loadfile, dofile, string.dump (bytecode, files); setmetatable, getmetatable
 * (__gc, __index, __len and __close make C loops endless or run code at any time); coroutine (the limits' hook is per
 * coroutine); xpcall (its handler runs with hooks off); next (its order differs from run to run); collectgarbage.
 * Reading an unknown global and setting any global are errors. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_SANDBOX_H
#define RFT_SCRIPT_LUA_SANDBOX_H

#include "script/lua/lua_state.h"

/* Elementary steps a pattern match may need at worst before it is refused: below about five seconds. */
#define RFT_PATTERN_WORK_MAX 1e9

/* Fills the globals. Inside rft_lua_protected(). */
void rft_sandbox_open(lua_State *lua);

/* A bound on the elementary steps of matching `pattern` against `subject_bytes` bytes, all starts included
 * (lua_sandbox_pattern.c says how). `is_plain`: string.find's fourth argument. `has_anchor`: a leading ^ is special. */
double rft_pattern_work(const char *pattern, size_t pattern_bytes, size_t subject_bytes, bool is_plain,
                        bool has_anchor);

/* Replace string.find, match, gmatch, gsub, rep in the table on top. */
void rft_sandbox_guard_strings(lua_State *lua);
/* Replace table.sort and table.move in the table on top. */
void rft_sandbox_guard_tables(lua_State *lua);
/* Replaces string.format in the table on top. */
void rft_sandbox_guard_format(lua_State *lua);
/* tostring() and print() into the table on top. */
void rft_sandbox_open_text(lua_State *lua);
/* pairs(): sorted, numbers before text before booleans; works on strict tables too. */
int rft_sandbox_pairs(lua_State *lua);
/* The text of the value at `index`, pushed, as luaL_tolstring() gives it, but without an address: a script says the
 * same from run to run. */
const char *rft_lua_text(lua_State *lua, int index, size_t *length);

#endif
