/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ridge.h - ridge points, and how far below its roof a point is.
 *
 * The ridge of a pipe and a memory level is the rate of the one over that of the other: work of fewer operations per
 * byte of that level is held back by the level, of more by the pipe (Williams, Waterman, Patterson 2009).
 */
#ifndef RFT_MODEL_RIDGE_H
#define RFT_MODEL_RIDGE_H

#include "model/run/run.h"

/* The memory sides of a ridge: device memory by mix of reads and writes, then the caches. Ceiling, heading. */
#define RFT_RIDGE_LEVEL_MAP(X)                                                                                         \
    X(DRAM_READ, "dram read")                                                                                          \
    X(DRAM_2TO1, "dram 2:1")                                                                                           \
    X(DRAM_COPY, "dram 1:1")                                                                                           \
    X(DRAM_WRITE, "dram write")                                                                                        \
    X(L2_READ, "L2")                                                                                                   \
    X(L1_READ, "L1")                                                                                                   \
    X(SHARED_READ, "shared")

enum {
#define RFT_RIDGE_ENUM(name, heading) RFT_RIDGE_##name,
    RFT_RIDGE_LEVEL_MAP(RFT_RIDGE_ENUM)
#undef RFT_RIDGE_ENUM
        RFT_RIDGE_LEVEL_COUNT
};
rft_ceiling_id rft_ridge_level(int level); /* the ceiling behind a column */
const char *rft_ridge_heading(int level);  /* "dram 2:1" */

/* Operations per byte. NaN where one of the two rates is not known, or only a lower bound. */
typedef struct rft_ridge {
    double measured[RFT_RIDGE_LEVEL_COUNT];
    double datasheet; /* of device memory: its datasheet has one rate for all mixes */
    double limit;     /* of device memory: the hardware's own bounds */
} rft_ridge;
rft_ridge rft_ridge_of(const rft_ceilings *ceilings, rft_pipe pipe);
/* Anything at all is known of it. */
bool rft_ridge_is_known(const rft_ridge *ridge);

/* Roof over what was reached, the reciprocal of the efficiency: 6.9 = 6.9 times below the roof. NaN = unknown. */
double rft_gap_factor(double efficiency_frac);
/* "good" from 80 % of the roof, "note" from 50 %, "warning" below: the bands of the roofline report of the source
 * documents. NULL when the efficiency is not known. A customary division, no standard. */
const char *rft_efficiency_band(double efficiency_frac);

#endif
