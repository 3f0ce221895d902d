/* SPDX-License-Identifier: Apache-2.0 */
/* loading.h - a point, or nothing, under load, the meter watched meanwhile (docs/power.md). */
#ifndef RFT_MEASURE_LOADING_H
#define RFT_MEASURE_LOADING_H

#include "measure/point_job.h"

/* The verified point's launches without a pause for as long as the request says, the meter being polled. */
int rft_load_point(rft_point_job *job, rft_err *err);
int rft_load_idle(rft_protocol *p, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err);

#endif
