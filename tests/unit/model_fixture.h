/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_fixture.h - a run made up in memory, for tests of model: one sweep, one variant, points added one by one.
 * Everything lives in the run's arena.
 */
#ifndef RFT_TESTS_MODEL_FIXTURE_H
#define RFT_TESTS_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/run/run.h"

#include <math.h>
#include <string.h>

#define FIXTURE_POINTS_MAX 4096

static inline bool near(double got, double want, double tol_frac) {
    return fabs(got - want) <= tol_frac * fabs(want);
}

static inline void fixture_ceiling(rft_run *run, rft_ceiling_id id, double rate) {
    rft_ceiling *ceiling = &run->ceilings.items[id];
    ceiling->measured = true;
    ceiling->stats = rft_stats_of(&rate, 1);
}

/* A run on an H200-like device with the ceilings of one: dram 4.3 TB/s, bf16 700 TFLOP/s, fp32 60 TFLOP/s. */
static inline rft_run *fixture_run(void) {
    rft_run *run = rft_run_new();
    assert_int_equal(rft_gpu_info_for_arch(&run->gpu, "sm_90a", NULL), 0);
    run->gpu.l2_bytes = 60 << 20;
    run->gpu.memory_clock_khz = 3201000; /* as an H200, whose rates the fixture has */
    run->gpu.memory_bus_bits = 6144;
    fixture_ceiling(run, RFT_CEILING_DRAM_READ, 4.4e12);
    fixture_ceiling(run, RFT_CEILING_DRAM_COPY, 4.2e12);
    fixture_ceiling(run, RFT_CEILING_FP32, 60e12);
    fixture_ceiling(run, RFT_CEILING_TENSOR_BF16, 700e12);
    fixture_ceiling(run, RFT_CEILING_LAUNCH, 2.7e-6);
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof *run->sweeps);
    run->points = rft_arena_calloc(run->arena, FIXTURE_POINTS_MAX, sizeof *run->points);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->name = "synthetic";
    sweep->variant_count = 1;
    sweep->variants = rft_arena_calloc(run->arena, 2, sizeof *sweep->variants);
    sweep->variants[0].name = "plain";
    sweep->axes = rft_arena_calloc(run->arena, 4, sizeof *sweep->axes);
    sweep->problems = rft_arena_calloc(run->arena, 256, sizeof *sweep->problems);
    return run;
}

static inline void fixture_axis(rft_run *run, const char *name, bool swept, bool along) {
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->axes[sweep->axis_count++] = (rft_axis){.name = name, .swept = swept, .along = along};
}

/* Adds a parameter with `count` integer values to a variant. */
static inline void fixture_param(rft_run *run, size_t variant, const char *name, const int64_t *values, size_t count) {
    rft_variant *data = &run->sweeps[0].sweep.variants[variant];
    if (data->params == NULL) {
        data->params = rft_arena_calloc(run->arena, 8, sizeof *data->params);
    }
    rft_param *param = &data->params[data->param_count++];
    *param = (rft_param){.name = name, .help = "", .value_count = count, .default_value = rft_value_int(values[0])};
    param->values = rft_arena_calloc(run->arena, count, sizeof *param->values);
    for (size_t i = 0; i < count; i++) {
        param->values[i] = rft_value_int(values[i]);
    }
}

/* Adds a problem of up to four integer values; returns its index. */
static inline size_t fixture_problem(rft_run *run, const int64_t *values) {
    rft_sweep *sweep = &run->sweeps[0].sweep;
    rft_problem *problem = &sweep->problems[sweep->problem_count];
    problem->values = rft_arena_calloc(run->arena, 4, sizeof *problem->values);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        problem->values[i] = rft_value_int(values[i]);
    }
    return sweep->problem_count++;
}

/* Ten samples with the median asked for, 0.2 % apart. */
static inline rft_measurement fixture_measurement(rft_run *run, double median_s) {
    rft_measurement measurement = {.n = 10, .stop = RFT_STOP_SETTLED, .cache = RFT_CACHE_COLD, .clock_mhz = 1980.0};
    measurement.samples_s = rft_arena_calloc(run->arena, 10, sizeof(double));
    for (size_t i = 0; i < 10; i++) {
        measurement.samples_s[i] = median_s * (1.0 + 0.002 * ((double)i - 4.5));
    }
    measurement.stats = rft_stats_of(measurement.samples_s, 10);
    return measurement;
}

/* Adds a verified point measured in the sweep round. `config` has a value per parameter of variant 0. */
static inline rft_point *fixture_point(rft_run *run, size_t problem, const int64_t *config, double median_s) {
    rft_point *point = &run->points[run->point_count++];
    assert_true(run->point_count <= FIXTURE_POINTS_MAX);
    size_t params = run->sweeps[0].sweep.variants[0].param_count;
    point->id = (int64_t)run->point_count;
    point->problem = problem;
    point->outcome = RFT_OUTCOME_OK;
    point->facts = rft_facts_unknown();
    point->traffic = rft_traffic_unknown();
    point->config = rft_arena_calloc(run->arena, params + 1, sizeof *point->config);
    for (size_t i = 0; i < params; i++) {
        point->config[i] = rft_value_int(config[i]);
    }
    point->rounds[0] = fixture_measurement(run, median_s);
    return point;
}

#endif
