/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prior_rank.h - what the sweep's prior puts first on one part of a run (docs/search.md#a-prior): seeds of the search,
 * and what `check` shows.
 */
#ifndef RFT_RUN_PRIOR_RANK_H
#define RFT_RUN_PRIOR_RANK_H

#include "model/sweep/space.h"
#include "model/sweep/sweep.h"

#define RFT_PRIOR_ASKED 16384 /* configurations at most that the prior is asked about; of a larger space a sample */
#define RFT_PRIOR_KEPT 64     /* the first of them */

typedef struct rft_prior_rank {
    uint64_t
        index[RFT_PRIOR_KEPT]; /* in the space, by ascending prior; equal ones in an order that the seed shuffles */
    double prior[RFT_PRIOR_KEPT];
    size_t count;           /* 0: the variant has no prior, or it answered for none */
    uint64_t asked, failed; /* configurations; what failed has no opinion */
    rft_err first;          /* why the first of them failed */
} rft_prior_rank;

/* RFT_E_SCRIPT_STOPPED: the script has passed a limit of time. */
int rft_prior_rank_of(const rft_sweep *sweep, size_t variant, const rft_value *problem, const rft_space *space,
                      uint64_t seed, rft_prior_rank *out, rft_err *err);

/* How many seeds a search of so many points (UINT64_MAX: it ends by time) begins with: a fifth, at least 1 and at most
 * RFT_PRIOR_SEEDS. A prior that misleads costs no more than that, and as much again where seeds spill or fail. */
#define RFT_PRIOR_SEEDS 8
size_t rft_prior_seeds(uint64_t points);

#endif
