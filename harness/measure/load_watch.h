/* SPDX-License-Identifier: Apache-2.0 */
/* load_watch.h - what the meter said and which batches ended while a point was under load, and what a window of that
 * time says. Private to harness/measure. */
#ifndef RFT_MEASURE_LOAD_WATCH_H
#define RFT_MEASURE_LOAD_WATCH_H

#include "measure/protocol.h"

/* One look at the meter. */
typedef struct rft_load_poll {
    rft_energy_reading reading;
    rft_throttle_counters counters;
    double clock_mhz;
} rft_load_poll;

/* A batch of runs that has ended. */
typedef struct rft_load_batch {
    double at_s, device_s;
    uint64_t runs;
} rft_load_batch;

/* {.p, .begun_ns} to begin with; times are seconds from begun_ns. */
typedef struct rft_load_watch {
    rft_protocol *p;
    int64_t begun_ns;
    rft_load_poll *polls;
    size_t poll_count, poll_capacity;
    rft_load_batch *batches;
    size_t batch_count, batch_capacity;
    double next_poll_s;
} rft_load_watch;
void rft_load_watch_clear(rft_load_watch *watch);
double rft_load_now_s(const rft_load_watch *watch);

/* Looks at the meter every RFT_LOAD_POLL_S; at once with `now`. */
#define RFT_LOAD_POLL_S 0.02 /* several times per update of the sensor */
void rft_load_look(rft_load_watch *watch, bool now);
void rft_load_ended(rft_load_watch *watch, double device_s, uint64_t runs);
double rft_load_temperature_c(const rft_load_watch *watch); /* NaN: not known */
/* NULL: energy or power can be read; else why not, in `arena`. */
const char *rft_load_no_sensor(const rft_load_watch *watch, rft_arena *arena);

/* From the end of the last batch before `from_s` to the end of the last one; until now where there are none. */
typedef struct rft_load_span {
    double begin_s, end_s;
    uint64_t runs;
    double device_s; /* of these runs */
} rft_load_span;
rft_load_span rft_load_span_from(const rft_load_watch *watch, double from_s);
rft_energy rft_load_energy(const rft_load_watch *watch, const rft_load_span *span);
/* Everything of a load but its samples. */
void rft_load_tell(const rft_load_watch *watch, const rft_load_span *span, rft_arena *arena, rft_load *out);

#endif
