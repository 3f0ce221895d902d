/* SPDX-License-Identifier: Apache-2.0 */
/* exec_opts.h - what carrying out a plan is given, and what it says of itself on the way. */
#ifndef RFT_RUN_EXEC_OPTS_H
#define RFT_RUN_EXEC_OPTS_H

#include "base/clock.h"
#include "measure/probe.h"
#include "model/roofline/counted.h"
#include "run/board.h"
#include "run/compile/compile_pool.h"
#include "run/plan/plan.h"
#include "run/plan/shard.h"
#include "store/store.h"

#define RFT_LOOKAHEAD                                                                                                  \
    32                  /* configurations compiled ahead; part of the run's record. Where they are taken as they are   \
                         * compiled, those that wait for a compiler, or two a worker if that is more */
#define RFT_FINALISTS 5 /* per problem, measured again in the final round */
#define RFT_FINAL_CARDS 16 /* and of so many cards each one's best, where their times cannot be compared */

/* Of which points energy and power are measured, after the final round. */
typedef enum rft_power_choice {
    RFT_POWER_NONE,
    RFT_POWER_AUTO,    /* as LARGEST where that takes at most RFT_POWER_AUTO_FRAC of the run so far, or beside a soak;
                        * else of none, and the idle load of the run says why: rft_load_left_out() */
    RFT_POWER_LARGEST, /* the best of each sweep's largest problem: rft_run_largest() */
    RFT_POWER_BEST,    /* the best of every problem and variant */
    RFT_POWER_ALL      /* all that were in the final round, too */
} rft_power_choice;
#define RFT_POWER_AUTO_FRAC 0.25
#define RFT_POWER_WINDOW_S 1.0 /* at least; as long as the sensor takes for a figure */

typedef struct rft_exec_progress {
    uint64_t done, planned; /* points of the first round; planned (>= done) shrinks when a part ends early
                             * and grows where refine() adds problems */
    uint64_t failed, aliases, measured;
    bool final_round;
    const char *doing;     /* behind the final round, in words: "energy of n=4096 (1 of 3)"; NULL: points */
    const rft_point *last; /* just stored, or known from an earlier session */
    const rft_point *best; /* of the problem being timed, so far; NULL */
    double elapsed_s;      /* of this session */
    double busy_s;         /* of it the GPU was verifying and measuring; NaN in a replay */
    uint64_t outcomes[RFT_OUTCOME_COUNT]; /* of `done`, by outcome */
    uint64_t refined;                     /* of `planned`, on problems that refine() has added so far */
    uint64_t taken;                  /* points of this session that were not known before: done less those, for rates */
    const rft_point *counts;         /* its hardware counters, or the reason for none, were stored just now; NULL */
    uint64_t guessed, guessed_right; /* compiled before they were asked for (run/foresight.h); asked for since */
    bool stored;                     /* `last` was stored just now: not known from an earlier session */
} rft_exec_progress;

typedef struct rft_exec_opts {
    rft_plan *plan;   /* refine() adds problems to it */
    rft_run *run;     /* info, gpu, env, ceilings and sweeps filled in, points of earlier sessions; more are appended */
    rft_store *store; /* the run is in it already */
    rft_probe *probe;
    rft_compile_pool *pool; /* NULL: replay on a machine without a compiler */
    bool replay;
    rft_shard shard;           /* of a divided run, which ends behind its first round */
    rft_board *board;          /* with a shard: divided with other cards as it goes on (run/split.h); NULL: not */
    rft_board *together;       /* of runs on other cards, which begin their soaks when this one does; NULL: none */
    bool no_prune;             /* what cannot win is measured all the same (run/plan/prune.h) */
    bool in_order;             /* as proposed, though what compiles sooner could be taken sooner (run/lookahead.h) */
    rft_power_choice power;    /* in a replay what was recorded is taken, whatever this and soak_s say */
    double soak_s;             /* the best of each sweep's largest problem is kept under load so long; 0: not */
    rft_counted_wish counters; /* which hardware counters, after all was timed; zeroes: none */
    const rft_clock *clock;
    const rft_log *log;
    bool (*stop)(void *payload); /* asked before every point: true ends the run cleanly; NULL: never */
    void (*progress)(void *payload, const rft_exec_progress *progress); /* after every point; NULL */
    /* Called once, after the first point was stored, so that a mistake shows at once and the compilers work meanwhile:
     * measures the ceilings into run->ceilings and stores them. NULL: they are there. */
    int (*ceilings)(void *payload, rft_err *err);
    void (*baseline)(void *payload, const rft_baseline *baseline); /* after each was stored; NULL */
    rft_ceiling_set
        ceilings_wanted; /* RFT_CEILING_BIT()s of what that measures: their kernels are compiled ahead. 0: all */
    void *payload;
} rft_exec_opts;

#endif
