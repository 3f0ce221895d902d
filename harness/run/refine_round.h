/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refine_round.h - what refine() adds to a sweep once its grid is measured (model/transition/refine.h): problems where
 * the bound changes, in rounds of one bisection each, and which configurations are measured on them. Private to run.
 *
 * The problems of a round are stored in one transaction before the first of them is measured, and derived from times of
 * the first round alone: a continued run goes on with those that are stored, and then derives what it would have
 * derived. Once the final round has begun nothing is added any more.
 */
#ifndef RFT_RUN_REFINE_ROUND_H
#define RFT_RUN_REFINE_ROUND_H

#include "run/exec_state.h"
#include "run/prior_rank.h"

typedef struct rft_refiner {
    rft_exec_state *state; /* borrowed */
    size_t sweep;
    size_t next; /* the problem that is to be measured next */
    bool over;   /* the final round has begun */
} rft_refiner;

/* Behind the grid of a sweep. Takes up what earlier sessions have stored. */
int rft_refiner_begin(rft_refiner *refiner, rft_exec_state *state, size_t sweep, rft_err *err);
/* The next problem to measure, when all before it are done; SIZE_MAX: there is none. `may_add` false (the budget is
 * used up): only what is stored already. */
int rft_refiner_next(rft_refiner *refiner, bool may_add, size_t *problem, rft_err *err);
/* What is measured there of a variant: indices into its space, winners of both ends first, then the ties with them;
 * where constraints leave none of those, the next fastest of each end. Behind them what the prior puts first there; in
 * a replay what the recording has of that. In `arena`. */
size_t rft_refiner_candidates(const rft_refiner *refiner, size_t variant, size_t problem, const rft_prior_rank *prior,
                              rft_arena *arena, uint64_t **out);
/* In a replay: says that the recording does not have the problem. */
void rft_refiner_after(const rft_refiner *refiner, size_t problem);

/* "refine() may add up to 360 points where the bound changes", over all sweeps of a plan whose problems are those of
 * the scripts; NULL where nothing is asked for. In `arena`. */
const char *rft_refine_outlook(const rft_plan *plan, rft_arena *arena);
uint64_t rft_refine_most_points(const rft_plan *plan, size_t sweep); /* 0: nothing is asked for */

#endif
