/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_state.h - one sandboxed Lua state: its memory and time limits, protected calls, and faults.
 *
 * Everything that can raise a Lua error runs inside rft_lua_protected(). A Lua error is a longjmp, so code called from
 * there keeps its memory in an arena or in a Lua value, never on the heap across a call into Lua.
 * Limits: every allocation is counted; no single block may exceed RFT_LUA_BLOCK_MAX, which bounds the work of every C
 * function that runs over one string or table; a hook on calls and on every thousandth instruction asks the watch.
 * Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_STATE_H
#define RFT_SCRIPT_LUA_STATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "script/lua/lua_watch.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* The largest string or table part: 16 MiB (about a million list elements). */
#define RFT_LUA_BLOCK_MAX ((size_t)16 << 20)
/* Largest script file: the Lua parser is not interruptible, and some of its steps are quadratic. */
#define RFT_LUA_SOURCE_MAX ((size_t)512 << 10)

/* A file that was run: the script itself, or a module. Lives in the script's arena. */
typedef struct rft_script_file {
    const char *shown;  /* as in messages and as Lua's chunk name: "kernels/gemm.lua" */
    const char *path;   /* to open; absolute for modules */
    const char *folder; /* what paths in this file are relative to; "" = the working folder */
    const char *real;   /* absolute: its identity */
    const char *text;   /* NULL: not read yet */
    bool loading;       /* require() loops are found by it */
    int result_ref;     /* registry reference to the module's value */
} rft_script_file;

typedef struct rft_sweep_state rft_sweep_state; /* sweep_parts.h */

struct rft_script {
    lua_State *lua;
    rft_arena *arena;
    const rft_log *log;
    const rft_gpu_info *gpu;
    int gpu_ref;            /* registry reference to the strict `gpu` table */
    struct rft_run *limits; /* that device's, for `prior` (sweep_prior.c); NULL: not asked for yet */

    size_t used_bytes, limit_bytes;
    size_t refused_bytes; /* size of the allocation refused last; 0 = none */
    rft_watch *watch;
    bool stopping; /* the watch has expired, and every instruction raises */
    unsigned calls;
    size_t printed_bytes; /* of print() */
    rft_err failure;      /* of the protected call that is ending */
    bool is_of_value;     /* the failure is about a number that a function computed: the point is told with it */
    rft_err stopped;      /* of the one that passed a limit: it is that of every later one. code 0 = none */
    char where[200];      /* place of errors found in what a function returned, while no Lua function runs; "" = none */

    rft_script_file **files;
    size_t file_count, file_capacity;
    const char **module_folders;
    size_t module_folder_count;
    rft_roots roots;                    /* what it may read */
    rft_sha256 hash;                    /* of every file run, in order */
    struct rft_named_file *named_files; /* that inputs are read from (lua_contents.c) */
    rft_sweep_state **sweeps;
    size_t sweep_count;
    uint64_t turn;  /* counts points: handles of an earlier one are refused */
    bool data_only; /* rft_script_read_table() */
};

rft_script *rft_lua_script(lua_State *lua);

/* A state with nothing in it. RFT_E_LIMIT when the memory limit is too small for Lua itself. */
int rft_lua_new(rft_script **out, const rft_script_opts *opts, rft_err *err);
void rft_lua_free(rft_script *script); /* NULL is accepted */

/* Calls body(L) with the light userdata `payload` as its only argument, under the limits. 0 or the error's code. */
int rft_lua_protected(rft_script *script, lua_CFunction body, void *payload, rft_err *err);

/* Raises an error with a code and a remedy (NULL = none). Its place is the innermost running Lua line, else
 * script->where. printf format; integers and strings only. */
_Noreturn void rft_lua_fault(lua_State *lua, int code, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same at a place of its own. */
_Noreturn void rft_lua_fault_at(lua_State *lua, const char *place, int code, const char *remedy, const char *format,
                                ...) __attribute__((format(printf, 5, 6)));

/* The text of the file and the line of a place like "saxpy.lua:12"; NULL when it is of no file that was run. */
const char *rft_lua_source(const rft_script *script, const char *place, int *line);

/* "saxpy.lua:12" of the innermost running Lua function; false (and "") when none runs. */
bool rft_lua_place(lua_State *lua, char *out, size_t size);
/* "saxpy.lua:12" of the function on top of the stack, which is popped. */
void rft_lua_function_place(lua_State *lua, char *out, size_t size);

/* Raises when what the script's constructors keep outside of Lua exceeds the memory limit too. */
void rft_lua_check_kept(lua_State *lua);

/* Pushes the function behind a registry reference and makes its place script->where. */
void rft_lua_push_function(lua_State *lua, int ref);

/* Creates the metatable of faults. Called once, before anything may fail. */
void rft_lua_open_faults(lua_State *lua);

#endif
