/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer_starts.h - what a part of a run begins with: the configurations that were best on the sweep's other
 * problems, the nearest problem's first. A good time early lets the race and the pruning work from the start. Private
 * to run.
 */
#ifndef RFT_RUN_TRANSFER_STARTS_H
#define RFT_RUN_TRANSFER_STARTS_H

#include "run/plan/job.h"

#define RFT_TRANSFER_MOST 3 /* configurations */

/* Indices in `space` of at most RFT_TRANSFER_MOST configurations; returns how many. By the first round's times alone,
 * so that a continued run begins as it would have begun. */
size_t rft_transfer_starts(const rft_run *run, rft_job_place place, const rft_space *space, uint64_t *out);

#endif
