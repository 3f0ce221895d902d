/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/load_watch.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define WATCHED (RFT_METER_ENERGY | RFT_METER_POWER | RFT_METER_CLOCKS | RFT_METER_THROTTLE)
#define SENSOR_AVERAGING_S 1.0 /* the power sensor's, since Ampere */

void rft_load_watch_clear(rft_load_watch *watch) {
    free(watch->polls);
    free(watch->batches);
}

double rft_load_now_s(const rft_load_watch *watch) {
    return rft_timing_since_s(watch->p, watch->begun_ns);
}

/* ---- gathering ---- */

void rft_load_look(rft_load_watch *watch, bool now) {
    rft_meter *meter = watch->p->meter;
    rft_meter_snapshot snapshot;
    if (!meter || (!now && rft_load_now_s(watch) < watch->next_poll_s)) {
        return;
    }
    meter->vt->read(meter, WATCHED, &snapshot);
    RFT_GROW(watch->polls, watch->poll_capacity, watch->poll_count + 1);
    watch->polls[watch->poll_count++] = (rft_load_poll){.reading = rft_meter_energy(&snapshot, watch->begun_ns),
                                                        .counters = rft_meter_counters(&snapshot),
                                                        .clock_mhz = snapshot.values[RFT_METER_SM_CLOCK_MHZ]};
    watch->next_poll_s = rft_load_now_s(watch) + RFT_LOAD_POLL_S;
}

void rft_load_ended(rft_load_watch *watch, double device_s, uint64_t runs) {
    RFT_GROW(watch->batches, watch->batch_capacity, watch->batch_count + 1);
    watch->batches[watch->batch_count++] =
        (rft_load_batch){.at_s = rft_load_now_s(watch), .device_s = device_s, .runs = runs};
}

double rft_load_temperature_c(const rft_load_watch *watch) {
    rft_meter *meter = watch->p->meter;
    rft_meter_snapshot snapshot;
    if (!meter) {
        return NAN;
    }
    meter->vt->read(meter, RFT_METER_HEAT, &snapshot);
    return snapshot.values[RFT_METER_TEMPERATURE_C];
}

const char *rft_load_no_sensor(const rft_load_watch *watch, rft_arena *arena) {
    rft_meter *meter = watch->p->meter;
    rft_meter_snapshot snapshot;
    if (!meter) {
        return rft_arena_strdup(arena, watch->p->no_meter);
    }
    meter->vt->read(meter, RFT_METER_ENERGY | RFT_METER_POWER, &snapshot);
    if (!isnan(snapshot.values[RFT_METER_ENERGY_J]) || !isnan(rft_meter_energy(&snapshot, 0).power_w)) {
        return NULL;
    }
    return rft_arena_printf(arena, "the device gives neither energy (%s) nor power (%s)",
                            snapshot.reasons[RFT_METER_ENERGY_J], snapshot.reasons[RFT_METER_POWER_AVERAGE_W]);
}

/* ---- a window of it ---- */

rft_load_span rft_load_span_from(const rft_load_watch *watch, double from_s) {
    rft_load_span span = {.begin_s = from_s, .end_s = rft_load_now_s(watch)};
    size_t first = 0;
    if (watch->batch_count == 0) {
        return span;
    }
    while (first < watch->batch_count && watch->batches[first].at_s <= from_s) {
        span.begin_s = watch->batches[first++].at_s;
    }
    for (size_t i = first; i < watch->batch_count; i++) {
        span.runs += watch->batches[i].runs;
        span.device_s += watch->batches[i].device_s;
    }
    span.end_s = watch->batches[watch->batch_count - 1].at_s;
    return span;
}

rft_energy rft_load_energy(const rft_load_watch *watch, const rft_load_span *span) {
    rft_energy_reading *readings = rft_calloc(watch->poll_count + 1, sizeof *readings);
    for (size_t i = 0; i < watch->poll_count; i++) {
        readings[i] = watch->polls[i].reading;
    }
    rft_energy_window window = {.readings = readings,
                                .count = watch->poll_count,
                                .begin_s = span->begin_s,
                                .end_s = span->end_s,
                                .launches = span->runs,
                                .averaging_s = SENSOR_AVERAGING_S};
    rft_energy energy = rft_energy_of(&window);
    free(readings);
    return energy;
}

static void set_shares(const rft_load_watch *watch, double from_s, rft_load *out) {
    const rft_load_poll *first = NULL;
    for (size_t i = 0; i < watch->poll_count && !first; i++) {
        first = watch->polls[i].reading.time_s >= from_s ? &watch->polls[i] : NULL;
    }
    if (first) {
        rft_throttle_share(out->throttled_frac, &first->counters, &watch->polls[watch->poll_count - 1].counters);
    }
}

static double median_clock(const rft_load_watch *watch, double from_s) {
    double *clocks = rft_calloc(watch->poll_count + 1, sizeof *clocks);
    size_t count = 0;
    for (size_t i = 0; i < watch->poll_count; i++) {
        if (watch->polls[i].reading.time_s >= from_s) {
            clocks[count++] = watch->polls[i].clock_mhz;
        }
    }
    double median = rft_timing_median(clocks, count);
    free(clocks);
    return median;
}

void rft_load_tell(const rft_load_watch *watch, const rft_load_span *span, rft_arena *arena, rft_load *out) {
    rft_energy energy = rft_load_energy(watch, span);
    const char *why = watch->p->meter ? energy.reason : watch->p->no_meter;
    out->window_s = span->end_s - span->begin_s;
    out->runs = span->runs;
    out->run_s = span->runs ? span->device_s / (double)span->runs : (double)NAN;
    rft_load_set_energy(out, &energy, rft_arena_strdup(arena, why));
    out->temperature_end_c = rft_load_temperature_c(watch);
    out->clock_mhz = median_clock(watch, span->begin_s);
    set_shares(watch, span->begin_s, out);
}
