/* SPDX-License-Identifier: Apache-2.0 */
/* table_json.h - a Lua table of plain data as JSON text. Private to the room. */
#ifndef RFT_SCRIPT_TABLE_JSON_H
#define RFT_SCRIPT_TABLE_JSON_H

#include <lua.h>
#include <stddef.h>

/* Lists become arrays, tables with names objects (keys sorted), an empty table an object, NaN and infinities null.
 * Heap string, or NULL with the reason in `problem` (functions, mixed keys, nesting deeper than 60). Raises nothing,
 * so the heap is safe: only lua_next and raw reads are used. */
char *rft_table_json(lua_State *lua, int index, char *problem, size_t problem_size);

#endif
