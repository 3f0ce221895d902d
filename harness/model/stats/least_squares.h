/* SPDX-License-Identifier: Apache-2.0 */
/*
 * least_squares.h - a curve of few parameters through few points, by weighted, robust, non-linear least squares.
 *
 * Levenberg-Marquardt (Levenberg 1944; Marquardt 1963: damping by the diagonal), with Huber's loss by iterated weights
 * (Huber, Robust Statistics, 1981, section 7.8) and bounds by projection. Pure arithmetic: no allocation, no state.
 */
#ifndef RFT_MODEL_LEAST_SQUARES_H
#define RFT_MODEL_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFT_CURVE_PARAMS_MAX 5
/* Huber's constant: 95 % as efficient as plain least squares on normal noise. */
#define RFT_HUBER 1.345

typedef struct rft_curve {
    /* The curve at a point, and its derivative by each parameter. */
    double (*value)(const void *context, size_t point, const double *params, double *slopes);
    const void *context; /* borrowed, as all pointers here */
    size_t param_count;  /* up to RFT_CURVE_PARAMS_MAX */
    size_t point_count;
    const double *measured; /* one a point */
    const double *scale;    /* standard deviation of each measured value, > 0 */
    double huber;           /* residuals beyond so many standard deviations count linearly; 0: plain least squares */
    const double *low;      /* bounds, one a parameter */
    const double *high;
    bool fixed[RFT_CURVE_PARAMS_MAX]; /* parameters that stay as they are */
} rft_curve;

/* Moves `params` to the nearest minimum and returns the loss there: the sum of squared standardised residuals (chi
 * squared), less what Huber takes off; HUGE_VAL when the curve is not finite at the start. */
double rft_curve_fit(const rft_curve *curve, double *params);

/* Standard error of each parameter by the curvature of the loss, 0 for a fixed one, infinite where the points do not
 * hold a parameter. */
void rft_curve_errors(const rft_curve *curve, const double *params, double *errors);

/* A standard normal number (Box and Muller 1958) from the splitmix64 state `seed`. */
double rft_normal(uint64_t *seed);

#endif
