/* SPDX-License-Identifier: Apache-2.0 */
/* Work and modelled traffic of the shipped kernels against figures worked out by hand. */
#include "kernels/kernel_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

typedef struct fixture {
    rft_gpu_info gpu;
    rft_arena *arena;
    rft_script *script; /* NULL: none yet */
    const char *loaded; /* its name */
} fixture;

static size_t variant_named(const rft_sweep *sweep, const char *name) {
    for (size_t i = 0; i < sweep->variant_count; i++) {
        if (strcmp(sweep->variants[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("%s has no variant %s", sweep->name, name);
    return 0;
}

/* The timed problem whose swept axis has this value. */
static size_t problem_with(const rft_sweep *sweep, const char *axis, int64_t value) {
    for (size_t i = 0; i < sweep->problem_count; i++) {
        for (size_t a = 0; a < sweep->axis_count; a++) {
            if (!sweep->problems[i].odd && strcmp(sweep->axes[a].name, axis) == 0 &&
                sweep->problems[i].values[a].as.integer == value) {
                return i;
            }
        }
    }
    fail_msg("%s has no problem %s=%lld", sweep->name, axis, (long long)value);
    return 0;
}

static void set(rft_value *config, const rft_variant *variant, const char *param, int64_t value) {
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, param) == 0) {
            config[i] = rft_value_int(value);
            return;
        }
    }
    fail_msg("no parameter %s", param);
}

static void near(double got, double want) {
    if (!(fabs(got - want) <= 1e-9 * fabs(want))) {
        fail_msg("got %.17g, want %.17g", got, want);
    }
}

/* Sweep `index` of a script, which is kept until another is asked for. */
static const rft_sweep *sweep_of(fixture *f, const char *name, size_t index) {
    if (!f->script || strcmp(f->loaded, name) != 0) {
        rft_script_free(f->script);
        f->script = kernel_case_load(name, &f->gpu);
        f->loaded = name;
    }
    return rft_script_sweep(f->script, index);
}

/* The default configuration. */
static rft_point_spec point_of(fixture *f, const rft_sweep *sweep, size_t variant, size_t problem) {
    const rft_value *config = kernel_case_default(&sweep->variants[variant], f->arena);
    return kernel_case_point(sweep, variant, problem, config, f->arena);
}

static rft_point_spec spec_of(fixture *f, const rft_sweep *sweep, const char *variant, size_t problem) {
    return point_of(f, sweep, variant_named(sweep, variant), problem);
}

/* Useful share of what moves: 8 / (4 + min(4 s, 64)); sectors saturate at stride 8, memory at 16. */
static void strided_waste_grows_to_stride_16(void **state) {
    fixture *f = *state;
    static const struct {
        int64_t stride;
        double dram, l2; /* bytes an output */
    } rows[] = {{1, 8, 8}, {2, 12, 12}, {4, 20, 20}, {8, 36, 36}, {16, 68, 36}, {32, 68, 36}, {64, 68, 36}};
    const rft_sweep *sweep = sweep_of(f, "strided.lua", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t problem = problem_with(sweep, "stride", rows[i].stride);
        rft_point_spec spec = point_of(f, sweep, 0, problem);
        double outputs = 33554432;
        near(rft_work_bytes(&spec.work), 8 * outputs);
        assert_true(spec.traffic.present);
        near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], rows[i].dram * outputs);
        near(spec.traffic.level_bytes[RFT_LEVEL_L2], rows[i].l2 * outputs);
        assert_int_equal(spec.buffers[0].count, (uint64_t)(33554431 * rows[i].stride + 1));
    }
}

/* gcd(stride, 32) passes of 128 bytes a load of a warp; a pipe is busy once for each path that a warp's lanes take. */
static void passes_and_paths_of_a_warp(void **state) {
    fixture *f = *state;
    static const struct {
        int64_t stride;
        double passes;
    } strides[] = {{1, 1}, {12, 4}, {15, 1}, {32, 32}};
    static const struct {
        int64_t lanes;
        double paths;
    } shares[] = {{0, 1}, {1, 2}, {31, 2}, {32, 1}};
    const rft_sweep *banks = sweep_of(f, "experiments.lua", 0), *share = sweep_of(f, "experiments.lua", 2);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        const rft_value *config = kernel_case_default(&banks->variants[0], f->arena);
        size_t problem = problem_with(banks, "stride", strides[i].stride);
        rft_point_spec spec = kernel_case_point(banks, 0, problem, config, f->arena);
        double fill = 4096.0 * 4 * (31 * (double)strides[i].stride + 512); /* bytes, of 4096 blocks */
        near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], 1048576.0 / 32 * 512 * 128 * strides[i].passes + fill);
    }
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        size_t problem = problem_with(share, "lanes", shares[i].lanes);
        for (size_t variant = 0; variant < 2; variant++) { /* mixed, sorted */
            const rft_value *config = kernel_case_default(&share->variants[variant], f->arena);
            rft_point_spec spec = kernel_case_point(share, variant, problem, config, f->arena);
            near(spec.traffic.pipe_ops[RFT_PIPE_INT32],
                 spec.work.pipe_ops[RFT_PIPE_INT32] * (variant == 0 ? shares[i].paths : 1));
        }
    }
}

/* A random row's bytes in whole granules, its store and its id: 64 bytes of device memory, 32 of L2. */
static void short_rows_move_whole_granules(void **state) {
    fixture *f = *state;
    static const struct {
        int64_t floats;
        double dram, l2; /* bytes a row */
    } rows[] = {{1, 64 + 4 + 4, 32 + 4 + 4}, {8, 64 + 32 + 4, 32 + 32 + 4}, {256, 1024 + 1024 + 4, 1024 + 1024 + 4}};
    const rft_sweep *sweep = sweep_of(f, "gather.lua", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t problem = problem_with(sweep, "d", rows[i].floats);
        rft_point_spec spec = point_of(f, sweep, 0, problem);
        double count = (double)((1 << 26) / rows[i].floats - 3);
        near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], rows[i].dram * count);
        near(spec.traffic.level_bytes[RFT_LEVEL_L2], rows[i].l2 * count);
        assert_true(rft_work_bytes(&spec.work) < (8.0 * (double)rows[i].floats + 4) * count); /* some rows come twice */
    }
}

/* 4096^3: n / 6 FLOP a byte from memory at best; T / 4 between L2 and the SMs; 2 T^2 / 8 T from shared memory. */
static void matmul_intensities(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_fp32.lua", 0);
    size_t problem = problem_with(sweep, "n", 4096);
    double n = 4096, flops = 2 * n * n * n;

    size_t tiled = variant_named(sweep, "tiled");
    rft_value *config = kernel_case_default(&sweep->variants[tiled], f->arena);
    set(config, &sweep->variants[tiled], "TILE", 32);
    rft_point_spec spec = kernel_case_point(sweep, tiled, problem, config, f->arena);
    near(rft_work_ops(&spec.work), flops);
    near(rft_work_intensity(&spec.work), n / 6);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2] - 4 * n * n, flops / (32 / 4.0));

    size_t reg = variant_named(sweep, "register-tiled");
    config = kernel_case_default(&sweep->variants[reg], f->arena);
    spec = kernel_case_point(sweep, reg, problem, config, f->arena);
    double l2 = spec.traffic.level_bytes[RFT_LEVEL_L2], dram = spec.traffic.level_bytes[RFT_LEVEL_DRAM];
    near(l2 - 4 * n * n, flops / (128 / 4.0));
    assert_true(dram >= rft_work_bytes(&spec.work) && dram <= l2);
    /* 8 x 8: 16 floats for 64 multiplications, half of that through the pipe, and the tile written once. */
    near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], flops / 2 * 0.5 + (l2 - 4 * n * n));
}

/* 4096^3 in bf16: n / 3 FLOP a byte from memory at best, T / 2 between L2 and the SMs. A warp of 64 x 32 reads 96
 * elements of 2 bytes for 64 x 32 multiplications; without the swizzle eight rows of 128 bytes wait for one bank. */
static void tensor_matmul_intensities(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_bf16.lua", 0);
    size_t problem = problem_with(sweep, "n", 4096), v = variant_named(sweep, "mma.sync and ldmatrix");
    double n = 4096, flops = 2 * n * n * n, result = 2 * n * n;
    for (int swizzle = 0; swizzle < 2; swizzle++) {
        rft_value *config = kernel_case_default(&sweep->variants[v], f->arena);
        set(config, &sweep->variants[v], "BLOCK_K", 64);
        set(config, &sweep->variants[v], "WARP_N", 32);
        for (size_t i = 0; i < sweep->variants[v].param_count; i++) {
            if (strcmp(sweep->variants[v].params[i].name, "SWIZZLE") == 0) {
                config[i] = rft_value_bool(swizzle != 0);
            }
        }
        rft_point_spec spec = kernel_case_point(sweep, v, problem, config, f->arena);
        near(spec.work.pipe_ops[RFT_PIPE_TENSOR_BF16], flops);
        near(rft_work_intensity(&spec.work), n / 3);
        double read = spec.traffic.level_bytes[RFT_LEVEL_L2] - result;
        near(read, flops / (128 / 2.0));
        double fragments = flops / 2 * 2 * 96 / (64 * 32) * (swizzle ? 1 : 8);
        near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], fragments + read + 2 * result);
    }
}

/* 4096^3 in int8 to int32: tiles of 128 x 128, read by warps of 64 x 32, have a byte an element, C has 4; blocks stay,
 * one an SM. */
static void int8_in_turn(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_int8.lua", 0);
    double n = 4096, flops = 2 * n * n * n, result = 4 * n * n;
    rft_point_spec spec = spec_of(f, sweep, "mma.sync, tiles in turn", problem_with(sweep, "n", 4096));
    near(spec.work.pipe_ops[RFT_PIPE_TENSOR_INT8], flops);
    double read = flops / 2 * (128 + 128) / (128 * 128), fragments = flops / 2 * (64 + 32) / (64 * 32);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2], read + result);
    near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], fragments + read);
    assert_int_equal(spec.launches[0].grid[0], f->gpu.sms); /* 1024 tiles */
}

/* wgmma reads 64 + 256 elements of 2 bytes for 64 x 256 multiplications. A block fills its shared memory with tiles of
 * 128 x 256; a cluster of two reads L2 like one of 256 x 256; C passes shared memory twice. */
static void wgmma_intensities(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_bf16.lua", 0);
    double n = 4096, flops = 2 * n * n * n, result = 2 * n * n;
    rft_point_spec spec = spec_of(f, sweep, "C by TMA", problem_with(sweep, "n", 4096));
    near(spec.traffic.level_bytes[RFT_LEVEL_L2] - result, flops / (256 / 2.0));
    double instructions = flops / 2 * 2 * (64 + 256) / (64 * 256), filled = flops / 2 * 2 * (128 + 256) / (128 * 256);
    near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], instructions + filled + 2 * result);
    assert_int_equal(spec.launches[0].grid[0], f->gpu.sms); /* 512 tiles: blocks stay */
}

/* Of every 128 k's a row of A has a number of 4 bytes, and 128 columns of B, each a partial sum that is scaled and
 * added. */
static void scales_of_blocks(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_fp8_scaled.lua", 2);
    assert_string_equal(sweep->name, "matmul_fp8_blocks");
    double m = 4096, n = 7168, k = 16384;
    rft_point_spec spec = spec_of(f, sweep, "added up in fp32", problem_with(sweep, "n", 7168));
    near(rft_work_bytes(&spec.work), m * k + n * k + 2 * m * n + 4 * (m + n / 128) * (k / 128));
    near(spec.work.pipe_ops[RFT_PIPE_TENSOR_FP8], 2 * m * n * k);
    near(spec.traffic.pipe_ops[RFT_PIPE_FP32], 2 * m * n * (k / 128));
    rft_point_spec pieces = spec_of(f, sweep, "added up in pieces", problem_with(sweep, "n", 7168));
    near(pieces.traffic.pipe_ops[RFT_PIPE_FP32], 2 * m * n * (k / 128));
    /* mma.sync has no fp8 here: it is widened. */
    rft_point_spec wide = spec_of(f, sweep, "added up in fp32, mma.sync", problem_with(sweep, "n", 7168));
    near(rft_work_bytes(&wide.work), rft_work_bytes(&spec.work));
    near(wide.traffic.pipe_ops[RFT_PIPE_TENSOR_FP16], 2 * m * n * k);
    near(wide.traffic.pipe_ops[RFT_PIPE_TENSOR_FP8], 0);
    near(wide.traffic.pipe_ops[RFT_PIPE_FP32], 2 * m * n * (k / 128));
}

/* 4096^3 by six products of three planes of bf16: each tile comes once a plane, a cluster of two reads L2 like a block
 * of 256 x 128, and in front of that the operands' 4 bytes become 6. Useful work is the product's, once. */
static void emulated_products(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_emulated.lua", 0);
    double n = 4096, flops = 2 * n * n * n;
    rft_point_spec spec = spec_of(f, sweep, "bf16 x 6", problem_with(sweep, "n", 4096));
    near(rft_work_ops(&spec.work), flops);
    near(spec.traffic.pipe_ops[RFT_PIPE_TENSOR_BF16], 6 * flops);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2], 3 * 2 * n * n * (n / 256 + n / 128) + 4 * n * n + (4 + 6) * 2 * n * n);
    assert_int_equal(spec.launch_count, 3);
}

/* 8 x 16 sums: 24 floats for 128 multiplications, half of that through the pipe. Rows of 1003 are copied first. */
static void ffma_intensities(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_ffma.lua", 0);
    double n = 4096, flops = 2 * n * n * n;
    rft_point_spec spec = spec_of(f, sweep, "factors read ahead", problem_with(sweep, "n", 4096));
    double read = spec.traffic.level_bytes[RFT_LEVEL_L2] - 4 * n * n;
    near(read, flops / (128 / 4.0));
    near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], flops / 2 * 4 * 24 / 128 / 2 + read);
    assert_int_equal(spec.launch_count, 1);
    assert_int_equal(spec_of(f, sweep, "factors read ahead", 0).launch_count, 3);
}

/* 16 tokens: 64 tiles of 128 columns, each by two blocks of a cluster. Every tile reads the tokens again and its own
 * weights; sums pass shared memory twice as floats, once for each part of k. */
static void parts_of_k(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_skinny.lua", 0);
    double m = 16, n = 8192, flops = 2 * m * n * n, read = 2 * n * (64 * m + n);
    rft_point_spec spec = spec_of(f, sweep, "wgmma, k shared by a cluster", problem_with(sweep, "m", 16));
    assert_int_equal(spec.launches[0].grid[0], 128);
    assert_int_equal(spec.launches[0].cluster[0], 2);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2], read + 2 * m * n);
    near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], flops * (1.0 / 16 + 1.0 / 64) + read + 2 * 8 * m * n);
}

/* 64 tiles for 66 clusters of two blocks: all have work, and all hand sums of their two tiles over, which are written
 * and read, but the first and the 34th, which begin with a tile. */
static void steps_shared_evenly(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "matmul_skinny.lua", 0);
    double m = 512, n = 8192, read = 2 * n * (32 * m + 2 * n);
    rft_point_spec spec = spec_of(f, sweep, "wgmma, steps of k shared evenly", problem_with(sweep, "m", 512));
    assert_int_equal(spec.launches[0].grid[0], 132);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2], read + 2 * m * n + 2 * 64 * 2 * 4 * 128 * 256);
}

/* 64 heads of 4096 by 128 in fp16: 4 operations a pair of query and key for each element of a head. Through memory a
 * pair costs 12 bytes twice over L2 and memory; fused, Q and O move once, K and V once for 128 queries each. Causal:
 * half, and half the diagonal; of 32 tiles of queries and keys 32 x 33 / 2 are computed. */
static void scores_stay_on_chip(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "attention.lua", 0);
    size_t full = problem_with(sweep, "l", 4096), memory = variant_named(sweep, "three kernels through memory"),
           fused = variant_named(sweep, "ping-pong");
    double heads = 64, l = 4096, d = 128, io = 2 * heads * l * d;
    rft_point_spec spec = point_of(f, sweep, memory, full);
    near(spec.work.pipe_ops[RFT_PIPE_TENSOR_FP16], 4 * heads * l * l * d);
    near(spec.work.pipe_ops[RFT_PIPE_SFU], heads * l * l);
    near(rft_work_bytes(&spec.work), 4 * io);
    assert_int_equal(spec.launch_count, 3);
    double bytes = 0;
    for (size_t i = 0; i < 3; i++) {
        bytes += spec.launches[i].traffic.level_bytes[RFT_LEVEL_DRAM];
    }
    near(bytes, 12 * heads * l * l + 4 * io);

    rft_value *config = kernel_case_default(&sweep->variants[fused], f->arena);
    spec = kernel_case_point(sweep, fused, full, config, f->arena);
    near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], 4 * io);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2], 2 * io + l / 128 * 2 * io);
    spec = kernel_case_point(sweep, fused, full + 1, config, f->arena); /* the axis behind l: causal */
    near(spec.work.pipe_ops[RFT_PIPE_TENSOR_FP16], 4 * heads * l * (l + 1) / 2 * d);
    near(spec.traffic.pipe_ops[RFT_PIPE_TENSOR_FP16], 4 * heads * 128 * 128 * (32 * 33 / 2) * d);
}

/* 16 sequences of 8,192 tokens, 8 KV heads of 128 in bf16: 4 KiB a token. 32 query heads read each once; alone, four
 * read the same, by way of L1. Two blocks an SM are 264 places for the tokens of 128 heads: two parts each, which hand
 * 16 * 32 * 2 rows over. */
static void a_cache_is_read_once(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "decode.lua", 0);
    size_t problem = problem_with(sweep, "l", 8192), v = variant_named(sweep, "TMA");
    double tokens = 16 * 8192, cache = 4096 * tokens, rows = 2 * 16 * 32 * 128;
    rft_value *config = kernel_case_default(&sweep->variants[v], f->arena);
    set(config, &sweep->variants[v], "SPLIT", 0);
    rft_point_spec spec = kernel_case_point(sweep, v, problem, config, f->arena);
    near(spec.work.bytes_read, cache + rows + 4 * 16 + 4 * tokens / 64);
    near(spec.work.bytes_written, rows);
    near(spec.work.pipe_ops[RFT_PIPE_TENSOR_BF16], 4 * 128 * 32 * tokens);
    assert_int_equal(spec.launches[0].grid[0], 2);
    near(spec.traffic.level_bytes[RFT_LEVEL_L2],
         cache + 2 * rows + 2 * 4 * 16 * 32 * 2 * 130.0 + 4 * (16 + tokens / 64));
    v = variant_named(sweep, "a block a query head");
    config = kernel_case_default(&sweep->variants[v], f->arena);
    spec = kernel_case_point(sweep, v, problem, config, f->arena);
    near(spec.traffic.level_bytes[RFT_LEVEL_L1], 4 * cache);
    assert_true(isnan(spec.traffic.level_bytes[RFT_LEVEL_L2]));
}

/* At every point: memory moves at least the work and at most what passes L2. */
static size_t ordered_levels_of(fixture *f, const char *name) {
    const rft_sweep *sweep = sweep_of(f, name, 0);
    size_t seen = 0;
    for (size_t variant = 0; variant < sweep->variant_count; variant++) {
        const rft_value *config = kernel_case_default(&sweep->variants[variant], f->arena);
        for (size_t problem = 0; problem < sweep->problem_count; problem++) {
            rft_point_spec spec = kernel_case_point(sweep, variant, problem, config, f->arena);
            double work = rft_work_bytes(&spec.work), l2 = spec.traffic.level_bytes[RFT_LEVEL_L2];
            double dram = spec.traffic.level_bytes[RFT_LEVEL_DRAM];
            assert_true(l2 >= work);
            if (!isnan(dram)) {
                assert_true(dram >= work && dram <= l2);
                seen++;
            }
        }
    }
    return seen;
}

static void levels_are_ordered(void **state) {
    assert_true(ordered_levels_of(*state, "matmul_fp32.lua") >= 14);
    assert_true(ordered_levels_of(*state, "matmul_bf16.lua") >= 40);
    assert_true(ordered_levels_of(*state, "matmul_skinny.lua") >= 60);
}

/* y = 1.5 x in fp16: a multiplication, 2 bytes read and 2 written an element; triad in fp32: 12 bytes, not 16. */
static void elementwise_bytes(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "copy_scale.lua", 1);
    size_t problem = problem_with(sweep, "n", 1 << 17);
    rft_point_spec spec = point_of(f, sweep, 0, problem);
    near(spec.work.pipe_ops[RFT_PIPE_FP16], 1 << 17);
    near(spec.work.bytes_read, 2 << 17);
    near(spec.work.bytes_written, 2 << 17);
    sweep = sweep_of(f, "triad.lua", 0);
    problem = problem_with(sweep, "n", 1 << 16);
    spec = point_of(f, sweep, 0, problem);
    near(rft_work_bytes(&spec.work), 12.0 * (1 << 16));
    near(rft_work_read_frac(&spec.work), 2.0 / 3);
}

/* Three kernels read and write 6 arrays where one reads and writes 2; while those between fit the L2, memory need not
 * see them. The work is the same: 3 operations on 8 bytes in fp32, on 4 bytes (and a row of bias) in fp16. */
static void fusing_three_kernels_saves_four_accesses(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "chain.lua", 0);
    size_t problem = problem_with(sweep, "n", 1 << 28);
    rft_point_spec three = spec_of(f, sweep, "three kernels", problem), one = spec_of(f, sweep, "fused", problem);
    near(rft_work_intensity(&three.work), 0.375);
    near(rft_work_intensity(&one.work), 0.375);
    assert_int_equal(three.launch_count, 3);
    near(three.traffic.level_bytes[RFT_LEVEL_DRAM] / rft_work_bytes(&one.work), 3);
    three = spec_of(f, sweep, "three kernels", problem_with(sweep, "n", 1 << 16));
    assert_true(isnan(three.traffic.level_bytes[RFT_LEVEL_DRAM]));
    near(three.traffic.level_bytes[RFT_LEVEL_L2], 24.0 * (1 << 16));

    sweep = sweep_of(f, "bias_dropout.lua", 0);
    problem = problem_with(sweep, "rows", 1 << 16);
    three = spec_of(f, sweep, "three kernels", problem);
    one = spec_of(f, sweep, "fused, a call for 8 elements", problem);
    near(rft_work_bytes(&one.work), 4.0 * (1 << 28) + 2 * 4096);
    near(three.traffic.level_bytes[RFT_LEVEL_DRAM], 12.0 * (1 << 28));
    near(one.traffic.pipe_ops[RFT_PIPE_INT32], (5 + 1.5) * (1 << 28));
}

/* The axis of operations an element: a quarter of an operation a byte at 2, 64 at 512. */
static void operations_an_element_are_the_intensity(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "flops.lua", 2);
    for (int64_t flops = 2; flops <= 512; flops *= 2) {
        rft_point_spec spec = spec_of(f, sweep, "float4", problem_with(sweep, "flops", flops));
        near(rft_work_intensity(&spec.work), (double)flops / 8);
    }
}

/* Where the rings do not fit beside each other, or too little is in flight, a bulk copy is not asked for. */
static void bulk_rings_fit_the_sm(void **state) {
    fixture *f = *state;
    rft_err err = RFT_ERR_INIT;
    sweep_of(f, "stream.lua", 0);
    for (size_t i = 0; i < rft_script_sweep_count(f->script); i++) {
        const rft_sweep *sweep = sweep_of(f, "stream.lua", i);
        size_t v = variant_named(sweep, "bulk copies"), problem = problem_with(sweep, "n", 1 << 28);
        rft_space *space = NULL;
        assert_int_equal(rft_space_new(&space, sweep, v, sweep->problems[problem].values, NULL, &err), 0);
        rft_value *config = kernel_case_default(&sweep->variants[v], f->arena);
        assert_true(rft_space_count(space) >= 20);
        for (uint64_t at = 0; at < rft_space_count(space); at++) {
            rft_space_get(space, at, config);
            rft_point_spec spec = kernel_case_point(sweep, v, problem, config, f->arena);
            int64_t blocks_per_sm = (int64_t)spec.launches[0].grid[0] / f->gpu.sms;
            int64_t ring = spec.launches[0].shared_bytes;
            assert_true(blocks_per_sm >= 1 && (ring + 1024) * blocks_per_sm <= f->gpu.shared_per_sm);
            assert_true(ring * blocks_per_sm >= 32 << 10);
        }
        rft_space_free(space);
    }
}

/* Rows of 4096 halves for 8192 tokens: in and out once, ids of 4 bytes; the norm as two kernels moves them twice; what
 * goes by way of shared memory goes in and out there. The weight is read once, so the norm has 1 operation a byte. */
static void embedding_bytes(void **state) {
    fixture *f = *state;
    const double rows = 8192.0 * 4096 * 2, ids = 8192 * 4;
    const rft_sweep *sweep = sweep_of(f, "embedding.lua", 0);
    size_t problem = problem_with(sweep, "t", 8192), detours = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        rft_point_spec spec = point_of(f, sweep, v, problem);
        near(spec.work.bytes_read, rows + ids);
        near(spec.work.bytes_written, rows);
        if (spec.traffic.present && spec.traffic.level_bytes[RFT_LEVEL_SHARED] > 0) {
            near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], 2 * rows);
            detours++;
        }
    }
    assert_int_equal(detours, 3); /* shared memory, cp.async, copy engine */

    sweep = sweep_of(f, "embedding_norm.lua", 0);
    problem = problem_with(sweep, "t", 8192);
    rft_point_spec spec = point_of(f, sweep, 0, problem);
    near(rft_work_bytes(&spec.work), 2 * rows + ids + 4096 * 2);
    near(rft_work_ops(&spec.work), 2 * rows);
    assert_int_equal(spec.launch_count, 2);
    near(rft_work_bytes(&spec.launches[0].work), 2 * rows + ids);
    near(rft_work_bytes(&spec.launches[1].work), 2 * rows + 4096 * 2);
}

/* 3 operations an element of 2 bytes in and 2 out: 0.75 FLOP a byte, a little less for the tables. */
static void rope_intensity(void **state) {
    fixture *f = *state;
    const double elements = 16384.0 * (32 + 8) * 128, tables = 16384 * 64;
    for (size_t i = 0; i < 2; i++) { /* tables in bf16, then in fp32 */
        const rft_sweep *sweep = sweep_of(f, "rope.lua", i);
        size_t problem = problem_with(sweep, "t", 16384), last = sweep->variant_count - 1;
        rft_value *config = kernel_case_default(&sweep->variants[last], f->arena);
        rft_point_spec spec = kernel_case_point(sweep, last, problem, config, f->arena);
        near(rft_work_ops(&spec.work), 3 * elements);
        near(spec.work.bytes_written, 2 * elements);
        near(spec.work.bytes_read, 2 * elements + 2 * tables * (i == 0 ? 2 : 4));
        assert_true(rft_work_intensity(&spec.work) > 0.72 && rft_work_intensity(&spec.work) < 0.75);
        size_t together = variant_named(sweep, "q and k in one launch");
        config = kernel_case_default(&sweep->variants[together], f->arena);
        set(config, &sweep->variants[together], "HEADS", 8); /* of 40: the tables pass five times */
        spec = kernel_case_point(sweep, together, problem, config, f->arena);
        near(spec.traffic.level_bytes[RFT_LEVEL_L2], 4 * elements + 5 * 2 * tables * (i == 0 ? 2 : 4));
    }
}

/* A column of a 32 x 32 tile lies in one bank: 32 passes of 128 bytes a warp, 128 bytes an element, 4 more for writing
 * it. A row of 33, or columns exchanged, take one pass; a padding of 2^k leaves 2^k of them. */
static void bank_conflicts_of_a_transpose(void **state) {
    fixture *f = *state;
    static const struct {
        const char *variant;
        int64_t pad;   /* < 0: has none */
        double shared; /* bytes an element */
    } rows[] = {{"shared tile", -1, 132}, {"padded tile", 0, 132},        {"padded tile", 1, 8},
                {"padded tile", 2, 12},   {"padded tile", 4, 20},         {"padded tile", 16, 68},
                {"swizzled tile", -1, 8}, {"16 B, swizzled tile", -1, 8}, {"TMA", -1, 16}};
    const rft_sweep *sweep = sweep_of(f, "transpose.lua", 0);
    size_t problem = problem_with(sweep, "m", 16384);
    double elements = 16384.0 * 16384.0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t variant = variant_named(sweep, rows[i].variant);
        rft_value *config = kernel_case_default(&sweep->variants[variant], f->arena);
        if (rows[i].pad >= 0) {
            set(config, &sweep->variants[variant], "PAD", rows[i].pad);
        }
        rft_point_spec spec = kernel_case_point(sweep, variant, problem, config, f->arena);
        near(rft_work_bytes(&spec.work), 8 * elements);
        near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], rows[i].shared * elements);
        near(spec.traffic.level_bytes[RFT_LEVEL_L2], 8 * elements);
    }
}

/* 2^28 values: five passes of 4 bytes, or three. What anyone must do is less by what a chip could keep of x. */
static void passes_of_a_norm(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "l2_norm.lua", 0);
    size_t problem = problem_with(sweep, "n", 1 << 28);
    double gib = 1 << 30;
    assert_int_equal(sweep->variant_count, 4);
    for (size_t variant = 0; variant < 4; variant++) {
        rft_value *config = kernel_case_default(&sweep->variants[variant], f->arena);
        rft_point_spec spec = kernel_case_point(sweep, variant, problem, config, f->arena);
        near(rft_work_bytes(&spec.work), 2.75 * gib);
        near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], (variant == 0 ? 5 : 3) * gib);
    }
    size_t hinted = variant_named(sweep, "fused, two launches, L2 hints");
    rft_value *config = kernel_case_default(&sweep->variants[hinted], f->arena);
    set(config, &sweep->variants[hinted], "REVERSE", 1);
    set(config, &sweep->variants[hinted], "KEPT_MIB", 32);
    rft_point_spec spec = kernel_case_point(sweep, hinted, problem, config, f->arena);
    near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], 3 * gib - 32 * 1048576.0);
}

static int setup(void **state) {
    static fixture the_fixture;
    the_fixture = (fixture){.gpu = kernel_case_gpu("sm_90a"), .arena = rft_arena_new()};
    *state = &the_fixture;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    rft_script_free(f->script);
    rft_arena_free(f->arena);
    return 0;
}

/* int4 with a scale of 2 bytes for 128 neighbours: 0.5 + 1/64 bytes a weight, packed or not. */
static void packed_weights(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "linear_weights.lua", 2);
    size_t variant = variant_named(sweep, "mma.sync, bulk copies");
    rft_value *config = kernel_case_default(&sweep->variants[variant], f->arena);
    set(config, &sweep->variants[variant], "SPLIT", 2);
    for (size_t i = 0; i < sweep->problem_count; i++) {
        const rft_value *values = sweep->problems[i].values;
        if (sweep->problems[i].odd || values[0].as.integer != 1 || values[1].as.integer != 8192) {
            continue;
        }
        rft_point_spec spec = kernel_case_point(sweep, variant, i, config, f->arena);
        double n = 8192, weights = n * n * (0.5 + 1.0 / 64);
        near(rft_work_bytes(&spec.work), weights + 2 * n + 2 * n);
        near(spec.traffic.level_bytes[RFT_LEVEL_DRAM], weights + 2 * n + 2 * n);
        /* a tile of 16 rows reads x; each of two blocks a tile leaves its sums, and one reads them all */
        near(spec.traffic.level_bytes[RFT_LEVEL_L2], weights + 2 * n * n / 16 + 2 * n + 8 * 2 * n);
        near(spec.traffic.level_bytes[RFT_LEVEL_SHARED], 2 * weights + 8 * 2 * 8 * n * 8);
        return;
    }
    fail_msg("no problem m = 1, n = 8192");
}

/* Every SM multiplies: what must be done is what is done, but for what is read beside it. */
static void the_port_counts_every_sm(void **state) {
    fixture *f = *state;
    const rft_sweep *sweep = sweep_of(f, "wgmma_port.lua", 0);
    for (size_t i = 0; i < sweep->problem_count; i++) {
        rft_point_spec spec = point_of(f, sweep, 0, i);
        near(spec.work.pipe_ops[RFT_PIPE_TENSOR_BF16], spec.traffic.pipe_ops[RFT_PIPE_TENSOR_BF16]);
    }
}

static int64_t value_of(const rft_variant *variant, const rft_value *config, const char *param) {
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, param) == 0) {
            return config[i].as.integer;
        }
    }
    fail_msg("no parameter %s", param);
    return 1; /* divided by */
}

/* The last variant's tiles of C, n x n, at most that give no SM two. */
static int64_t most_tiles(fixture *f, const rft_sweep *sweep, int64_t n) {
    const size_t last = sweep->variant_count - 1, problem = problem_with(sweep, "n", n);
    const rft_variant *variant = &sweep->variants[last];
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    int64_t most = 0;
    assert_int_equal(rft_space_new(&space, sweep, last, sweep->problems[problem].values, NULL, &err), 0);
    rft_value *config = rft_arena_calloc(f->arena, variant->param_count + 1, sizeof *config);
    for (uint64_t i = 0; i < rft_space_count(space); i++) {
        rft_space_get(space, i, config);
        int64_t m_tile = value_of(variant, config, "BLOCK_M"), n_tile = value_of(variant, config, "BLOCK_N");
        int64_t tiles = (n + m_tile - 1) / m_tile * ((n + n_tile - 1) / n_tile);
        most = tiles > most && tiles <= f->gpu.sms ? tiles : most;
    }
    rft_space_free(space);
    return most;
}

static void small_products_fill_the_card(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(most_tiles(f, sweep_of(f, "matmul_layouts.lua", i), 1024), 128);
    }
    for (size_t i = 1; i < 7; i++) {
        assert_int_equal(most_tiles(f, sweep_of(f, "matmul_epilogue.lua", i), 1000), 128);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strided_waste_grows_to_stride_16),
        cmocka_unit_test(passes_and_paths_of_a_warp),
        cmocka_unit_test(short_rows_move_whole_granules),
        cmocka_unit_test(matmul_intensities),
        cmocka_unit_test(tensor_matmul_intensities),
        cmocka_unit_test(int8_in_turn),
        cmocka_unit_test(wgmma_intensities),
        cmocka_unit_test(scales_of_blocks),
        cmocka_unit_test(emulated_products),
        cmocka_unit_test(ffma_intensities),
        cmocka_unit_test(parts_of_k),
        cmocka_unit_test(steps_shared_evenly),
        cmocka_unit_test(a_cache_is_read_once),
        cmocka_unit_test(levels_are_ordered),
        cmocka_unit_test(elementwise_bytes),
        cmocka_unit_test(fusing_three_kernels_saves_four_accesses),
        cmocka_unit_test(operations_an_element_are_the_intensity),
        cmocka_unit_test(bulk_rings_fit_the_sm),
        cmocka_unit_test(embedding_bytes),
        cmocka_unit_test(rope_intensity),
        cmocka_unit_test(scores_stay_on_chip),
        cmocka_unit_test(bank_conflicts_of_a_transpose),
        cmocka_unit_test(passes_of_a_norm),
        cmocka_unit_test(packed_weights),
        cmocka_unit_test(the_port_counts_every_sm),
        cmocka_unit_test(small_products_fill_the_card),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
