/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_prior.h - how right a sweep's prior was (docs/search.md#priors): its order beside that of the measured times, and
 * what its first choice costs. What spills goes behind all that does not: no formula knows it beforehand.
 */
#ifndef RFT_MODEL_RUN_PRIOR_H
#define RFT_MODEL_RUN_PRIOR_H

#include "model/run/run.h"
#include "model/stats/rank_correlation.h"

/* Of one variant on one problem; times of the first round, which all have. */
typedef struct rft_prior_fit {
    size_t variant, problem;
    size_t count;            /* configurations that were measured and have a prior */
    size_t spilling;         /* of them */
    rft_rank_correlation of; /* positive: what the prior puts first is fast */
    const rft_point
        *first;            /* the prior's first choice; where several are equal, the one of them with the median time */
    size_t equal;          /* configurations that it cannot tell from that one, itself included */
    const rft_point *best; /* of those counted */
    double loss_frac;      /* time of the first choice over the best's, less 1; 0: it is the best */
    double middle_frac;    /* the same of the median of all those counted */
    double loss_low_frac, loss_high_frac; /* 95 %, of both medians in quadrature; NaN: one of them has none */
} rft_prior_fit;

/* In the order of variants, then of problems; those of which nothing with a prior was measured, or one configuration
 * alone, are left out. Array in `arena`. */
size_t rft_prior_fits(const rft_run *run, size_t sweep, rft_arena *arena, rft_prior_fit **out);
/* Of all variants together that have too few configurations (RFT_RANK_LEAST) on each problem: in the order of problems,
 * of no variant (SIZE_MAX). 0 of one such variant alone. */
size_t rft_prior_fits_together(const rft_run *run, size_t sweep, rft_arena *arena, rft_prior_fit **out);

#endif
