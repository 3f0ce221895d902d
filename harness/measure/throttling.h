/* SPDX-License-Identifier: Apache-2.0 */
/* throttling.h - a point measured again while its samples ran below the run's clock. */
#ifndef RFT_MEASURE_THROTTLING_H
#define RFT_MEASURE_THROTTLING_H

#include "measure/point_job.h"

/* rft_timing_point(), again while its samples ran below the run's clock; the least affected attempt is kept. */
int rft_throttling_point(rft_point_job *job, rft_err *err);
void rft_throttling_rest(rft_protocol *p); /* reads the counters when that was long ago */
/* Which causes can be told. */
void rft_throttling_describe(rft_protocol *p, rft_env *env, rft_arena *arena);

#endif
