/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.h - profiles and the transitions on them.
 *
 * A profile follows one axis with every other axis held fixed (the best over the parameters at each value), or one
 * parameter on one problem (the best over the other parameters at each value). A transition is a change of bound
 * between neighbours on a profile, claimed only when both are at least "mostly" and the measured times turn there;
 * otherwise "unclear". With declared work alone no transition along a parameter is stated.
 */
#ifndef RFT_MODEL_TRANSITION_H
#define RFT_MODEL_TRANSITION_H

#include "model/bound.h"

typedef struct rft_profile_step {
    rft_value value;
    const rft_point *best; /* NULL: nothing measured there */
    rft_bound bound;       /* of best */
    size_t measured;       /* candidates seen at this value */
    double worst_s;        /* slowest candidate; NaN */
    double median_s;       /* median over the candidates' medians; NaN */
    size_t problem;        /* where */
    int refined;           /* 0: of the grid; else rft_problem.refined */
} rft_profile_step;

typedef struct rft_profile {
    size_t sweep;
    size_t variant; /* SIZE_MAX: best over all variants (axis profiles) */
    bool along_param;
    size_t index;   /* axis or parameter */
    size_t problem; /* parameter profile: on which; axis profile: the first problem of the line (names the rest) */
    rft_profile_step *steps; /* ascending by value when numeric, else in the script's order */
    size_t step_count;
} rft_profile;

typedef enum rft_transition_kind {
    RFT_TRANSITION_NONE, /* one bound all along */
    RFT_TRANSITION_FOUND,
    RFT_TRANSITION_UNCLEAR,     /* the bound changes but one side is not firm, or times do not turn */
    RFT_TRANSITION_NOT_EXPLORED /* under two values measured, or declared work along a parameter */
} rft_transition_kind;
const char *rft_transition_kind_name(rft_transition_kind kind); /* "none", "found", "unclear", "not explored" */

typedef struct rft_transition {
    rft_transition_kind kind;
    size_t step;           /* between steps[step] and steps[step + 1] (FOUND, UNCLEAR) */
    double low, high;      /* the interval on the axis: FOUND; grid neighbours at the widest */
    double where;          /* best estimate; NaN */
    double ridge;          /* where the plain ridge formula puts it between these neighbours; NaN */
    rft_evidence evidence; /* the weaker of both sides */
    const char *why;       /* for UNCLEAR, NOT_EXPLORED: reason in words */
} rft_transition;

/* All profiles along the sweep's `along` axes (one per combination of the other axes). In `arena`. */
size_t rft_profiles_along_axes(const rft_run *run, size_t sweep, size_t variant, rft_arena *arena, rft_profile **out);
/* One profile per tuned parameter of a variant on one problem. */
size_t rft_profiles_along_params(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                                 rft_profile **out);
/* The transitions of a profile: at least one entry (NONE, NOT_EXPLORED) always. */
size_t rft_transitions_of(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_transition **out);

/* Share of the variance of log time over the candidates that each parameter explains alone (one-way ANOVA), 0..1;
 * NaN with fewer than 3 candidates. `out` has one entry per parameter. */
void rft_param_importance(const rft_run *run, size_t sweep, size_t variant, size_t problem, double *out);

#endif
