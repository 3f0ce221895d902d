/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_check.h - inside of the store room: what holds of every run that was read, whatever it was read from (run file,
 * recording, another tuner's file). Fields have been held against the ranges of field.h one by one; here are the
 * lists, the names and what fields must be to each other, so that nothing behind a reader has to check again.
 */
#ifndef RFT_STORE_RUN_CHECK_H
#define RFT_STORE_RUN_CHECK_H

#include "model/run/run.h"

#define RFT_SPACES_MAX 1000000 /* variants x problems of a sweep */

/* NULL when it holds; else where it does not and why, in the run's arena: "points[3].rounds[0].samples_s[2]: expected a
 * number from 0 to 1000000000, found -1". */
const char *rft_run_fault(const rft_run *run);

#endif
