/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refine.h - which values refine() adds to an axis, once the grid along it is measured.
 *
 * Between two neighbours on a profile whose bounds differ, or between which the measured times turn (turn.h), the value
 * halfway is measured too; of the two halves the one with the flip is halved again, to the axis' refine_depth. A point
 * that was added has depth 1 when both its neighbours are of the grid, else one more than the deeper of them. Pure: the
 * same profile gives the same values.
 */
#ifndef RFT_MODEL_REFINE_H
#define RFT_MODEL_REFINE_H

#include "model/transition/transition.h"

/* Configurations of a variant taken over from one end at most: its winner, and the ties with it. */
#define RFT_REFINE_TIED 5
/* And of the prior's choices for the problem itself: what fits it alone wins at neither end. Of 559 parts of the
 * library's recordings the first lies 15 % or more behind the best in 25, the best of three in 7, of four in 5. */
#define RFT_REFINE_FIRSTS 3
/* Share of a sweep's budget that the grid leaves for what refine() adds. */
#define RFT_REFINE_BUDGET_FRAC 0.2

typedef struct rft_refine_value {
    rft_value value;
    int depth;          /* 1 .. the axis' refine_depth */
    size_t left, right; /* the problems at both ends */
} rft_refine_value;

/* The values to add to this profile along an axis (of all variants), ascending, as it stands now; none when all flips
 * are as narrow as was asked for. Only the neighbours' own bounds and the times count: an unknown bound is no flip, and
 * where the value halfway was tried and nothing could be measured the flip stays as wide as it is. In `arena`. */
size_t rft_refine_values(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_refine_value **out);

/* The value halfway between two of the axis: the geometric mean where the axis' own values are positive and either
 * equal factors apart or more than a factor of 4 from first to last, else the arithmetic one. Between integers it is an
 * integer, a multiple of the largest power of two that divides both ends, or where none of those lies strictly
 * between, of half that, and so on: 128 and 256 have 192 between them and not 181, which would be another kernel
 * (unaligned rows, no vector loads) and not the same one in between. False: nothing lies between. */
bool rft_refine_middle(const rft_axis *axis, const rft_value *low, const rft_value *high, rft_value *out);

/* What a problem that refine() added lies between: its neighbours of lower depth along `axis`. False: it is of the
 * grid, or its ends are not there (a damaged file). */
typedef struct rft_refine_ends {
    size_t axis, left, right; /* problems */
} rft_refine_ends;
bool rft_refine_ends_of(const rft_sweep *sweep, size_t problem, rft_refine_ends *out);

/* Problems that refine() may add to a sweep at most: were the bound another one at each of its values. Saturates. None
 * to a bare space, a recorded one say: it has what it has, and those that were added once are among its problems. */
uint64_t rft_refine_most(const rft_sweep *sweep);
bool rft_refine_is_asked(const rft_sweep *sweep); /* for any axis */
/* Of them, those that were added so far. */
size_t rft_refine_added(const rft_sweep *sweep);

/* All problems of a sweep in the order in which they are told: the script's own, each of those that refine() added
 * behind its lower end. problem_count indices, in `arena`. */
const size_t *rft_refine_order(const rft_sweep *sweep, rft_arena *arena);

/* "refined: 6 configurations measured there, from the winners of m=128 and m=256"; with a prior "..., the winners of
 * m=128 and m=256 among them". NULL for a problem of the grid. In `arena`. */
const char *rft_refine_text(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);

#endif
