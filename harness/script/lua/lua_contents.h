/* SPDX-License-Identifier: Apache-2.0 */
/* lua_contents.h - buffers and what they hold: seeded, from "fill.cu:rows", file "x.npy". Private to the room. */
#ifndef RFT_SCRIPT_LUA_CONTENTS_H
#define RFT_SCRIPT_LUA_CONTENTS_H

#include "script/lua/lua_read.h"

#define RFT_TAG_FROM "from()" /* payload rft_from_tag; uservalue 1: the text or table that it was given */

/* Read once the buffers are known (sweep_fill.c). */
typedef struct rft_from_tag {
    const rft_script_file *file; /* whose paths it names */
    char place[200];             /* "spmv.lua:12" */
} rft_from_tag;

/* Puts input() and its like, and what fills them, into the table on top. */
void rft_contents_open(lua_State *lua);

/* The path of what `written` names in `file`, in the script's arena: checked when it is first named, then kept. Raises
 * RFT_E_SOURCE where there is no file, RFT_E_SCRIPT where the script may not read it. */
const char *rft_contents_path(lua_State *lua, const rft_at *at, const rft_script_file *file, const char *written);

#endif
