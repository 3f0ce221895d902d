/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted.h - what hardware counters say of a run's points: which points are worth counting, and what their counts say
 * beside the declared work and the modelled traffic. Counts are evidence; they never replace work.
 */
#ifndef RFT_MODEL_COUNTED_H
#define RFT_MODEL_COUNTED_H

#include "model/run/run.h"

#define RFT_COUNTED_BEST 10 /* of the largest problem, with the large set */

/* ---- what is asked for ---- */
typedef struct rft_counted_wish {
    bool chosen;         /* each point's own set, the default or the large one, as rft_counted_choose() says */
    rft_counter_set set; /* else this one for every chosen point; empty: nothing is counted */
} rft_counted_wish;
/* NULL and "default": chosen; else as rft_counter_set_parse(). */
int rft_counted_wish_parse(rft_counted_wish *out, const char *text, rft_arena *arena, rft_err *err);
bool rft_counted_wish_is_none(const rft_counted_wish *wish);

/* ---- which points ---- */
/* Why a point is counted; the first that holds. */
typedef enum rft_counted_role {
    RFT_COUNTED_BEST_OF_PROBLEM,
    RFT_COUNTED_AMONG_BEST, /* of the fastest RFT_COUNTED_BEST of the largest problem */
    RFT_COUNTED_WORST,
    RFT_COUNTED_DEFAULT, /* the configuration of the defaults */
    RFT_COUNTED_RUNG,    /* the best of a variant that has none of the fastest: a rung of the ladder */
    RFT_COUNTED_OTHER    /* none of these: counted all the same (a replay, an older selection) */
} rft_counted_role;

/* In which order the default selection is counted: one turn over all sweeps before the next, for time may run out. The
 * first is always counted; the best of the largest problem always has the default set at least. */
typedef enum rft_counted_turn {
    RFT_COUNTED_TURN_BEST, /* of the other problems */
    RFT_COUNTED_TURN_LARGEST,
    RFT_COUNTED_TURN_RUNG, /* a ladder whose steps have no counts cannot say what changed */
    RFT_COUNTED_TURN_WORST,
    RFT_COUNTED_TURN_DEFAULT,
    RFT_COUNTED_TURN_AMONG_BEST /* by place: the second of all sweeps, the third of all sweeps, ... */
} rft_counted_turn;

typedef struct rft_counted_choice {
    const rft_point *point; /* never an alias */
    bool large;             /* the large set; else the default one */
    rft_counted_role role;
    rft_counted_turn turn; /* the first that holds */
    size_t place;          /* 1 = fastest of its problem */
} rft_counted_choice;

/* Of a sweep: the best of every problem with the default set; with the large set on the largest problem
 * (rft_run_largest()) the ten fastest, the slowest, and the default configuration of the best's variant, and on the
 * ladder's problem the best of every variant. Ordered by problem, fastest first. Array in `arena`; returns how many. */
size_t rft_counted_choose(const rft_run *run, size_t sweep, rft_arena *arena, rft_counted_choice **out);

/* The problem that the ladder of variants is shown on: where most variants were measured, of these the one whose best
 * takes longest. SIZE_MAX when nothing was measured. */
size_t rft_counted_ladder(const rft_run *run, size_t sweep);

/* Sorts the choices of several sweeps by turn. */
void rft_counted_by_turn(rft_counted_choice *choices, size_t count);

/* The reason of what the default selection had no time for. */
#define RFT_COUNTED_LEFT_OUT "left out: counting may take a quarter of the run's time; --counters all counts it"
/* Gives that reason to what was not asked for: the quantities of the large set, where only the default one was counted.
 */
void rft_counted_leave_out(rft_counters *counters);
bool rft_counted_left_out(const rft_counters *counters); /* anything, for that reason */

/* ---- what is known ---- */
/* The counted traffic; `present` is false when nothing was counted. Of a single launch without the wavefront that CUPTI
 * counts for every warp at shared memory and L1. Atomics are those of the one type that the point declares at their
 * level; of two, or of none, they are not known. */
rft_traffic rft_counted_traffic(const rft_point *point);
/* Is any quantity of the point known? */
bool rft_counted_any(const rft_point *point);
/* Why nothing is; "not counted" for a point that was not asked. NULL when something is known. */
const char *rft_counted_missing(const rft_point *point);

/* rft_counters_compare() of a point: its work, the device's L2, and its cache mode. 0 when nothing was counted. */
size_t rft_counted_disagreements(const rft_run *run, const rft_point *point, rft_arena *arena,
                                 rft_disagreement out[RFT_DISAGREEMENTS_MAX]);

#endif
