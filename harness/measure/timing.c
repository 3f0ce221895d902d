/* SPDX-License-Identifier: Apache-2.0 */
/* Samples (docs/measuring.md, "How a point is measured"). */
#include "measure/protocol.h"

#include "base/str.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BLOCK_LIMIT_NS 1000000000ull
#define BLOCK_MAX_LAUNCHES 256 /* the driver queues about a thousand; beyond it the host waits for the device */
#define WARM_LAUNCHES 3
#define WARM_ONCE_S 0.25 /* a run this long warms the device by itself */
#define WAKE_AFTER_S 0.5
#define WAKE_MIN_S 0.05
#define WAKE_MAX_S 0.5
#define WAKE_MAX_ROUNDS 2000
#define WAKE_FLUSHES 20
#define WAKE_CLOCK_FRAC 0.01
#define CLOCK_MIN_MHZ 50.0
#define CLOCK_MAX_FRAC 1.2        /* of the maximum that the device names */
#define CLOCK_MIN_SPAN_NS 4000ull /* the timer ticks every 32 ns on some devices and every 1 us on others */
#define NOISY_FACTOR 10.0
#define STEP_SAMPLES 10
#define STEP_TIME_FRAC 0.25 /* of the point's timeout, for all steps */

/* Layout of device/stamp.cu. */
typedef struct stamp_slot {
    uint64_t time_ns, cycles, ticket, unused;
} stamp_slot;

static int flush(rft_protocol *p, rft_err *err) {
    uint64_t vectors = p->flush_bytes / 16;
    uint32_t value = p->ticket, never = 0x7FEDCBA9u;
    rft_grid grid = {(unsigned)p->info.sms * 8, 256};
    void *write_values[] = {&p->flush_out, &vectors, &value};
    void *read_values[] = {&p->flush_in, &vectors, &never, &p->partials};
    if (vectors == 0) {
        return RFT_OK;
    }
    int rc = rft_kernel_launch(p, p->functions[RFT_BUILTIN_FLUSH_WRITE], grid, write_values, err);
    return rc == RFT_OK ? rft_kernel_launch(p, p->functions[RFT_BUILTIN_FLUSH_READ], grid, read_values, err) : rc;
}

static int block(rft_protocol *p, rft_err *err) {
    uint64_t limit_ns = BLOCK_LIMIT_NS;
    void *values[] = {&p->block_device, &p->ticket, &limit_ns};
    return rft_kernel_launch(p, p->functions[RFT_BUILTIN_BLOCK], (rft_grid){1, 1}, values, err);
}

static int stamp(rft_protocol *p, int which, rft_err *err) {
    rft_device_ptr slots = p->stamps + (uint64_t)which * RFT_STAMP_SLOTS * sizeof(stamp_slot);
    uint32_t slot_count = RFT_STAMP_SLOTS;
    uint64_t ticket = p->ticket;
    void *values[] = {&slots, &slot_count, &ticket};
    return rft_kernel_launch(p, p->functions[RFT_BUILTIN_STAMP], (rft_grid){(unsigned)p->info.sms, 32}, values, err);
}

/* Cycles over nanoseconds, over all SMs that answered both stamps. */
static int read_clock(rft_protocol *p, double *clock_mhz, rft_err *err) {
    stamp_slot slots[2][RFT_STAMP_SLOTS];
    uint64_t cycles = 0, span_ns = 0, longest_ns = 0;
    int rc = p->gpu->vt->read(p->gpu, slots, p->stamps, sizeof slots, err);
    *clock_mhz = NAN;
    for (size_t i = 0; rc == RFT_OK && i < RFT_STAMP_SLOTS; i++) {
        const stamp_slot *a = &slots[0][i], *b = &slots[1][i];
        if (a->ticket == p->ticket && b->ticket == p->ticket && b->time_ns > a->time_ns && b->cycles > a->cycles) {
            cycles += b->cycles - a->cycles;
            span_ns += b->time_ns - a->time_ns;
            longest_ns = b->time_ns - a->time_ns > longest_ns ? b->time_ns - a->time_ns : longest_ns;
        }
    }
    if (rc != RFT_OK || longest_ns < CLOCK_MIN_SPAN_NS) {
        return rc;
    }
    double mhz = (double)cycles / (double)span_ns * 1e3;
    double most = p->info.sm_clock_khz > 0 ? p->info.sm_clock_khz * 1e-3 * CLOCK_MAX_FRAC : 5000.0;
    *clock_mhz = mhz >= CLOCK_MIN_MHZ && mhz <= most ? mhz : NAN;
    return RFT_OK;
}

/* Everything of a sample, queued while the blocking kernel holds the stream. */
static int queue_sample(rft_protocol *p, const rft_timed *timed, rft_err *err) {
    int rc = p->blocking ? block(p, err) : RFT_OK;
    if (rc == RFT_OK) {
        rc = stamp(p, 0, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_record(p->gpu, p->start, err);
    }
    if (rc == RFT_OK) {
        rc = timed->queue(timed->self, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_record(p->gpu, p->stop, err);
    }
    return rc == RFT_OK ? stamp(p, 1, err) : rc;
}

static int try_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err) {
    int rc = timed->before ? timed->before(timed->self, err) : RFT_OK;
    if (rc == RFT_OK && timed->cache == RFT_CACHE_COLD) {
        rc = flush(p, err);
    }
    p->ticket++;
    if (rc == RFT_OK) {
        rc = queue_sample(p, timed, err);
    }
    p->block_words[0] = p->ticket; /* also after a failure: nothing may wait for ever */
    atomic_thread_fence(memory_order_seq_cst);
    if (rc == RFT_OK) {
        rc = p->gpu->vt->sync(p->gpu, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_elapsed(p->gpu, p->start, p->stop, &out->seconds, err);
    }
    return rc == RFT_OK ? read_clock(p, &out->clock_mhz, err) : rc;
}

int rft_timing_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err) {
    int rc = try_sample(p, timed, out, err);
    if (rc == RFT_OK && p->blocking && p->block_words[1] == p->ticket) {
        rft_log_debug(p->log, "a sample could not be queued at once: measured with the host's launch latency in it");
        p->blocking = false;
        rc = try_sample(p, timed, out, err);
    }
    return rc;
}

static int queue_flushes(void *self, rft_err *err) {
    int rc = RFT_OK;
    for (int i = 0; rc == RFT_OK && i < WAKE_FLUSHES; i++) {
        rc = flush(self, err);
    }
    return rc;
}

static double seconds_since(const rft_protocol *p, int64_t begun_ns) {
    return (double)(p->clock->monotonic_ns(p->clock->self) - begun_ns) * 1e-9;
}

int rft_timing_wake(rft_protocol *p, rft_err *err) {
    if (p->last_active_ns != 0 && seconds_since(p, p->last_active_ns) < WAKE_AFTER_S) {
        return RFT_OK;
    }
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    rft_timed timed = {NULL, queue_flushes, p, RFT_CACHE_HOT};
    double before_mhz = NAN;
    for (int round = 0; round < WAKE_MAX_ROUNDS; round++) {
        rft_sample sample;
        int rc = rft_timing_sample(p, &timed, &sample, err);
        if (rc != RFT_OK) {
            return rc;
        }
        double elapsed_s = seconds_since(p, begun_ns);
        bool steady = fabs(sample.clock_mhz - before_mhz) <= WAKE_CLOCK_FRAC * before_mhz; /* false for NaN */
        if (elapsed_s >= WAKE_MAX_S || (elapsed_s >= WAKE_MIN_S && (steady || isnan(sample.clock_mhz)))) {
            break;
        }
        before_mhz = sample.clock_mhz;
    }
    p->last_active_ns = p->clock->monotonic_ns(p->clock->self);
    return RFT_OK;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rft_timing_median(double *items, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(items[i])) {
            items[left++] = items[i];
        }
    }
    qsort(items, left, sizeof *items, compare_doubles);
    return left ? (items[(left - 1) / 2] + items[left / 2]) / 2 : (double)NAN;
}

/* ---- a point ---- */

typedef struct point_span {
    rft_job *job;
    size_t first, end; /* launches that are timed; those before `first` run untimed */
} point_span;

static int before_span(void *self, rft_err *err) {
    point_span *span = self;
    int rc = rft_buffers_restore(span->job, err);
    return rc == RFT_OK ? rft_launching_queue(span->job, 0, span->first, err) : rc;
}

static int queue_span(void *self, rft_err *err) {
    point_span *span = self;
    return rft_launching_queue(span->job, span->first, span->end, err);
}

static int warm_up(rft_job *job, rft_err *err) {
    int launches = job->run_s > WARM_ONCE_S ? 1 : WARM_LAUNCHES;
    int rc = RFT_OK;
    for (int i = 0; rc == RFT_OK && !job->failed && i < launches; i++) {
        rc = rft_buffers_restore(job, err);
        if (rc == RFT_OK) {
            rc = rft_launching_queue(job, 0, job->request->spec->launch_count, err);
        }
        if (rc == RFT_OK) {
            rc = job->p->gpu->vt->sync(job->p->gpu, err);
        }
        if (rc == RFT_OK) {
            rft_job_is_late(job, "warming up");
        }
    }
    return rc;
}

static void judge_noise(rft_job *job) {
    const rft_measurement *m = &job->out->measurement;
    double half_frac = rft_stats_half_width_frac(&m->stats), most = NOISY_FACTOR * job->request->measure.noise_frac;
    bool decided = m->stop == RFT_STOP_SETTLED || m->stop == RFT_STOP_SLOWER; /* what is not close may be rough */
    if (!decided && half_frac > most) {
        rft_str number = RFT_STR_INIT;
        rft_str_add_fixed(&number, half_frac * 100.0, 1);
        rft_job_fail(job, RFT_OUTCOME_NOISY, "the median is known to +-%s %% only, after %zu samples",
                     rft_str_get(&number), m->n);
        rft_str_clear(&number);
    }
}

static int take_samples(rft_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_measure_opts *opts = &job->request->measure;
    rft_measurement *m = &job->out->measurement;
    rft_stop_rule rule = {opts->min_samples, opts->max_samples, opts->noise_frac, opts->max_seconds,
                          job->request->rival_s};
    point_span span = {job, 0, job->request->spec->launch_count};
    rft_timed timed = {before_span, queue_span, &span, opts->cache};
    double *samples = NULL, *clocks = NULL;
    size_t n = 0, capacity = 0, clock_capacity = 0;
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    int rc = RFT_OK;
    rft_stop_reason stop = RFT_STOP_NOT_YET;
    while (rc == RFT_OK && stop == RFT_STOP_NOT_YET && !job->failed) {
        rft_sample sample;
        rc = rft_timing_sample(p, &timed, &sample, err);
        if (rc == RFT_OK) {
            RFT_GROW(samples, capacity, n + 1);
            RFT_GROW(clocks, clock_capacity, n + 1);
            samples[n] = sample.seconds;
            clocks[n++] = sample.clock_mhz;
            stop = rft_stop_decide(&rule, samples, n, seconds_since(p, begun_ns));
        }
        if (rc == RFT_OK && stop == RFT_STOP_NOT_YET) {
            rft_job_is_late(job, "timing it");
        }
    }
    if (rc == RFT_OK && !job->failed) {
        m->samples_s = rft_arena_memdup(job->arena, samples, n * sizeof *samples);
        m->n = n;
        m->stats = rft_stats_of(samples, n);
        m->stop = stop;
        m->clock_mhz = rft_timing_median(clocks, n);
    }
    free(samples);
    free(clocks);
    return rc;
}

/* The median of each launch alone, after the ones before it. Left out when it would take too long. */
static int take_steps(rft_job *job, rft_err *err) {
    rft_measurement *m = &job->out->measurement;
    size_t count = job->request->spec->launch_count;
    double budget_s = job->request->measure.point_timeout_s * STEP_TIME_FRAC;
    int64_t begun_ns = job->p->clock->monotonic_ns(job->p->clock->self);
    double *step_s = rft_arena_calloc(job->arena, count, sizeof *step_s);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        point_span span = {job, i, i + 1};
        rft_timed timed = {before_span, queue_span, &span, job->request->measure.cache};
        double samples[STEP_SAMPLES];
        for (size_t k = 0; k < STEP_SAMPLES; k++) {
            rft_sample sample;
            int rc = rft_timing_sample(job->p, &timed, &sample, err);
            if (rc != RFT_OK) {
                return rc;
            }
            samples[k] = sample.seconds;
            if (seconds_since(job->p, begun_ns) > budget_s) {
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

int rft_timing_point(rft_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    p->blocking = job->request->spec->launch_count <= BLOCK_MAX_LAUNCHES;
    int rc = rft_timing_wake(p, err);
    if (rc == RFT_OK) {
        rc = warm_up(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = take_samples(job, err);
    }
    if (rc == RFT_OK && !job->failed && job->request->round == RFT_ROUNDS - 1 && job->request->spec->launch_count > 1) {
        rc = take_steps(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        judge_noise(job);
    }
    return rc;
}
