/* SPDX-License-Identifier: Apache-2.0 */
/* guards.h - buffers' memory with padding on both sides, and what kernels wrote there (docs/measuring.md,
 * "Verification"; sizes in model/sweep/spec.h). */
#ifndef RFT_MEASURE_GUARDS_H
#define RFT_MEASURE_GUARDS_H

#include "measure/point_job.h"

/* Memory for `bytes` between two bands of the pattern. RFT_E_LIMIT: out of memory. */
int rft_guards_alloc(rft_protocol *p, uint64_t bytes, rft_device_ptr *out, rft_err *err);
void rft_guards_free(rft_protocol *p, rft_device_ptr memory, uint64_t bytes); /* as allocated; 0 is accepted */

/* The verdict of the point's buffers is queued into `slot`; when it was read, and something was written outside, the
 * job fails as wrong_result: "WHO wrote outside of y: 1 element behind its end (y[1000], byte 4000); 4 bytes around the
 * buffers are changed". The nearest change counts. */
int rft_guards_queue(rft_point_job *job, size_t slot, rft_err *err);
void rft_guards_judge(rft_point_job *job, size_t slot, const char *who);

#endif
