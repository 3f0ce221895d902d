/* SPDX-License-Identifier: Apache-2.0 */
/* report_sample.h - made-up runs on a made-up H200 with believable numbers, for the tests of the report. */
#ifndef RFT_TESTS_REPORT_SAMPLE_H
#define RFT_TESTS_REPORT_SAMPLE_H

#include "model/run/run.h"

/* A run on the device with environment and ceilings, without sweeps. */
rft_run *sample_empty(void);

/* Sweeps are appended; each returns its index. */
size_t sample_add_copy(rft_run *run); /* one variant, one parameter pair, three sizes of memory-bound copying */
size_t sample_add_gemv(rft_run *run); /* a ladder of three variants over n, with an odd size */
size_t
sample_add_matmul(rft_run *run); /* a ladder of three; memory-bound when small, FP32-bound when large; failures */

/* The three of them. */
rft_run *sample_full(void);

/* One variant, two parameters, one problem, `count` measured points (times drawn from a seed). */
size_t sample_add_many(rft_run *run, size_t count);
/* A skinny matmul over m = 1 .. 256 that turns from memory to FP32 at m = 14.4, at 92 % of either ceiling. */
size_t sample_add_turn(rft_run *run);
/* One parameter with one value, one problem, one point. */
size_t sample_add_single(rft_run *run);

/* ---- changes ---- */
/* Gives the points that a run would count their counters: as declared, but reads of matmul 20 % above. */
void sample_count(rft_run *run);
/* The same points refused, for this reason. */
void sample_refuse_counters(rft_run *run, const char *reason);
void sample_fail_all(rft_run *run, rft_outcome outcome, const char *reason);
void sample_unverify_all(rft_run *run);
void sample_forget_ceilings(rft_run *run);
void sample_make_replay(rft_run *run);

#endif
