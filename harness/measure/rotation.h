/* SPDX-License-Identifier: Apache-2.0 */
/* rotation.h - the copies of a point's buffers that runs use in turn. */
#ifndef RFT_MEASURE_ROTATION_H
#define RFT_MEASURE_ROTATION_H

#include "measure/point_job.h"

/* Between verifying and timing: the copies that measure.cache = "rotating" needs, equal to the buffers
 * (there is one set otherwise). Skips the point when they do not fit. */
int rft_rotation_take(rft_point_job *job, rft_err *err);
void rft_rotation_drop(rft_protocol *p); /* gives the copies' room back */
/* Before a sample, untimed: restores the inouts of all sets that ran, and aims the launches (arguments, tensor maps,
 * windows, job->data) at the next set. */
int rft_rotation_begin(rft_point_job *job, rft_err *err);
/* Before each further run of the same sample: aims at the next set. */
int rft_rotation_next(rft_point_job *job, rft_err *err);
/* So many sets were used by launches that were aimed before (graphs): the next ones come behind them. */
void rft_rotation_pass(rft_point_job *job, size_t sets);

#endif
