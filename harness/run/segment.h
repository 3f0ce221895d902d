/* SPDX-License-Identifier: Apache-2.0 */
/* segment.h - what the first round keeps: the part in hand, one variant on one problem, and what surrounds it. Private
 * to run. */
#ifndef RFT_RUN_SEGMENT_H
#define RFT_RUN_SEGMENT_H

#include "model/stats/race.h"
#include "run/exec_state.h"
#include "run/foresight.h"
#include "run/lookahead.h"
#include "run/plan/budget_share.h"
#include "run/plan/prune.h"
#include "run/preflight.h"
#include "run/reference.h"
#include "run/refine_round.h"
#include "run/split.h"
#include "search/strategy.h"

/* One variant on one problem: its own space, its own strategy, its share of the budget. */
typedef struct segment {
    size_t sweep, variant, problem;
    size_t odd_problem; /* SIZE_MAX: none */
    const rft_space *space;
    rft_strategy *strategy;
    uint64_t count_all; /* configurations there are to try: all valid ones, or those that refine() takes over */
    rft_budget_share budget;
    double started_s; /* less what was no work on it: the ceilings */
    double started_gpu_s;
    uint64_t asked, taken;
    bool shared;    /* its strategy is rft_split_strategy(): other cards take from it, too */
    size_t ahead;   /* configurations asked for before they are told, at most RFT_LOOKAHEAD */
    bool unbound;   /* results change nothing: any number is asked for ahead, and workers go on to what lies behind */
    bool exhausted; /* nothing more is asked */
    size_t starts;  /* of what is asked first: transferred from other problems */
    int64_t kin_id; /* the fastest of it so far, of those with samples enough; 0: none yet */
    rft_pruner pruner;
    const char *over;      /* why it ended before its budget; in the run's arena; NULL: it did not */
    rft_lookahead waiting; /* asked for, not taken yet */
} segment;

typedef struct exec {
    rft_exec_state state;
    size_t in_hand;  /* configurations that were taken and are not told yet: 0 or 1 */
    bool going_away; /* the ceilings are next */
    bool went_on;    /* during the step in hand, while the device was at work */
    int64_t untold;  /* id of the point that is neither stored nor told yet; 0: none */
    segment segment;
    rft_foresight foresight;
    rft_preflight preflight;
    double patience_s; /* with it, before the first point; 0: that was taken */
    rft_reference_keeper reference;
    rft_refiner refiner;    /* of the current sweep, behind its grid */
    bool prior_warned;      /* that it fails for some */
    rft_split *split;       /* NULL: no other card shares the run */
    bool contending;        /* the contenders of all cards are measured */
    bool refining;          /* the problem in hand is the refiner's; those of a recorded space are not */
    int64_t best_id;        /* of the current problem; 0: none yet */
    rft_race_noise noise;   /* of the samples on it so far */
    uint64_t odd_left;      /* planned for the current sweep and not done */
    uint64_t sweep_taken;   /* of the current sweep, on timed problems */
    double sweep_started_s; /* less what was no work on it: the ceilings */
    double sweep_started_gpu_s;
} exec;

/* Makes the part's strategy: of its whole space, its shard, what other cards leave, or what refine() takes over. */
int rft_segment_open(exec *e, size_t sweep, size_t variant, size_t problem, rft_err *err);
void rft_segment_close(exec *e);
/* What the grid has left of the sweep's budget, for what refine() adds. */
rft_budget_share rft_segment_left_of(exec *e, size_t sweep);

#endif
