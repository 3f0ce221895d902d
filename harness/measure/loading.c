/* SPDX-License-Identifier: Apache-2.0 */
/* A point under load (docs/power.md): its launches without a pause, the meter watched meanwhile. */
#include "measure/load_watch.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_S 0.1         /* is it long enough by now? */
#define SAMPLE_S 0.05       /* between two samples of a soak */
#define BATCH_S 0.01        /* so that the next is queued long before this one ends */
#define BATCH_LAUNCHES 200u /* two of these, and a sample, fit the driver's queue */
#define BATCHES (RFT_LOAD_MARKS / 2)

typedef struct load_state {
    rft_load_watch watch;
    const rft_load_order *order;
    rft_job *job; /* NULL: idle */
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
    return rft_load_now_s(&s->watch);
}

/* ---- launches without a pause ---- */

static int queue_run(rft_job *job, rft_err *err) {
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
        s->watch.p->busy_s += device_s;
        rft_load_ended(&s->watch, device_s, s->batch_runs);
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
    s->watch.p->busy_s += sample.seconds;
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
    return rc == RFT_OK && runs > 1 ? rft_batch_record(s->job, &timed, &s->graph, err) : rc;
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
    rft_load_span span = rft_load_span_from(&s->watch, from_s);
    return rft_load_energy(&s->watch, &span).source != RFT_ENERGY_NONE;
}

static int keep_busy(load_state *s, double from_s, rft_err *err) {
    int rc = RFT_OK;
    bool over = false;
    while (rc == RFT_OK && !over) {
        rc = queue_batch(s, err);
        rft_load_look(&s->watch, false);
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
    rft_load_look(&s->watch, true);
    if (rc != RFT_OK && !gpu_of(s)->vt->sticky(gpu_of(s))) {
        gpu_of(s)->vt->sync(gpu_of(s), NULL); /* nothing may run on when its module goes */
    }
    return rc;
}

static void tell(const load_state *s, double from_s, rft_arena *arena, rft_load *out) {
    rft_load_span span = rft_load_span_from(&s->watch, from_s);
    rft_load_tell(&s->watch, &span, arena, out);
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

static uint64_t runs_of_batch(const rft_job *job) {
    double by_time = ceil(BATCH_S / fmax(job->run_s, 1e-7));
    double by_queue = (double)BATCH_LAUNCHES / (double)job->request->spec->launch_count;
    double runs = fmin(by_time, by_queue);
    return runs >= 1.0 ? (uint64_t)runs : 1;
}

static int carry_out(load_state *s, rft_load *out, rft_err *err) {
    rft_protocol *p = s->watch.p;
    bool soak = s->order->kind == RFT_LOAD_SOAK;
    p->blocking = s->job->request->spec->launch_count <= RFT_HELD_LAUNCHES;
    int rc = take_marks(p, err);
    if (rc == RFT_OK && soak) {
        rc = choose_sample_runs(s, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    out->temperature_start_c = rft_load_temperature_c(&s->watch);
    rft_job_enter(s->job, RFT_PHASE_LOAD);
    s->watch.begun_ns = p->clock->monotonic_ns(p->clock->self);
    rc = keep_busy(s, soak ? 0.0 : RFT_LOAD_LEAD_S, err);
    if (rc == RFT_OK) {
        tell(s, soak ? now_s(s) * 2.0 / 3.0 : RFT_LOAD_LEAD_S, s->job->arena, out);
    }
    return rc;
}

static void clear(load_state *s) {
    rft_load_watch_clear(&s->watch);
    if (s->job && !gpu_of(s)->vt->sticky(gpu_of(s))) {
        gpu_of(s)->vt->graph_free(gpu_of(s), s->graph);
    }
    free(s->samples_s);
    free(s->at_s);
    free(s->clocks_mhz);
}

int rft_load_point(rft_job *job, rft_err *err) {
    const rft_load_order *order = &job->request->load;
    load_state s = {.watch.p = job->p, .order = order, .job = job, .batch_runs = runs_of_batch(job), .sample_runs = 1};
    rft_load *out = rft_arena_alloc(job->arena, sizeof *out);
    *out = rft_load_none(order->kind, NULL);
    out->energy_reason = rft_load_no_sensor(&s.watch, job->arena);
    out->restored = has_inouts(job->request->spec);
    bool useless = order->kind == RFT_LOAD_ENERGY && out->energy_reason; /* nothing is to be learnt */
    int rc = useless ? RFT_OK : rft_rotation_take(job, err);
    if (rc == RFT_OK && !job->failed && !useless) {
        rc = carry_out(&s, out, err);
    }
    job->out->load = rc == RFT_OK && !job->failed ? out : NULL;
    clear(&s);
    return rc;
}

/* ---- nothing ---- */

int rft_load_idle(rft_protocol *p, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    load_state s = {.watch.p = p, .order = order};
    *out = rft_load_none(RFT_LOAD_IDLE, NULL);
    out->energy_reason = rft_load_no_sensor(&s.watch, arena);
    int rc = out->energy_reason ? RFT_OK : p->gpu->vt->sync(p->gpu, err);
    if (rc != RFT_OK || out->energy_reason) {
        return rc;
    }
    p->clock->sleep_ns(p->clock->self, (int64_t)(RFT_LOAD_REST_S * 1e9));
    out->temperature_start_c = rft_load_temperature_c(&s.watch);
    s.watch.begun_ns = p->clock->monotonic_ns(p->clock->self);
    while (!is_over(&s, 0.0)) {
        rft_load_look(&s.watch, true);
        p->clock->sleep_ns(p->clock->self, (int64_t)(RFT_LOAD_POLL_S * 1e9));
    }
    tell(&s, 0.0, arena, out);
    clear(&s);
    return RFT_OK;
}
