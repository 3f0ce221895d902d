/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what a run will do: the valid configurations of every variant on every problem, before anything is compiled.
 */
#ifndef RFT_RUN_PLAN_H
#define RFT_RUN_PLAN_H

#include "base/log.h"
#include "model/run/run.h"
#include "model/sweep/space.h"

typedef struct rft_plan {
    const rft_sweep **sweeps; /* as they were given, or with problems added: then the plan's own */
    rft_arena *arena;         /* of what was added */
    size_t sweep_count;
    rft_space ***spaces;       /* [sweep][variant * problem_count + problem]; NULL where the space could not be made */
    uint64_t cartesian, valid; /* over everything, odd problems left out; saturate */
    bool estimated;            /* `valid` is an estimate */
} rft_plan;

/* Enumerates everything. RFT_E_SPACE: constraints leave nothing for a whole sweep (names those that contradict each
 * other); RFT_E_LIMIT: too many. `log` gets a warning for constraints that raised errors. */
int rft_plan_new(rft_plan **out, const rft_sweep *const *sweeps, size_t sweep_count, const rft_log *log, rft_err *err);
void rft_plan_free(rft_plan *plan); /* NULL is accepted */

rft_space *rft_plan_space(const rft_plan *plan, size_t sweep, size_t variant, size_t problem);
/* The variant's odd problem: the first that some of its configurations are valid on; SIZE_MAX when there is none. */
size_t rft_plan_odd_problem(const rft_plan *plan, size_t sweep, size_t variant);

/* Adds a problem behind all others of the sweep (plan_grow.c): its swept values are there, those of `with` are
 * computed. *problem is its index; SIZE_MAX: there is one of these values already, or `with` raised an error for it
 * (then *why says so). What was borrowed from the plan's sweep before stays as it was. */
typedef struct rft_plan_added {
    size_t problem;
    const char *why; /* in the plan's arena; NULL */
} rft_plan_added;
int rft_plan_add_problem(rft_plan *plan, size_t sweep, const rft_problem *problem, rft_plan_added *out, rft_err *err);
/* The error of a sweep of which nothing is valid: the smallest set of constraints found that leaves nothing already, or
 * the first error that one raised. */
int rft_plan_contradiction(const rft_plan *plan, size_t sweep, rft_err *err);

/* Copies what the store keeps of the sweeps (no functions) into run->sweeps, with the counts. */
void rft_plan_describe(const rft_plan *plan, rft_run *run);
/* The same for the problems of one sweep and the sizes of their spaces, once more after some were added. */
void rft_plan_describe_problems(const rft_plan *plan, size_t sweep, rft_run *run);

#endif
