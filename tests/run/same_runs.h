/* SPDX-License-Identifier: Apache-2.0 */
/* same_runs.h - two stored runs of the same plan: is everything equal but what the host's clock and luck decide? */
#ifndef RFT_TEST_SAME_RUNS_H
#define RFT_TEST_SAME_RUNS_H

#include "model/run/run.h"

/* Fails at the first difference, by name. Compared: device, sweeps, every field of every point in order, samples.
 * Not compared: statistics, which follow from the samples and from how many sessions, each a process, took them; ids,
 * dates, sums of seconds, seconds of compiling, verifying and in all, whether a cubin was in the cache, the
 * environment. */
void expect_same_runs(const rft_run *a, const rft_run *b);

#endif
