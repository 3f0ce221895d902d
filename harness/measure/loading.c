/* SPDX-License-Identifier: Apache-2.0 */
/* A point under load (docs/power.md): its launches without a pause, the meter watched meanwhile. */
#include "measure/loading.h"
#include "measure/batching.h"
#include "measure/buffers.h"
#include "measure/launching.h"
#include "measure/rotation.h"
#include "measure/sampling.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_S 0.1         /* is it long enough by now? */
#define SAMPLE_S 0.05       /* between two samples of a soak */
#define BATCH_S 0.01        /* so that the next is queued long before this one ends */
#define BATCH_LAUNCHES 200u /* two of these, and a sample, fit the driver's queue */
#define BATCHES (RFT_LOAD_MARKS / 2)
#define POLL_S 0.02 /* several times per update of the sensor */
#define WATCHED (RFT_METER_ENERGY | RFT_METER_POWER | RFT_METER_CLOCKS | RFT_METER_THROTTLE)
#define SENSOR_AVERAGING_S 1.0 /* the power sensor's, since Ampere */

/* ---- what the meter said and which batches ended, and what a window of that time says ---- */

/* One look at the meter. */
typedef struct load_poll {
    rft_energy_reading reading;
    rft_throttle_counters counters;
    double clock_mhz;
} load_poll;

/* A batch of runs that has ended. */
typedef struct load_batch {
    double at_s, device_s;
    uint64_t runs;
} load_batch;

/* {.p, .begun_ns} to begin with; times are seconds from begun_ns. */
typedef struct load_watch {
    rft_protocol *p;
    int64_t begun_ns;
    load_poll *polls;
    size_t poll_count, poll_capacity;
    load_batch *batches;
    size_t batch_count, batch_capacity;
    double next_poll_s;
} load_watch;

/* From the end of the last batch before `from_s` to the end of the last one; until now where there are none. */
typedef struct load_span {
    double begin_s, end_s;
    uint64_t runs;
    double device_s; /* of these runs */
} load_span;

static void clear_watch(load_watch *watch) {
    free(watch->polls);
    free(watch->batches);
}

static double watch_now_s(const load_watch *watch) {
    return rft_timing_since_s(watch->p, watch->begun_ns);
}

/* Every POLL_S; at once with `now`. */
static void look_at_meter(load_watch *watch, bool now) {
    rft_meter *meter = watch->p->meter;
    rft_meter_snapshot snapshot;
    if (!meter || (!now && watch_now_s(watch) < watch->next_poll_s)) {
        return;
    }
    meter->vt->read(meter, WATCHED, &snapshot);
    RFT_GROW(watch->polls, watch->poll_capacity, watch->poll_count + 1);
    watch->polls[watch->poll_count++] = (load_poll){.reading = rft_meter_energy(&snapshot, watch->begun_ns),
                                                    .counters = rft_meter_counters(&snapshot),
                                                    .clock_mhz = snapshot.values[RFT_METER_SM_CLOCK_MHZ]};
    watch->next_poll_s = watch_now_s(watch) + POLL_S;
}

static void note_batch(load_watch *watch, double device_s, uint64_t runs) {
    RFT_GROW(watch->batches, watch->batch_capacity, watch->batch_count + 1);
    watch->batches[watch->batch_count++] = (load_batch){.at_s = watch_now_s(watch), .device_s = device_s, .runs = runs};
}

/* NaN: not known. */
static double temperature_c(const load_watch *watch) {
    rft_meter *meter = watch->p->meter;
    rft_meter_snapshot snapshot;
    if (!meter) {
        return NAN;
    }
    meter->vt->read(meter, RFT_METER_HEAT, &snapshot);
    return snapshot.values[RFT_METER_TEMPERATURE_C];
}

/* NULL: energy or power can be read; else why not, in `arena`. */
static const char *why_no_sensor(const load_watch *watch, rft_arena *arena) {
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

static load_span span_from(const load_watch *watch, double from_s) {
    load_span span = {.begin_s = from_s, .end_s = watch_now_s(watch)};
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

static rft_energy energy_of_span(const load_watch *watch, const load_span *span) {
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

static void set_shares(const load_watch *watch, double from_s, rft_load *out) {
    const load_poll *first = NULL;
    for (size_t i = 0; i < watch->poll_count && !first; i++) {
        first = watch->polls[i].reading.time_s >= from_s ? &watch->polls[i] : NULL;
    }
    if (first) {
        rft_throttle_share(out->throttled_frac, &first->counters, &watch->polls[watch->poll_count - 1].counters);
    }
}

static double median_clock(const load_watch *watch, double from_s) {
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

/* Everything of a load but its samples. */
static void tell_span(const load_watch *watch, const load_span *span, rft_arena *arena, rft_load *out) {
    rft_energy energy = energy_of_span(watch, span);
    const char *why = watch->p->meter ? energy.reason : watch->p->no_meter;
    out->window_s = span->end_s - span->begin_s;
    out->runs = span->runs;
    out->run_s = span->runs ? span->device_s / (double)span->runs : (double)NAN;
    rft_load_set_energy(out, &energy, rft_arena_strdup(arena, why));
    out->temperature_end_c = temperature_c(watch);
    out->clock_mhz = median_clock(watch, span->begin_s);
    set_shares(watch, span->begin_s, out);
}

/* ---- a load ---- */

typedef struct load_state {
    load_watch watch;
    const rft_load_order *order;
    rft_point_job *job; /* NULL: idle */
    double *samples_s, *at_s, *clocks_mhz;
    size_t n, samples_capacity, at_capacity, clock_capacity;
    uint64_t batch_runs;    /* of one batch */
    size_t sample_runs;     /* of the point, in one sample */
    rft_graph *graph;       /* these runs; NULL: launched one by one */
    size_t queued, awaited; /* batches */
    double next_check_s, next_sample_s;
    bool cut;
} load_state;

static rft_gpu *gpu_of(const load_state *s) {
    return s->watch.p->gpu;
}

static double now_s(const load_state *s) {
    return watch_now_s(&s->watch);
}

/* ---- launches without a pause ---- */

static int queue_run(rft_point_job *job, rft_err *err) {
    return rft_launching_queue(job, 0, job->request->spec->launch_count, err);
}

static int queue_batch(load_state *s, rft_err *err) {
    rft_event **marks = &s->watch.p->load_marks[2 * (s->queued % BATCHES)];
    int rc = gpu_of(s)->vt->event_record(gpu_of(s), marks[0], err);
    for (uint64_t i = 0; rc == RFT_OK && i < s->batch_runs; i++) {
        rc = rft_rotation_begin(s->job, err);
        rc = rc == RFT_OK ? queue_run(s->job, err) : rc;
    }
    rc = rc == RFT_OK ? gpu_of(s)->vt->event_record(gpu_of(s), marks[1], err) : rc;
    s->queued += rc == RFT_OK ? 1 : 0;
    return rc;
}

static int await_batch(load_state *s, rft_err *err) {
    rft_event **marks = &s->watch.p->load_marks[2 * (s->awaited % BATCHES)];
    double device_s = 0.0;
    int rc = gpu_of(s)->vt->event_elapsed(gpu_of(s), marks[0], marks[1], &device_s, err);
    if (rc == RFT_OK) {
        s->awaited++;
        s->watch.p->busy.samples_s += device_s;
        note_batch(&s->watch, device_s, s->batch_runs);
    }
    return rc;
}

/* ---- samples of a soak ---- */

static int before_sample(void *self, rft_err *err) {
    return rft_rotation_begin(((load_state *)self)->job, err);
}

static int queue_sample(void *self, rft_err *err) {
    const load_state *s = self;
    if (s->graph) {
        return gpu_of(s)->vt->graph_launch(gpu_of(s), s->graph, err);
    }
    int rc = queue_run(s->job, err);
    for (size_t i = 1; rc == RFT_OK && i < s->sample_runs; i++) {
        rc = rft_rotation_next(s->job, err);
        rc = rc == RFT_OK ? queue_run(s->job, err) : rc;
    }
    return rc;
}

/* Like one of a measurement: same cache mode, as many runs, same order of events. It queues itself behind the batch in
 * flight. */
static int take_sample(load_state *s, rft_err *err) {
    rft_timed timed = {before_sample, queue_sample, s, s->job->request->measure.cache};
    rft_sample sample;
    int rc = rft_timing_sample(s->watch.p, &timed, &sample, err);
    if (rc != RFT_OK) {
        return rc;
    }
    RFT_GROW(s->samples_s, s->samples_capacity, s->n + 1);
    RFT_GROW(s->at_s, s->at_capacity, s->n + 1);
    RFT_GROW(s->clocks_mhz, s->clock_capacity, s->n + 1);
    s->samples_s[s->n] = sample.seconds / (double)s->sample_runs;
    s->clocks_mhz[s->n] = sample.clock_mhz;
    s->at_s[s->n++] = now_s(s);
    s->watch.p->busy.samples_s += sample.seconds;
    s->next_sample_s = now_s(s) + SAMPLE_S;
    return RFT_OK;
}

/* As many runs as hide the timer's floor, queued as those of a measurement are. */
static int choose_sample_runs(load_state *s, rft_err *err) {
    rft_timed timed = {before_sample, queue_sample, s, s->job->request->measure.cache};
    double floor_s = NAN;
    size_t runs = 1;
    int rc = rft_batch_choose(s->job, &timed, &runs, &floor_s, err);
    s->sample_runs = runs;
    return rc == RFT_OK && runs > 1 ? rft_batch_record(s->job, &timed, runs, &s->graph, err) : rc;
}

static void set_samples(const load_state *s, double from_s, rft_arena *arena, rft_load *out) {
    size_t first = rft_load_first_at(s->at_s, s->n, from_s);
    out->n = s->n;
    out->samples_s = rft_arena_memdup(arena, s->samples_s, s->n * sizeof *s->samples_s);
    out->at_s = rft_arena_memdup(arena, s->at_s, s->n * sizeof *s->at_s);
    out->clocks_mhz = rft_arena_memdup(arena, s->clocks_mhz, s->n * sizeof *s->clocks_mhz);
    out->stats = rft_stats_of(s->n > first ? s->samples_s + first : NULL, s->n - first);
    double *clocks = rft_arena_memdup(arena, out->clocks_mhz, s->n * sizeof *clocks);
    out->clock_mhz = rft_timing_median(clocks + first, s->n - first);
    if (s->n == first && !s->cut) {
        out->reason = rft_arena_printf(arena, "no sample in the last third of a soak of %g s", s->order->seconds);
    }
}

/* ---- how long ---- */

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
    load_span span = span_from(&s->watch, from_s);
    return energy_of_span(&s->watch, &span).source != RFT_ENERGY_NONE;
}

static int keep_busy(load_state *s, double from_s, rft_err *err) {
    int rc = RFT_OK;
    bool over = false;
    while (rc == RFT_OK && !over) {
        rc = queue_batch(s, err);
        look_at_meter(&s->watch, false);
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
    look_at_meter(&s->watch, true);
    if (rc != RFT_OK && !gpu_of(s)->vt->sticky(gpu_of(s))) {
        gpu_of(s)->vt->sync(gpu_of(s), NULL); /* nothing may run on when its module goes */
    }
    return rc;
}

static void tell(const load_state *s, double from_s, rft_arena *arena, rft_load *out) {
    load_span span = span_from(&s->watch, from_s);
    tell_span(&s->watch, &span, arena, out);
    out->asked_s = s->order->seconds;
    out->cut = s->cut;
    if (s->order->kind == RFT_LOAD_SOAK) {
        out->joules_per_run = NAN; /* the cache was emptied and samples were taken in between */
        set_samples(s, span.begin_s, arena, out);
    }
}

/* ---- a point ---- */

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

static uint64_t runs_of_batch(const rft_point_job *job) {
    double by_time = ceil(BATCH_S / fmax(job->run_s, 1e-7));
    double by_queue = (double)BATCH_LAUNCHES / (double)job->request->spec->launch_count;
    double runs = fmin(by_time, by_queue);
    return runs >= 1.0 ? (uint64_t)runs : 1;
}

static int carry_out(load_state *s, rft_load *out, rft_err *err) {
    rft_protocol *p = s->watch.p;
    bool soak = s->order->kind == RFT_LOAD_SOAK;
    p->sampling.blocking = s->job->request->spec->launch_count <= RFT_HELD_LAUNCHES;
    int rc = take_marks(p, err);
    if (rc == RFT_OK && soak) {
        rc = choose_sample_runs(s, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    out->temperature_start_c = temperature_c(&s->watch);
    rft_point_job_enter(s->job, RFT_PHASE_LOAD);
    s->watch.begun_ns = p->clock->monotonic_ns(p->clock->self);
    rc = keep_busy(s, soak ? 0.0 : RFT_LOAD_LEAD_S, err);
    if (rc == RFT_OK) {
        tell(s, soak ? now_s(s) * 2.0 / 3.0 : RFT_LOAD_LEAD_S, s->job->arena, out);
    }
    return rc;
}

static void clear_load(load_state *s) {
    clear_watch(&s->watch);
    if (s->job && !gpu_of(s)->vt->sticky(gpu_of(s))) {
        gpu_of(s)->vt->graph_free(gpu_of(s), s->graph);
    }
    free(s->samples_s);
    free(s->at_s);
    free(s->clocks_mhz);
}

int rft_load_point(rft_point_job *job, rft_err *err) {
    const rft_load_order *order = &job->request->load;
    load_state s = {.watch.p = job->p, .order = order, .job = job, .batch_runs = runs_of_batch(job), .sample_runs = 1};
    rft_load *out = rft_arena_alloc(job->arena, sizeof *out);
    *out = rft_load_none(order->kind, NULL);
    out->energy_reason = why_no_sensor(&s.watch, job->arena);
    out->restored = has_inouts(job->request->spec);
    bool useless = order->kind == RFT_LOAD_ENERGY && out->energy_reason; /* nothing is to be learnt */
    int rc = useless ? RFT_OK : rft_rotation_take(job, err);
    if (rc == RFT_OK && !job->failed && !useless) {
        rc = carry_out(&s, out, err);
    }
    job->out->load = rc == RFT_OK && !job->failed ? out : NULL;
    clear_load(&s);
    return rc;
}

/* ---- nothing ---- */

int rft_load_idle(rft_protocol *p, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    load_state s = {.watch.p = p, .order = order};
    *out = rft_load_none(RFT_LOAD_IDLE, NULL);
    out->energy_reason = why_no_sensor(&s.watch, arena);
    int rc = out->energy_reason ? RFT_OK : p->gpu->vt->sync(p->gpu, err);
    if (rc != RFT_OK || out->energy_reason) {
        return rc;
    }
    p->clock->sleep_ns(p->clock->self, (int64_t)(RFT_LOAD_REST_S * 1e9));
    out->temperature_start_c = temperature_c(&s.watch);
    s.watch.begun_ns = p->clock->monotonic_ns(p->clock->self);
    while (!is_over(&s, 0.0)) {
        look_at_meter(&s.watch, true);
        p->clock->sleep_ns(p->clock->self, (int64_t)(POLL_S * 1e9));
    }
    tell(&s, 0.0, arena, out);
    clear_load(&s);
    return RFT_OK;
}
