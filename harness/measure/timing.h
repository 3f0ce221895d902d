/* SPDX-License-Identifier: Apache-2.0 */
/* timing.h - a point's samples: warm-up, how many runs make one, when it is enough, the steps. */
#ifndef RFT_MEASURE_TIMING_H
#define RFT_MEASURE_TIMING_H

#include "measure/point_job.h"
#include "measure/sampling.h"

/* Warm-up, samples, steps. */
int rft_timing_point(rft_point_job *job, rft_err *err);

/* ---- near the timer floor (docs/measuring.md, "Near the timer floor") ---- */

/* An empty kernel (a graph of one) between the two events, once for each process; NaN where it cannot be held back. */
int rft_batch_floor(rft_protocol *p, const rft_measure_opts *opts, double *out, rft_err *err);
/* Could so short a time be near the floor, whatever that is? */
bool rft_batch_may_be_near(double seconds);
/* How many runs make a sample: 1 where one is long enough, the cache is to be cold, or one run must not follow another.
 * Takes a sample of `single` where it cannot be said without; floor_s is NaN where the point is far from it. */
int rft_batch_choose(rft_point_job *job, const rft_timed *single, size_t *runs, double *floor_s, rft_err *err);
/* These runs as one graph, launched once already, untimed; NULL where there is to be none: the buffers change between
 * runs, or the driver cannot record them. */
int rft_batch_record(rft_point_job *job, const rft_timed *batch, rft_graph **out, rft_err *err);

#endif
