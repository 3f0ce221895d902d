/* SPDX-License-Identifier: Apache-2.0 */
/* batching.h - near the timer floor (docs/measuring.md, "Near the timer floor"): what the floor is, and how many runs
 * in a row make a sample, so that it is hidden. */
#ifndef RFT_MEASURE_BATCHING_H
#define RFT_MEASURE_BATCHING_H

#include "measure/point_job.h"
#include "measure/sampling.h"

/* An empty kernel (a graph of one) between the two events, once for each process; NaN where it cannot be held back. */
int rft_batch_floor(rft_protocol *p, const rft_measure_opts *opts, double *out, rft_err *err);
/* Could so short a time be near the floor, whatever that is? */
bool rft_batch_may_be_near(double seconds);
/* How many runs make a sample: 1 where one is long enough, the cache is to be cold, or one run must not follow another.
 * Takes a sample of `single` where it cannot be said without; floor_s is NaN where the point is far from it. */
int rft_batch_choose(rft_point_job *job, const rft_timed *single, size_t *runs, double *floor_s, rft_err *err);
/* The same by the verified run's time, without a sample: how many it will likely be. */
size_t rft_batch_foresee(const rft_point_job *job);
/* These runs as one graph, launched once already, untimed; NULL where there is to be none: the buffers change between
 * runs, or the driver cannot record them. */
int rft_batch_record(rft_point_job *job, const rft_timed *batch, size_t runs, rft_graph **out, rft_err *err);

#endif
