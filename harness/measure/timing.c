/* SPDX-License-Identifier: Apache-2.0 */
/* A point's samples (docs/measuring.md, "How a point is measured"). */
#include "measure/timing.h"
#include "measure/batching.h"
#include "measure/graph_runs.h"
#include "measure/launching.h"
#include "measure/rotation.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_MAX_LAUNCHES 64 /* two samples of them fit the queue with much to spare */
#define WARM_LAUNCHES 3      /* the verified run is the first */
#define WARM_S 2.5e-3
#define SETTLE_FRAC 0.01        /* as far may two readings of a clock that holds still lie apart */
#define SETTLE_TICKS_S 1e-7     /* and the ticks of the timer at both ends of a sample */
#define SETTLE_TIMEOUT_FRAC 0.1 /* of the point's timeout: longer is not waited for */
#define NOISY_FACTOR 10.0
#define STEP_SAMPLES 10
#define STEP_TIME_FRAC 0.25 /* of the point's timeout, for all steps */

/* ---- a point ---- */

typedef struct point_span {
    rft_point_job *job;
    size_t first, end;     /* launches that are timed; those before `first` run untimed */
    size_t runs;           /* of them, one after the other */
    rft_graph *graph;      /* all these runs; NULL: launched one by one */
    rft_graph_runs graphs; /* all runs of measure.mode = "graph"; none: as above */
} point_span;

static int before_span(void *self, rft_err *err) {
    point_span *span = self;
    int rc = rft_rotation_begin(span->job, err);
    return rc == RFT_OK ? rft_launching_queue(span->job, 0, span->first, err) : rc;
}

static int queue_span(void *self, rft_err *err) {
    point_span *span = self;
    rft_gpu *gpu = span->job->p->gpu;
    if (span->graphs.count > 0) {
        return rft_graph_runs_launch(span->job, &span->graphs, err);
    }
    if (span->graph) {
        return gpu->vt->graph_launch(gpu, span->graph, err);
    }
    int rc = rft_launching_queue(span->job, span->first, span->end, err);
    for (size_t i = 1; rc == RFT_OK && i < span->runs; i++) {
        rc = rft_rotation_next(span->job, err);
        rc = rc == RFT_OK ? rft_launching_queue(span->job, span->first, span->end, err) : rc;
    }
    return rc;
}

/* The verified run was the first warm-up; more follow until there are three, or 2.5 ms of them. Only queued: the first
 * sample, which is kept like all others, comes behind them. */
static int queue_warm_up(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    double warm_s = job->run_s;
    int rc = RFT_OK;
    if (warm_s >= WARM_S) {
        return RFT_OK;
    }
    for (int i = 1; rc == RFT_OK && i < WARM_LAUNCHES && warm_s < WARM_S; i++) {
        rc = rft_rotation_begin(job, err);
        if (rc == RFT_OK && i == 1) {
            rc = rft_busy_begin(p, RFT_SPAN_WARM, err);
        }
        if (rc == RFT_OK) {
            rc = rft_launching_queue(job, 0, job->request->spec->launch_count, err);
        }
        warm_s += job->run_s;
    }
    return rc == RFT_OK ? rft_busy_end(p, RFT_SPAN_WARM, err) : rc;
}

static void judge_noise(rft_point_job *job) {
    const rft_measurement *m = &job->out->measurement;
    double half_frac = rft_stats_half_width_frac(&m->stats), most = NOISY_FACTOR * job->request->measure.noise_frac;
    bool decided = m->stop == RFT_STOP_SETTLED || m->stop == RFT_STOP_SLOWER; /* what is not close may be rough */
    if (!decided && half_frac > most) {
        rft_str number = RFT_STR_INIT;
        rft_str_add_fixed(&number, half_frac * 100.0, 1);
        rft_point_job_fail(job, RFT_OUTCOME_NOISY, "the median is known to +-%s %% only, after %zu samples",
                           rft_str_get(&number), m->n);
        rft_str_clear(&number);
    }
}

typedef struct point_samples {
    rft_point_job *job;
    rft_stop_rule rule;
    int64_t begun_ns;
    double *seconds, *clocks; /* heap */
    double *judged;           /* what each counts for in the race */
    size_t n, capacity, clock_capacity, judged_capacity;
    size_t runs; /* of the point, in each sample */
    rft_stop_reason stop;
    /* The last window so far, and the one before, which the samples begin with once there is one. */
    size_t window_at;
    int64_t window_ns;
    bool settled;     /* the clock held still once, or was given up on */
    size_t unsettled; /* samples that were warm-up because the clock moved */
} point_samples;

/* When the warm-up ends: at two windows in a row of the same clock. */
typedef struct settle_rule {
    size_t samples;  /* of a window, at least */
    double window_s; /* likewise */
    size_t most;     /* samples that are warm-up */
    double most_s;
} settle_rule;

/* A clock that holds still from the beginning, as it does as a rule, costs nothing. One that is held down follows a
 * regulator that takes some 10 ms to answer: until then it is that of the kernel before. */
static const settle_rule as_a_rule = {.samples = 1, .window_s = 0.0, .most = 8, .most_s = 20e-3};
static const settle_rule load_in = {.samples = 3, .window_s = 20e-3, .most = SIZE_MAX, .most_s = 0.3};

static rft_stop_reason decide(point_samples *s, size_t n, double more_s) {
    if (s->job->request->held && !s->settled) {
        return RFT_STOP_NOT_YET;
    }
    s->rule.judged = s->judged;
    return rft_stop_decide(&s->rule, s->seconds, n, rft_timing_since_s(s->job->p, s->begun_ns) + more_s);
}

static void make_room(point_samples *s) {
    RFT_GROW(s->seconds, s->capacity, s->n + 1);
    RFT_GROW(s->clocks, s->clock_capacity, s->n + 1);
    RFT_GROW(s->judged, s->judged_capacity, s->n + 1);
}

/* One is on its way: would it be the last, if it came out like the one before? Then it is waited for. */
static bool wants_sample(void *self, size_t in_flight) {
    point_samples *s = self;
    if (s->job->failed || s->stop != RFT_STOP_NOT_YET) {
        return false;
    }
    make_room(s);
    s->seconds[s->n] = s->n > 0 ? s->seconds[s->n - 1] : s->job->run_s;
    s->judged[s->n] = s->n > 0 ? s->judged[s->n - 1] : s->job->run_s;
    return in_flight == 0 || decide(s, s->n + 1, s->seconds[s->n] * (double)s->runs) == RFT_STOP_NOT_YET;
}

static double clock_of_window(const point_samples *s, size_t from, size_t end) {
    double *clocks = rft_calloc(end - from + 1, sizeof *clocks);
    memcpy(clocks, s->clocks + from, (end - from) * sizeof *clocks);
    double mhz = rft_timing_median(clocks, end - from);
    free(clocks);
    return mhz;
}

static bool has_moved(const point_samples *s) {
    double before_mhz = clock_of_window(s, 0, s->window_at), now_mhz = clock_of_window(s, s->window_at, s->n);
    double frac = SETTLE_FRAC + SETTLE_TICKS_S / (s->seconds[s->n - 1] * (double)s->runs);
    return fabs(now_mhz - before_mhz) > frac * before_mhz; /* false for NaN */
}

/* Both windows count, as the measurement's first samples; what was before them does not. */
static void settle(point_samples *s) {
    const rft_probe_request *request = s->job->request;
    const settle_rule *rule = request->held ? &load_in : &as_a_rule;
    double most_s = fmin(rule->most_s, SETTLE_TIMEOUT_FRAC * request->measure.point_timeout_s);
    bool late = s->unsettled >= rule->most || rft_timing_since_s(s->job->p, s->begun_ns) > most_s;
    bool full = s->n - s->window_at >= rule->samples && rft_timing_since_s(s->job->p, s->window_ns) >= rule->window_s;
    if (s->settled || (!full && !late)) {
        return;
    }
    if (late || (s->window_at > 0 && !has_moved(s))) {
        s->settled = true;
        return;
    }
    s->n -= s->window_at;
    s->unsettled += s->window_at;
    memmove(s->seconds, s->seconds + s->window_at, s->n * sizeof *s->seconds);
    memmove(s->clocks, s->clocks + s->window_at, s->n * sizeof *s->clocks);
    memmove(s->judged, s->judged + s->window_at, s->n * sizeof *s->judged);
    s->window_at = s->n;
    s->window_ns = s->job->p->clock->monotonic_ns(s->job->p->clock->self);
}

static void samples_queued(void *self) {
    rft_point_job_works(((point_samples *)self)->job, true);
}

static void take_sample(void *self, const rft_sample *sample) {
    point_samples *s = self;
    make_room(s);
    s->seconds[s->n] = sample->seconds / (double)s->runs;
    s->judged[s->n] = rft_race_judged(&s->rule.few, s->seconds[s->n], sample->clock_mhz);
    s->clocks[s->n++] = sample->clock_mhz;
    s->job->p->busy.samples_s += sample->seconds;
    settle(s);
    s->stop = decide(s, s->n, 0.0); /* a further one that was on its way counts, and may change it back */
    if (s->stop == RFT_STOP_NOT_YET && !s->job->failed) {
        rft_point_job_is_late(s->job, "timing it");
    }
}

static void keep_samples(rft_point_job *job, const point_samples *s) {
    rft_measurement *m = &job->out->measurement;
    m->samples_s = rft_arena_memdup(job->arena, s->seconds, s->n * sizeof *s->seconds);
    m->clocks_mhz = rft_arena_memdup(job->arena, s->clocks, s->n * sizeof *s->clocks);
    m->n = s->n;
    m->batch = (int)s->runs;
    m->stats = rft_stats_of(s->seconds, s->n);
    m->stop = s->stop;
    m->clock_mhz = rft_timing_median(s->clocks, s->n);
    m->process_count = job->request->round > 0 ? 1 : 0;
    m->process_n = m->process_count ? rft_arena_memdup(job->arena, &s->n, sizeof s->n) : NULL;
}

/* One number tells all there is to know: the point is far slower than others. */
static void keep_one(rft_point_job *job, double seconds, double clock_mhz) {
    const point_samples one = {
        .job = job, .seconds = &seconds, .clocks = &clock_mhz, .n = 1, .runs = 1, .stop = RFT_STOP_SLOWER};
    keep_samples(job, &one);
}

/* What the verified run counts for in the race, where its clock was stamped; else what it took. */
static double judged_run_s(const rft_point_job *job, double clock_mhz) {
    return job->stamped ? rft_race_judged(&job->request->few, job->run_s, clock_mhz) : job->run_s;
}

/* The verified run told it already: at any clock, or at one that is known and can be judged like a sample's. */
static bool is_told_by_run(rft_point_job *job) {
    const rft_probe_request *request = job->request;
    size_t launches = request->spec->launch_count;
    if (request->verified || request->measure.mode == RFT_TIMING_GRAPH) { /* what ran otherwise is no time of it */
        return false;
    }
    double clock_mhz = job->stamped ? rft_timing_stamped_mhz(job->p) : (double)NAN;
    double judged_s = judged_run_s(job, clock_mhz);
    bool told = rft_race_run_tells(request->few.run_s, job->run_s, job->queue_s, launches) ||
                (isfinite(clock_mhz) && rft_race_run_tells(request->few.alone_s, judged_s, job->queue_s, launches));
    if (told) {
        keep_one(job, job->run_s, clock_mhz);
    }
    return told;
}

/* One sample in place of the next warm-up, where the verified run says that it will do. A single run that is near the
 * timer floor is no sample of a batch. */
static int look_once(rft_point_job *job, bool *told, rft_err *err) {
    const rft_probe_request *request = job->request;
    point_span span = {.job = job, .end = request->spec->launch_count, .runs = 1};
    rft_timed timed = {before_span, queue_span, &span, request->measure.cache};
    double run_s = judged_run_s(job, job->stamped ? rft_timing_stamped_mhz(job->p) : (double)NAN);
    rft_sample sample;
    *told = false;
    if (request->verified || request->measure.mode == RFT_TIMING_GRAPH ||
        !rft_race_run_tells(request->few.one_s, run_s, 0.0, request->spec->launch_count)) {
        return RFT_OK;
    }
    int rc = rft_timing_sample(job->p, &timed, &sample, err);
    if (rc != RFT_OK) {
        return rc;
    }
    job->p->busy.samples_s += sample.seconds;
    bool single = request->measure.cache == RFT_CACHE_COLD || !rft_batch_may_be_near(sample.seconds);
    double judged_s = rft_race_judged(&request->few, sample.seconds, sample.clock_mhz);
    *told = single && rft_race_all_above(&judged_s, 1, request->few.one_s);
    if (*told) {
        keep_one(job, sample.seconds, sample.clock_mhz);
        rft_point_job_is_late(job, "timing it");
    }
    return RFT_OK;
}

void rft_timing_foresee(rft_point_job *job) {
    rft_err ignored = RFT_ERR_INIT; /* comes again when it is recorded in time */
    const rft_probe_request *request = job->request;
    point_span span = {.job = job, .end = request->spec->launch_count, .runs = rft_batch_foresee(job)};
    if (span.runs > 1 && !request->verify_only && !request->load.wanted &&
        rft_graph_record(job->p->gpu, queue_span, &span, &job->foreseen, &ignored) == RFT_OK) {
        job->foreseen_runs = span.runs;
    }
}

static int take_samples(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_measure_opts *opts = &job->request->measure;
    rft_measurement *m = &job->out->measurement;
    point_span span = {.job = job, .end = job->request->spec->launch_count, .runs = 1};
    rft_timed timed = {before_span, queue_span, &span, opts->cache};
    int rc = rft_batch_choose(job, &timed, &span.runs, &m->floor_s, err);
    if (rc == RFT_OK && opts->mode == RFT_TIMING_GRAPH) {
        rc = rft_graph_runs_record(job, span.runs, &span.graphs, err);
        p->sampling.blocking = true; /* however many launches it has */
    } else if (rc == RFT_OK && span.runs > 1) {
        rc = rft_batch_record(job, &timed, span.runs, &span.graph, err);
    }
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    point_samples s = {.job = job,
                       .runs = span.runs,
                       .rule = rft_measure_rule(opts, job->request->rival_s),
                       .begun_ns = p->clock->monotonic_ns(p->clock->self)};
    s.window_ns = s.begun_ns;
    s.rule.few = job->request->few;
    rft_sampler sampler = {.wants = wants_sample,
                           .queued = samples_queued,
                           .take = take_sample,
                           .self = &s,
                           .one_at_a_time = span.graphs.count == 0 && span.end * span.runs > PAIR_MAX_LAUNCHES};
    rc = rft_timing_many(p, &timed, &sampler, err);
    p->gpu->vt->graph_free(p->gpu, span.graph);
    rft_graph_runs_free(job, &span.graphs);
    if (rc == RFT_OK && !job->failed) {
        keep_samples(job, &s);
        /* A graph runs once before it is timed. That takes what a sample takes; behind an event of its own it would
         * have the driver's work on its first launch in it. */
        p->busy.samples_s += m->stats.median * (double)(s.runs * (span.graph ? 1 : span.graphs.count));
    }
    if (rc == RFT_OK && !job->failed && s.runs == 1 && rft_batch_may_be_near(m->stats.median)) {
        rc = rft_batch_floor(p, opts, &m->floor_s, err);
    }
    free(s.seconds);
    free(s.clocks);
    free(s.judged);
    return rc;
}

/* The median of each launch alone, after the ones before it. Left out when it would take too long. */
static int take_steps(rft_point_job *job, rft_err *err) {
    rft_measurement *m = &job->out->measurement;
    size_t count = job->request->spec->launch_count;
    double budget_s = job->request->measure.point_timeout_s * STEP_TIME_FRAC;
    int64_t begun_ns = job->p->clock->monotonic_ns(job->p->clock->self);
    double *step_s = rft_arena_calloc(job->arena, count, sizeof *step_s);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        point_span span = {.job = job, .first = i, .end = i + 1, .runs = 1};
        rft_timed timed = {before_span, queue_span, &span, job->request->measure.cache};
        double samples[STEP_SAMPLES];
        for (size_t k = 0; k < STEP_SAMPLES; k++) {
            rft_sample sample;
            int rc = rft_timing_sample(job->p, &timed, &sample, err);
            if (rc != RFT_OK) {
                return rc;
            }
            samples[k] = sample.seconds;
            job->p->busy.samples_s += sample.seconds;
            if (rft_timing_since_s(job->p, begun_ns) > budget_s) {
                return RFT_OK;
            }
        }
        step_s[i] = rft_timing_median(samples, STEP_SAMPLES);
        longest = step_s[i] > step_s[longest] ? i : longest;
    }
    m->step_s = step_s;
    m->step_count = count;
    rft_launching_describe(job, longest);
    return RFT_OK;
}

/* A sample that cannot end in time is not begun. */
static void expect_one_sample(rft_point_job *job) {
    double elapsed_s = rft_point_job_elapsed_s(job), limit_s = job->request->measure.point_timeout_s;
    if (elapsed_s + job->run_s <= limit_s) {
        return;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add_fixed(&text, elapsed_s, 1);
    rft_str_add(&text, " s have passed after its first run, a sample would take ");
    rft_str_add_fixed(&text, job->run_s, 1);
    rft_str_add(&text, " s more, measure.timeout is ");
    rft_str_add_double(&text, limit_s);
    rft_point_job_fail(job, RFT_OUTCOME_TIMED_OUT, "%s s", rft_str_get(&text));
    rft_str_clear(&text);
}

/* In the final round's first turn. */
static bool wants_steps(const rft_probe_request *request) {
    return request->round == RFT_ROUNDS - 1 && request->spec->launch_count > 1 && request->turn == 0;
}

int rft_timing_point(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    bool told = false;
    p->sampling.blocking = job->request->spec->launch_count <= RFT_HELD_LAUNCHES;
    job->out->measurement.first_run_s = job->request->verified ? (double)NAN : job->run_s;
    if (is_told_by_run(job)) {
        return RFT_OK;
    }
    expect_one_sample(job);
    int rc = job->failed ? RFT_OK : rft_timing_wake(p, err);
    if (rc == RFT_OK && !job->failed) {
        rc = rft_rotation_take(job, err);
    }
    rft_point_job_enter(job, RFT_PHASE_TIME);
    if (rc == RFT_OK && !job->failed) {
        rc = look_once(job, &told, err);
    }
    if (rc != RFT_OK || told) {
        return rc;
    }
    if (!job->failed) {
        rc = queue_warm_up(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = take_samples(job, err);
    }
    if (rc == RFT_OK && !job->failed && wants_steps(job->request)) {
        rft_point_job_enter(job, RFT_PHASE_TIME); /* as much again: nothing has hung so far */
        rc = take_steps(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        judge_noise(job);
    }
    return rc;
}
