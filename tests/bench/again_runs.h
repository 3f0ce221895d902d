/* SPDX-License-Identifier: Apache-2.0 */
/*
 * again_runs.h - runs of equal sweeps on one card, and what each says of the same kernels: for same_again.
 *
 * A kernel is a configuration on one problem: the best of its problem in most of the runs, of which verdicts are, and
 * all others that were in the final round of two runs or more, since intervals are printed of them as well. The figure
 * of a run and its two intervals are the product's own (model/stats/repeat.h).
 */
#ifndef RFT_TESTS_AGAIN_RUNS_H
#define RFT_TESTS_AGAIN_RUNS_H

#include "bench/again_rate.h"
#include "model/compare/compare_rule.h"
#include "model/run/run.h"
#include "model/stats/repeat.h"

/* What one run says of a kernel. */
typedef struct again_reading {
    size_t process_count; /* 0: not in the final round of this run, or processes were not recorded */
    double *medians_s;    /* of its processes */
    double *noise;        /* variance of ln of each, from its samples */
    rft_repeat repeat;    /* the run's figure and its two intervals, in seconds */
} again_reading;

/* What pairs of runs said of one kernel. */
typedef struct again_tally {
    size_t verdicts[RFT_COMPARE_VERDICTS];
    /* Of AMBIGUOUS for the intervals alone: with the processes that it takes; where processes do not decide, since the
     * gap is as large as the margin; without a word, since a side does not know what another run reads. For other
     * reasons: the rest. */
    size_t counted, at_margin, untold, other;
    again_rate repeat, confidence; /* covered, by runs that know what another run reads */
    again_rate alone;              /* pooled median by the confidence interval of the others: one process */
} again_tally;

typedef enum again_kind {
    AGAIN_DISJOINT, /* each run in one pair: independent */
    AGAIN_ALL,      /* every two runs: not independent */
    AGAIN_DEALT,    /* processes of all runs dealt anew to two runs: not independent */
    AGAIN_KINDS
} again_kind;

typedef struct again_kernel {
    const char *name, *sweep_name; /* "n=1024 k=1024", "gemv" */
    size_t sweep, problem, variant;
    const rft_value *config;
    again_reading *readings; /* one a run of the group */
    again_levels levels;
    double pooled_s;      /* median of the processes of all runs; NaN without any */
    size_t process_count; /* of all runs */
    again_tally tallies[AGAIN_KINDS];
    again_rate *pairs; /* the repeat interval's, one a disjoint pair of runs */
    again_rate *runs;  /* the confidence interval's, one a run */
} again_kernel;

/* Runs on one card of scripts that have the same sweeps and problems, by their dates. */
typedef struct again_group {
    const char *card; /* UUID, else bus id, else name */
    rft_run **runs;
    size_t count;
    again_kernel *kernels; /* the bests first */
    size_t kernel_count;   /* of the bests */
    size_t all_count;
} again_group;

typedef struct again_set {
    rft_arena *arena;
    rft_run **runs; /* owned, by date */
    size_t run_count, run_capacity;
    again_group *groups;
    size_t group_count;
} again_set;

again_set *again_set_new(void);
void again_set_free(again_set *set); /* with its runs */
void again_set_take(again_set *set, rft_run *run);
/* A run file or recording, or a folder of them. An error has the file's name. */
int again_set_read(again_set *set, const char *path, rft_err *err);
/* Once, after all runs: the groups, by card, and their kernels; groups of one run are left out. */
void again_set_sort(again_set *set);

/* What a point's final round says; NULL: nothing. */
again_reading again_reading_of(const rft_point *point, rft_arena *arena);
/* The point of a run with this kernel's configuration, where the final round has it; NULL. */
const rft_point *again_point_of(const rft_run *run, const again_kernel *kernel);

#endif
