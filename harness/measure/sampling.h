/* SPDX-License-Identifier: Apache-2.0 */
/* sampling.h - samples, what makes them alike, and how long the device was busy with them. */
#ifndef RFT_MEASURE_SAMPLING_H
#define RFT_MEASURE_SAMPLING_H

#include "measure/protocol_state.h"

typedef struct rft_timed {
    int (*before)(void *self, rft_err *err); /* untimed, in stream order; NULL = nothing */
    int (*queue)(void *self, rft_err *err);  /* what is timed */
    void *self;
    rft_cache_mode cache;
} rft_timed;
typedef struct rft_sample {
    double seconds;
    double clock_mhz; /* NaN when the stamps are not plausible */
} rft_sample;
/* What decides how many samples there are to be. */
typedef struct rft_sampler {
    /* Is one more to be queued, while `in_flight` (0 or 1) are not taken yet? With 1 a guess will do: false only means
     * that the host waits for that one first. */
    bool (*wants)(void *self, size_t in_flight);
    void (*queued)(void *self); /* before one is waited for, with all in flight that are to be; NULL */
    void (*take)(void *self, const rft_sample *sample); /* every sample, in order */
    void *self;
    bool one_at_a_time; /* so many launches that two samples do not fit the driver's queue */
} rft_sampler;
#define RFT_HELD_LAUNCHES 256u /* the driver queues about a thousand; beyond it the host waits for the device */
/* Takes samples as long as they are wanted. */
int rft_timing_many(rft_protocol *p, const rft_timed *timed, const rft_sampler *sampler, rft_err *err);
/* Takes `count` samples. */
int rft_timing_series(rft_protocol *p, const rft_timed *timed, size_t count, rft_sample *out, rft_err *err);
/* Takes one sample. */
int rft_timing_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err);
/* The two buffers that make the cache cold, once for all points. */
int rft_timing_take_flush(rft_protocol *p, rft_err *err);
/* Makes the cache cold, in stream order. */
int rft_timing_flush(rft_protocol *p, rft_err *err);
/* The SM clock of a run that is no sample: stamped before it (0) and behind it (1), read when the device is done. */
int rft_timing_stamp_run(rft_protocol *p, unsigned which, rft_err *err);
double rft_timing_stamped_mhz(const rft_protocol *p);
double rft_timing_since_s(const rft_protocol *p, int64_t begun_ns);
/* After a pause: keeps the device busy until its clock holds still. */
int rft_timing_wake(rft_protocol *p, rft_err *err);
/* Median that ignores NaN; NaN when nothing is left. Reorders. */
double rft_timing_median(double *items, size_t count);

/* ---- how long the device worked on what is verified and measured ---- */
int rft_busy_begin(rft_protocol *p, rft_span_id id, rft_err *err);
int rft_busy_end(rft_protocol *p, rft_span_id id, rft_err *err);
/* Device seconds of a span; waits for its end. 0 when it was not used. */
int rft_busy_span(rft_protocol *p, rft_span_id id, double *out, rft_err *err);
/* Spans and samples since the last call, together. NaN after a fault, which leaves nothing to read. */
double rft_busy_take(rft_protocol *p);

#endif
