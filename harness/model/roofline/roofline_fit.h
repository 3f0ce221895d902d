/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline_fit.h - the roofline that measured times follow: what a family of kernels reaches, not what the device
 * could.
 *
 *     time = overhead + ((bytes / B)^p + (ops / P)^p)^(1/p)
 *
 * B: effective bandwidth, P: effective rate of operations, p: sharpness of the knee (1: memory and arithmetic take
 * turns; the larger, the better they overlap; infinite: the longer of the two alone). The form is the time-based
 * roofline (Wang et al., arXiv 2009.04598: overhead beside the two times) with a round knee. Fitted to the best points
 * of one sweep and one problem family in the logarithm of time, with Huber's loss, so that 1 % counts the same at 1 us
 * and 1 s.
 *
 * Nothing is claimed that the points do not carry. Every smaller model (without overhead, one ceiling only, a sharp
 * knee) is fitted too; a parameter is known only when every model that explains the times about as well has it
 * (Bayesian information criterion, Schwarz 1978, within 6 of the best: "strong", Kass and Raftery 1995), at least two
 * points lie where it rules, and its bootstrap interval is narrow. Otherwise there is a bound, where one exists, and
 * the reason.
 */
#ifndef RFT_MODEL_ROOFLINE_FIT_H
#define RFT_MODEL_ROOFLINE_FIT_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rft_fit_point {
    double bytes;      /* moved at the level the fit is about, >= 0 */
    double ops;        /* on the main pipe, >= 0 */
    double time_s;     /* > 0; other points are left out */
    double noise_frac; /* standard deviation of the measured time over the time; 0 or NaN: not known */
} rft_fit_point;

typedef enum rft_fit_state {
    RFT_FIT_UNKNOWN,  /* `why` says what is missing; everything NaN */
    RFT_FIT_KNOWN,    /* value, low, high */
    RFT_FIT_AT_LEAST, /* only `low`: no point shows the ceiling itself; value, high NaN */
    RFT_FIT_AT_MOST   /* only `high` (overhead) */
} rft_fit_state;
const char *rft_fit_state_name(rft_fit_state state); /* "unknown", "known", "at least", "at most" */

typedef struct rft_fit_param {
    rft_fit_state state;
    double value;
    double low, high; /* 95 %, bootstrap */
    const char *why;  /* NULL when known */
} rft_fit_param;

typedef enum rft_fit_name {
    RFT_FIT_OVERHEAD,  /* seconds */
    RFT_FIT_BANDWIDTH, /* bytes/s */
    RFT_FIT_PEAK,      /* ops/s */
    RFT_FIT_SHARPNESS, /* p; 1 to RFT_FIT_SHARPEST */
    RFT_FIT_PARAM_COUNT
} rft_fit_name;
const char *rft_fit_param_name(rft_fit_name name); /* "overhead", "bandwidth", "peak", "sharpness" */

/* A knee this sharp is nowhere more than 1.1 % away from the longer of both times. */
#define RFT_FIT_SHARPEST 64.0
/* An interval wider than this factor, high over low, is no knowledge (rates; overhead and sharpness). */
#define RFT_FIT_RATE_WIDTH 1.25
#define RFT_FIT_OTHER_WIDTH 3.0
/* Bytes (operations) that spread by less than this factor over the points say nothing of their rate beside an overhead.
 */
#define RFT_FIT_SPREAD_LEAST 1.1
/* Times that scatter by more than this about the best model follow no roofline. */
#define RFT_FIT_SCATTER_MAX 0.25

typedef struct rft_fit_options {
    uint64_t seed;     /* of the bootstrap: equal points and seed give equal answers */
    size_t replicates; /* of the bootstrap; 0: 200 */
    /* Measured ceilings, NaN or 0 when not known. Used for one thing: where bytes and operations are in one ratio at
     * all points, times alone cannot tell which of them takes the time; the one with the larger share of its ceiling
     * does. */
    double ceiling_bytes_s, ceiling_ops_s;
} rft_fit_options;

typedef struct rft_roofline_fit {
    rft_fit_param params[RFT_FIT_PARAM_COUNT];
    size_t point_count;
    double scatter_frac; /* robust standard deviation of log time about the model; NaN without a model */
    double worst_frac;   /* largest distance of a measured time from the model, as a fraction of the model's time */
    size_t worst;        /* index of that point */
    double model[RFT_FIT_PARAM_COUNT]; /* of the best model, known or not (for drawing); NaN: the model has none */
    const char *why;                   /* NULL, or why there is no fit at all */
} rft_roofline_fit;

/* Fits. Texts live in `arena`, which is scratch memory too. About 5 ms for 40 points and 200 replicates. */
rft_roofline_fit rft_roofline_fit_of(const rft_fit_point *points, size_t count, const rft_fit_options *options,
                                     rft_arena *arena);

/* Seconds that the fitted model gives for this work; NaN without a model. */
double rft_roofline_fit_time_s(const rft_roofline_fit *fit, double bytes, double ops);

#endif
