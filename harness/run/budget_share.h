/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_share.h - what of a budget each part of a run gets. Seconds of the command line are shared equally by the
 * sweeps, its number of points holds for each; a sweep's budget is shared equally by its segments (a variant on a timed
 * problem), less what is kept for refine(). Private to run.
 */
#ifndef RFT_RUN_BUDGET_SHARE_H
#define RFT_RUN_BUDGET_SHARE_H

#include "run/exec.h"

typedef struct rft_budget_share {
    uint64_t points; /* UINT64_MAX: no such budget */
    double seconds;  /* wall time; INFINITY: none */
    double gpu_s;    /* INFINITY: none */
} rft_budget_share;

rft_budget_share rft_budget_share_of_sweep(const rft_exec_opts *opts, size_t sweep);
rft_budget_share rft_budget_share_of_segment(const rft_exec_opts *opts, size_t sweep);

/* Points on timed problems, at most; *odd: those on the odd one before them. */
uint64_t rft_budget_share_planned(const rft_exec_opts *opts, size_t sweep, uint64_t *odd);

#endif
