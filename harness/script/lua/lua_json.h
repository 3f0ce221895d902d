/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_json.h - json "kernel.json": the file as a table, as other programs write facts of a kernel. Its text counts for
 * the script's hash, as a module's does. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_JSON_H
#define RFT_SCRIPT_LUA_JSON_H

#include "script/lua/lua_read.h"

/* Lua's json(): null is nil. Raises: a file that is no JSON, or is not one that the script may read; a call while the
 * script is not being loaded. */
int rft_json_of_file(lua_State *lua);

#endif
