/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_modules.h - the files of a script: the one that was named, and what it requires.
 *
 * require "kernels.gemm" looks for kernels/gemm.lua and kernels/FOLDER/gemm.lua in the folder of the file that asks and
 * its ancestors, in those of the script, then in the module folders of the options. Each file runs once; every file's
 * text enters the script's hash. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_MODULES_H
#define RFT_SCRIPT_LUA_MODULES_H

#include "script/lua/lua_read.h"

#define RFT_KNOWN_GLOBALS "rft.globals" /* registry key of the table behind the globals */

/* Compiles `text` as the file `path` (text chunks only) and runs it; its values are on the stack when it returns how
 * many there are. `real` is its identity. Raises on errors. */
int rft_modules_run(lua_State *lua, rft_script_file *file, const char *text, size_t size);
/* Registers a file. Copies the strings. */
rft_script_file *rft_modules_add(rft_script *script, const char *path, const char *shown);
/* The file whose code runs innermost; the script itself when none does. */
const rft_script_file *rft_modules_caller(lua_State *lua);
/* `path`, relative to the folder of `file`, in the script's arena. */
const char *rft_modules_path(rft_script *script, const rft_script_file *file, const char *path);
/* Raises, for what stands at `at`, unless the script may read the path. */
void rft_modules_check_path(lua_State *lua, const rft_at *at, const char *path);
/* Raises, for what stands at `at`: it is not there, or cannot be looked at. */
_Noreturn void rft_modules_no_file(lua_State *lua, const rft_at *at, const char *path);
/* For Lua's function of this name: the text of the file that its first argument names, in the script's arena, hashed.
 * Raises: a file that cannot be read or is not one that the script may read; a script that is not being loaded. */
char *rft_modules_data(lua_State *lua, const char *function, const char **shown);
/* Lua's require(). */
int rft_modules_require(lua_State *lua);

#endif
