/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_fit.h - the roofline that the best points of one profile follow (roofline_fit.h), beside the measured
 * ceilings: what this family of kernels reaches, over one problem family.
 *
 * Bytes are the work's compulsory ones, so bandwidth is useful bandwidth at device memory; operations are those of one
 * pipe, the one that takes longest at its measured ceiling at most of the points (where no ceiling is known: the one
 * with most operations). Points whose bytes need not come from device memory (hot mode, inside the L2) are left out.
 */
#ifndef RFT_MODEL_PROFILE_FIT_H
#define RFT_MODEL_PROFILE_FIT_H

#include "model/roofline/roofline_fit.h"
#include "model/transition/transition.h"

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
