/* SPDX-License-Identifier: Apache-2.0 */
/* tally.h - what a session takes: time, GPU, compilers; added to what earlier sessions took. Private to run. */
#ifndef RFT_RUN_TALLY_H
#define RFT_RUN_TALLY_H

#include "run/exec_opts.h"

typedef struct rft_tally {
    const rft_exec_opts *opts;
    int64_t last_ns;         /* latest reading of the monotonic clock */
    int64_t elapsed_ns;      /* of this session; grows only, whatever the clock does */
    double busy_s;           /* of this session: the rounds of its points, without the ceilings */
    double compile_before_s; /* of the pool, before this session */
    double earlier_elapsed_s, earlier_busy_s, earlier_compile_s; /* of earlier sessions; NaN: not recorded */
} rft_tally;

void rft_tally_begin(rft_tally *tally, const rft_exec_opts *opts);

/* Seconds since begin(). A step back of the clock counts as nothing. */
double rft_tally_elapsed_s(rft_tally *tally);
/* Seconds of them that the GPU was verifying and measuring, ceilings included; NaN in a replay. */
double rft_tally_busy_s(const rft_tally *tally);

/* A round that was measured now. One that is not known (the worker died) counts for nothing. */
void rft_tally_round(rft_tally *tally, const rft_measurement *round);

/* Writes the sums over all sessions into run->info. */
void rft_tally_sum(rft_tally *tally);

/* Now, for the end of the run: never before its beginning, whatever the wall clock was set to. */
int64_t rft_tally_finished_unix_ns(rft_tally *tally);

#endif
