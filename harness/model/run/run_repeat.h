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
 * run without others, keeps its numbers, and its repeat interval is not known.
 *
 * Readers of files call it; so does who has added samples to a run. It may be called again at any time: all is worked
 * out anew from the samples. Some milliseconds for 5,000 points.
 */
void rft_run_fill_repeats(rft_run *run);

#endif
