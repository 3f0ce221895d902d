/* SPDX-License-Identifier: Apache-2.0 */
/* A point under load (docs/power.md): its launches without a pause, the meter polled meanwhile. */
#include "measure/protocol.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define LEAD_S 0.15         /* not counted: until the power stands still */
#define POLL_S 0.02         /* several times per update of the sensor */
#define CHECK_S 0.1         /* is it long enough by now? */
#define SAMPLE_S 0.05       /* between two samples of a soak */
#define REST_S 0.5          /* before idle power: the clocks come down */
#define BATCH_S 0.01        /* so that the next is queued long before this one ends */
#define BATCH_LAUNCHES 200u /* two of these, and a sample, fit the driver's queue */
#define BATCHES (RFT_LOAD_MARKS / 2)
#define WATCHED (RFT_METER_ENERGY | RFT_METER_POWER | RFT_METER_CLOCKS | RFT_METER_THROTTLE)

typedef struct poll {
    rft_energy_reading reading;
    rft_throttle_counters counters;
    double clock_mhz;
} poll;

/* A batch that has ended. */
typedef struct batch_end {
    double at_s, device_s;
    uint64_t runs;
} batch_end;

typedef struct load_state {
    rft_protocol *p;
    const rft_load_order *order;
    rft_job *job; /* NULL: idle */
    int64_t begun_ns;
    poll *polls;
    size_t poll_count, poll_capacity;
    batch_end *ends;
    size_t end_count, end_capacity;
    double *samples_s, *at_s, *clocks_mhz;
    size_t n, samples_capacity, at_capacity, clock_capacity;
    uint64_t batch_runs;    /* of one batch */
    size_t queued, awaited; /* batches */
    double next_poll_s, next_check_s, next_sample_s;
    bool cut;
} load_state;

static double now_s(const load_state *s) {
    return rft_timing_since_s(s->p, s->begun_ns);
}

/* ---- the meter ---- */

static void take_poll(load_state *s) {
    rft_meter_snapshot snapshot;
    if (!s->p->meter) {
        return;
    }
    s->p->meter->vt->read(s->p->meter, WATCHED, &snapshot);
    RFT_GROW(s->polls, s->poll_capacity, s->poll_count + 1);
    s->polls[s->poll_count++] = (poll){.reading = rft_meter_energy(&snapshot, s->begun_ns),
                                       .counters = rft_meter_counters(&snapshot),
                                       .clock_mhz = snapshot.values[RFT_METER_SM_CLOCK_MHZ]};
}

static void poll_when_due(load_state *s) {
    if (now_s(s) >= s->next_poll_s) {
        take_poll(s);
        s->next_poll_s = now_s(s) + POLL_S;
    }
}

static double temperature_c(const load_state *s) {
    rft_meter_snapshot snapshot;
    if (!s->p->meter) {
        return NAN;
    }
    s->p->meter->vt->read(s->p->meter, RFT_METER_HEAT, &snapshot);
    return snapshot.values[RFT_METER_TEMPERATURE_C];
}

/* NULL: something can be read; else why not, in `arena`. */
static const char *no_sensor(const load_state *s, rft_arena *arena) {
    rft_meter_snapshot snapshot;
    if (!s->p->meter) {
        return rft_arena_strdup(arena, s->p->no_meter);
    }
    s->p->meter->vt->read(s->p->meter, RFT_METER_ENERGY | RFT_METER_POWER, &snapshot);
    if (!isnan(snapshot.values[RFT_METER_ENERGY_J]) || !isnan(rft_meter_energy(&snapshot, 0).power_w)) {
        return NULL;
    }
    return rft_arena_printf(arena, "the device gives neither energy (%s) nor power (%s)",
                            snapshot.reasons[RFT_METER_ENERGY_J], snapshot.reasons[RFT_METER_POWER_AVERAGE_W]);
}

/* ---- what the window says ---- */

typedef struct span {
    double begin_s, end_s;
    uint64_t runs;
    double device_s; /* of these runs */
} span;

/* From the end of the last batch before `from_s` to the end of the last one. Idle: as it is. */
static span span_from(const load_state *s, double from_s) {
    span w = {.begin_s = from_s, .end_s = now_s(s)};
    size_t first = 0;
    if (!s->job || s->end_count == 0) {
        return w;
    }
    while (first < s->end_count && s->ends[first].at_s <= from_s) {
        w.begin_s = s->ends[first++].at_s;
    }
    for (size_t i = first; i < s->end_count; i++) {
        w.runs += s->ends[i].runs;
        w.device_s += s->ends[i].device_s;
    }
    w.end_s = s->ends[s->end_count - 1].at_s;
    return w;
}

static rft_energy energy_of(const load_state *s, const span *w) {
    rft_energy_reading *readings = rft_calloc(s->poll_count + 1, sizeof *readings);
    for (size_t i = 0; i < s->poll_count; i++) {
        readings[i] = s->polls[i].reading;
    }
    rft_energy_window window = {.readings = readings,
                                .count = s->poll_count,
                                .begin_s = w->begin_s,
                                .end_s = w->end_s,
                                .launches = w->runs,
                                .averaging_s = 1.0};
    rft_energy energy = rft_energy_of(&window);
    free(readings);
    return energy;
}

static void set_shares(const load_state *s, const span *w, rft_load *out) {
    const poll *first = NULL;
    for (size_t i = 0; i < s->poll_count && !first; i++) {
        first = s->polls[i].reading.time_s >= w->begin_s ? &s->polls[i] : NULL;
    }
    if (first) {
        rft_throttle_share(out->throttled_frac, &first->counters, &s->polls[s->poll_count - 1].counters);
    }
}

static double median_clock(const load_state *s, const span *w) {
    double *clocks = rft_calloc(s->poll_count + 1, sizeof *clocks);
    size_t count = 0;
    for (size_t i = 0; i < s->poll_count; i++) {
        if (s->polls[i].reading.time_s >= w->begin_s) {
            clocks[count++] = s->polls[i].clock_mhz;
        }
    }
    double median = rft_timing_median(clocks, count);
    free(clocks);
    return median;
}

static void set_samples(const load_state *s, const span *w, rft_arena *arena, rft_load *out) {
    size_t first = rft_load_first_at(s->at_s, s->n, w->begin_s);
    out->n = s->n;
    out->samples_s = rft_arena_memdup(arena, s->samples_s, s->n * sizeof *s->samples_s);
    out->at_s = rft_arena_memdup(arena, s->at_s, s->n * sizeof *s->at_s);
    out->clocks_mhz = rft_arena_memdup(arena, s->clocks_mhz, s->n * sizeof *s->clocks_mhz);
    out->stats = rft_stats_of(s->samples_s ? s->samples_s + first : NULL, s->n - first);
    double *clocks = rft_arena_memdup(arena, out->clocks_mhz, s->n * sizeof *clocks);
    out->clock_mhz = s->n > first ? rft_timing_median(clocks + first, s->n - first) : (double)NAN;
    if (s->n == first && !s->cut) {
        out->reason = rft_arena_printf(arena, "no sample in the last third of a soak of %g s", s->order->seconds);
    }
}

static void tell(const load_state *s, double from_s, rft_arena *arena, rft_load *out) {
    span w = span_from(s, from_s);
    rft_energy energy = energy_of(s, &w);
    const char *no_reading = s->p->meter ? energy.reason : s->p->no_meter;
    out->asked_s = s->order->seconds;
    out->window_s = w.end_s - w.begin_s;
    out->runs = w.runs;
    out->run_s = w.runs ? w.device_s / (double)w.runs : (double)NAN;
    out->cut = s->cut;
    rft_load_set_energy(out, &energy, rft_arena_strdup(arena, no_reading));
    out->temperature_end_c = temperature_c(s);
    set_shares(s, &w, out);
    if (s->order->kind == RFT_LOAD_SOAK) {
        out->joules_per_run = NAN; /* the cache was emptied and samples were taken in between */
        set_samples(s, &w, arena, out);
    } else {
        out->clock_mhz = median_clock(s, &w);
    }
}

/* ---- launches without a pause ---- */

static int run_sample(void *self, rft_err *err) {
    rft_job *job = self;
    return rft_launching_queue(job, 0, job->request->spec->launch_count, err);
}

static int before_sample(void *self, rft_err *err) {
    return rft_buffers_restore(self, err);
}

static int queue_batch(load_state *s, rft_err *err) {
    rft_gpu *gpu = s->p->gpu;
    rft_event **marks = &s->p->load_marks[2 * (s->queued % BATCHES)];
    int rc = gpu->vt->event_record(gpu, marks[0], err);
    for (uint64_t i = 0; rc == RFT_OK && i < s->batch_runs; i++) {
        rc = before_sample(s->job, err);
        rc = rc == RFT_OK ? run_sample(s->job, err) : rc;
    }
    rc = rc == RFT_OK ? gpu->vt->event_record(gpu, marks[1], err) : rc;
    s->queued += rc == RFT_OK ? 1 : 0;
    return rc;
}

static int await_batch(load_state *s, rft_err *err) {
    rft_gpu *gpu = s->p->gpu;
    rft_event **marks = &s->p->load_marks[2 * (s->awaited % BATCHES)];
    batch_end end = {.runs = s->batch_runs};
    int rc = gpu->vt->event_elapsed(gpu, marks[0], marks[1], &end.device_s, err);
    if (rc == RFT_OK) {
        end.at_s = now_s(s);
        s->awaited++;
        s->p->busy_s += end.device_s;
        RFT_GROW(s->ends, s->end_capacity, s->end_count + 1);
        s->ends[s->end_count++] = end;
    }
    return rc;
}

/* Like one of a measurement: same cache mode, same order of events. It queues itself behind the batch in flight. */
static int take_sample(load_state *s, rft_err *err) {
    rft_timed timed = {before_sample, run_sample, s->job, s->job->request->measure.cache};
    rft_sample sample;
    int rc = rft_timing_sample(s->p, &timed, &sample, err);
    if (rc != RFT_OK) {
        return rc;
    }
    RFT_GROW(s->samples_s, s->samples_capacity, s->n + 1);
    RFT_GROW(s->at_s, s->at_capacity, s->n + 1);
    RFT_GROW(s->clocks_mhz, s->clock_capacity, s->n + 1);
    s->samples_s[s->n] = sample.seconds;
    s->clocks_mhz[s->n] = sample.clock_mhz;
    s->at_s[s->n++] = now_s(s);
    s->p->busy_s += sample.seconds;
    s->next_sample_s = now_s(s) + SAMPLE_S;
    return RFT_OK;
}

/* Energy and idle end as soon as they carry a figure. */
static bool is_over(load_state *s, double from_s) {
    double at_s = now_s(s), asked_s = from_s + s->order->seconds;
    if (s->order->stop && s->order->stop(s->order->payload)) {
        s->cut = true;
        return true;
    }
    if (s->order->kind == RFT_LOAD_SOAK || at_s < asked_s) {
        return at_s >= asked_s;
    }
    if (at_s >= from_s + s->order->seconds * RFT_LOAD_PATIENCE) {
        return true;
    }
    if (at_s < s->next_check_s) {
        return false;
    }
    s->next_check_s = at_s + CHECK_S;
    span w = span_from(s, from_s);
    return energy_of(s, &w).source != RFT_ENERGY_NONE;
}

static int keep_busy(load_state *s, double from_s, rft_err *err) {
    int rc = RFT_OK;
    bool over = false;
    while (rc == RFT_OK && !over) {
        rc = queue_batch(s, err);
        poll_when_due(s);
        if (rc == RFT_OK && s->order->kind == RFT_LOAD_SOAK && now_s(s) >= s->next_sample_s) {
            rc = take_sample(s, err);
        }
        if (rc == RFT_OK && s->queued - s->awaited == BATCHES) {
            rc = await_batch(s, err);
        }
        over = rc == RFT_OK && is_over(s, from_s);
    }
    while (rc == RFT_OK && s->awaited < s->queued) {
        rc = await_batch(s, err);
    }
    take_poll(s);
    if (rc != RFT_OK && !s->p->gpu->vt->sticky(s->p->gpu)) {
        s->p->gpu->vt->sync(s->p->gpu, NULL); /* nothing may run on when its module goes */
    }
    return rc;
}

static int take_marks(rft_protocol *p, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < RFT_LOAD_MARKS; i++) {
        rc = p->load_marks[i] ? RFT_OK : p->gpu->vt->event_new(p->gpu, &p->load_marks[i], err);
    }
    return rc;
}

static bool has_inouts(const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_INOUT) {
            return true;
        }
    }
    return false;
}

static uint64_t runs_of_batch(const rft_job *job) {
    const rft_point_spec *spec = job->request->spec;
    double runs = fmin(ceil(BATCH_S / fmax(job->run_s, 1e-7)), (double)BATCH_LAUNCHES / (double)spec->launch_count);
    return runs >= 1.0 ? (uint64_t)runs : 1;
}

static void release_state(load_state *s) {
    free(s->polls);
    free(s->ends);
    free(s->samples_s);
    free(s->at_s);
    free(s->clocks_mhz);
}

int rft_load_point(rft_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_load_order *order = &job->request->load;
    load_state s = {.p = p, .order = order, .job = job, .batch_runs = runs_of_batch(job)};
    rft_load *out = rft_arena_alloc(job->arena, sizeof *out);
    *out = rft_load_none(order->kind, NULL);
    out->energy_reason = no_sensor(&s, job->arena);
    out->restored = has_inouts(job->request->spec);
    job->out->load = out;
    if (order->kind == RFT_LOAD_ENERGY && out->energy_reason) {
        return RFT_OK; /* nothing to be learnt */
    }
    p->blocking = job->request->spec->launch_count <= BATCH_LAUNCHES;
    out->temperature_start_c = temperature_c(&s);
    int rc = take_marks(p, err);
    s.begun_ns = p->clock->monotonic_ns(p->clock->self);
    bool soak = order->kind == RFT_LOAD_SOAK;
    rc = rc == RFT_OK ? keep_busy(&s, soak ? 0.0 : LEAD_S, err) : rc;
    if (rc == RFT_OK) {
        tell(&s, soak ? now_s(&s) * 2.0 / 3.0 : LEAD_S, job->arena, out);
    }
    release_state(&s);
    return rc;
}

int rft_load_idle(rft_protocol *p, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    load_state s = {.p = p, .order = order};
    *out = rft_load_none(RFT_LOAD_IDLE, NULL);
    out->energy_reason = no_sensor(&s, arena);
    int rc = out->energy_reason ? RFT_OK : p->gpu->vt->sync(p->gpu, err);
    if (rc != RFT_OK || out->energy_reason) {
        return rc;
    }
    p->clock->sleep_ns(p->clock->self, (int64_t)(REST_S * 1e9));
    out->temperature_start_c = temperature_c(&s);
    s.begun_ns = p->clock->monotonic_ns(p->clock->self);
    while (!is_over(&s, 0.0)) {
        take_poll(&s);
        p->clock->sleep_ns(p->clock->self, (int64_t)(POLL_S * 1e9));
    }
    tell(&s, 0.0, arena, out);
    release_state(&s);
    return RFT_OK;
}
