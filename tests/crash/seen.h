/* SPDX-License-Identifier: Apache-2.0 */
/* seen.h - what a run file holds, against what an undisturbed one holds. Each look is a process of its own: it may not
 * end well. The answers are NULL, or what is wrong: heap memory. */
#ifndef RFT_TESTS_CRASH_SEEN_H
#define RFT_TESTS_CRASH_SEEN_H

#include "model/run/run.h"

#include <stdbool.h>

/* The run of a file, or NULL where there is none. What is not even a run file ends the test. */
rft_run *crash_seen_load(const char *path);

/* `run` was left by a command that was stopped: its points are those of the undisturbed run `after`, none of those of
 * `before` (or NULL) is missing, and none that `events` (or NULL) told. `fresh`: it may still be `before`. */
char *crash_seen_committed(const char *run, const char *events, const rft_run *before, const rft_run *after,
                           bool fresh);

char *crash_seen_same(const char *run, const rft_run *after);

/* By its beginning and its end. */
bool crash_seen_whole_pdf(const char *path);

#endif
