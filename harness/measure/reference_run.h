/* SPDX-License-Identifier: Apache-2.0 */
/* reference_run.h - what is right, once for a problem: the reference is launched over the point's buffers. */
#ifndef RFT_MEASURE_REFERENCE_RUN_H
#define RFT_MEASURE_REFERENCE_RUN_H

#include "measure/point_job.h"

/* Leaves what the reference computes in kept->reference of every output and inout, and their scales. A reference that
 * is a variant is verified first where it has one of its own. Nothing to do where that is still there. Fails the job
 * where there is none, it cannot run, or it writes where it must not. */
int rft_reference_run(rft_point_job *job, rft_err *err);

#endif
