/* SPDX-License-Identifier: Apache-2.0 */
#include "run/prior_rank.h"

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>

static uint64_t shuffled(uint64_t index, uint64_t seed) {
    return rft_random_next(&(uint64_t){index ^ seed});
}

/* Where equal numbers are, those that a parameter of no effect tells apart would be neighbours all. */
static bool is_before(const rft_prior_rank *rank, uint64_t seed, size_t at, uint64_t index, double prior) {
    return rank->prior[at] < prior ||
           (rank->prior[at] == prior && shuffled(rank->index[at], seed) < shuffled(index, seed));
}

static bool is_in(const rft_prior_rank *rank, uint64_t index, double prior) {
    for (size_t i = 0; i < rank->count; i++) {
        if (rank->index[i] == index && rank->prior[i] == prior) {
            return true;
        }
    }
    return false;
}

static void keep(rft_prior_rank *rank, uint64_t seed, uint64_t index, double prior) {
    bool is_full = rank->count == RFT_PRIOR_KEPT;
    if ((is_full && is_before(rank, seed, RFT_PRIOR_KEPT - 1, index, prior)) || is_in(rank, index, prior)) {
        return;
    }
    size_t at = is_full ? RFT_PRIOR_KEPT - 1 : rank->count++;
    for (; at > 0 && !is_before(rank, seed, at - 1, index, prior); at--) {
        rank->index[at] = rank->index[at - 1];
        rank->prior[at] = rank->prior[at - 1];
    }
    rank->index[at] = index;
    rank->prior[at] = prior;
}

int rft_prior_rank_of(const rft_sweep *sweep, size_t variant, const rft_value *problem, const rft_space *space,
                      uint64_t seed, rft_prior_rank *out, rft_err *err) {
    *out = (rft_prior_rank){.first = RFT_ERR_INIT};
    uint64_t count = sweep->vt->prior ? rft_space_count(space) : 0, draws = seed;
    bool is_whole = rft_space_exact(space) && count <= RFT_PRIOR_ASKED;
    count = is_whole || count < RFT_PRIOR_ASKED ? count : RFT_PRIOR_ASKED;
    rft_value *config = rft_calloc(sweep->variants[variant].param_count + 1, sizeof *config);
    rft_err fault = RFT_ERR_INIT;
    int rc = RFT_OK;
    for (uint64_t i = 0; i < count; i++) {
        double prior = 0;
        uint64_t index = is_whole ? i : rft_space_sample(space, rft_random_next(&draws));
        if (index == UINT64_MAX) {
            continue;
        }
        rft_space_get(space, index, config);
        rc = sweep->vt->prior(sweep->self, variant, problem, config, &prior, &fault);
        if (rc == RFT_E_SCRIPT_STOPPED) {
            break;
        }
        out->asked++;
        if (rc != RFT_OK && out->failed++ == 0) {
            out->first = fault;
        } else if (rc == RFT_OK && prior > 0) { /* 0: it has no opinion */
            keep(out, seed, index, prior);
        }
        rc = RFT_OK;
    }
    free(config);
    if (rc != RFT_OK && err) {
        *err = fault;
    }
    return rc;
}

size_t rft_prior_seeds(uint64_t points) {
    uint64_t seeds = points / 5;
    return seeds < 1 ? 1 : seeds > RFT_PRIOR_SEEDS ? RFT_PRIOR_SEEDS : (size_t)seeds;
}
