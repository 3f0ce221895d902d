/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ceiling/ceiling_bench.h"
#include "measure/sampling.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * What it takes on an H200 (DRAM 4.2 to 4.7 TB/s, buffers of 4 GiB). Tried over 512 MiB: 72 reads of 0.12 ms, 48
 * writes of 0.12, 72 copies of 0.25, 72 times 2:1 of 0.37: 60 ms. The best 8 of each twice over 4 GiB: 16 x (0.9 + 0.9
 * + 2.0 + 2.9) = 108 ms. The best 2 of each 11 times: 22 x 6.7 = 148 ms. L2, L1, shared memory and pipes: 23 ways tried
 * twice for 0.25 ms: 12 ms; the L2's best 8 twice: 16 ms; at most 15 finalists 11 times for 1 ms: 165 ms. Filling 12
 * GiB: about 20 ms. Together about 0.5 s. INT32 and atomics, where asked for: 17 ways, 17 finalists, 0.27 s.
 */
enum { TRY_SAMPLES = 2 };
#define SEMIFINALISTS 8
#define SEMIFINAL_SAMPLES 2
#define FINALISTS 2
#define FINAL_SAMPLES 11
#define FINAL_WITHIN 0.97 /* of the best rate so far; a slower variant is not measured further */
#define LAUNCH_WARM_UPS 3
#define LAUNCH_SAMPLES 50
#define TRY_S 0.25e-3
#define TARGET_S 1e-3     /* at half of it the L2 read 2 to 5 % less, and another way won each time */
#define COOL_NS 100000000 /* the power limit acts, and lets go, within so long */
#define FIRST_STEPS 16
#define MAX_STEPS (1u << 24)

typedef struct bench_run {
    rft_protocol *p;
    rft_bench *bench;
} bench_run;

static int queue_bench(void *self, rft_err *err) {
    bench_run *run = self;
    if (run->bench->queue) {
        return run->bench->queue(run->bench->self, err);
    }
    return rft_kernel_launch(run->p, run->bench->function, run->bench->grid, run->bench->values, err);
}

typedef struct bench_series {
    double rates[LAUNCH_SAMPLES];
    double clocks[LAUNCH_SAMPLES];
} bench_series;

static int run_series(rft_protocol *p, rft_bench *bench, rft_cache_mode cache, size_t count, bench_series *out,
                      rft_err *err) {
    bench_run run = {p, bench};
    rft_timed timed = {.queue = queue_bench, .self = &run, .cache = cache};
    rft_sample samples[LAUNCH_SAMPLES];
    int rc = rft_timing_series(p, &timed, count, samples, err);
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        out->rates[i] = bench->amount / fmax(samples[i].seconds, 1e-9);
        out->clocks[i] = samples[i].clock_mhz;
        p->busy.samples_s += samples[i].seconds;
    }
    return rc;
}

/* Loads the code, outside any sample: a launch that has nothing to do, or a whole one that nothing is queued behind. */
static int load_bench(rft_protocol *p, rft_bench *bench, rft_err *err) {
    if (bench->queue) {
        int rc = bench->queue(bench->self, err);
        return rc == RFT_OK ? p->gpu->vt->sync(p->gpu, err) : rc;
    }
    uint64_t vectors = bench->vectors;
    uint32_t steps = bench->steps;
    bench->vectors = bench->steps = 0;
    int rc = rft_kernel_launch(p, bench->function, (rft_grid_1d){1, bench->grid.threads}, bench->values, err);
    bench->vectors = vectors;
    bench->steps = steps;
    return rc;
}

/* So many steps that a launch takes `target_s`: long enough that start and end do not count, short enough for many. */
static void choose_steps(rft_bench *bench, double rate, double target_s) {
    double steps = rate * target_s / bench->amount_per_step;
    bench->steps = steps < FIRST_STEPS ? FIRST_STEPS : steps > MAX_STEPS ? MAX_STEPS : (uint32_t)steps;
    bench->amount = bench->amount_per_step * bench->steps;
}

/* The fastest of a few short launches. */
static int try_loop(rft_protocol *p, rft_bench *bench, double *rate, rft_err *err) {
    bench_series series;
    choose_steps(bench, 0.0, TRY_S);
    int rc = run_series(p, bench, RFT_CACHE_HOT, 1, &series, err);
    if (rc == RFT_OK) {
        choose_steps(bench, series.rates[0], TRY_S);
        rc = run_series(p, bench, RFT_CACHE_HOT, TRY_SAMPLES, &series, err);
    }
    *rate = rc == RFT_OK ? fmax(series.rates[0], series.rates[1]) : 0.0;
    return rc;
}

/* One launch over a part. No flush: buffers that dwarf the L2 compare well enough without. */
static int try_part(rft_protocol *p, rft_bench *bench, double *rate, rft_err *err) {
    const rft_bench_size whole = {bench->grid, bench->vectors, bench->amount};
    const rft_bench_size *size = bench->part.grid.blocks ? &bench->part : &whole;
    bench_series series;
    bench->grid = size->grid;
    bench->vectors = size->vectors;
    bench->amount = size->amount;
    int rc = run_series(p, bench, RFT_CACHE_HOT, 1, &series, err);
    bench->grid = whole.grid;
    bench->vectors = whole.vectors;
    bench->amount = whole.amount;
    *rate = rc == RFT_OK ? series.rates[0] : 0.0;
    return rc;
}

/* `rate`: as known so far; sets the number of steps. */
static int measure_bench(rft_protocol *p, rft_bench *bench, double rate, rft_cache_mode cache, size_t count,
                         bench_series *out, rft_err *err) {
    if (bench->steps) {
        choose_steps(bench, rate, TARGET_S);
    }
    return run_series(p, bench, cache, count, out, err);
}

int rft_bench_resident(rft_protocol *p, rft_function *function, unsigned threads, unsigned *blocks, rft_err *err) {
    rft_gpu_launch launch = {.function = function, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .cluster = {1, 1, 1}};
    int per_sm = 0;
    int rc = p->gpu->vt->occupancy(p->gpu, &launch, &per_sm, err);
    *blocks = (unsigned)((per_sm > 0 ? per_sm : 1) * p->info.sms);
    return rc;
}

typedef struct ranking {
    size_t benches[SEMIFINALISTS]; /* best first */
    double rates[SEMIFINALISTS];
    size_t count, room;
} ranking;

static void place(ranking *r, size_t bench, double rate) {
    if (r->count == r->room && rate <= r->rates[r->count - 1]) {
        return;
    }
    size_t at = r->count < r->room ? r->count++ : r->count - 1;
    while (at > 0 && r->rates[at - 1] < rate) {
        r->rates[at] = r->rates[at - 1];
        r->benches[at] = r->benches[at - 1];
        at--;
    }
    r->rates[at] = rate;
    r->benches[at] = bench;
}

static int rank_all(rft_protocol *p, rft_bench *benches, size_t count, ranking *out, rft_err *err) {
    *out = (ranking){.room = count > SEMIFINALISTS ? SEMIFINALISTS : FINALISTS};
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        double rate = 0.0;
        rc = load_bench(p, &benches[i], err);
        if (rc == RFT_E_LIMIT && benches[i].queue) {
            rc = RFT_OK; /* the library refuses one of its own: there are others */
            continue;
        }
        if (rc == RFT_OK) {
            rc = (benches[i].steps ? try_loop : try_part)(p, &benches[i], &rate, err);
        }
        if (rc == RFT_OK) {
            place(out, i, rate);
        }
    }
    return rc;
}

static int rank_again(rft_protocol *p, rft_bench *benches, rft_cache_mode cache, ranking *r, rft_err *err) {
    ranking better = {.room = FINALISTS};
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && r->room > FINALISTS && i < r->count; i++) {
        bench_series series;
        rc = measure_bench(p, &benches[r->benches[i]], r->rates[i], cache, SEMIFINAL_SAMPLES, &series, err);
        if (rc == RFT_OK) {
            place(&better, r->benches[i], rft_timing_median(series.rates, SEMIFINAL_SAMPLES));
        }
    }
    *r = r->room > FINALISTS ? better : *r;
    return rc;
}

/* ---- a load that has run for seconds: power and heat have settled, and the clock with them ---- */

#define SOAK_BATCH_S 0.05   /* what one sample runs: events, stamps and the host's turn are nothing beside it */
#define SOAK_LAST_S 1.0     /* of the load, which counts */
#define SOAK_BATCH_MAX 4096 /* launches */
#define SOAK_KEPT 64        /* samples: more than SOAK_LAST_S holds */

typedef struct soak {
    const rft_timed *load;
    size_t launches; /* of a batch */
    double amount;   /* of one launch */
    double soak_s, spent_s;
    rft_sample last[SOAK_KEPT]; /* a ring */
    size_t taken;
} soak;

static int queue_soak(void *self, rft_err *err) {
    const soak *s = self;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < s->launches; i++) {
        rc = s->load->queue(s->load->self, err);
    }
    return rc;
}

static bool soak_wants_more(void *self, size_t in_flight) {
    const soak *s = self;
    return in_flight == 0 && s->spent_s < s->soak_s;
}

static void soak_take(void *self, const rft_sample *sample) {
    soak *s = self;
    s->last[s->taken++ % SOAK_KEPT] = *sample;
    s->spent_s += fmax(sample->seconds, 1e-6);
}

/* The samples of the last second, at least one. */
static void conclude_soak(const soak *s, rft_ceiling *out) {
    double rates[SOAK_KEPT], clocks[SOAK_KEPT], behind_s = 0.0;
    size_t n = 0;
    while (n < s->taken && n < SOAK_KEPT && (n == 0 || behind_s < SOAK_LAST_S)) {
        const rft_sample *sample = &s->last[(s->taken - 1 - n) % SOAK_KEPT];
        behind_s += sample->seconds;
        rates[n] = s->amount * (double)s->launches / fmax(sample->seconds, 1e-9);
        clocks[n++] = sample->clock_mhz;
    }
    out->sustained = rft_stats_of(rates, n);
    out->sustained_clock_mhz = rft_timing_median(clocks, n);
}

/* The sensor's own mean over the last second, read once behind it: readings in between would be pauses. */
static double power_w(rft_protocol *p) {
    rft_meter_snapshot snapshot;
    if (!p->meter) {
        return NAN;
    }
    p->meter->vt->read(p->meter, RFT_METER_POWER, &snapshot);
    double average_w = snapshot.values[RFT_METER_POWER_AVERAGE_W];
    return isnan(average_w) ? snapshot.values[RFT_METER_POWER_INSTANT_W] : average_w;
}

/* The rate after seconds of the same load, launch after launch, into out->sustained: of the last second of soak_s. */
static int soak_load(rft_protocol *p, const rft_timed *load, double amount, rft_ceiling *out, rft_err *err) {
    soak s = {.load = load, .amount = amount, .soak_s = p->asked->soak_s};
    const bool blocking = p->sampling.blocking;
    double launch_s = amount / out->stats.median;
    s.launches = launch_s > 0.0 && launch_s < SOAK_BATCH_S ? (size_t)fmin(SOAK_BATCH_S / launch_s, SOAK_BATCH_MAX) : 1;
    rft_timed batch = {.queue = queue_soak, .self = &s, .cache = RFT_CACHE_HOT};
    rft_sampler sampler = {.wants = soak_wants_more, .take = soak_take, .self = &s, .one_at_a_time = true};
    p->sampling.blocking = false; /* a batch need not fit the driver's queue, and the host's part in it is nothing */
    int rc = rft_timing_many(p, &batch, &sampler, err);
    p->sampling.blocking = blocking;
    p->busy.samples_s += s.spent_s;
    if (rc == RFT_OK && s.taken > 0) {
        out->sustained_power_w = s.spent_s >= SOAK_LAST_S ? power_w(p) : (double)NAN;
        conclude_soak(&s, out);
    }
    return rc;
}

static int soak_bench(rft_protocol *p, rft_bench *bench, rft_ceiling *out, rft_err *err) {
    bench_run run = {p, bench};
    rft_timed load = {.queue = queue_bench, .self = &run, .cache = RFT_CACHE_HOT};
    return soak_load(p, &load, bench->amount, out, err);
}

int rft_bench_best(rft_protocol *p, rft_bench *benches, size_t count, rft_cache_mode cache, rft_ceiling *out,
                   rft_err *err) {
    ranking r;
    bench_series series;
    rft_bench *best = NULL;
    p->sampling.blocking = true;
    int rc = rank_all(p, benches, count, &r, err);
    if (rc == RFT_OK) {
        rc = rank_again(p, benches, cache, &r, err);
    }
    for (size_t i = 0; rc == RFT_OK && i < r.count && r.rates[i] >= FINAL_WITHIN * r.rates[0]; i++) {
        rft_bench *bench = &benches[r.benches[i]];
        if (bench->cools) {
            p->clock->sleep_ns(p->clock->self, COOL_NS);
        }
        rc = measure_bench(p, bench, r.rates[i], cache, FINAL_SAMPLES, &series, err);
        rft_stats stats = rft_stats_of(series.rates, rc == RFT_OK ? FINAL_SAMPLES : 0);
        if (rc == RFT_OK && (!out->measured || stats.median > out->stats.median)) {
            out->measured = true;
            out->reason = NULL;
            out->stats = stats;
            out->kernel = bench->text;
            out->clock_mhz = rft_timing_median(series.clocks, FINAL_SAMPLES);
            out->at_least = bench->at_least;
            best = bench;
        }
    }
    bool soaks = rc == RFT_OK && best && p->asked && p->asked->soak_s > 0;
    return soaks ? soak_bench(p, best, out, err) : rc;
}

int rft_ceilings_excuse(rft_protocol *p, rft_arena *arena, rft_ceiling *first, size_t count, const rft_err *failure,
                        rft_err *err) {
    if (p->gpu->vt->sticky(p->gpu)) {
        if (err) {
            *err = *failure;
        }
        return failure->code;
    }
    const char *reason = rft_arena_strdup(arena, failure->message);
    for (size_t i = 0; i < count; i++) {
        if (!first[i].measured && !rft_text_equal(first[i].reason, rft_ceiling_not_asked(RFT_CEILING_LAUNCH))) {
            first[i].reason = reason;
        }
    }
    return RFT_OK;
}

bool rft_ceilings_asked(const rft_protocol *p, rft_ceiling_id id) {
    return !p->asked || (p->asked->wanted & RFT_CEILING_BIT(id));
}

int rft_ceilings_launch(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    rft_ceiling *ceiling = &out->items[RFT_CEILING_LAUNCH];
    rft_bench bench = {.function = p->builtins.functions[RFT_BUILTIN_EMPTY], .grid = {1, 32}, .amount = 1.0};
    bench_series series;
    rft_err failure = RFT_ERR_INIT;
    int rc = run_series(p, &bench, RFT_CACHE_COLD, LAUNCH_WARM_UPS, &series, &failure);
    if (rc == RFT_OK) {
        rc = run_series(p, &bench, RFT_CACHE_COLD, LAUNCH_SAMPLES, &series, &failure);
    }
    if (rc != RFT_OK) {
        return rft_ceilings_excuse(p, arena, ceiling, 1, &failure, err);
    }
    for (size_t i = 0; i < LAUNCH_SAMPLES; i++) {
        series.rates[i] = 1.0 / series.rates[i];
    }
    ceiling->measured = true;
    ceiling->reason = NULL;
    ceiling->stats = rft_stats_of(series.rates, LAUNCH_SAMPLES);
    ceiling->clock_mhz = rft_timing_median(series.clocks, LAUNCH_SAMPLES);
    ceiling->kernel = "an empty kernel, one block of 32 threads, between two events, cold cache";
    return RFT_OK;
}
