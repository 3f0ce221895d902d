/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_strict.h - tables in which an unknown name is an error, with the nearest one, and nothing can be set: what a
 * script's functions are called with. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_STRICT_H
#define RFT_SCRIPT_LUA_STRICT_H

#include "script/lua/lua_state.h"

/* Replaces the table on top by a read-only userdata in which an unknown name is an error: p, c, gpu, b. */
void rft_strict_wrap(lua_State *lua, const char *name);
void rft_strict_open(lua_State *lua);
/* Pushes the table behind a strict userdata; false (nothing pushed) when it is not one. */
bool rft_strict_data(lua_State *lua, int index);

#endif
