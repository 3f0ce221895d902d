/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_share.h - what each part of a sweep gets of its budget, which is shared equally by its segments (a variant on
 * a timed problem) that have a configuration on this device, less what is kept for refine().
 */
#ifndef RFT_RUN_BUDGET_SHARE_H
#define RFT_RUN_BUDGET_SHARE_H

#include "run/plan/plan.h"

typedef struct rft_budget_share {
    uint64_t points; /* UINT64_MAX: no such budget */
    double seconds;  /* wall time; INFINITY: none */
    double gpu_s;    /* INFINITY: none */
} rft_budget_share;

rft_budget_share rft_budget_share_of_sweep(const rft_sweep *sweep);
rft_budget_share rft_budget_share_of_segment(const rft_plan *plan, size_t sweep);

/* Points on timed problems, at most; *odd: those on the odd one before them. */
uint64_t rft_budget_share_planned(const rft_plan *plan, size_t sweep, uint64_t *odd);

#endif
