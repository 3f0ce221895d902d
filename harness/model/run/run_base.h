/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_base.h - base and peak, in SPEC's words: one configuration for all problems of a sweep beside the best for each.
 * What the first costs is what a library pays that ships one configuration.
 */
#ifndef RFT_MODEL_RUN_BASE_H
#define RFT_MODEL_RUN_BASE_H

#include "model/run/run.h"

typedef struct rft_base {
    const rft_point *point; /* the configuration, at the sweep's last problem that has a best; NULL: none was measured
                             * at every such problem */
    size_t problems;        /* that have a best */
    size_t candidates;      /* configurations that were measured at all of them */
    double frac;            /* of the best's speed, the geometric mean over the problems: (0, 1]; NaN without one */
    double worst_frac;      /* at the problem where it is slowest against its best */
    size_t worst_problem;
} rft_base;

/* The configuration with the highest `frac` over the problems that `counts` (one flag a problem; NULL: all). Medians
 * are compared as they stand: one that reads faster than a best of the final round is told as 1. Of several equal ones
 * the first. */
rft_base rft_run_base(const rft_run *run, size_t sweep, const bool *counts);

/* That configuration at another problem of its sweep; an alias gives what was measured. NULL: it was not. */
const rft_point *rft_run_base_at(const rft_run *run, const rft_base *base, size_t problem);

#endif
