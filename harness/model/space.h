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

uint64_t rft_space_cartesian(const rft_space *space); /* saturates at UINT64_MAX */
uint64_t rft_space_count(const rft_space *space);     /* valid */
/* Values of configuration `index` into `out` (one per parameter). */
void rft_space_get(const rft_space *space, uint64_t index, rft_value *out);
/* The position of each parameter's value in its list. Borrowed; one uint16_t per parameter. */
const uint16_t *rft_space_positions(const rft_space *space, uint64_t index);
/* UINT64_MAX when not valid. */
uint64_t rft_space_find(const rft_space *space, const rft_value *values);

/* Configurations rejected by each constraint (counted at the subtree it cut), and evaluations that raised an error. */
uint64_t rft_space_rejected(const rft_space *space, size_t constraint);
uint64_t rft_space_errors(const rft_space *space);
const char *rft_space_first_error(const rft_space *space); /* "" when none */

#endif
