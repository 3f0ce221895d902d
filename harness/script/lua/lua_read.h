/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_read.h - typed reading of Lua values, with the path of what is read in every message:
 * `kernel.params[1]: expected ...`, `launch.blok: unknown key, did you mean "block"?`.
 *
 * Everything here raises Lua errors (rft_lua_fault()) and so runs inside rft_lua_protected() only. Texts returned are
 * Lua's and live as long as the Lua value; copy what is kept into an arena. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_READ_H
#define RFT_SCRIPT_LUA_READ_H

#include "model/sweep/value.h"
#include "script/lua/lua_keys.h"
#include "script/lua/lua_state.h"

/* A path, built on the C stack from its end: {&parent, "block", 0} or {&parent, NULL, 2}. */
typedef struct rft_at {
    const struct rft_at *up;
    const char *key;   /* NULL: `index` counts */
    lua_Integer index; /* from 1 */
} rft_at;

/* Raises "PATH: message". `remedy` may be NULL. */
_Noreturn void rft_read_fail(lua_State *lua, const rft_at *at, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with another code than RFT_E_SCRIPT. */
_Noreturn void rft_read_fail_code(lua_State *lua, const rft_at *at, int code, const char *remedy, const char *format,
                                  ...) __attribute__((format(printf, 5, 6)));
/* Raises "PATH: expected WHAT, got a string". */
_Noreturn void rft_read_wrong(lua_State *lua, int index, const rft_at *at, const char *what);
/* "drop the quotes: 128" where the value is a text that is a number; else NULL. `out` of `size` bytes. */
const char *rft_read_unquoted(lua_State *lua, int index, char *out, size_t size);
/* ', did you mean "block"?' or "". `out` of `size` bytes; returns it. */
const char *rft_read_hint(char *out, size_t size, const char *word, const char *const *candidates, size_t count);
/* "known: n, k": a remedy. `out` of `size` bytes; returns it. */
const char *rft_read_known(char *out, size_t size, const char *const *names, size_t count);
/* "the text \"abc\"", "12", "a table": for messages. Returns `out`. */
const char *rft_read_describe(lua_State *lua, int index, char *out, size_t size);

/* Raises unless the value is a table. */
void rft_read_table(lua_State *lua, int index, const rft_at *at);
/* Raises for a key that is neither in the set nor an index 1..positions. */
void rft_read_keys(lua_State *lua, int index, const rft_at *at, rft_key_table keys, lua_Integer positions);
/* Length of a list; raises when it has gaps or named keys, or is longer than `most`. */
lua_Integer rft_read_list(lua_State *lua, int index, const rft_at *at, lua_Integer most);
/* Pushes table[key]; false when it is nil (which is pushed too). */
bool rft_read_field(lua_State *lua, int index, const char *key);

int64_t rft_read_int(lua_State *lua, int index, const rft_at *at, int64_t least, int64_t most);
double rft_read_real(lua_State *lua, int index, const rft_at *at, double least, double most);
bool rft_read_bool(lua_State *lua, int index, const rft_at *at);
const char *rft_read_text(lua_State *lua, int index, const rft_at *at);
/* Seconds: a number, or text with a unit ("2s", "10m"). */
double rft_read_seconds(lua_State *lua, int index, const rft_at *at);
void rft_read_function(lua_State *lua, int index, const rft_at *at);
/* [A-Za-z_][A-Za-z0-9_]* and no Lua keyword. */
const char *rft_read_name(lua_State *lua, int index, const rft_at *at);
/* A list of texts, copied into the arena. */
const char **rft_read_texts(lua_State *lua, int index, const rft_at *at, rft_arena *arena, size_t *count);

/* Number, boolean, text or ctype; texts are copied. *is_ctype tells the last two apart (NULL: a ctype is refused). */
rft_value rft_read_value(lua_State *lua, int index, const rft_at *at, rft_arena *arena, bool *is_ctype);
void rft_push_value(lua_State *lua, const rft_value *value);

/* Keys of the table at `index` that are texts, sorted, borrowed from it: `out` of `most`. Returns how many. */
size_t rft_read_sorted_keys(lua_State *lua, int index, const char **out, size_t most);

#endif
