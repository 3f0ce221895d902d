/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_bound.h - what holds each launch of a point of several back: its own amounts at the measured ceilings against
 * its own time (docs/roofline.md, "Points of several launches"). A launch that declares no work of its own has no
 * verdict; counters are the whole point's and say nothing of one launch.
 */
#ifndef RFT_MODEL_STEP_BOUND_H
#define RFT_MODEL_STEP_BOUND_H

#include "model/roofline/bound.h"

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
