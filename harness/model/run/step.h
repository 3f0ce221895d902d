/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.h - one launch of a point that has several, as a run keeps it: what it is called and, where its script says so,
 * the work and traffic of its own. Its time is in the final round's rft_measurement.step_s, in the same order.
 *
 * A step's work is what this launch alone must do. Together the steps do at least the point's work: an intermediate
 * result that one writes and the next reads is work of both and none of the point's, which is what fusing them saves.
 */
#ifndef RFT_MODEL_STEP_H
#define RFT_MODEL_STEP_H

#include "model/sweep/work.h"

typedef struct rft_step {
    const char *name; /* "scan<256>", "memset part", "vendor.matmul" */
    bool has_work;    /* declared: */
    rft_work work;
    rft_traffic traffic; /* modelled; not present when the launch says nothing */
} rft_step;

#endif
