/* SPDX-License-Identifier: Apache-2.0 */
/* timing.h - a point's samples: warm-up, when it is enough, the steps. */
#ifndef RFT_MEASURE_TIMING_H
#define RFT_MEASURE_TIMING_H

#include "measure/point_job.h"
#include "measure/sampling.h"

/* Warm-up, samples, steps. */
int rft_timing_point(rft_point_job *job, rft_err *err);

#endif
