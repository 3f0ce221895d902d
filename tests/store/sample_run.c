/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sample_run.h"

#include "store/store_test.h"

#include "base/fs.h"
#include "base/hash.h"
#include "model/run/baseline.h"
#include "model/run/run_repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- making one ---- */

static rft_value *values_of(rft_arena *arena, size_t *count, size_t n, const rft_value *values) {
    *count = n;
    return rft_values_copy(arena, values, n);
}

#define VALUES(arena, count, ...)                                                                                      \
    values_of(arena, count, sizeof((rft_value[]){__VA_ARGS__}) / sizeof(rft_value), (rft_value[]){__VA_ARGS__})
#define INT(x) rft_value_int(x)

static void fill_gpu(rft_run *run) {
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_gpu_info_for_arch(&run->gpu, "sm_90a", &err), 0);
    run->gpu.uuid = "GPU-0123";
    run->gpu.pci_id = "0000:01:00.0";
    run->gpu.driver_version = 13000;
    run->gpu.max_grid[0] = 2147483647;
    run->gpu.representative = false;
}

static void fill_ceilings(rft_run *run) {
    const double rates[] = {4.10e12, 4.27e12, 4.2700123456789e12, 4.28e12, 4.29e12, 4.3e12, 4.31e12};
    rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    copy->measured = true;
    copy->reason = NULL;
    copy->stats = rft_stats_of(rates, 7);
    copy->kernel = "copy, 16-byte loads, 4 in flight, 2 x 2 GiB";
    copy->clock_mhz = 1980;
    copy->datasheet = 4.8e12;
    copy->datasheet_basis = "HBM3e, \"datasheet\"";
    copy->limit = 4.917e12;
    copy->limit_basis = "3201 MHz x 2 x 6144 bit";
    run->ceilings.items[RFT_CEILING_FP32] = *copy;
    run->ceilings.items[RFT_CEILING_FP32].stats = rft_stats_of(rates, 3);
    run->ceilings.items[RFT_CEILING_FP32].clock_mhz = NAN;
    run->ceilings.items[RFT_CEILING_LAUNCH].reason = "the timer is too coarse";
    rft_ceiling *bf16 = &run->ceilings.items[RFT_CEILING_TENSOR_BF16];
    *bf16 = *copy;
    bf16->at_least = true;
    bf16->measured_unix_ns = run->info.replay_started_unix_ns - 3 * INT64_C(3600000000000);
    const double under_load[] = {3.1e12, 3.2e12};
    bf16->sustained = rft_stats_of(under_load, 2);
    bf16->sustained_clock_mhz = 1545.25;
    bf16->sustained_power_w = 699.5;
}

static void fill_ladder(rft_arena *arena, rft_run_sweep *out) {
    rft_sweep *sweep = &out->sweep;
    *sweep = (rft_sweep){.name = "gemv_fp16",
                         .path = "sweeps/gemv.lua",
                         .script_hash = "00ff",
                         .item_name = "row",
                         .diagnostic = 1,
                         .note = "Rows of a matrix, each by a warp.",
                         .measure = RFT_MEASURE_OPTS_INIT};
    sweep->measure.noise_frac = 0.1 + 0.2; /* no short decimal */
    sweep->measure.min_seconds = 0.1;
    sweep->search = (rft_search_opts){"auto", 600.0, 0, UINT64_MAX, true, 30.0, 0.95, RFT_OBJECTIVE_EDP};
    sweep->baselines = rft_arena_calloc(arena, 1, sizeof *sweep->baselines);
    sweep->baselines[sweep->baseline_count++] = "cublaslt";
    sweep->axis_count = 2;
    sweep->axes = rft_arena_calloc(arena, 2, sizeof *sweep->axes);
    sweep->axes[0] = (rft_axis){.name = "n", .swept = true, .along = true, .refine_depth = 2};
    sweep->axes[0].values = VALUES(arena, &sweep->axes[0].value_count, INT(1024), INT(4096));
    sweep->axes[1] = (rft_axis){.name = "scale", .compiled = true};
    sweep->problem_count = 3;
    sweep->problems = rft_arena_calloc(arena, 3, sizeof *sweep->problems);
    size_t two;
    sweep->problems[0] = (rft_problem){VALUES(arena, &two, INT(1027), rft_value_real(0.1)), true, 0};
    sweep->problems[1] = (rft_problem){VALUES(arena, &two, INT(1024), rft_value_real(0.5)), false, 0};
    sweep->problems[2] = (rft_problem){VALUES(arena, &two, INT(4096), rft_value_real(1e300)), false, 2};
    sweep->variant_count = 2;
    sweep->variants = rft_arena_calloc(arena, 2, sizeof *sweep->variants);
    for (size_t v = 0; v < 2; v++) {
        rft_variant *variant = &sweep->variants[v];
        *variant = (rft_variant){.name = v ? "vectorised" : "naive",
                                 .kernel = "gemv_fp16",
                                 .source = "kernels/gemv.cu",
                                 .entry = "gemv<VEC>",
                                 .unverified_reference = v ? "variant naive (VEC=8)" : NULL};
        variant->param_count = 2 - (v ? 0 : 1);
        variant->params = rft_arena_calloc(arena, 2, sizeof *variant->params);
        variant->params[0] =
            (rft_param){.name = "VEC", .help = "halves a load", .default_value = INT(8), .in_entry = true};
        variant->params[0].values = VALUES(arena, &variant->params[0].value_count, INT(1), INT(2), INT(8));
        variant->params[1] = (rft_param){.name = "BLOCK", .help = "", .default_value = INT(256)};
        variant->params[1].values = VALUES(arena, &variant->params[1].value_count, INT(256));
        variant->constraint_count = v;
        variant->constraints = rft_arena_calloc(arena, 1, sizeof *variant->constraints);
        size_t *needs = rft_arena_calloc(arena, 2, sizeof *needs);
        needs[1] = 1;
        variant->constraints[0] = (rft_constraint){
            .text = "VEC * BLOCK <= n", .params = needs, .param_count = 2, .axes = needs, .axis_count = 1};
    }
    out->cartesian = rft_arena_calloc(arena, 6, sizeof *out->cartesian);
    out->valid = rft_arena_calloc(arena, 6, sizeof *out->valid);
    for (size_t i = 0; i < 6; i++) {
        out->cartesian[i] = i == 5 ? UINT64_MAX : 3 * i;
        out->valid[i] = i;
    }
    out->unexplored = "budget of 500";
}

static void fill_texts(rft_arena *arena, rft_run_sweep *out) {
    rft_sweep *sweep = &out->sweep;
    *sweep = (rft_sweep){.name = "kopieren \xc3\xa4\xc3\xb6 \xe2\x82\xac",
                         .path = "c.lua",
                         .script_hash = "ab",
                         .measure = RFT_MEASURE_OPTS_INIT};
    sweep->measure.cache = RFT_CACHE_HOT;
    sweep->search.strategy = "random";
    sweep->axis_count = 1;
    sweep->axes = rft_arena_calloc(arena, 1, sizeof *sweep->axes);
    sweep->axes[0] = (rft_axis){.name = "causal", .swept = true};
    sweep->axes[0].values = VALUES(arena, &sweep->axes[0].value_count, rft_value_bool(false), rft_value_bool(true));
    sweep->problem_count = 2;
    sweep->problems = rft_arena_calloc(arena, 2, sizeof *sweep->problems);
    size_t one;
    sweep->problems[0].values = VALUES(arena, &one, rft_value_bool(false));
    sweep->problems[1].values = VALUES(arena, &one, rft_value_bool(true));
    sweep->variant_count = 1;
    sweep->variants = rft_arena_calloc(arena, 1, sizeof *sweep->variants);
    rft_variant *variant = &sweep->variants[0];
    *variant = (rft_variant){.name = "copy", .kernel = "copy", .source = "c.cu", .entry = "copy"};
    variant->param_count = 1;
    variant->params = rft_arena_calloc(arena, 1, sizeof *variant->params);
    variant->params[0] =
        (rft_param){.name = "COPY", .help = "how: \"ld\" or\n\"tma\"", .default_value = rft_value_text("ld")};
    variant->params[0].values =
        VALUES(arena, &variant->params[0].value_count, rft_value_text("ld"), rft_value_text("tma"));
}

static rft_point *add_point(rft_run *run, size_t sweep, size_t variant, size_t problem, rft_outcome outcome) {
    rft_point *point = &run->points[run->point_count++];
    *point = (rft_point){.prior = (double)NAN,
                         .id = (int64_t)run->point_count,
                         .sweep = sweep,
                         .variant = variant,
                         .problem = problem,
                         .outcome = outcome};
    const rft_variant *data = &run->sweeps[sweep].sweep.variants[variant];
    point->config = rft_arena_calloc(run->arena, data->param_count, sizeof *point->config);
    for (size_t i = 0; i < data->param_count; i++) {
        point->config[i] = data->params[i].values[run->point_count % data->params[i].value_count];
    }
    point->facts = rft_facts_unknown();
    point->traffic = rft_traffic_unknown();
    for (int round = 0; round < RFT_ROUNDS; round++) {
        point->rounds[round] = rft_measurement_none();
    }
    return point;
}

static void fill_round(rft_run *run, rft_point *point, int round, size_t n, uint64_t seed) {
    rft_measurement *measurement = &point->rounds[round];
    measurement->samples_s = rft_arena_calloc(run->arena, n, sizeof(double));
    measurement->n = n;
    for (size_t i = 0; i < n; i++) {
        /* What a device's events give: a float of milliseconds. */
        float ms = (float)(0.7 + 0.001 * rft_random_unit(&seed) + 0.1 * (double)round);
        measurement->samples_s[i] = (double)ms * 1e-3;
    }
    if (round == 1) { /* round 0 is of a rooftune that did not keep them */
        measurement->clocks_mhz = rft_arena_calloc(run->arena, n, sizeof(double));
        for (size_t i = 0; i < n; i++) {
            measurement->clocks_mhz[i] = i == 3 ? (double)NAN : 1965.25 + (double)i;
        }
        measurement->batch = 32;
        measurement->floor_s = 2.6875e-6;
        measurement->cache = RFT_CACHE_ROTATING;
        measurement->attempts = 3;
        measurement->throttled_frac = 0.4;
        measurement->throttled_below_mhz = 1978.125;
        measurement->throttled_by = "sw_thermal";
        measurement->throttle_note = "40 % of the samples ran below \"it\"; measured 3 times";
        measurement->turns = 2;
        measurement->process_count = 2;
        measurement->process_n = rft_arena_calloc(run->arena, 2, sizeof(size_t));
        measurement->process_n[0] = n - 1;
        measurement->process_n[1] = 1;
    }
    measurement->stats = rft_stats_of(measurement->samples_s, n);
    measurement->stop = round ? RFT_STOP_SAMPLES : RFT_STOP_SETTLED;
    measurement->clock_mhz = 1965;
    measurement->wall_s = 0.123456789;
    measurement->verify_s = 0.01;
    measurement->busy_s = 0.0625;
}

static void fill_measured(rft_run *run, rft_point *point) {
    point->has_launch = true;
    point->is_default = true;
    point->grid[0] = 65536;
    point->grid[1] = point->grid[2] = 1;
    point->block[0] = 256;
    point->block[1] = point->block[2] = 1;
    point->facts = (rft_facts){.registers = 32,
                               .spill_bytes = 0,
                               .stack_bytes = 0,
                               .shared_static_bytes = 1024,
                               .shared_dynamic_bytes = 1LL << 40,
                               .blocks_per_sm = 8,
                               .occupancy_frac = 2.0 / 3.0,
                               .waves = 62.06,
                               .cubin_hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                               .compile_s = 0.412345678,
                               .from_cache = true};
    point->verification = (rft_verification){.done = true,
                                             .tol = 1.0 / 3.0,
                                             .worst_frac = 0.07,
                                             .rms_frac = 0.07 / 3,
                                             .worst_abs_error = 1e-4,
                                             .got = 1.00010001,
                                             .want = 1.0,
                                             .buffer = "y",
                                             .index = UINT64_MAX - 1,
                                             .wrong_count = 0,
                                             .total_count = 16384};
    fill_round(run, point, 0, 20, (uint64_t)point->id);
    point->work.pipe_ops[RFT_PIPE_FP16] = 536870912.0;
    point->work.bytes_read = 33554432.5;
    point->work.bytes_written = 8192;
    point->work.items = 4096;
    point->work.item_name = "row";
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_COUNTED;
    point->traffic.level_bytes[RFT_LEVEL_L2] = 1e9 / 7.0;
    point->traffic.pipe_ops[RFT_PIPE_FP16] = 5e8;
    point->traffic.dram_read_frac = 0.99;
    point->traffic.warp_instructions = 12345678;
}

/* Some counted, one refused, one withdrawn, most not asked for, and two of the profiler's own. */
static const rft_counters *some_counters(rft_run *run) {
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    rft_counter_raw raw[] = {{"lts__t_sectors.sum", 1e9 / 7.0, NULL}, {"x__y.avg", NAN, "the chip has \"none\""}};
    counters.passes = 3;
    counters.values[RFT_COUNTER_DRAM_READ] = 1e9 / 3.0;
    counters.reasons[RFT_COUNTER_DRAM_READ] = NULL;
    counters.values[RFT_COUNTER_SHARED_CONFLICTS] = 0.0;
    counters.reasons[RFT_COUNTER_SHARED_CONFLICTS] = NULL;
    counters.reasons[RFT_COUNTER_WARPS_ACTIVE] = "above 1";
    counters.raw = raw;
    counters.raw_count = 2;
    return rft_counters_copy(&counters, run->arena);
}

static void fill_points(rft_run *run) {
    run->points = rft_arena_calloc(run->arena, 64, sizeof *run->points);
    rft_point *odd = add_point(run, 0, 1, 0, RFT_OUTCOME_OK);
    fill_measured(run, odd);
    odd->rounds[0] = rft_measurement_none();
    odd->rounds[0].verify_s = 0.25;
    rft_point *best = add_point(run, 0, 1, 2, RFT_OUTCOME_OK);
    fill_measured(run, best);
    fill_round(run, best, 1, 30, 99);
    best->rounds[1].step_s = rft_arena_calloc(run->arena, 2, sizeof(double));
    best->rounds[1].step_s[0] = 0.0005;
    best->rounds[1].step_s[1] = 0.0002;
    best->step_count = 2;
    best->steps = rft_arena_calloc(run->arena, 2, sizeof *best->steps);
    best->steps[0] = (rft_step){.name = "memset \"part\"", .has_work = true, .work = {.bytes_written = 1e9 / 3.0}};
    best->steps[0].traffic = rft_traffic_unknown();
    best->steps[1] = (rft_step){.name = "scan<256, true>", .traffic = rft_traffic_unknown()};
    best->steps[1].traffic.present = true;
    best->steps[1].traffic.evidence = RFT_EVIDENCE_MODELLED;
    best->steps[1].traffic.level_bytes[RFT_LEVEL_DRAM] = 12345678.5;
    best->steps[1].traffic.dram_read_frac = 0.5;
    best->rounds[1].step_count = 2;
    best->rounds[1].clock_mhz = NAN;
    best->counters = some_counters(run);
    rft_point *alias = add_point(run, 0, 1, 2, RFT_OUTCOME_OK);
    fill_measured(run, alias);
    alias->counters = best->counters;
    alias->alias_of = best->id;
    alias->is_default = false;
    alias->rounds[0] = best->rounds[0];
    alias->rounds[1] = best->rounds[1];
    for (int outcome = RFT_OUTCOME_NOISY; outcome < RFT_OUTCOME_COUNT; outcome++) {
        rft_point *point = add_point(run, outcome % 2 ? 0 : 1, 0, 1, (rft_outcome)outcome);
        point->reason = "why: \"this\" \\ that\tand\nthat";
        point->workers_lost = outcome == RFT_OUTCOME_CRASHED ? 2 : 0;
        point->log = outcome % 2 ? "kernel.cu(3): error: identifier \"x\" is undefined" : NULL;
        if (outcome == RFT_OUTCOME_NOISY) {
            fill_measured(run, point);
            point->rounds[0].cache = RFT_CACHE_HOT;
        } else if (outcome == RFT_OUTCOME_WRONG_RESULT) {
            point->verification = (rft_verification){.done = true,
                                                     .tol = 0,
                                                     .worst_frac = INFINITY,
                                                     .worst_abs_error = 3.0,
                                                     .got = NAN,
                                                     .want = -1,
                                                     .buffer = "out",
                                                     .index = 7,
                                                     .wrong_count = 12,
                                                     .total_count = 1024};
        }
    }
}

/* Energy that is known, a soak whose power is not, and the idle device. */
static void fill_loads(rft_run *run) {
    enum { SAMPLES = 9, COUNTED = 3 };
    rft_load *energy = rft_arena_alloc(run->arena, sizeof *energy), *soak = rft_arena_alloc(run->arena, sizeof *soak);
    rft_load *idle = rft_arena_alloc(run->arena, sizeof *idle);
    *energy = *idle = rft_load_none(RFT_LOAD_ENERGY, NULL);
    energy->source = idle->source = "energy counter";
    energy->asked_s = 1.0;
    energy->window_s = 1.25;
    energy->runs = 2500;
    energy->run_s = 0.0005;
    energy->restored = true;
    energy->power_w = 512.25;
    energy->joules_per_run = 0.256125;
    energy->uncertainty_frac = 0.015;
    energy->update_s = 0.1;
    energy->temperature_start_c = 41;
    energy->temperature_end_c = 44;
    energy->throttled_frac[RFT_THROTTLE_POWER_CAP] = 0.75;
    energy->clock_mhz = 1755;
    idle->kind = RFT_LOAD_IDLE;
    idle->power_w = 118.5;
    idle->uncertainty_frac = 0.015;
    *soak = rft_load_none(RFT_LOAD_SOAK, NULL);
    soak->energy_reason = "the device gives neither energy nor power";
    soak->asked_s = 60;
    soak->n = SAMPLES;
    soak->samples_s = rft_arena_calloc(run->arena, SAMPLES, sizeof *soak->samples_s);
    soak->at_s = rft_arena_calloc(run->arena, SAMPLES, sizeof *soak->at_s);
    soak->clocks_mhz = rft_arena_calloc(run->arena, SAMPLES, sizeof *soak->clocks_mhz);
    for (int i = 0; i < SAMPLES; i++) {
        soak->samples_s[i] = 0.001 + i * 1e-5;
        soak->at_s[i] = 0.25 + i;
        soak->clocks_mhz[i] = i == 4 ? (double)NAN : 1980 - 5.5 * i;
    }
    soak->stats = rft_stats_of(soak->samples_s + SAMPLES - COUNTED, COUNTED);
    run->idle = idle;
    run->points[1].loads[RFT_LOAD_ENERGY] = energy;
    run->points[1].loads[RFT_LOAD_SOAK] = soak;
    rft_load *failed = rft_arena_alloc(run->arena, sizeof *failed);
    *failed = rft_load_none(RFT_LOAD_ENERGY, "an illegal memory access was encountered");
    run->points[3].loads[RFT_LOAD_ENERGY] = failed;
}

/* On n=4096 one of each kind; on n=1024 the library was not there. */
static void fill_baselines(rft_run *run) {
    enum { COUNT = 20 };
    rft_arena *arena = run->arena;
    for (int i = 0; i < 5; i++) {
        static const char *const which[] = {"best", "first", "best", "first", "given"};
        rft_baseline b = rft_baseline_none(arena, 0, i < 2 ? 1 : 2, i == 4 ? "torch.matmul" : "cuBLASLt", which[i]);
        rft_measurement *m = &b.measurement;
        if (i < 2) {
            b.outcome = RFT_OUTCOME_SKIPPED;
            b.reason = "cuBLASLt was not found; remedy: install it";
        } else if (i < 4) {
            b.tried = 8;
            b.library = "cuBLASLt 13.1.0";
            b.algo = i == 2 ? "algo 66, tile 128x256" : "algo 5";
            b.verification = (rft_verification){.done = true,
                                                .tol = 0.001,
                                                .worst_frac = 0.25 / 3,
                                                .rms_frac = 0.01 / 3,
                                                .worst_abs_error = 1e-5,
                                                .got = 1.5,
                                                .want = 1.50001,
                                                .buffer = "y",
                                                .index = 77,
                                                .total_count = 4096};
            m->samples_s = rft_arena_calloc(arena, COUNT, sizeof *m->samples_s);
            m->clocks_mhz = i == 2 ? rft_arena_calloc(arena, COUNT, sizeof *m->clocks_mhz) : NULL;
            for (int k = 0; k < COUNT; k++) {
                m->samples_s[k] = (i == 2 ? 784e-6 : 1.6e-3) + k * 1e-8;
                if (m->clocks_mhz) {
                    m->clocks_mhz[k] = k == 3 ? (double)NAN : 1980.25 - k;
                }
            }
            m->n = COUNT;
            m->stats = rft_stats_of(m->samples_s, COUNT);
            m->stop = RFT_STOP_SETTLED;
            m->clock_mhz = 1979;
            m->wall_s = 0.125;
            m->busy_s = 0.02;
        } else {
            b.source = "do_bench of 2026-11-20, \"another\" machine";
            m->stats.median = 500e-6;
        }
        rft_run_put_baseline(run, &b);
    }
}

/* One of them failed. */
static void fill_references(rft_run *run) {
    rft_reference reading = {.sweep = 0, .problem = 2, .point = 2, .after_point = 3, .time_s = 1.5, .n = 6};
    reading.median = 0.00125;
    reading.low = 0.0012;
    reading.high = 0.0013;
    reading.clock_mhz = 1979.5;
    rft_run_add_reference(run, &reading);
    reading.after_point = 5;
    reading.n = 0;
    reading.time_s = reading.median = reading.low = reading.high = reading.clock_mhz = NAN;
    rft_run_add_reference(run, &reading);
}

rft_run *sample_run_new(void) {
    rft_run *run = rft_run_new();
    run->info = (rft_run_info){.id = "0123456789ab",
                               .tool_version = "0.1.0",
                               .tool_revision = "abcdef0+",
                               .command = "rooftune run sweeps/gemv.lua",
                               .started_unix_ns = 1795255800123456789,
                               .finished_unix_ns = 1795255923000000000,
                               .seed = 0x8000000000000001u,
                               .replay_of = "ba9876543210",
                               .replay_path = "gemv.json.gz",
                               .replay_started_unix_ns = 1795000000000000000,
                               .recompiled = 12,
                               .recompiled_same = 11,
                               .elapsed_s = 12.5,
                               .busy_s = NAN,
                               .compile_s = 7.25};
    fill_gpu(run);
    rft_env_set(&run->env, run->arena, "host.cpu", "EPYC 9654", NULL);
    rft_env_set(&run->env, run->arena, "gpu.power_limit_w", NULL, "NVML is not there");
    rft_env_set(&run->env, run->arena, "gpu.ecc", "on", NULL);
    fill_ceilings(run);
    run->sweep_count = 2;
    run->sweeps = rft_arena_calloc(run->arena, 2, sizeof *run->sweeps);
    fill_ladder(run->arena, &run->sweeps[0]);
    fill_texts(run->arena, &run->sweeps[1]);
    fill_points(run);
    fill_loads(run);
    fill_baselines(run);
    fill_references(run);
    rft_run_fill_repeats(run); /* as who reads one does */
    return run;
}

rft_run *sample_run_large(size_t points, size_t samples) {
    rft_run *run = sample_run_new();
    uint64_t state = 42;
    run->points = rft_arena_calloc(run->arena, points, sizeof *run->points);
    run->point_count = 0;
    for (size_t i = 0; i < points; i++) {
        char hash[RFT_HASH_HEX_SIZE];
        rft_point *point = add_point(run, 0, 1, 1 + i % 2, RFT_OUTCOME_OK);
        fill_measured(run, point);
        fill_round(run, point, 0, samples, rft_random_next(&state));
        rft_hash_hex(&i, sizeof i, hash);
        point->facts.cubin_hash = rft_arena_strdup(run->arena, hash);
        point->facts.compile_s = 0.2 + rft_random_unit(&state);
        point->facts.registers = (int)(16 + rft_random_below(&state, 200));
        point->facts.waves = rft_random_unit(&state) * 100;
        point->rounds[0].wall_s = rft_random_unit(&state);
        point->verification.worst_frac = rft_random_unit(&state);
        point->verification.worst_abs_error = 1e-4 * rft_random_unit(&state);
        point->verification.got = rft_random_unit(&state);
        point->traffic.level_bytes[RFT_LEVEL_L2] = floor(1e9 * rft_random_unit(&state));
        point->traffic.level_bytes[RFT_LEVEL_SHARED] = floor(1e9 * rft_random_unit(&state));
    }
    rft_run_fill_repeats(run);
    return run;
}

static char folders[256][32];
static size_t folder_count;

const char *temporary_path(int slot, const char *name) {
    static char paths[8][512];
    char *folder = folders[folder_count++ % 256];
    rft_text_format(folder, sizeof folders[0], "/tmp/rft-store-XXXXXX");
    assert_non_null(mkdtemp(folder));
    rft_text_format(paths[slot], sizeof paths[slot], "%s/%s", folder, name);
    return paths[slot];
}

int remove_temporary_paths(void **state) {
    (void)state;
    for (size_t i = 0; i < folder_count && i < 256; i++) {
        char **names = NULL;
        size_t count = 0;
        if (rft_fs_list(&names, &count, folders[i], NULL, NULL) == 0) {
            for (size_t k = 0; k < count; k++) {
                char *path = rft_fs_join(folders[i], names[k]);
                if (remove(path) != 0) {
                    print_message("%s stays\n", path);
                }
                free(path);
            }
            rft_fs_list_free(names, count);
        }
        rmdir(folders[i]);
    }
    return 0;
}
