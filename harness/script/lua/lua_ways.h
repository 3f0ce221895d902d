/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_ways.h - what those who know another language or another tool write, and what stands in its place
 * here: tables of texts, no Lua state. Everything returned has static storage. Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_WAYS_H
#define RFT_SCRIPT_LUA_WAYS_H

#include <stddef.h>

/* A remedy for what Lua says of a script ("unexpected symbol near '!'"), by what stands in the line, up to its end,
 * outside of texts and comments, then by the message. `line` may be NULL. NULL: none is known. */
const char *rft_ways_of_message(const char *message, const char *line);
/* Why a script lacks a global ("io") or a field of a library ("math.random"), and what it has; NULL: not known. */
const char *rft_ways_of_name(const char *name);
/* The one of the candidates that another tool calls `word`: "tolerance" -> "tol"; NULL. */
const char *rft_ways_of_key(const char *word, const char *const *candidates, size_t count);
/* How the value at a path is written: "kernel.params[1]" -> params = { { "VEC", 1 } }; of what it is in, where nothing
 * is known of itself; NULL. */
const char *rft_ways_example(const char *path);

#endif
