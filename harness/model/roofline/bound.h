/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound.h - where a point stands under the measured ceilings, and which of them holds it back.
 *
 * For every level and pipe with a known amount and a measured ceiling, t_i = amount / ceiling. The bound is the one
 * with the largest t_i; its share u = t_i / t of the measured time says how firmly: u >= 0.8 "bound", 0.6-0.8
 * "mostly", below 0.6 "latency" (nothing is near), and t < 3 x launch floor is "launch". (docs/roofline.md; Williams,
 * Waterman, Patterson 2009; time-based form after Wang et al., arXiv 2009.04598.)
 * With declared work alone only dram and the compute pipes can be named: the evidence class says so.
 *
 * Where the SM clock is below the run's (held_clock.h), and the nearest pipe, issue slots or level of the SM does
 * RFT_HELD_FRAC or more of what that clock allows, what holds the clock down is the bound: power, heat, or what is not
 * known. Not where device memory or the L2 takes longer than that.
 */
#ifndef RFT_MODEL_BOUND_H
#define RFT_MODEL_BOUND_H

#include "model/roofline/held_clock.h"
#include "model/run/run.h"

/* What can hold a point back. */
typedef enum rft_resource {
    RFT_RESOURCE_DRAM,
    RFT_RESOURCE_L2,
    RFT_RESOURCE_L1,
    RFT_RESOURCE_SHARED,
    RFT_RESOURCE_PIPE, /* `pipe` says which */
    RFT_RESOURCE_ISSUE,
    RFT_RESOURCE_POWER,   /* `held` says at what */
    RFT_RESOURCE_THERMAL, /* likewise, as are those of the clock: */
    RFT_RESOURCE_CLOCK,   /* held down by another GPU of the board, or it is not known by what */
    RFT_RESOURCE_LAUNCH,
    RFT_RESOURCE_LATENCY,
    RFT_RESOURCE_UNKNOWN /* no ceiling or no work to judge by */
} rft_resource;

typedef enum rft_firmness { RFT_FIRM_BOUND, RFT_FIRM_MOSTLY, RFT_FIRM_NONE } rft_firmness;

typedef struct rft_share {
    rft_resource resource;
    rft_pipe pipe;
    double seconds;         /* at its ceiling */
    double frac;            /* of the measured time */
    double clock_frac;      /* the same at the rate that the point's own clock allows; NaN: a clock is not known */
    rft_ceiling_id ceiling; /* RFT_CEILING_COUNT for ISSUE: its rate is 4 warp instructions per SM and clock */
    rft_evidence evidence;
} rft_share;

#define RFT_SHARES_MAX (RFT_LEVEL_COUNT + RFT_PIPE_COUNT + 1) /* and issue */

/* How far above its roof a ceiling's own noise may lift a point: what is left above it when a cause is taken off. Also
 * the uncertainty where the time or the ceiling has no 95 % interval. */
#define RFT_OVER_ROOF_FRAC 1.02

#define RFT_HELD_FRAC 0.9 /* ours: of what the clock allows, from which on the clock is what holds a point back */

typedef struct rft_bound {
    rft_resource resource;
    rft_pipe pipe; /* when resource is PIPE, or `held` is */
    rft_firmness firmness;
    double frac; /* u of the bound; for LATENCY and LAUNCH: of the nearest ceiling; where the clock holds it back: of
                  * what that allows */
    rft_resource held; /* of POWER, THERMAL and CLOCK: what is busy */
    rft_held_clock clock;
    rft_evidence evidence;            /* of the bound's amount */
    rft_share shares[RFT_SHARES_MAX]; /* largest first; behind them those that the time refutes, likewise: */
    size_t share_count;
    /* Modelled amounts of more than RFT_OVER_ROOF_FRAC of what their ceiling can do in the time, for certain
     * (rft_bound_is_above()): by how much the formula is wrong is not known, so they say nothing of the bound. */
    size_t refuted_count;
    /* Counted: the cycles with the tensor units at work, where these are nearly all and something else is the bound
     * (operations at a lower rate than the ceiling's, or beside a level that is as near); else 0. */
    double busy_frac;
    double over_roof_frac; /* > 1: the point beats its roof by that factor; else 0 */
    /* Of a point of several launches: the launch whose bound this is, from 1, its name, and its share of all launches'
     * time; frac and shares are then of that launch's own time. 0: of the point as a whole. */
    size_t step;
    const char *step_name;
    double step_frac;
} rft_bound;

/* The memory ceiling for a read share: of DRAM_READ (1), 2TO1 (0.667), COPY (0.5), WRITE (0) the nearest measured; the
 * nearest of all when none is measured (its rate is NaN then). */
rft_ceiling_id rft_bound_dram_ceiling(const rft_ceilings *ceilings, double read_frac);

/* The bound of a point, from its traffic where that is known, else from its work. Declared bytes are judged at dram; in
 * hot mode at the L2 when they fit it. UNKNOWN when work without a measured ceiling may be what holds the point back.
 */
rft_bound rft_bound_whole_of(const rft_run *run, const rft_point *point);
/* The same; of a point of several launches that of the longest, where its own work says anything
 * (below).
 */
rft_bound rft_bound_of(const rft_run *run, const rft_point *point);
/* Whether `frac` of the point's time at a ceiling (RFT_CEILING_COUNT: at a limit of the hardware) is above 1 whatever
 * part of both intervals, the time's and the ceiling's, is taken. */
bool rft_bound_is_above(const rft_run *run, const rft_point *point, rft_ceiling_id ceiling, double frac);
/* NULL: nothing is known of that resource. */
const rft_share *rft_bound_share(const rft_bound *bound, rft_resource resource, rft_pipe pipe);
/* `frac` of a share, or where the clock is below the run's that of what this clock allows a pipe or level of the SM. */
double rft_bound_share_most(const rft_bound *bound, const rft_share *share);
/* Whether it is the clock that holds the point back: POWER, THERMAL or CLOCK. */
bool rft_bound_is_held(const rft_bound *bound);
/* What is busy, whatever holds the clock down: `held` of these, else `resource`. */
rft_resource rft_bound_limit(const rft_bound *bound);
/* Where no ceiling is near, but the two largest shares, of two pipes or of a pipe and dram or l2, are 0.9 of the time
 * together or more, and each 0.25 at least: the second, since that is what taking turns looks like. NULL otherwise. */
const rft_share *rft_bound_turns(const rft_bound *bound);
/* Of such a bound: "in turns", or above 1.02 "in part at once"; static storage. */
const char *rft_bound_turns_word(const rft_bound *bound);
/* Whether two bounds have the same limit, and pipe; of two that the clock holds back it does not matter which. */
bool rft_bound_same(const rft_bound *a, const rft_bound *b);
/* "; tensor units busy in 93 % of the cycles" where busy_frac says so; "". */
const char *rft_bound_busy_text(const rft_bound *bound, rft_arena *arena);
/* "dram", "l2", "FP32", "power", "thermal", "clock", "latency", "launch", "unknown"; static storage. */
const char *rft_resource_name(rft_resource resource, rft_pipe pipe);
/* "bound by dram (87 %, declared)", "mostly FP32 (71 %, modelled)", "latency: nearest ceiling dram 34 %",
 * "latency: FP16 tensor 52 % and SFU (ex2) 45 %, as if in turns", "bound by
 * power (FP16 tensor at 97 % of what 1318 MHz allow, counted)". */
const char *rft_bound_text(const rft_bound *bound, rft_arena *arena);

/* ---- points of several launches (docs/roofline.md, "Points of several launches") ----
 *
 * What holds each launch back: its own amounts at the measured ceilings against its own time. A launch that declares no
 * work of its own has no verdict; counters are the whole point's and say nothing of one launch. */

typedef struct rft_step_bound {
    const char *name;   /* borrowed from the point */
    double seconds;     /* alone, the launches before it having run */
    double frac;        /* of all steps' seconds together, which the point's time may be below or above */
    rft_bound bound;    /* frac and shares are of the step's own time; UNKNOWN with: */
    const char *reason; /* why nothing can be said; static text, NULL otherwise */
} rft_step_bound;

/* How many steps can be told apart: the point's, when the final round timed each; else 0 (one launch, no final round,
 * or a recording of before). */
size_t rft_step_bound_count(const rft_point *point);
/* The i-th of them. */
rft_step_bound rft_step_bound_of(const rft_run *run, const rft_point *point, size_t i);
/* The one that takes longest; SIZE_MAX when there are none. */
size_t rft_step_bound_longest(const rft_point *point);
/* "bound by dram (87 %, declared)", or "unknown: REASON". */
const char *rft_step_bound_text(const rft_step_bound *step, rft_arena *arena);

#endif
