/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - made-up runs on a made-up H200 with believable numbers: what findings are checked on, whatever prints
 * them. A run with something in every field is store/sample_run.h. */
#ifndef RFT_TESTS_SUPPORT_SAMPLE_H
#define RFT_TESTS_SUPPORT_SAMPLE_H

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

/* sample_full() with something to say for every finding. Sweep 1 (gemv) has on its largest problem a final round, an
 * alias, a throttled best, baselines, watts and a soak; sweep 2 (matmul) a best of two launches; all have counters. */
rft_run *sample_findings(void);

/* One variant, two parameters, one problem, `count` measured points (times drawn from a seed). */
size_t sample_add_many(rft_run *run, size_t count);
/* A skinny matmul over m = 1 .. 256 that turns from memory to FP32 at m = 14.4, at 92 % of either ceiling. */
size_t sample_add_turn(rft_run *run);
/* One parameter with one value, one problem, one point. */
size_t sample_add_single(rft_run *run);

/* ---- places; the test fails where there is none ---- */
/* The best of the sweep's largest problem, or of one problem. */
rft_point *sample_best(rft_run *run, size_t sweep);
rft_point *sample_best_on(rft_run *run, size_t sweep, size_t problem);
/* The nth (0..) problem of a sweep that was timed and is not odd. */
size_t sample_timed(const rft_run *run, size_t sweep, size_t nth);

/* ---- additions ---- */
/* `ratio`: its time over the best's of that problem. The second: the library was not there. */
void sample_add_baseline(rft_run *run, size_t sweep, size_t problem, const char *name, const char *which, double ratio);
void sample_miss_baseline(rft_run *run, size_t sweep, size_t problem);
/* Nothing known yet; of the run (idle) where `point` is NULL. */
rft_load *sample_add_load(rft_run *run, rft_point *point, rft_load_kind kind);
void sample_add_idle(rft_run *run, double power_w);
/* Of the sweep's best. The soak: 60 s, `factor` slower after 12 s, by the power limit when above 1. */
rft_load *sample_add_energy(rft_run *run, size_t sweep, double power_w);
rft_load *sample_add_soak(rft_run *run, size_t sweep, double factor);
/* `drift_frac` from the first of 30 readings to the last, two minutes apart. */
void sample_add_readings(rft_run *run, double drift_frac);
/* Half of its samples ran below the run's clock, for heat, at every of 4 attempts. */
void sample_throttle(rft_measurement *measurement);

/* ---- changes ---- */
/* Gives the points that a run would count their counters: as declared, but reads of matmul 20 % above. */
void sample_count(rft_run *run);
/* The same points refused, for this reason. */
void sample_refuse_counters(rft_run *run, const char *reason);
void sample_fail(rft_point *point, rft_outcome outcome, const char *reason);
void sample_fail_all(rft_run *run, rft_outcome outcome, const char *reason);
void sample_unverify_all(rft_run *run);
void sample_forget_ceilings(rft_run *run);
void sample_make_replay(rft_run *run);

#endif
