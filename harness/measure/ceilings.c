/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ceilings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRY_SAMPLES 3
#define FINAL_SAMPLES 15
#define FINALISTS 3
#define LAUNCH_SAMPLES 50
#define TARGET_S 1e-3
#define FIRST_STEPS 16
#define MAX_STEPS (1u << 24)

typedef struct bench_run {
    rft_protocol *p;
    rft_bench *bench;
} bench_run;

static int queue_bench(void *self, rft_err *err) {
    bench_run *run = self;
    return rft_kernel_launch(run->p, run->bench->function, run->bench->grid, run->bench->values, err);
}

static int sample_bench(rft_protocol *p, rft_bench *bench, rft_cache_mode cache, rft_sample *out, rft_err *err) {
    bench_run run = {p, bench};
    rft_timed timed = {NULL, queue_bench, &run, cache};
    return rft_timing_sample(p, &timed, out, err);
}

/* Loads the code, outside any sample. */
static int load_bench(rft_protocol *p, rft_bench *bench, rft_err *err) {
    bench->steps = bench->steps ? FIRST_STEPS : 0;
    p->blocking = true;
    int rc = rft_kernel_launch(p, bench->function, bench->grid, bench->values, err);
    return rc == RFT_OK ? p->gpu->vt->sync(p->gpu, err) : rc;
}

/* Chooses the number of steps: long enough that start and end do not count, short enough for many benches. */
static int calibrate(rft_protocol *p, rft_bench *bench, rft_cache_mode cache, rft_err *err) {
    for (int round = 0; round < 3; round++) {
        rft_sample sample;
        int rc = sample_bench(p, bench, cache, &sample, err);
        if (rc != RFT_OK) {
            return rc;
        }
        double steps = bench->steps * (TARGET_S / fmax(sample.seconds, 1e-7));
        bench->steps = steps < FIRST_STEPS ? FIRST_STEPS : steps > MAX_STEPS ? MAX_STEPS : (uint32_t)steps;
    }
    bench->amount = bench->amount_per_step * bench->steps;
    return RFT_OK;
}

typedef struct bench_series {
    double rates[LAUNCH_SAMPLES];
    double clocks[LAUNCH_SAMPLES];
} bench_series;

static int run_series(rft_protocol *p, rft_bench *bench, rft_cache_mode cache, size_t count, bench_series *out,
                      rft_err *err) {
    for (size_t i = 0; i < count; i++) {
        rft_sample sample;
        int rc = sample_bench(p, bench, cache, &sample, err);
        if (rc != RFT_OK) {
            return rc;
        }
        out->rates[i] = bench->amount / sample.seconds;
        out->clocks[i] = sample.clock_mhz;
    }
    return RFT_OK;
}

int rft_bench_resident(rft_protocol *p, rft_function *function, unsigned threads, unsigned *blocks, rft_err *err) {
    rft_gpu_launch launch = {.function = function, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .cluster = {1, 1, 1}};
    int per_sm = 0;
    int rc = p->gpu->vt->occupancy(p->gpu, &launch, &per_sm, err);
    *blocks = (unsigned)((per_sm > 0 ? per_sm : 1) * p->info.sms);
    return rc;
}

/* Keeps the best few of the first round, best first. */
static void place(size_t *best, double *rates, size_t *count, size_t index, double rate) {
    size_t at = *count < FINALISTS ? (*count)++ : FINALISTS - 1;
    if (at == FINALISTS - 1 && *count == FINALISTS && rates[at] >= rate && best[at] != SIZE_MAX) {
        return;
    }
    while (at > 0 && rates[at - 1] < rate) {
        rates[at] = rates[at - 1];
        best[at] = best[at - 1];
        at--;
    }
    rates[at] = rate;
    best[at] = index;
}

int rft_bench_best(rft_protocol *p, rft_bench *benches, size_t count, rft_cache_mode cache, rft_ceiling *out,
                   rft_err *err) {
    size_t finalists[FINALISTS] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, finalist_count = 0;
    double first_rates[FINALISTS] = {0.0, 0.0, 0.0};
    bench_series series;
    for (size_t i = 0; i < count; i++) {
        int rc = load_bench(p, &benches[i], err);
        if (rc == RFT_OK && benches[i].steps) {
            rc = calibrate(p, &benches[i], cache, err);
        }
        if (rc == RFT_OK) {
            rc = run_series(p, &benches[i], cache, TRY_SAMPLES, &series, err);
        }
        if (rc != RFT_OK) {
            return rc;
        }
        place(finalists, first_rates, &finalist_count, i, rft_timing_median(series.rates, TRY_SAMPLES));
    }
    for (size_t i = 0; i < finalist_count; i++) {
        int rc = run_series(p, &benches[finalists[i]], cache, FINAL_SAMPLES, &series, err);
        if (rc != RFT_OK) {
            return rc;
        }
        rft_stats stats = rft_stats_of(series.rates, FINAL_SAMPLES);
        if (!out->measured || stats.median > out->stats.median) {
            out->measured = true;
            out->reason = NULL;
            out->stats = stats;
            out->kernel = benches[finalists[i]].text;
            out->clock_mhz = rft_timing_median(series.clocks, FINAL_SAMPLES);
        }
    }
    return RFT_OK;
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
        if (!first[i].measured) {
            first[i].reason = reason;
        }
    }
    return RFT_OK;
}

/* The least time between two events that any point can show: the same events, blocking kernel and cache state. */
static int measure_launch(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    rft_ceiling *ceiling = &out->items[RFT_CEILING_LAUNCH];
    rft_bench bench = {.function = p->functions[RFT_BUILTIN_EMPTY], .grid = {1, 32}, .amount = 1.0};
    bench_series series;
    rft_err failure = RFT_ERR_INIT;
    int rc = run_series(p, &bench, RFT_CACHE_COLD, TRY_SAMPLES, &series, &failure);
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

int rft_ceilings_measure(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        out->items[id] = (rft_ceiling){.reason = "not measured in this version",
                                       .stats = rft_stats_of(NULL, 0),
                                       .clock_mhz = NAN,
                                       .datasheet = NAN,
                                       .limit = NAN};
    }
    p->blocking = true;
    int rc = rft_buffers_take_flush(p, err);
    if (rc == RFT_OK) {
        rc = rft_timing_wake(p, err);
    }
    if (rc == RFT_OK) {
        rc = measure_launch(p, arena, out, err);
    }
    if (rc == RFT_OK) {
        rc = rft_ceilings_memory(p, arena, out, err);
    }
    return rc == RFT_OK ? rft_ceilings_pipes(p, arena, out, err) : rc;
}
