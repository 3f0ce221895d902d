/* SPDX-License-Identifier: Apache-2.0 */
/* Samples (docs/measuring.md, "How a point is measured"): what lies between two events, and the clock meanwhile. */
#include "measure/sampling.h"
#include "measure/device_kernels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BLOCK_LIMIT_NS 1000000000ull
#define WAKE_AFTER_S 0.5
#define WAKE_MIN_S 0.05
#define WAKE_FULL_FRAC 0.95 /* of the maximum: a device that runs this fast has nowhere to wake to */
#define WAKE_MAX_S 0.5
#define WAKE_MAX_ROUNDS 2000
#define WAKE_FLUSHES 20
#define WAKE_CLOCK_FRAC 0.01
#define CLOCK_MIN_MHZ 50.0
#define CLOCK_MAX_FRAC 1.2        /* of the maximum that the device names */
#define CLOCK_MIN_SPAN_NS 4000ull /* the timer ticks every 32 ns on some devices and every 1 us on others */

/* Layout of device/stamp.cu. */
typedef struct stamp_slot {
    uint64_t time_ns, cycles, ticket, unused;
} stamp_slot;

_Static_assert(sizeof(stamp_slot) == RFT_STAMP_BYTES, "device/stamp.cu lays the slots out");

/* The flush buffers outlive points; both have twice the size of the L2. */
int rft_timing_take_flush(rft_protocol *p, rft_err *err) {
    if (p->sampling.flush_bytes || p->info.l2_bytes <= 0) {
        return RFT_OK;
    }
    uint64_t bytes = 2 * (uint64_t)p->info.l2_bytes;
    int rc = p->gpu->vt->alloc(p->gpu, bytes, &p->sampling.flush_out, err);
    if (rc == RFT_OK) {
        rc = p->gpu->vt->alloc(p->gpu, bytes, &p->sampling.flush_in, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->set(p->gpu, p->sampling.flush_in, 0x5A, bytes, err);
    }
    if (rc != RFT_OK) {
        rft_device_ptr taken[] = {p->sampling.flush_out, p->sampling.flush_in};
        for (size_t i = 0; i < 2; i++) {
            if (taken[i]) {
                p->gpu->vt->free(p->gpu, taken[i]);
            }
        }
        p->sampling.flush_out = p->sampling.flush_in = 0;
        return rc;
    }
    p->sampling.flush_bytes = bytes;
    return RFT_OK;
}

int rft_timing_flush(rft_protocol *p, rft_err *err) {
    uint64_t vectors = p->sampling.flush_bytes / 16;
    uint32_t value = p->sampling.ticket, never = 0x7FEDCBA9u;
    rft_grid_1d grid = {(unsigned)p->info.sms * 8, 256};
    void *write_values[] = {&p->sampling.flush_out, &vectors, &value};
    void *read_values[] = {&p->sampling.flush_in, &vectors, &never, &p->builtins.partials, &p->sampling.flush_out};
    if (vectors == 0) {
        return RFT_OK;
    }
    int rc = rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_FLUSH_WRITE], grid, write_values, err);
    return rc == RFT_OK ? rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_FLUSH_READ], grid, read_values, err)
                        : rc;
}

static int block(rft_protocol *p, rft_err *err) {
    uint64_t limit_ns = BLOCK_LIMIT_NS;
    void *values[] = {&p->sampling.block_device, &p->sampling.ticket, &limit_ns};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_BLOCK], (rft_grid_1d){1, 1}, values, err);
}

/* Lets go of every blocking kernel so far, those that have not begun yet included. */
static void release(rft_protocol *p) {
    p->sampling.block_words[0] = p->sampling.ticket;
    atomic_thread_fence(memory_order_seq_cst);
}

static bool gave_up(const rft_protocol *p, const rft_shot *shot) {
    return shot->blocked && p->sampling.block_words[1 + shot->ticket % RFT_SHOTS] == shot->ticket;
}

static int stamp(rft_protocol *p, const rft_shot *shot, unsigned which, rft_err *err) {
    rft_device_ptr slots = shot->stamps_device + (uint64_t)which * RFT_STAMP_SLOTS * RFT_STAMP_BYTES;
    uint32_t slot_count = RFT_STAMP_SLOTS;
    uint64_t ticket = shot->ticket;
    void *values[] = {&slots, &slot_count, &ticket};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_STAMP], (rft_grid_1d){(unsigned)p->info.sms, 32},
                             values, err);
}

/* Cycles over nanoseconds, over all SMs that answered both stamps. */
static double clock_of(const rft_protocol *p, const rft_shot *shot) {
    const stamp_slot *before = shot->stamps, *after = before + RFT_STAMP_SLOTS;
    uint64_t cycles = 0, span_ns = 0, longest_ns = 0;
    for (size_t i = 0; i < RFT_STAMP_SLOTS; i++) {
        const stamp_slot *a = &before[i], *b = &after[i];
        if (a->ticket == shot->ticket && b->ticket == shot->ticket && b->time_ns > a->time_ns &&
            b->cycles > a->cycles) {
            cycles += b->cycles - a->cycles;
            span_ns += b->time_ns - a->time_ns;
            longest_ns = b->time_ns - a->time_ns > longest_ns ? b->time_ns - a->time_ns : longest_ns;
        }
    }
    if (longest_ns < CLOCK_MIN_SPAN_NS) {
        return NAN;
    }
    double mhz = (double)cycles / (double)span_ns * 1e3;
    double most = p->info.sm_clock_khz > 0 ? p->info.sm_clock_khz * 1e-3 * CLOCK_MAX_FRAC : 5000.0;
    return mhz >= CLOCK_MIN_MHZ && mhz <= most ? mhz : (double)NAN;
}

int rft_timing_stamp_run(rft_protocol *p, unsigned which, rft_err *err) {
    rft_shot *shot = &p->sampling.shots[0];
    if (which == 0) {
        shot->ticket = ++p->sampling.ticket;
    }
    return stamp(p, shot, which, err);
}

double rft_timing_stamped_mhz(const rft_protocol *p) {
    atomic_thread_fence(memory_order_seq_cst);
    return clock_of(p, &p->sampling.shots[0]);
}

/* Everything of a sample, queued while the blocking kernel holds the stream. */
static int queue_held(rft_protocol *p, const rft_timed *timed, const rft_shot *shot, rft_err *err) {
    int rc = shot->blocked ? block(p, err) : RFT_OK;
    if (rc == RFT_OK) {
        rc = stamp(p, shot, 0, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_record(p->gpu, shot->start, err);
    }
    if (rc == RFT_OK) {
        rc = timed->queue(timed->self, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_record(p->gpu, shot->stop, err);
    }
    if (rc == RFT_OK) {
        rc = stamp(p, shot, 1, err);
    }
    return rc == RFT_OK ? p->gpu->vt->event_record(p->gpu, shot->done, err) : rc;
}

static int queue_shot(rft_protocol *p, const rft_timed *timed, rft_shot *shot, rft_err *err) {
    int rc = timed->before ? timed->before(timed->self, err) : RFT_OK;
    if (rc == RFT_OK && timed->cache == RFT_CACHE_COLD) {
        rc = rft_timing_flush(p, err);
    }
    shot->ticket = ++p->sampling.ticket;
    shot->blocked = p->sampling.blocking;
    if (rc == RFT_OK) {
        rc = queue_held(p, timed, shot, err);
    }
    release(p); /* also after a failure: nothing may wait for ever */
    return rc;
}

static int collect(rft_protocol *p, const rft_shot *shot, rft_sample *out, rft_err *err) {
    double whole_s = 0.0; /* waits for the second stamp, which lies behind `stop` */
    int rc = p->gpu->vt->event_elapsed(p->gpu, shot->start, shot->done, &whole_s, err);
    if (rc == RFT_OK) {
        rc = p->gpu->vt->event_elapsed(p->gpu, shot->start, shot->stop, &out->seconds, err);
    }
    if (rc == RFT_OK) {
        atomic_thread_fence(memory_order_seq_cst);
        out->clock_mhz = clock_of(p, shot);
    }
    return rc;
}

/* The next sample is queued while the device still works on the one before: host and device then do not wait for each
 * other in turn. `queued` and `taken` count up; a shot is used again once its sample was taken. */
int rft_timing_many(rft_protocol *p, const rft_timed *timed, const rft_sampler *sampler, rft_err *err) {
    size_t queued = 0, taken = 0;
    int rc = RFT_OK;
    while (rc == RFT_OK) {
        size_t depth = p->sampling.blocking && !sampler->one_at_a_time ? RFT_SHOTS : 1;
        bool stuck = false;
        while (rc == RFT_OK && !stuck && queued - taken < depth && sampler->wants(sampler->self, queued - taken)) {
            rft_shot *shot = &p->sampling.shots[queued++ % RFT_SHOTS];
            rc = queue_shot(p, timed, shot, err);
            stuck = gave_up(p, shot);
        }
        if (rc != RFT_OK || queued == taken) {
            break;
        }
        if (sampler->queued) {
            sampler->queued(sampler->self);
        }
        rft_sample sample;
        const rft_shot *shot = &p->sampling.shots[taken++ % RFT_SHOTS];
        rc = collect(p, shot, &sample, err);
        if (rc == RFT_OK && gave_up(p, shot)) {
            rft_log_debug(p->log,
                          "a sample could not be queued at once: measured with the host's launch latency in it");
            p->sampling.blocking = false;
        } else if (rc == RFT_OK) {
            sampler->take(sampler->self, &sample);
        }
    }
    if (rc != RFT_OK && queued > taken && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->sync(p->gpu, NULL); /* nothing may run on when its module goes */
    }
    return rc;
}

/* ---- a given number ---- */

typedef struct sample_series {
    rft_sample *out;
    size_t taken, count;
} sample_series;

static bool series_wants(void *self, size_t in_flight) {
    const sample_series *s = self;
    return s->taken + in_flight < s->count;
}

static void series_take(void *self, const rft_sample *sample) {
    sample_series *s = self;
    s->out[s->taken++] = *sample;
}

int rft_timing_series(rft_protocol *p, const rft_timed *timed, size_t count, rft_sample *out, rft_err *err) {
    sample_series s = {out, 0, count};
    rft_sampler sampler = {.wants = series_wants, .take = series_take, .self = &s};
    return rft_timing_many(p, timed, &sampler, err);
}

int rft_timing_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err) {
    return rft_timing_series(p, timed, 1, out, err);
}

/* ---- waking the device ---- */

static int queue_flushes(void *self, rft_err *err) {
    int rc = RFT_OK;
    for (int i = 0; rc == RFT_OK && i < WAKE_FLUSHES; i++) {
        rc = rft_timing_flush(self, err);
    }
    return rc;
}

double rft_timing_since_s(const rft_protocol *p, int64_t begun_ns) {
    return (double)(p->clock->monotonic_ns(p->clock->self) - begun_ns) * 1e-9;
}

int rft_timing_wake(rft_protocol *p, rft_err *err) {
    if (p->sampling.last_active_ns != 0 && rft_timing_since_s(p, p->sampling.last_active_ns) < WAKE_AFTER_S) {
        return RFT_OK;
    }
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    rft_timed timed = {.queue = queue_flushes, .self = p, .cache = RFT_CACHE_HOT};
    double before_mhz = NAN;
    for (int round = 0; round < WAKE_MAX_ROUNDS; round++) {
        rft_sample sample;
        int rc = rft_timing_sample(p, &timed, &sample, err);
        if (rc != RFT_OK) {
            return rc;
        }
        double elapsed_s = rft_timing_since_s(p, begun_ns);
        bool steady = fabs(sample.clock_mhz - before_mhz) <= WAKE_CLOCK_FRAC * before_mhz; /* false for NaN */
        bool full = steady && sample.clock_mhz >= WAKE_FULL_FRAC * p->info.sm_clock_khz * 1e-3;
        bool settled = steady || isnan(sample.clock_mhz);
        if (full || elapsed_s >= WAKE_MAX_S || (elapsed_s >= WAKE_MIN_S && settled)) {
            break;
        }
        before_mhz = sample.clock_mhz;
    }
    p->sampling.last_active_ns = p->clock->monotonic_ns(p->clock->self);
    return RFT_OK;
}

double rft_timing_median(double *items, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(items[i])) {
            items[left++] = items[i];
        }
    }
    return rft_median_of(items, left);
}

/* ---- how long the device was busy ---- */

int rft_busy_begin(rft_protocol *p, rft_span_id id, rft_err *err) {
    return p->gpu->vt->event_record(p->gpu, p->busy.spans[id].start, err);
}

int rft_busy_end(rft_protocol *p, rft_span_id id, rft_err *err) {
    int rc = p->gpu->vt->event_record(p->gpu, p->busy.spans[id].stop, err);
    p->busy.spans[id].used = rc == RFT_OK;
    return rc;
}

int rft_busy_span(rft_protocol *p, rft_span_id id, double *out, rft_err *err) {
    *out = 0.0;
    return p->busy.spans[id].used
               ? p->gpu->vt->event_elapsed(p->gpu, p->busy.spans[id].start, p->busy.spans[id].stop, out, err)
               : RFT_OK;
}

double rft_busy_take(rft_protocol *p) {
    double busy_s = p->busy.samples_s;
    bool known = !p->gpu->vt->sticky(p->gpu);
    p->busy.samples_s = 0.0;
    for (int id = 0; id < RFT_SPAN_COUNT; id++) {
        double span_s = 0.0;
        known = known && rft_busy_span(p, (rft_span_id)id, &span_s, NULL) == RFT_OK;
        busy_s += span_s;
        p->busy.spans[id].used = false;
    }
    return known ? busy_s : (double)NAN;
}
