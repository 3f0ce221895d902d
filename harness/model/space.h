/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.h - the valid configurations of one variant on one problem.
 *
 * Enumeration is depth first in parameter order; a constraint is applied at the level where the last parameter it
 * names is bound, so a contradiction prunes its whole subtree. Nothing proportional to the Cartesian product is stored.
 */
#ifndef RFT_MODEL_SPACE_H
#define RFT_MODEL_SPACE_H

#include "model/sweep.h"

typedef struct rft_space rft_space;

typedef struct rft_space_opts {
    uint64_t max_configurations; /* RFT_E_LIMIT beyond; 0 = 20 million */
} rft_space_opts;

/* Enumerates. The space keeps pointers into `sweep`, which must outlive it.
 * A constraint that errors for some values removes that configuration, is counted, and its first message kept. */
int rft_space_new(rft_space **out, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                  const rft_space_opts *opts, rft_err *err);
void rft_space_free(rft_space *space);

const rft_variant *rft_space_variant(const rft_space *space); /* of the sweep: its parameters. Borrowed */
uint64_t rft_space_cartesian(const rft_space *space);         /* saturates at UINT64_MAX */
uint64_t rft_space_count(const rft_space *space);             /* valid */
/* Values of configuration `index` into `out` (one per parameter). */
void rft_space_get(const rft_space *space, uint64_t index, rft_value *out);
/* The position of each parameter's value in its list, one per parameter. */
void rft_space_positions(const rft_space *space, uint64_t index, uint16_t *out);
/* UINT64_MAX when not valid. */
uint64_t rft_space_find(const rft_space *space, const rft_value *values);
/* The same from positions; one that lies beyond its list is not valid. */
uint64_t rft_space_rank(const rft_space *space, const uint16_t *positions);

/* Whether rft_space_count() is the exact count; otherwise it is an estimate. */
bool rft_space_exact(const rft_space *space);
/* How the count was come by, for screens: "exact", or what the estimate rests on. */
const char *rft_space_count_basis(const rft_space *space);
/* All indices lie below; the count where that is exact. Where it is not, some indices below stand for configurations
 * that constraints refuse: what is to be tried then comes from rft_space_sample() and rft_space_neighbours() alone. */
uint64_t rft_space_index_end(const rft_space *space);

/* A valid configuration drawn uniformly with 64 random bits; UINT64_MAX when there is none, or none was met. */
uint64_t rft_space_sample(const rft_space *space, uint64_t random64);

typedef enum rft_space_near {
    RFT_SPACE_HAMMING, /* one parameter has another value */
    RFT_SPACE_ADJACENT /* one parameter is one step up or down in its list */
} rft_space_near;
/* The valid neighbours of a configuration, ascending, itself left out. At most `most` are written (the first ones);
 * returns how many there are in all. */
size_t rft_space_neighbours(const rft_space *space, uint64_t index, rft_space_near near, uint64_t *out, size_t most);

/* Configurations rejected by each constraint (counted at the subtree it cut), and evaluations that raised an error. */
uint64_t rft_space_rejected(const rft_space *space, size_t constraint);
uint64_t rft_space_errors(const rft_space *space);
const char *rft_space_first_error(const rft_space *space); /* "" when none */

#endif
