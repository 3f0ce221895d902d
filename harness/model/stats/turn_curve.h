/* SPDX-License-Identifier: Apache-2.0 */
/* turn_curve.h - the curve of two branches behind turn.c: fitted, and its place held to find the interval. */
#ifndef RFT_MODEL_TURN_CURVE_H
#define RFT_MODEL_TURN_CURVE_H

#include "model/stats/least_squares.h"

/* Parameters of the curve; logarithms where that is said. */
typedef enum rft_turn_param {
    RFT_TURN_LEVEL, /* log time of the first branch at the middle of the axis */
    RFT_TURN_SLOPE, /* of the first branch */
    RFT_TURN_BEND,  /* how much the slope changes: its size, >= 0 */
    RFT_TURN_PLACE, /* log axis */
    RFT_TURN_KNEE,  /* log sharpness */
    RFT_TURN_PARAM_COUNT
} rft_turn_param;

/* The points in natural logarithms, ascending by x. */
typedef struct rft_turn_data {
    size_t count;
    double *x, *time, *noise;
    double *scratch; /* one a point */
    double middle;   /* of x */
    double sign;     /* 1: the slope rises at the turn, -1: it falls */
    double low[RFT_TURN_PARAM_COUNT], high[RFT_TURN_PARAM_COUNT];
} rft_turn_data;

/* Chi squared of one straight line; its level at the middle and its slope. */
double rft_turn_line(const rft_turn_data *data, double *level, double *slope);

/* Chi squared of the best curve with a turn inside the axis, of either sign (which is left in `data`), from a grid of
 * places and sharpnesses. */
double rft_turn_curve_search(rft_turn_data *data, double params[RFT_TURN_PARAM_COUNT]);

/* Chi squared of the nearest minimum from `params`; with `hold` the place stays. */
double rft_turn_curve_fit(const rft_turn_data *data, double params[RFT_TURN_PARAM_COUNT], bool hold);

/* Standard error of the place with the sharpness known. */
double rft_turn_curve_error(const rft_turn_data *data, const double params[RFT_TURN_PARAM_COUNT]);

/* Log time of the curve at a point. */
double rft_turn_curve_at(const rft_turn_data *data, size_t point, const double params[RFT_TURN_PARAM_COUNT]);

#endif
