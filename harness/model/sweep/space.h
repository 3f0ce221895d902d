/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.h - the valid configurations of one variant on one problem (docs/spaces.md).
 *
 * Parameters that constraints link form a part; the space is the product of its parts. A part is stored as a decision
 * diagram, in which subtrees that are alike are stored once, so a space of 10^12 configurations may take kilobytes; the
 * Cartesian product is never stored. Counting, indexing and sampling are exact where every part's diagram stays within
 * a limit. Beyond it some constraints are left out of the diagram and looked at afterwards: the count is then an
 * estimate, samples are drawn by rejection, and rft_space_exact() is false.
 *
 * Indices ascend as configurations do in the order of parameters, the last one fastest, by the positions of values in
 * their lists. (A part whose diagram is too large in that order is tried in another one, which binds constraints
 * earlier: its parameters then all count at the place of its first.) Sweep and problem alone decide the indices.
 */
#ifndef RFT_MODEL_SPACE_H
#define RFT_MODEL_SPACE_H

#include "model/sweep/sweep.h"

typedef struct rft_space rft_space;

typedef struct rft_space_opts {
    uint64_t max_edges; /* of all diagrams together, 16 bytes each; 0 = 4 million */
    const bool *unused; /* per constraint: true leaves it out; NULL = none */
} rft_space_opts;

/* Finds what is valid. The space keeps pointers into `sweep` and `problem`, which must outlive it.
 * A constraint that errors for some values removes those configurations, is counted, and its first message kept.
 * RFT_E_LIMIT: more than 65536 values or 1024 parameters, indices beyond 64 bits, or a space that can neither be
 * counted nor sampled. A space without one valid configuration is no error here. */
int rft_space_new(rft_space **out, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                  const rft_space_opts *opts, rft_err *err);
void rft_space_free(rft_space *space);

const rft_variant *rft_space_variant(const rft_space *space); /* of the sweep: its parameters. Borrowed */

uint64_t rft_space_cartesian(const rft_space *space); /* saturates at UINT64_MAX */
uint64_t rft_space_count(const rft_space *space);     /* valid */
/* Whether the count is exact; otherwise it is an estimate. */
bool rft_space_exact(const rft_space *space);
/* How the count was come by, for screens: "exact", "estimated: 512 of 10000 drawn are valid". */
const char *rft_space_count_basis(const rft_space *space);
/* All indices lie below; the count where that is exact. Where it is not, some indices below stand for configurations
 * that constraints refuse: what is to be tried then comes from rft_space_sample() or rft_space_rank(). */
uint64_t rft_space_index_end(const rft_space *space);
size_t rft_space_size_bytes(const rft_space *space); /* what is stored */

/* Values of configuration `index` into `out` (one per parameter). */
void rft_space_get(const rft_space *space, uint64_t index, rft_value *out);
/* The position of each parameter's value in its list, one per parameter. */
void rft_space_positions(const rft_space *space, uint64_t index, uint16_t *out);
/* UINT64_MAX when not valid. */
uint64_t rft_space_find(const rft_space *space, const rft_value *values);
/* The same from positions; one that lies beyond its list is not valid. */
uint64_t rft_space_rank(const rft_space *space, const uint16_t *positions);
/* Positions of the configurations from `first` on, `count` at most, row by row: faster than one by one. Returns how
 * many there were. Not for spaces that are not exact. */
size_t rft_space_list(const rft_space *space, uint64_t first, size_t count, uint16_t *out);

/* A valid configuration drawn uniformly (to within count / 2^64) with 64 random bits, which are a seed where the space
 * is not exact; UINT64_MAX when there is none, or none was met in a million draws. */
uint64_t rft_space_sample(const rft_space *space, uint64_t random64);

/* Evaluations that raised an error while the space was made; the first one's message, beginning with the values that
 * led to it: "A=3 B=0: sweep.lua:7: attempt to perform 'n//0'". "" when none. */
uint64_t rft_space_errors(const rft_space *space);
const char *rft_space_first_error(const rft_space *space);

#endif
