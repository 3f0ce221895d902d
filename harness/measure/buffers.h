/* SPDX-License-Identifier: Apache-2.0 */
/* buffers.h - the point's buffers on the device, and the copies of them that runs use in turn. */
#ifndef RFT_MEASURE_BUFFERS_H
#define RFT_MEASURE_BUFFERS_H

#include "measure/point_job.h"

/* Keeps what the last point left where it fits, allocates, seeds. Skips the point when memory is short. */
int rft_buffers_take(rft_point_job *job, rft_err *err);
/* Of a reference (job->of): the point's buffers by their names, its results beside them, its temp buffers anew. Skips
 * it when memory is short. Whatever came of it, give_back() frees the temp buffers. */
int rft_buffers_borrow(rft_point_job *job, rft_err *err);
void rft_buffers_give_back(rft_point_job *job);
int rft_buffers_poison(rft_point_job *job, rft_err *err);  /* outputs and temps */
int rft_buffers_restore(rft_point_job *job, rft_err *err); /* inouts, in stream order */
void rft_kept_texts_free(rft_kept *kept);                  /* what of it is on the heap */
void rft_buffers_drop(rft_protocol *p);                    /* forgets all */
/* Of its data (and of an inout's original), and of what the reference computes; without padding. */
uint64_t rft_kept_data_bytes(const rft_kept *kept);
uint64_t rft_kept_reference_bytes(const rft_kept *kept); /* 0: no output */

#endif
