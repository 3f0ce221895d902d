/* SPDX-License-Identifier: Apache-2.0 */
/* filling.h - what inputs hold before anything runs: seeded by rooftune's own kernel or the sweep's, or read from a
 * file (model/sweep/spec.h). */
#ifndef RFT_MEASURE_FILLING_H
#define RFT_MEASURE_FILLING_H

#include "measure/point_job.h"

/* Fills what the point's buffers lack: inputs, and the originals of inouts, those that others are made from first.
 * Needs job->kept. What a kernel or file of the sweep's does wrong is the point's outcome, and names the buffer. */
int rft_filling_take(rft_point_job *job, rft_err *err);

#endif
