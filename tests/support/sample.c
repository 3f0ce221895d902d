/* SPDX-License-Identifier: Apache-2.0 */
#include "support/sample.h"

#include "base/hash.h"
#include "model/roofline/counted.h"

#include <math.h>
#include <string.h>

#define SAMPLES 12

static rft_stats around(double median, double spread_frac) {
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = median * (1 + spread_frac * (i - (SAMPLES - 1) / 2.0) / SAMPLES);
    }
    return rft_stats_of(samples, SAMPLES);
}

static void set_ceiling(rft_run *run, rft_ceiling_id id, double rate, const char *kernel) {
    rft_ceiling *ceiling = &run->ceilings.items[id];
    ceiling->measured = true;
    ceiling->reason = NULL;
    ceiling->stats = around(rate, 0.004);
    ceiling->kernel = kernel;
    ceiling->clock_mhz = 1980;
}

static void set_sheet(rft_run *run, rft_ceiling_id id, double sheet, const char *basis, double limit,
                      const char *limit_basis) {
    rft_ceiling *ceiling = &run->ceilings.items[id];
    ceiling->datasheet = sheet;
    ceiling->datasheet_basis = basis;
    ceiling->limit = limit;
    ceiling->limit_basis = limit_basis;
}

static void set_ceilings(rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id].reason = "no kernel of rooftune's measures it yet";
    }
    set_ceiling(run, RFT_CEILING_DRAM_READ, 4.31e12, "sum, 16-byte loads, 8 in flight, 4 GiB");
    set_ceiling(run, RFT_CEILING_DRAM_WRITE, 4.05e12, "fill, 16-byte stores, 4 GiB");
    set_ceiling(run, RFT_CEILING_DRAM_COPY, 4.27e12, "copy, 16-byte loads, 4 in flight, 2 x 2 GiB");
    set_ceiling(run, RFT_CEILING_DRAM_2TO1, 4.37e12, "triad, 16-byte loads, 4 in flight, 3 x 1 GiB");
    set_ceiling(run, RFT_CEILING_L2_READ, 9.6e12, "sum of 24 MiB, again and again");
    set_ceiling(run, RFT_CEILING_FP32, 62.1e12, "16 independent FMA chains a thread, full occupancy");
    set_ceiling(run, RFT_CEILING_LAUNCH, 2.72e-6, "empty kernel, one block");
    for (int id = RFT_CEILING_DRAM_READ; id <= RFT_CEILING_DRAM_2TO1; id++) {
        set_sheet(run, (rft_ceiling_id)id, 4.8e12, "H200 datasheet", 4.917e12, "3201 MHz x 2 x 6144 bit");
    }
    set_sheet(run, RFT_CEILING_FP32, 66.9e12, "at 1980 MHz", 66.9e12, "132 SMs x 128 lanes x 2 x 1980 MHz");
    set_sheet(run, RFT_CEILING_TENSOR_BF16, 989e12, "dense, at 1830 MHz", 1070e12, "132 x 4096 x 1980 MHz");
}

static void set_environment(rft_run *run) {
    rft_arena *arena = run->arena;
    rft_env_set(&run->env, arena, "driver.version", "580.159.04", NULL);
    rft_env_set(&run->env, arena, "driver.cuda", "13.0", NULL);
    rft_env_set(&run->env, arena, "nvrtc.version", "13.0.88", NULL);
    rft_env_set(&run->env, arena, "gpu.memory_type", "HBM3e", NULL);
    rft_env_set(&run->env, arena, "gpu.power_limit_w", "700", NULL);
    rft_env_set(&run->env, arena, "gpu.ecc", "on", NULL);
    rft_env_set(&run->env, arena, "gpu.mig", "off", NULL);
    rft_env_set(&run->env, arena, "gpu.processes", NULL, "the container hides other processes");
    rft_env_set(&run->env, arena, "host.cpu", "16 cores", NULL);
    rft_env_set(&run->env, arena, "host.os", "Ubuntu 24.04", NULL);
    rft_env_set(&run->env, arena, "cupti.version", NULL, "counters are off: no permission (ERR_NVGPUCTRPERM)");
}

rft_run *sample_empty(void) {
    rft_run *run = rft_run_new();
    run->gpu.name = "NVIDIA H200";
    run->gpu.arch = "sm_90a";
    run->gpu.uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
    run->gpu.pci_id = "0000:19:00.0";
    run->gpu.cc_major = 9;
    run->gpu.sms = 132;
    run->gpu.max_threads_per_sm = 2048;
    run->gpu.registers_per_sm = 65536;
    run->gpu.shared_per_block = 232448;
    run->gpu.shared_per_sm = 233472;
    run->gpu.l2_bytes = 62914560;
    run->gpu.memory_bytes = 150109880320;
    run->gpu.memory_free_bytes = 149000000000;
    run->gpu.sm_clock_khz = 1980000;
    run->gpu.memory_clock_khz = 3201000;
    run->gpu.memory_bus_bits = 6144;
    run->gpu.driver_version = 13000;
    run->info.id = "3f2a9c41d07b";
    run->info.tool_version = "0.1.0";
    run->info.tool_revision = "de4eaff";
    run->info.command = "rooftune run sweeps/copy_scale.lua sweeps/gemv.lua sweeps/matmul_fp32.lua -d 0";
    run->info.started_unix_ns = 1795253400LL * 1000000000;
    run->info.finished_unix_ns = 1795254060LL * 1000000000;
    run->info.seed = 1;
    set_environment(run);
    set_ceilings(run);
    return run;
}

/* ---- building blocks ---- */
static rft_sweep *add_sweep(rft_run *run, const char *name, size_t *index) {
    rft_run_sweep *bigger = rft_arena_calloc(run->arena, run->sweep_count + 1, sizeof *bigger);
    if (run->sweep_count) {
        memcpy(bigger, run->sweeps, run->sweep_count * sizeof *bigger);
    }
    run->sweeps = bigger;
    *index = run->sweep_count++;
    rft_sweep *sweep = &run->sweeps[*index].sweep;
    sweep->name = name;
    sweep->path = rft_arena_printf(run->arena, "sweeps/%s.lua", name);
    sweep->script_hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    sweep->measure = (rft_measure_opts)RFT_MEASURE_OPTS_INIT;
    sweep->search = (rft_search_opts){.strategy = "exhaustive", .seed = 1};
    return sweep;
}

static rft_value *int_values(rft_run *run, const int *values, size_t count) {
    rft_value *made = rft_arena_calloc(run->arena, count ? count : 1, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        made[i] = rft_value_int(values[i]);
    }
    return made;
}

/* One axis "n" with a problem per value, and an odd one before them when `odd` is not 0. */
static void set_axis(rft_run *run, rft_sweep *sweep, const int *values, size_t count, int odd) {
    sweep->axes = rft_arena_calloc(run->arena, 1, sizeof *sweep->axes);
    sweep->axis_count = 1;
    sweep->axes[0] = (rft_axis){
        .name = "n", .values = int_values(run, values, count), .value_count = count, .swept = true, .along = true};
    sweep->problems = rft_arena_calloc(run->arena, count + 1, sizeof *sweep->problems);
    if (odd) {
        sweep->problems[sweep->problem_count].values = int_values(run, &odd, 1);
        sweep->problems[sweep->problem_count++].odd = true;
    }
    for (size_t i = 0; i < count; i++) {
        sweep->problems[sweep->problem_count++].values = int_values(run, &values[i], 1);
    }
}

static rft_variant *add_variant(rft_run *run, rft_sweep *sweep, const char *name) {
    rft_variant *bigger = rft_arena_calloc(run->arena, sweep->variant_count + 1, sizeof *bigger);
    if (sweep->variant_count) {
        memcpy(bigger, sweep->variants, sweep->variant_count * sizeof *bigger);
    }
    sweep->variants = bigger;
    rft_variant *variant = &sweep->variants[sweep->variant_count++];
    variant->name = name;
    variant->kernel = sweep->name;
    variant->source = rft_arena_printf(run->arena, "kernels/%s.cu", sweep->name);
    variant->entry = "kernel";
    return variant;
}

static void add_param(rft_run *run, rft_variant *variant, const char *name, const char *help, int standard,
                      const int *values, size_t count) {
    rft_param *bigger = rft_arena_calloc(run->arena, variant->param_count + 1, sizeof *bigger);
    if (variant->param_count) {
        memcpy(bigger, variant->params, variant->param_count * sizeof *bigger);
    }
    variant->params = bigger;
    variant->params[variant->param_count++] = (rft_param){.name = name,
                                                          .help = help,
                                                          .default_value = rft_value_int(standard),
                                                          .values = int_values(run, values, count),
                                                          .value_count = count};
}

static void add_constraint(rft_run *run, rft_variant *variant, const char *text) {
    variant->constraints = rft_arena_calloc(run->arena, 1, sizeof *variant->constraints);
    variant->constraints[variant->constraint_count++].text = text;
}

static void count_space(rft_run *run, size_t s) {
    rft_run_sweep *kept = &run->sweeps[s];
    size_t count = kept->sweep.variant_count * kept->sweep.problem_count;
    kept->cartesian = rft_arena_calloc(run->arena, count + 1, sizeof(uint64_t));
    kept->valid = rft_arena_calloc(run->arena, count + 1, sizeof(uint64_t));
    for (size_t v = 0; v < kept->sweep.variant_count; v++) {
        uint64_t product = 1;
        for (size_t i = 0; i < kept->sweep.variants[v].param_count; i++) {
            product *= kept->sweep.variants[v].params[i].value_count;
        }
        for (size_t p = 0; p < kept->sweep.problem_count; p++) {
            kept->cartesian[v * kept->sweep.problem_count + p] = product;
        }
    }
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == s) {
            kept->valid[run->points[i].variant * kept->sweep.problem_count + run->points[i].problem]++;
        }
    }
}

static rft_point *add_point(rft_run *run, size_t sweep, size_t variant, size_t problem) {
    /* Doubling in an arena: the sizes that were outgrown are kept until the run goes. */
    if ((run->point_count & (run->point_count + 1)) == 0) {
        rft_point *bigger = rft_arena_calloc(run->arena, 2 * run->point_count + 1, sizeof *bigger);
        if (run->point_count) {
            memcpy(bigger, run->points, run->point_count * sizeof *bigger);
        }
        run->points = bigger;
    }
    rft_point *point = &run->points[run->point_count++];
    memset(point, 0, sizeof *point);
    point->id = (int64_t)run->point_count;
    point->sweep = sweep;
    point->variant = variant;
    point->problem = problem;
    point->facts = rft_facts_unknown();
    point->traffic = rft_traffic_unknown();
    return point;
}

void sample_fail(rft_point *point, rft_outcome outcome, const char *reason) {
    point->outcome = outcome;
    point->reason = reason;
    point->verification.done = false;
    point->verification.worst_frac = NAN;
    for (int r = 0; r < RFT_ROUNDS; r++) {
        point->rounds[r] = (rft_measurement){.clock_mhz = NAN};
    }
}

static void measure(rft_run *run, rft_point *point, double median_s, uint64_t *seed) {
    rft_measurement *round = &point->rounds[0];
    round->n = SAMPLES;
    round->samples_s = rft_arena_calloc(run->arena, SAMPLES, sizeof(double));
    double spread = 0.002 + 0.004 * rft_random_unit(seed);
    for (int i = 0; i < SAMPLES; i++) {
        round->samples_s[i] = median_s * (1 + spread * (rft_random_unit(seed) - 0.5));
    }
    round->stats = rft_stats_of(round->samples_s, SAMPLES);
    round->stop = RFT_STOP_SETTLED;
    round->clock_mhz = 1965 + 15 * rft_random_unit(seed);
    point->outcome = RFT_OUTCOME_OK;
    point->verification = (rft_verification){.done = true,
                                             .tol = 1.2e-6,
                                             .worst_frac = 0.2 + 0.3 * rft_random_unit(seed),
                                             .worst_abs_error = 3.1e-7,
                                             .got = 1,
                                             .want = 1,
                                             .buffer = "y",
                                             .index = 4711,
                                             .total_count = 1 << 20};
    point->facts.registers = 32 + (int)rft_random_below(seed, 96);
    point->facts.spill_bytes = 0;
    point->facts.occupancy_frac = 0.25 * (1 + (double)rft_random_below(seed, 4));
}

/* Every combination of a variant's values on a problem; `cost` gives the time, NaN leaves the point out. */
typedef double (*cost_function)(const rft_variant *variant, const int *values, double n);
typedef void (*work_function)(rft_point *point, double n);

static void add_grid(rft_run *run, size_t s, size_t v, size_t p, cost_function cost, work_function work) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    const rft_variant *variant = &sweep->variants[v];
    double n = rft_value_number(&sweep->problems[p].values[0]);
    uint64_t seed = 1000 * s + 100 * v + p + 1;
    size_t total = 1;
    for (size_t i = 0; i < variant->param_count; i++) {
        total *= variant->params[i].value_count;
    }
    for (size_t k = 0; k < total; k++) {
        int values[8] = {0};
        size_t rest = k;
        rft_value *config = rft_arena_calloc(run->arena, variant->param_count + 1, sizeof *config);
        bool standard = true;
        for (size_t i = variant->param_count; i-- > 0;) {
            config[i] = variant->params[i].values[rest % variant->params[i].value_count];
            rest /= variant->params[i].value_count;
            values[i] = (int)config[i].as.integer;
            standard = standard && rft_value_equal(&config[i], &variant->params[i].default_value);
        }
        double time_s = cost(variant, values, n);
        if (isnan(time_s)) {
            continue;
        }
        rft_point *point = add_point(run, s, v, p);
        point->config = config;
        point->prior = (double)NAN;
        point->is_default = standard;
        work(point, n);
        if (time_s < 0) {
            sample_fail(point, RFT_OUTCOME_SKIPPED, "needs 98.5 KiB of shared memory a block; the device has 48 KiB");
        } else {
            measure(run, point, time_s * (1 + 0.02 * rft_random_unit(&seed)), &seed);
        }
        if (sweep->problems[p].odd) {
            point->rounds[0] = (rft_measurement){.clock_mhz = NAN};
        }
    }
}

/* ---- copy ---- */
static void copy_work(rft_point *point, double n) {
    point->work.bytes_read = point->work.bytes_written = 4 * n;
    point->work.pipe_ops[RFT_PIPE_FP32] = n;
}

static double copy_cost(const rft_variant *variant, const int *values, double n) {
    (void)variant;
    double share = 0.70 + 0.07 * log2(values[0]) + (values[1] >= 256 ? 0.055 : 0.0);
    return 8 * n / (4.27e12 * fmin(share, 0.99)) + 2.2e-6;
}

size_t sample_add_copy(rft_run *run) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "copy_scale", &s);
    static const int sizes[] = {1 << 20, 1 << 24, 1 << 28};
    static const int widths[] = {1, 2, 4, 8}, blocks[] = {128, 256, 512, 1024};
    set_axis(run, sweep, sizes, 3, 0);
    rft_variant *variant = add_variant(run, sweep, "copy_scale");
    add_param(run, variant, "VEC", "floats per load", 1, widths, 4);
    add_param(run, variant, "BLOCK", "threads per block", 256, blocks, 4);
    for (size_t p = 0; p < 3; p++) {
        add_grid(run, s, 0, p, copy_cost, copy_work);
    }
    count_space(run, s);
    return s;
}

/* ---- gemv ---- */
static void gemv_work(rft_point *point, double n) {
    point->work.bytes_read = 2 * n * n + 2 * n;
    point->work.bytes_written = 2 * n;
    point->work.pipe_ops[RFT_PIPE_FP32] = 2 * n * n;
}

static double gemv_cost(const rft_variant *variant, const int *values, double n) {
    double kind = strcmp(variant->name, "naive") == 0 ? 0.31 : strcmp(variant->name, "vectorised") == 0 ? 0.95 : 0.93;
    double rows = values[0] == 4 ? 1.0 : values[0] == 2 ? 0.97 : values[0] == 8 ? 0.94 : 0.88;
    return 2 * n * n / (4.31e12 * kind * rows) + 4.1e-6;
}

size_t sample_add_gemv(rft_run *run) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "gemv_fp16", &s);
    static const int sizes[] = {1024, 2048, 4096, 8192, 16384};
    static const int rows[] = {1, 2, 4, 8}, blocks[] = {128, 256, 512};
    static const char *const names[] = {"naive", "vectorised", "x in shared memory"};
    set_axis(run, sweep, sizes, 5, 4097);
    for (int v = 0; v < 3; v++) {
        rft_variant *variant = add_variant(run, sweep, names[v]);
        add_param(run, variant, "ROWS", "rows per block", 1, rows, 4);
        add_param(run, variant, "BLOCK", "threads per block", 256, blocks, 3);
    }
    for (size_t v = 0; v < 3; v++) {
        for (size_t p = 0; p < sweep->problem_count; p++) {
            add_grid(run, s, v, p, gemv_cost, gemv_work);
        }
    }
    count_space(run, s);
    return s;
}

/* ---- matmul ---- */
static void matmul_work(rft_point *point, double n) {
    point->work.bytes_read = 8 * n * n;
    point->work.bytes_written = 4 * n * n;
    point->work.pipe_ops[RFT_PIPE_FP32] = 2 * n * n * n;
}

static double matmul_cost(const rft_variant *variant, const int *values, double n) {
    double flops = 2 * n * n * n, rate = 62.1e12, floor_s = 4.5e-6;
    if (strcmp(variant->name, "naive") == 0) {
        return flops / (rate * 0.06) + floor_s;
    }
    if (strcmp(variant->name, "tiled") == 0) {
        return flops / (rate * (values[0] == 32 ? 0.14 : values[0] == 16 ? 0.11 : 0.06)) + floor_s;
    }
    int m = values[0], k = values[1], reg = values[2];
    if (m == 256 && reg == 4) {
        return NAN; /* pruned by the constraint */
    }
    if (m == 256 && k == 32) {
        return -1; /* too much shared memory */
    }
    double share = 0.45 + (m == 128 ? 0.14 : m == 64 ? 0.02 : 0.09) + (reg == 8 ? 0.12 : 0) + (k == 16 ? 0.03 : 0);
    double full = fmin(1, n * n / ((double)m * m * 132));
    return flops / (rate * share * full) + floor_s;
}

static void spoil_matmul(rft_run *run, size_t s) {
    size_t seen = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        if (point->sweep != s || point->variant != 2 || point->outcome != RFT_OUTCOME_OK || point->is_default) {
            continue;
        }
        seen++;
        if (seen % 29 == 7) {
            sample_fail(point, RFT_OUTCOME_COMPILE_FAILED,
                        "matmul_fp32.cu(41): error: identifier \"frag\" is undefined");
        } else if (seen % 31 == 9) {
            sample_fail(point, RFT_OUTCOME_WRONG_RESULT, "element 77 of c: got 3.25, want 3.1416 (tolerance 1.2e-6)");
            point->verification.done = true;
            point->verification.worst_frac = 9.1e4;
            point->verification.tol = 1.2e-6;
        } else if (seen % 17 == 3) {
            point->outcome = RFT_OUTCOME_NOISY;
            point->rounds[0].stop = RFT_STOP_TIME;
        }
    }
}

/* What the tiles make of the work: bytes through L2 and shared memory. */
static void model_traffic(rft_run *run, size_t s) {
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        if (point->sweep == s && point->variant == 2) {
            double ops = point->work.pipe_ops[RFT_PIPE_FP32];
            point->traffic.present = true;
            point->traffic.evidence = RFT_EVIDENCE_MODELLED;
            point->traffic.level_bytes[RFT_LEVEL_DRAM] = rft_work_bytes(&point->work);
            point->traffic.level_bytes[RFT_LEVEL_L2] = ops * 4 / (double)point->config[0].as.integer;
        }
    }
}

size_t sample_add_matmul(rft_run *run) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "matmul_fp32", &s);
    static const int sizes[] = {128, 256, 512, 1024, 2048, 4096, 8192};
    static const int blocks[] = {8, 16, 32}, tiles[] = {64, 128, 256}, depths[] = {8, 16, 32}, regs[] = {4, 8};
    set_axis(run, sweep, sizes, 7, 1023);
    rft_variant *variant = add_variant(run, sweep, "naive");
    add_param(run, variant, "BLOCK", "threads per side", 16, blocks, 3);
    variant = add_variant(run, sweep, "tiled");
    add_param(run, variant, "TILE", "tile in shared memory", 16, blocks, 3);
    variant = add_variant(run, sweep, "register-tiled");
    add_param(run, variant, "TILE_M", "rows of a block's tile", 64, tiles, 3);
    add_param(run, variant, "TILE_K", "depth of a tile", 8, depths, 3);
    add_param(run, variant, "REG", "outputs a thread and side", 4, regs, 2);
    add_constraint(run, variant, "TILE_M / REG <= 32");
    for (size_t v = 0; v < 3; v++) {
        for (size_t p = 0; p < sweep->problem_count; p++) {
            add_grid(run, s, v, p, matmul_cost, matmul_work);
        }
    }
    count_space(run, s);
    spoil_matmul(run, s);
    model_traffic(run, s);
    return s;
}

rft_run *sample_full(void) {
    rft_run *run = sample_empty();
    sample_add_copy(run);
    sample_add_gemv(run);
    sample_add_matmul(run);
    return run;
}

size_t sample_add_many(rft_run *run, size_t count) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "many", &s);
    static const int sizes[] = {4096};
    int values[256];
    for (int i = 0; i < 256; i++) {
        values[i] = i + 1;
    }
    set_axis(run, sweep, sizes, 1, 0);
    rft_variant *variant = add_variant(run, sweep, "many");
    add_param(run, variant, "A", "", 1, values, 256);
    add_param(run, variant, "B", "", 1, values, 256);
    uint64_t seed = 42;
    for (size_t i = 0; i < count; i++) {
        rft_point *point = add_point(run, s, 0, 0);
        point->config = rft_arena_calloc(run->arena, 2, sizeof(rft_value));
        point->config[0] = rft_value_int((int64_t)(i / 256 % 256) + 1);
        point->config[1] = rft_value_int((int64_t)(i % 256) + 1);
        point->prior = (double)NAN;
        point->is_default = i == 0;
        matmul_work(point, 4096);
        measure(run, point, 137.4e9 / (62.1e12 * (0.05 + 0.6 * rft_random_unit(&seed))), &seed);
    }
    count_space(run, s);
    return s;
}

/* ---- one clear turn ---- */
#define TURN_WEIGHTS (8192.0 * 8192.0)

static void turn_work(rft_point *point, double m) {
    point->work.bytes_read = 2 * TURN_WEIGHTS;
    point->work.bytes_written = 0;
    point->work.pipe_ops[RFT_PIPE_FP32] = 2 * m * TURN_WEIGHTS;
}

static double turn_cost(const rft_variant *variant, const int *values, double m) {
    (void)variant;
    double waste = values[0] == 128 ? 1.0 : 1.07;
    return fmax(2 * TURN_WEIGHTS / 4.31e12, 2 * m * TURN_WEIGHTS / 62.1e12) / 0.92 * waste;
}

size_t sample_add_turn(rft_run *run) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "skinny", &s);
    static const int sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256}, blocks[] = {64, 128, 256};
    set_axis(run, sweep, sizes, 9, 0);
    sweep->axes[0].name = "m";
    rft_variant *variant = add_variant(run, sweep, "skinny");
    add_param(run, variant, "BLOCK", "threads per block", 64, blocks, 3);
    for (size_t p = 0; p < 9; p++) {
        add_grid(run, s, 0, p, turn_cost, turn_work);
    }
    count_space(run, s);
    return s;
}

static double single_cost(const rft_variant *variant, const int *values, double n) {
    (void)variant;
    (void)values;
    return 8 * n / 4e12 + 2e-6;
}

size_t sample_add_single(rft_run *run) {
    size_t s;
    rft_sweep *sweep = add_sweep(run, "single", &s);
    static const int size[] = {1 << 26}, block[] = {256};
    set_axis(run, sweep, size, 1, 0);
    rft_variant *variant = add_variant(run, sweep, "single");
    add_param(run, variant, "BLOCK", "threads per block", 256, block, 1);
    add_grid(run, s, 0, 0, single_cost, copy_work);
    count_space(run, s);
    return s;
}

void sample_fail_all(rft_run *run, rft_outcome outcome, const char *reason) {
    for (size_t i = 0; i < run->point_count; i++) {
        sample_fail(&run->points[i], outcome, reason);
    }
}

void sample_unverify_all(rft_run *run) {
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].verification = (rft_verification){.done = false, .tol = NAN, .worst_frac = NAN};
    }
}

void sample_forget_ceilings(rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id] = (rft_ceiling){.reason = "no device at hand",
                                                .stats = rft_stats_of(NULL, 0),
                                                .clock_mhz = NAN,
                                                .datasheet = NAN,
                                                .limit = NAN,
                                                .sustained_power_w = NAN};
    }
}

void sample_make_replay(rft_run *run) {
    run->info.replay_of = "77aa01c2e9f4";
    run->info.replay_path = "quick.json.gz";
    run->info.replay_started_unix_ns = run->info.started_unix_ns;
    run->info.started_unix_ns += 86400LL * 1000000000;
    run->info.finished_unix_ns += 86400LL * 1000000000;
    run->info.recompiled = 192;
    run->info.recompiled_same = 192;
}

static rft_counters counters_of(const rft_run *run, const rft_counted_choice *choice) {
    const rft_point *point = choice->point;
    const rft_work *work = &point->work;
    bool over = strcmp(run->sweeps[point->sweep].sweep.name, "matmul_fp32") == 0;
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.passes = choice->large ? 14 : 3;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (choice->large || rft_counter_in_default((rft_counter)i)) {
            counters.values[i] = 0;
            counters.reasons[i] = NULL;
        }
    }
    counters.values[RFT_COUNTER_TIME] = rft_point_median_s(point) * 1.1;
    counters.values[RFT_COUNTER_SM_CLOCK] = 1.98e9;
    counters.values[RFT_COUNTER_DRAM_READ] = work->bytes_read * (over ? 1.2 : 1.001);
    counters.values[RFT_COUNTER_DRAM_WRITE] = work->bytes_written;
    counters.values[RFT_COUNTER_L2_READ] = work->bytes_read / 32;
    counters.values[RFT_COUNTER_L2_WRITE] = work->bytes_written / 32;
    counters.values[RFT_COUNTER_L2_HIT] = work->bytes_read / 128;
    counters.values[RFT_COUNTER_WARPS_ACTIVE] = 0.87;
    counters.values[RFT_COUNTER_ISSUE] = 0.42;
    counters.values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 32;
    counters.values[RFT_COUNTER_FFMA] = work->pipe_ops[RFT_PIPE_FP32] / 2;
    if (choice->large) {
        counters.values[RFT_COUNTER_STALL_LONG_SCOREBOARD] = 3.0 + (double)choice->place / 8;
        counters.values[RFT_COUNTER_TENSOR_FP8] = NAN;
        counters.reasons[RFT_COUNTER_TENSOR_FP8] = "CUPTI has no such counter for GH100";
    }
    return counters;
}

static void give(rft_run *run, int64_t id, const rft_counters *counters) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].id == id) {
            run->points[i].counters = rft_counters_copy(counters, run->arena);
        }
    }
}

void sample_count(rft_run *run) {
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_counted_choice *choices = NULL;
        size_t count = rft_counted_choose(run, s, run->arena, &choices);
        for (size_t i = 0; i < count; i++) {
            rft_counters counters = counters_of(run, &choices[i]);
            give(run, choices[i].point->id, &counters);
        }
    }
}

void sample_refuse_counters(rft_run *run, const char *reason) {
    const rft_counter_set set = rft_counter_set_default();
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_counted_choice *choices = NULL;
        size_t count = rft_counted_choose(run, s, run->arena, &choices);
        for (size_t i = 0; i < count; i++) {
            rft_counters counters = rft_counters_refused(&set, reason, run->arena);
            give(run, choices[i].point->id, &counters);
        }
    }
}
