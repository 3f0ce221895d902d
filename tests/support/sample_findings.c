/* SPDX-License-Identifier: Apache-2.0 */
/* What a run finds besides times: baselines, watts, drift, throttling, launches, counters. */
#include "support/sample.h"

#include "model/run/baseline.h"
#include "model/stats/drift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SOAK_S 60
#define SOAK_SAMPLES 1200

rft_point *sample_best_on(rft_run *run, size_t sweep, size_t problem) {
    const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, problem);
    assert_non_null(best);
    return &run->points[best - run->points];
}

rft_point *sample_best(rft_run *run, size_t sweep) {
    return sample_best_on(run, sweep, rft_run_largest(run, sweep));
}

size_t sample_timed(const rft_run *run, size_t sweep, size_t nth) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    for (size_t p = 0; p < data->problem_count; p++) {
        if (!data->problems[p].odd && rft_run_best(run, sweep, SIZE_MAX, p) && nth-- == 0) {
            return p;
        }
    }
    fail_msg("the sample has too few problems");
    return 0;
}

/* ---- baselines ---- */
void sample_add_baseline(rft_run *run, size_t sweep, size_t problem, const char *name, const char *which,
                         double ratio) {
    rft_baseline b = rft_baseline_none(run->arena, sweep, problem, name, which);
    const rft_point *best = sample_best_on(run, sweep, problem);
    rft_stats *stats = &b.measurement.stats;
    *stats = rft_point_measurement(best)->stats;
    double *parts[] = {&stats->min, &stats->q1,   &stats->median, &stats->q3,
                       &stats->max, &stats->mean, &stats->low,    &stats->high};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i] *= ratio;
    }
    if (b.same_protocol) {
        b.tried = 8;
        b.library = "cuBLASLt 13.1.0";
        b.algo = strcmp(which, RFT_BASELINE_BEST) == 0 ? "algo 66, tile 128x256" : "algo 5";
        b.verification.done = true;
        b.measurement.n = stats->n;
        b.measurement.samples_s = rft_point_measurement(best)->samples_s;
    } else {
        stats->n = 0;
        stats->low = stats->high = NAN;
        b.source = "do_bench, 2026-11-20";
    }
    rft_run_put_baseline(run, &b);
}

void sample_miss_baseline(rft_run *run, size_t sweep, size_t problem) {
    rft_baseline b = rft_baseline_none(run->arena, sweep, problem, "cuBLASLt", RFT_BASELINE_BEST);
    b.outcome = RFT_OUTCOME_SKIPPED;
    b.reason = "cuBLASLt was not found; remedy: install it";
    rft_run_put_baseline(run, &b);
}

/* ---- power ---- */
rft_load *sample_add_load(rft_run *run, rft_point *point, rft_load_kind kind) {
    rft_load *load = rft_arena_alloc(run->arena, sizeof *load);
    *load = rft_load_none(kind, NULL);
    if (point) {
        point->loads[kind] = load;
    } else {
        run->idle = load;
    }
    return load;
}

static void set_power(rft_load *load, double power_w) {
    load->source = "energy counter";
    load->power_w = power_w;
    load->uncertainty_frac = 0.016;
}

void sample_add_idle(rft_run *run, double power_w) {
    set_power(sample_add_load(run, NULL, RFT_LOAD_IDLE), power_w);
}

rft_load *sample_add_energy(rft_run *run, size_t sweep, double power_w) {
    rft_point *best = sample_best(run, sweep);
    rft_load *load = sample_add_load(run, best, RFT_LOAD_ENERGY);
    set_power(load, power_w);
    load->run_s = rft_point_median_s(best);
    load->joules_per_run = power_w * load->run_s;
    load->clock_mhz = 1755;
    return load;
}

rft_load *sample_add_soak(rft_run *run, size_t sweep, double factor) {
    rft_point *best = sample_best(run, sweep);
    rft_load *load = sample_add_load(run, best, RFT_LOAD_SOAK);
    double burst_s = rft_point_median_s(best);
    load->asked_s = SOAK_S;
    load->n = SOAK_SAMPLES;
    load->samples_s = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    load->at_s = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    load->clocks_mhz = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    for (size_t i = 0; i < SOAK_SAMPLES; i++) {
        bool sags = i > SOAK_SAMPLES / 5;
        load->at_s[i] = 0.05 * (double)(i + 1);
        load->samples_s[i] = burst_s * (sags ? factor : 1.0) * (1.0 + 0.002 * (double)(i % 7));
        load->clocks_mhz[i] = sags ? 1980.0 / factor : 1980.0;
    }
    load->stats = rft_stats_of(load->samples_s + 800, 400);
    load->clock_mhz = 1980.0 / factor;
    set_power(load, 690);
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        load->throttled_frac[i] = i == RFT_THROTTLE_POWER_CAP && factor > 1 ? 0.8 : 0.0;
    }
    return load;
}

/* ---- steadiness ---- */
void sample_add_readings(rft_run *run, double drift_frac) {
    for (int i = 0; i < 30; i++) {
        double median = 1e-3 * (1.0 + drift_frac * i / 29.0 + (i % 3 - 1) * 1e-5);
        rft_run_add_reference(run, &(rft_reference){.problem = 1,
                                                    .point = 1,
                                                    .after_point = 20 * (i + 1),
                                                    .time_s = 120.0 * i,
                                                    .n = 10,
                                                    .median = median,
                                                    .low = median * 0.9999,
                                                    .high = median * 1.0001,
                                                    .clock_mhz = 1980});
    }
}

void sample_throttle(rft_measurement *m) {
    m->attempts = 4;
    m->throttled_frac = 0.5;
    m->throttled_below_mhz = 1978.125;
    m->throttled_by = "sw_thermal";
    m->throttle_note = "50 % of the samples ran below it; measured 4 times";
}

/* ---- all of them ---- */
/* A final round as the sweep's own: in turns, of batches, with the clock of every sample. */
static void add_final_round(rft_run *run, rft_point *point) {
    rft_measurement *final = &point->rounds[1];
    *final = point->rounds[0];
    final->cache = RFT_CACHE_ROTATING;
    final->batch = 32;
    final->floor_s = 2.6875e-6;
    final->turns = 2;
    final->clocks_mhz = rft_arena_calloc(run->arena, final->n, sizeof(double));
    for (size_t i = 0; i < final->n; i++) {
        final->clocks_mhz[i] = i == 3 ? (double)NAN : 1965.25 + (double)i;
    }
}

/* The result is cleared first: 4 bytes each of n x n, by a launch of its own. */
static void add_steps(rft_run *run, rft_point *point, double n) {
    double all_s = rft_point_median_s(point);
    point->step_count = point->rounds[1].step_count = 2;
    point->steps = rft_arena_calloc(run->arena, 2, sizeof *point->steps);
    point->steps[0] = (rft_step){.name = "memset \"part\"", .has_work = true, .work = {.bytes_written = 4 * n * n}};
    point->steps[1] = (rft_step){.name = "scan<256, true>"};
    point->steps[0].traffic = point->steps[1].traffic = rft_traffic_unknown();
    rft_traffic *traffic = &point->steps[1].traffic;
    traffic->present = true;
    traffic->evidence = RFT_EVIDENCE_MODELLED;
    traffic->level_bytes[RFT_LEVEL_DRAM] = 8 * n * n;
    point->rounds[1].step_s = rft_arena_calloc(run->arena, 2, sizeof(double));
    point->rounds[1].step_s[0] = 0.0001;
    point->rounds[1].step_s[1] = all_s - 0.0001;
}

/* The point beside it compiled to the same cubin. */
static void add_alias(rft_run *run, const rft_point *of) {
    rft_point *alias = &run->points[of->id % (int64_t)run->point_count];
    assert_true(alias->problem == of->problem && alias->variant == of->variant);
    alias->alias_of = of->id;
    memcpy(alias->rounds, of->rounds, sizeof alias->rounds);
}

static void add_kept_lower_bound(rft_run *run) {
    const double burst[] = {611e12, 612e12, 613e12}, under_load[] = {449e12, 451e12};
    rft_ceiling *bf16 = &run->ceilings.items[RFT_CEILING_TENSOR_BF16];
    bf16->measured = bf16->at_least = true;
    bf16->reason = NULL;
    bf16->stats = rft_stats_of(burst, 3);
    bf16->kernel = "mma.sync, 8 in flight";
    bf16->clock_mhz = 1980;
    bf16->sustained = rft_stats_of(under_load, 2);
    bf16->sustained_clock_mhz = 1545.25;
    bf16->measured_unix_ns = run->info.started_unix_ns - 3 * INT64_C(3600000000000);
}

/* Some of the default set, one withdrawn, two of the profiler's own. */
static void add_odd_counters(rft_run *run, rft_point *point) {
    rft_counters counters = *point->counters;
    rft_counter_raw raw[] = {{"lts__t_sectors.sum", 1e9 / 7.0, NULL}, {"x__y.avg", NAN, "the chip has \"none\""}};
    counters.values[RFT_COUNTER_WARPS_ACTIVE] = NAN;
    counters.reasons[RFT_COUNTER_WARPS_ACTIVE] = "above 1";
    counters.raw = raw;
    counters.raw_count = 2;
    point->counters = rft_counters_copy(&counters, run->arena);
}

static void add_baselines(rft_run *run, size_t sweep) {
    size_t largest = rft_run_largest(run, sweep), small = sample_timed(run, sweep, 0);
    sample_miss_baseline(run, sweep, small);
    sample_add_baseline(run, sweep, largest, "cuBLASLt", RFT_BASELINE_BEST, 0.98);
    sample_add_baseline(run, sweep, largest, "cuBLASLt", RFT_BASELINE_FIRST, 2.0);
    sample_add_baseline(run, sweep, largest, "torch.matmul", RFT_BASELINE_GIVEN, 0.625);
}

static void add_powers(rft_run *run, size_t sweep) {
    sample_add_idle(run, 118.5);
    sample_add_energy(run, sweep, 512.25)->restored = true;
    rft_load *soak = sample_add_soak(run, sweep, 1.34);
    soak->source = NULL;
    soak->power_w = NAN;
    soak->energy_reason = "the device gives neither energy nor power";
    rft_point *small = sample_best_on(run, sweep, sample_timed(run, sweep, 0));
    *sample_add_load(run, small, RFT_LOAD_ENERGY) =
        rft_load_none(RFT_LOAD_ENERGY, "an illegal memory access was encountered");
}

/* An axis that follows from the others: 0.5 everywhere. */
static void add_derived_axis(rft_run *run, rft_sweep *sweep) {
    rft_axis *axes = rft_arena_calloc(run->arena, sweep->axis_count + 1, sizeof *axes);
    memcpy(axes, sweep->axes, sweep->axis_count * sizeof *axes);
    axes[sweep->axis_count] = (rft_axis){.name = "scale", .compiled = true};
    sweep->axes = axes;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        rft_value *values = rft_arena_calloc(run->arena, sweep->axis_count + 1, sizeof *values);
        memcpy(values, sweep->problems[p].values, sweep->axis_count * sizeof *values);
        values[sweep->axis_count] = rft_value_real(0.5);
        sweep->problems[p].values = values;
    }
    sweep->axis_count++;
}

rft_run *sample_findings(void) {
    rft_run *run = sample_full();
    rft_point *gemv = sample_best(run, 1), *matmul = sample_best(run, 2);
    add_derived_axis(run, &run->sweeps[1].sweep);
    run->sweeps[1].sweep.item_name = "row";
    run->sweeps[1].unexplored = "budget of 500";
    gemv->work.items = 16384;
    gemv->work.item_name = "row";
    add_final_round(run, gemv);
    add_final_round(run, matmul);
    add_steps(run, matmul, 8192);
    sample_throttle(&gemv->rounds[1]);
    sample_count(run);
    add_odd_counters(run, gemv);
    add_alias(run, gemv);
    add_kept_lower_bound(run);
    add_baselines(run, 1);
    add_powers(run, 1);
    sample_add_readings(run, 0.02);
    return run;
}
