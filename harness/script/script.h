/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - Lua sweeps in, model structs out. The only room that knows Lua.
 *
 * Sandbox: allow-listed libraries, text chunks only, no debug, io, os, no __gc; a memory limit; limits on the time of
 * one call into a script and of all its calls together. Where a call passes one, it and every later one fail with
 * RFT_E_SCRIPT_STOPPED: no use in going on. A script owns its Lua state and everything it returned; rft_script_free()
 * ends both. It is used by one thread, and has one of its own, which watches the time.
 */
#ifndef RFT_SCRIPT_SCRIPT_H
#define RFT_SCRIPT_SCRIPT_H

#include "base/err.h"
#include "base/str.h"
#include "model/sweep/sweep.h"
#include "script/script_opts.h"

/* Runs the file. Errors: RFT_E_IO (cannot be read), RFT_E_SCRIPT (syntax, runtime, unknown key, wrong type, memory:
 * place "file:line", message with the key's path and a hint, traceback), RFT_E_SCRIPT_STOPPED, RFT_E_SPACE (an empty
 * list of values), RFT_E_SOURCE (a kernel's source is missing). What it names outside of what it may read, and a
 * compiler's option that is not allowed, is RFT_E_SCRIPT. One point of every variant is spelled out, so that an error
 * in launch() is found here and not in every point. */
int rft_script_load(rft_script **out, const char *path, const rft_script_opts *opts, rft_err *err);
/* The same for text in memory; `path` is what names are relative to. */
int rft_script_load_text(rft_script **out, const char *path, const char *text, size_t size, const rft_script_opts *opts,
                         rft_err *err);
void rft_script_free(rft_script *script); /* NULL is accepted */

/* A space in T1 JSON (docs/exchange.md) becomes a sweep without a kernel. RFT_E_IO, RFT_E_LIMIT; RFT_E_SCRIPT with the
 * JSON path: what is not as T1 has it, or Python beyond what is translated. */
int rft_script_load_t1(rft_script **out, const char *path, const rft_script_opts *opts, rft_err *err);
/* Does the file say that it is one? False also for what cannot be read. */
bool rft_script_is_t1(const char *path);
/* The Lua text it becomes, appended; `what` names the file in messages. */
int rft_script_t1_text(rft_str *out, const char *text, size_t size, const char *what, rft_err *err);

/* May a parameter or an axis have this name? Not what Lua, C++ or CUDA use. */
bool rft_script_name_is_free(const char *name);

size_t rft_script_sweep_count(const rft_script *script);
const rft_sweep *rft_script_sweep(const rft_script *script, size_t index); /* dies with the script */

/* Reads a data file (datasheet values of devices, mixes): a Lua file that returns a table, as JSON. Heap string. Of the
 * options (NULL: none) its limits and `stuck` count. */
int rft_script_read_table(char **out_json, const char *path, const rft_script_opts *opts, rft_err *err);
/* The same for text in memory, which may use what a sweep may: require() (from the folder of `path` upwards, then the
 * options' folders) and `arg`, the options' args. So the program asks a Lua module for an answer. */
int rft_script_eval_table(char **out_json, const char *path, const char *text, const rft_script_opts *opts,
                          rft_err *err);

/* The sorted names of all globals, as the sandbox really has them, allocated from the arena: for the tests of the
 * editor file and the documentation. */
int rft_script_global_names(rft_arena *arena, const char ***out, size_t *count, rft_err *err);

#endif
