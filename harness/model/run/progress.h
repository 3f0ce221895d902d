/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - how the search went on one problem: the configurations in the order tried, and the best so far. */
#ifndef RFT_MODEL_PROGRESS_H
#define RFT_MODEL_PROGRESS_H

#include "model/run/run.h"

#define RFT_PROGRESS_NEAR_FRAC 0.95 /* of the best's rate: "95 % of it was reached after" */

/* A configuration that was tried. */
typedef struct rft_trial {
    double at;        /* evaluation, from 1 */
    double elapsed_s; /* wall time of the sweep's measuring on this problem up to and with it */
    double time_s;    /* its median in the sweep (the final round comes after the search); NaN: it failed */
} rft_trial;

typedef struct rft_progress {
    rft_trial *trials; /* in the order tried, aliases left out */
    size_t count;
    const rft_trial **better; /* those that were better than all before; the last is the best */
    size_t better_count;      /* 0: none was measured */
    const rft_trial *near;    /* the first within RFT_PROGRESS_NEAR_FRAC of the best; NULL when none was measured */
} rft_progress;

/* Arrays in `arena`. */
rft_progress rft_progress_of(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);

#endif
