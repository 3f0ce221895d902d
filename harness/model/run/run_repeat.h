/* SPDX-License-Identifier: Apache-2.0 */
/* run_repeat.h - every measured point and baseline of a run gets its figure with both intervals (model/stats/repeat.h).
 */
#ifndef RFT_MODEL_RUN_REPEAT_H
#define RFT_MODEL_RUN_REPEAT_H

#include "model/run/run.h"

/*
 * Fills rft_measurement.repeat of what is reported: each point's last round, and baselines; the variance between
 * processes is pooled over the run's problems. Where that is known, the stats' median becomes the figure, and low and
 * high the confidence interval, so that whoever reads the median reads the figure. What was taken in one process, in a
 * run without others, keeps its median, and its repeat interval is not known. Its low and high are wider than those of
 * independent, exact samples: by what batches tell where they are not independent (rft_drift_stats_of()), and by half a
 * step of the timer. clock_mhz becomes the SM clock at which the median run took its cycles (in each process the
 * median of seconds x clock over that of seconds; then their geometric mean), where the samples' clocks are known.
 *
 * Readers of files call it; so does who has added samples to a run. It may be called again at any time: all is worked
 * out anew from the samples. Some milliseconds for 5,000 points.
 */
void rft_run_fill_repeats(rft_run *run);

/* The figures alone, of points: what was taken in one process keeps its median, intervals and clocks as they were
 * stored. */
void rft_run_fill_figures(rft_run *run);

/* The same of a measurement in one process, and in no run. */
void rft_measurement_fill(rft_measurement *m);

/* The step of the timer, as single runs with samples enough to repeat themselves show it (32 ns on an H200). Seconds;
 * 0: not seen. */
double rft_run_timer_step_s(const rft_run *run);

/* Was anything that is reported taken in several processes? Else no interval knows what another run would read. */
bool rft_run_has_processes(const rft_run *run);

#endif
