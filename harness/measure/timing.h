/* SPDX-License-Identifier: Apache-2.0 */
/* timing.h - a point's samples: warm-up, when it is enough, the steps. */
#ifndef RFT_MEASURE_TIMING_H
#define RFT_MEASURE_TIMING_H

#include "measure/point_job.h"
#include "measure/sampling.h"

/* Behind the verified run, while the device is still at work on what judges it: records what its time says will be
 * wanted. What is not used is freed with the job. */
void rft_timing_foresee(rft_point_job *job);

/* Warm-up, samples, steps. */
int rft_timing_point(rft_point_job *job, rft_err *err);

#endif
