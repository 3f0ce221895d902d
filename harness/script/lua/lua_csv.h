/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_csv.h - csv "shapes.csv": a list of tables, one a line, with the first line's names. Its text counts for the
 * script's hash, as a module's does. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_CSV_H
#define RFT_SCRIPT_LUA_CSV_H

#include "script/lua/lua_read.h"

#define RFT_CSV_ROWS_MAX 4096 /* lines behind the first */
#define RFT_CSV_COLUMNS_MAX 64

/* Lua's csv(). Raises, with file, line and column: a file that cannot be read or is not one that the script may read,
 * another number of cells than names, an empty cell, too much; a call while the script is not being loaded. */
int rft_csv_read(lua_State *lua);

#endif
