/* SPDX-License-Identifier: Apache-2.0 */
/* launching.h - from the launches of a spec to what the driver takes. */
#ifndef RFT_MEASURE_LAUNCHING_H
#define RFT_MEASURE_LAUNCHING_H

#include "measure/point_job.h"

/* Up to the first launch: the compiler's facts or its refusal, limits, buffers, code and arguments. */
int rft_launching_start(rft_point_job *job, rft_err *err);
int rft_launching_queue_prepare(rft_point_job *job, rft_err *err);
/* Queues launches first .. end - 1. */
int rft_launching_queue(rft_point_job *job, size_t first, size_t end, rft_err *err);
/* Of the last point's code, where that is loaded still. */
void rft_launching_unload(rft_protocol *p);
/* Occupancy and waves of one launch into the facts; SIZE_MAX = of the one with the most threads. */
void rft_launching_describe(rft_point_job *job, size_t launch);

#endif
