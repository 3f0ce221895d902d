/* SPDX-License-Identifier: Apache-2.0 */
/*
 * over_roof.h - why a point lies above its roof by more than its uncertainty: one of a fixed list of causes, the first
 * that the run's own facts show. A roof is measured, so a point may beat it; one that does and has no cause is not to
 * be believed without a second look, and recorded_figures_test holds that no recording has one.
 */
#ifndef RFT_MODEL_OVER_ROOF_H
#define RFT_MODEL_OVER_ROOF_H

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"

/* In the order in which they are looked for: the first that explains it is told. */
typedef enum rft_over_cause {
    RFT_OVER_NOT,      /* it is under its roof, or has none */
    RFT_OVER_LIMIT,    /* faster than the hardware can be: work, result or time is wrong */
    RFT_OVER_MODELLED, /* the work is under its roof, the kernel's modelled traffic is not: caches took part of it */
    RFT_OVER_COUNTED,  /* the counters saw less than the work: cache reuse, or the work is stated too high */
    RFT_OVER_HOT,      /* the cache was not cold: part of the data lay in the L2 */
    RFT_OVER_WRITES,   /* what it wrote last still lies in the L2 when it ends (reach.h) */
    RFT_OVER_CLOCK,    /* the SM clock was higher than while the ceiling was measured */
    RFT_OVER_NEAR,     /* its roof is the L2's: part of the data came from L1 or shared memory */
    RFT_OVER_CEILING,  /* the counters confirm its work: the ceiling was measured too low, by slower kernels */
    RFT_OVER_UNKNOWN   /* none of these shows */
} rft_over_cause;

/* "limit", "modelled traffic", "counted", "hot cache", "writes in the L2", "clock", "near cache", "ceiling", "unknown";
 * "" for NOT. */
const char *rft_over_cause_name(rft_over_cause cause);

typedef struct rft_over_roof {
    rft_over_cause cause;
    double factor;    /* of the roof, > 1; 0 for NOT */
    const char *text; /* half a sentence: "device memory moved 71 % of its bytes (counted): ..."; NULL for NOT */
} rft_over_roof;

/* Above it is what rft_bound_is_above() says. Judged by the work (rft_placement_of()); where that is under its roof, or
 * has none, by what the kernel's `traffic` says too much of (rft_bound.refuted_count), else by the nearest share of the
 * bound, at the point's own clock. Text in `arena`. */
rft_over_roof rft_over_roof_of(const rft_run *run, const rft_point *point, rft_arena *arena);

#endif
