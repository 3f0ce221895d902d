/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_locate.h - the line of a key in a script's text. Lua knows the line of a call, `return sweep {`, and not those of
 * the keys between its braces; the text is looked through for them. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_LOCATE_H
#define RFT_SCRIPT_LUA_LOCATE_H

#include "script/lua/lua_read.h"

/* The line, from 1, of the deepest part of the path that is written out below the call of its root in `line`, or below
 * the one `return {` of the function that begins there; 0 when the text does not show it. */
int rft_locate(const char *text, int line, const rft_at *at);

#endif
