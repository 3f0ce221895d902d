/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_models.h - the nested models behind roofline_fit.c: which parts time has, fitted one by one. */
#ifndef RFT_MODEL_ROOFLINE_MODELS_H
#define RFT_MODEL_ROOFLINE_MODELS_H

#include "model/roofline/roofline_fit.h"
#include "model/stats/least_squares.h"

#define RFT_ROOFLINE_MODELS 9

/* The points, in natural logarithms (bytes, operations, seconds); -inf: none of it. */
typedef struct rft_fit_data {
    size_t count;
    double *log_bytes, *log_ops, *log_time;
    double *scale; /* scratch, one a point */
    double noise;  /* of log time, known from the measurement; 0: not known. Scatter below it is luck */
} rft_fit_data;

/* One model, fitted. */
typedef struct rft_model_fit {
    bool has[RFT_FIT_PARAM_COUNT];      /* the parts it has; sharpness: the knee is free, not sharp */
    double params[RFT_FIT_PARAM_COUNT]; /* logarithms; what it has not is meaningless */
    size_t free_count;
    double scatter;   /* robust standard deviation of log time about it */
    double score;     /* Bayesian information criterion, corrected for few points; HUGE_VAL: cannot be fitted */
    const char *text; /* "overhead and a memory ceiling"; static storage */
} rft_model_fit;

/* Fits model `which` (0 to RFT_ROOFLINE_MODELS - 1) from several starts. A model needs two points more than it has free
 * parameters, and operations (bytes) at every point where it has their ceiling. */
void rft_roofline_model_fit(const rft_fit_data *data, size_t which, rft_model_fit *out);
/* Moves the parameters of a fitted model to other times of the same points; its scatter stays. */
void rft_roofline_model_refit(const rft_fit_data *data, rft_model_fit *fit);
/* Log time of the model at a point, and its derivatives by the logarithms of the parameters. */
double rft_roofline_model_log_time(const rft_fit_data *data, size_t point, const rft_model_fit *fit);
void rft_roofline_model_slopes(const rft_fit_data *data, size_t point, const rft_model_fit *fit,
                               double slopes[RFT_FIT_PARAM_COUNT]);

#endif
