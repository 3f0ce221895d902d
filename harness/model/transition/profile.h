/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - one axis followed with every other axis held fixed (the best over the parameters at each value), or one
 * parameter on one problem (the best over the other parameters at each value), and what each parameter explains.
 */
#ifndef RFT_MODEL_PROFILE_H
#define RFT_MODEL_PROFILE_H

#include "model/roofline/bound.h"
#include "model/roofline/roofline_fit.h"

typedef struct rft_profile_step {
    rft_value value;
    const rft_point *best; /* NULL: nothing measured there */
    rft_bound bound;       /* of best */
    size_t measured;       /* candidates seen at this value */
    /* Of the fastest, the slowest, and the median over the candidates' medians; NaN. Along a parameter all by the final
     * round where each value's best is in it, else all by the sweep's (rft_point_swept_s()). */
    double best_s, worst_s, median_s;
    size_t problem; /* where */
    int refined;    /* 0: of the grid; else rft_problem.refined */
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

/* All profiles along the sweep's `along` axes (one per combination of the other axes). In `arena`. */
size_t rft_profiles_along_axes(const rft_run *run, size_t sweep, size_t variant, rft_arena *arena, rft_profile **out);
/* What transitions are told of: a line of the bests, and that of the first variant of the sweep's ladder. */
typedef struct rft_ladder_line {
    const rft_profile *best, *first; /* first: NULL where it was measured at fewer than two values, or is the best at
                                      * all of them */
} rft_ladder_line;
size_t rft_ladder_lines(const rft_run *run, size_t sweep, rft_arena *arena, rft_ladder_line **out);
/* The same along swept axes that are no numbers, of a sweep that has no `along` axis. */
size_t rft_profiles_along_words(const rft_run *run, size_t sweep, rft_arena *arena, rft_profile **out);
/* One profile per tuned parameter of a variant on one problem. */
size_t rft_profiles_along_params(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                                 rft_profile **out);
/* At how many of its values something was measured. */
size_t rft_profile_measured(const rft_profile *profile);
/* Share of the variance of log time over the candidates that each parameter explains alone (one-way ANOVA), 0..1;
 * NaN with fewer than 3 candidates. `out` has one entry per parameter. */
void rft_param_importance(const rft_run *run, size_t sweep, size_t variant, size_t problem, double *out);

/*
 * The roofline that the best points of one profile follow (roofline_fit.h), beside the measured
 * ceilings: what this family of kernels reaches, over one problem family.
 *
 * Bytes are the work's compulsory ones, so bandwidth is useful bandwidth at device memory; operations are those of one
 * pipe, the one that takes longest at its measured ceiling at most of the points (where no ceiling is known: the one
 * with most operations). Points whose bytes need not come from device memory (hot mode, inside the L2) are left out.
 */
typedef struct rft_profile_fit {
    rft_roofline_fit fit; /* of the points below, in their order */
    rft_fit_point *points;
    size_t *steps; /* of the profile, one per point */
    size_t count;
    size_t left_out;             /* measured, but inside the L2 */
    rft_pipe pipe;               /* RFT_PIPE_COUNT: no operations */
    rft_ceiling_id memory, peak; /* what the ceilings are of; RFT_CEILING_COUNT: none */
    double memory_rate;          /* B/s; NaN = not measured */
    double peak_rate;            /* op/s; NaN = not measured */
} rft_profile_fit;

/* Everything lives in `arena`. Under 10 ms. `fit.why` says why there is no fit. */
rft_profile_fit rft_profile_fit_of(const rft_run *run, const rft_profile *profile, rft_arena *arena);

/* The ceiling beside a parameter; NaN for overhead (the launch floor is no ceiling of it) and sharpness. */
double rft_profile_fit_ceiling(const rft_profile_fit *fit, rft_fit_name name);

#endif
