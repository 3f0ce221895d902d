/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - every element of every output against the reference, before anything is timed. */
#ifndef RFT_MEASURE_VERIFY_H
#define RFT_MEASURE_VERIFY_H

#include "measure/point_job.h"

/* One run from poisoned outputs: all elements are compared, inputs and the padding around all buffers looked at. */
int rft_verify_point(rft_point_job *job, rft_err *err);
/* The same launches, again and again, as often as the request says: behind each every output is compared. */
int rft_verify_repeats(rft_point_job *job, rft_err *err);
/* The run alone: from poisoned outputs to its end, or until it is late. */
int rft_verify_run(rft_point_job *job, rft_err *err);

#endif
