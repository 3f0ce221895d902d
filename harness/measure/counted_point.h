/* SPDX-License-Identifier: Apache-2.0 */
/* counted_point.h - a point's counters, in runs of their own. */
#ifndef RFT_MEASURE_COUNTED_POINT_H
#define RFT_MEASURE_COUNTED_POINT_H

#include "measure/point_job.h"

/* As rft_probe.count says; the device is alive and the kernels are loaded. */
int rft_count_point(rft_protocol *p, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                    rft_count_result *out, rft_err *err);
void rft_counting_close(rft_protocol *p); /* before the device is closed */

#endif
