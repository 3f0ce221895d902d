/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune.h - what need not be measured: configurations that cannot win, because even the hardware's own limits leave
 * them more time than the best so far took (model/roofline/floor.h), and the rest of a part when that holds for all of
 * it (a certificate), or when its best has come near enough to its roof (a goal; no certificate). Private to run.
 *
 * A floor that rests on the kernel's modelled traffic is as good as that model. So nothing is pruned before a few
 * points were held against their own floors, and never again after one beat its own: that is said once.
 */
#ifndef RFT_RUN_PRUNE_H
#define RFT_RUN_PRUNE_H

#include "model/roofline/floor.h"
#include "run/plan/job.h"
#include "search/strategy.h"

#define RFT_PRUNE_AFTER 5u        /* measured points that must have kept to their floors */
#define RFT_PRUNE_MOST (1u << 16) /* configurations whose floors are kept; beyond: worked out anew, no certificate */
#define RFT_PRUNE_SLICE 128u      /* floors spelled out a point, while the device is at work */
#define RFT_PRUNE_SLACK 1.01      /* a point this little under its floor does not refute it: timers, clocks */
/* A certificate's floors lie so much above the best: the search took it in one process, and others read medians of
 * kernels of some microseconds up to 5 % higher or lower (1.96 standard deviations; H200). */
#define RFT_PRUNE_PROCESS_FRAC 0.05

typedef struct rft_kept_floor {
    double seconds; /* INFINITY: the configuration cannot be spelled out; NaN: not worked out yet */
    double sum_s;   /* as rft_floor.sum_s */
} rft_kept_floor;

/* Does the kernel model its traffic? If so floors differ, and a certificate is possible. */
typedef enum rft_floors_differ { RFT_FLOORS_NOT_SEEN, RFT_FLOORS_DIFFER, RFT_FLOORS_ALIKE } rft_floors_differ;

typedef struct rft_pruner {
    const rft_exec_opts *opts;
    rft_job_place place;
    const rft_space *space;
    bool on;      /* floors are looked at: not in a replay, not when switched off */
    bool refuted; /* a point beat its own floor */
    rft_floors_differ differ;
    rft_run limits;          /* the run, borrowed, with limits also where its ceilings were not measured yet */
    rft_arena *arena;        /* of their texts */
    size_t kept_to;          /* measured points that did not */
    double best_s;           /* median of the part's best, first round; INFINITY */
    double best_high_s;      /* the upper end of its interval */
    double best_frac;        /* its efficiency; NaN */
    rft_kept_floor *floors;  /* by index; NULL: there are too many */
    bool *taken;             /* by index */
    uint64_t count, spelled; /* floors that are there for certain: [0, spelled) */
    uint64_t left;           /* not taken */
    double least_s;          /* of the untried floors; valid when is_over() said so */
} rft_pruner;

/* A part of the run: one variant on one problem. */
void rft_pruner_begin(rft_pruner *pruner, const rft_exec_opts *opts, rft_job_place place, const rft_space *space);
void rft_pruner_end(rft_pruner *pruner);

/* Marks the job as skipped, with the reason, when it cannot win. */
void rft_pruner_judge(const rft_pruner *pruner, rft_job *job);
/* A point of the part was taken. */
void rft_pruner_told(rft_pruner *pruner, uint64_t index, const rft_point *point);
/* Spells out the next floors; called while the device is at work. */
void rft_pruner_advance(rft_pruner *pruner);

/* May the part end before its budget because of a goal? */
bool rft_pruner_has_goal(const rft_pruner *pruner);

/* For rft_strategy_opts.outlook, with the pruner as payload: the configuration's floor; NaN where it is not known, or
 * is the same for all. */
rft_outlook rft_pruner_outlook(void *pruner, uint64_t index);

/* Why nothing more of the part need be measured, in words for what is left untried ("certified: ..."), in `arena`;
 * NULL: it goes on. */
const char *rft_pruner_is_over(rft_pruner *pruner, rft_arena *arena);

#endif
