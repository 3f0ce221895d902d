/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_watch.h - the clock of one script: how long the call in hand and all calls together have taken.
 *
 * A thread looks every now and then whether a call is under way, and adds the time since its last look: a call costs no
 * reading of a clock, and a process that was stopped (Ctrl-Z, a laptop asleep) has lost nothing. Once a limit is passed
 * the watch has expired for good; the hook of lua_state.c asks for that and raises. Where no hook runs, inside a C
 * function, the call does not return: after a grace the thread reports that through `stuck`, which ends the process.
 * Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_WATCH_H
#define RFT_SCRIPT_LUA_WATCH_H

#include "script/script_opts.h"

typedef struct rft_watch rft_watch;

/* Limits and `stuck` as the options have them. RFT_E_LIMIT when no thread can be started. */
int rft_watch_new(rft_watch **out, const rft_script_opts *opts, rft_err *err);
void rft_watch_free(rft_watch *watch); /* NULL is accepted */

/* A call into the script begins and ends. Not nested. */
void rft_watch_enter(rft_watch *watch);
void rft_watch_leave(rft_watch *watch);
/* What takes time now is none of the script's: a terminal that does not read. */
void rft_watch_pause(rft_watch *watch, bool paused);
/* What the script is at, for the thread's message; copied. */
void rft_watch_place(rft_watch *watch, const char *place);

bool rft_watch_expired(const rft_watch *watch);
/* Which limit it was: "the limit of 10 s for one call into a script". */
void rft_watch_limit_text(const rft_watch *watch, char *out, size_t size);

#endif
