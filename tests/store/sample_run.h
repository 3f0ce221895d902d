/* SPDX-License-Identifier: Apache-2.0 */
/* sample_run.h - a run with something in every field, and a comparison that names the first field that differs. */
#ifndef RFT_TESTS_STORE_SAMPLE_RUN_H
#define RFT_TESTS_STORE_SAMPLE_RUN_H

#include "model/run/run.h"

/* Two sweeps (ladder with an odd size and derived axes; texts and booleans as values), every outcome, an alias, both
 * rounds, ceilings measured and not. Owned by the caller. */
rft_run *sample_run_new(void);

/* `points` points of one sweep with `samples` samples each, as a large run has them. */
rft_run *sample_run_large(size_t points, size_t samples);

/* Fails the test at the first difference. `tolerance_frac`: for what recordings round to 9 digits; 0 = exact. */
void assert_runs_equal(const rft_run *got, const rft_run *want, double tolerance_frac);

/* A path in a fresh temporary folder; static storage until the next call of the same slot (0..7). */
const char *temporary_path(int slot, const char *name);

/* Group teardown: removes every folder temporary_path() has made in this process. */
int remove_temporary_paths(void **state);

#endif
