/* SPDX-License-Identifier: Apache-2.0 */
/* exec_state.h - what carrying out a plan keeps over its two rounds, and what it says on the way. Private to run. */
#ifndef RFT_RUN_EXEC_STATE_H
#define RFT_RUN_EXEC_STATE_H

#include "run/record.h"

typedef struct rft_exec_state {
    const rft_exec_opts *opts;
    rft_recorder recorder;
    rft_exec_progress progress;
    uint64_t draw;               /* of the process that is at work in the final round; 0: it may be any */
    double steady_mhz;           /* then: the run's clock; 0: not known */
    double held_mhz;             /* then: what ran below this is loaded in; 0: not known */
    bool ceilings_due;           /* opts->ceilings is still to be called */
    const char *baseline_warned; /* why the last baseline had no numbers, said once; NULL */
} rft_exec_state;

void rft_exec_begin(rft_exec_state *e, const rft_exec_opts *opts);
void rft_exec_end(rft_exec_state *e);

/* Sets *stopped when the user wants to. */
void rft_exec_ask_stop(const rft_exec_state *e, bool *stopped);

/* Counts a point of the first round, and says so. `best`: of its problem; NULL. */
void rft_exec_note(rft_exec_state *e, const rft_point *point, const rft_point *best);
/* A point of the final round; `before` is what it was until then. */
void rft_exec_note_final(rft_exec_state *e, const rft_point *point, rft_outcome before, bool stored);

/* Says what is done behind the final round; borrowed until the next. Nothing while there is no point at all. */
void rft_exec_note_doing(rft_exec_state *e, const char *doing, const rft_point *point);

/* A point of the counting round: its counters are in; `doing` as above. */
void rft_exec_note_counted(rft_exec_state *e, const char *doing, const rft_point *point);

/* Calls opts->ceilings, once. */
int rft_exec_ceilings(rft_exec_state *e, rft_err *err);

#endif
