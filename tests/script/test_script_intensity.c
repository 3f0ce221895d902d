/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels/lib/intensity.lua against the worked numbers of the sources in docs/corrections.md (S0 to S4, with the line).
 * Where one is wrong the right value stands here (its number E1 to E33 there).
 */
#include "script_case.h"

#include "base/json.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/datasheet_device.h"
#include "model/roofline/sheet_roof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE RFT_SOURCE_DIR "/kernels/test"

static json_t *eval(const char *expression) {
    rft_err err = RFT_ERR_INIT;
    json_t *value = NULL;
    char *json = NULL, chunk[600];
    rft_text_format(chunk, sizeof chunk, "local i = require 'kernels.intensity' return %s", expression);
    if (rft_script_eval_table(&json, BESIDE, chunk, &(rft_script_opts){0}, &err) != 0) {
        fail_msg("%s: %s", expression, err.message);
    }
    assert_int_equal(rft_json_parse(&value, json, strlen(json), "answer", &err), 0);
    free(json);
    return value;
}

static rft_work work_of(const char *expression) {
    json_t *value = eval(expression);
    rft_work work = {.bytes_read = rft_json_real_or(value, "read", 0),
                     .bytes_written = rft_json_real_or(value, "write", 0)};
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        work.pipe_ops[pipe] = rft_json_real_or(value, rft_pipe_name((rft_pipe)pipe), 0);
    }
    json_decref(value);
    return work;
}

typedef struct sheets {
    char *json;
    rft_arena *arena;
    rft_ceilings a100, h100, h200;
} sheets;

static rft_gpu_info device(const sheets *s, const char *name) {
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    if (rft_datasheet_device(&gpu, name, s->json, s->arena, &err) != 0) {
        fail_msg("%s: %s", name, err.message);
    }
    return gpu;
}

static void sheet(const sheets *s, const char *name, rft_ceilings *out) {
    rft_gpu_info gpu = device(s, name);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        out->items[id] = rft_ceiling_none("not measured");
    }
    assert_int_equal(rft_datasheet_apply(out, &gpu, s->json, s->arena, NULL), 0);
}

static int open_sheets(void **state) {
    static sheets s;
    s.arena = rft_arena_new();
    *state = &s;
    if (rft_script_read_table(&s.json, RFT_SOURCE_DIR "/kernels/lib/devices.lua", NULL, NULL) != 0) {
        return -1;
    }
    sheet(&s, "a100", &s.a100);
    sheet(&s, "h100", &s.h100);
    sheet(&s, "h200", &s.h200);
    return 0;
}

static int close_sheets(void **state) {
    sheets *s = *state;
    free(s->json);
    rft_arena_free(s->arena);
    return 0;
}

static void assert_near(const char *what, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s: %.6g, expected %.6g +- %g", what, value, expected, tolerance);
    }
}

/* ---- intensities ---- */

typedef struct worked {
    const char *source;
    const char *expression;
    double intensity; /* all operations per byte */
    double tolerance; /* as many digits as the source prints */
} worked;

static const worked intensities[] = {
    {"S0:52 decode", "i.gemm { m = 1, n = 4096, k = 4096, dtype = 'fp16' }", 1.0, 0.05},
    {"S0:112 decode 8, E2", "i.gemm { m = 8, n = 4096, k = 4096, dtype = 'fp16' }", 7.97, 0.005},
    {"S0:113 decode 32, E2", "i.gemm { m = 32, n = 4096, k = 4096, dtype = 'fp16' }", 31.5, 0.05},
    {"S0:62 prefill", "i.gemm { m = 512, n = 4096, k = 4096, dtype = 'fp16' }", 410, 0.5},
    {"S0:116 softmax", "i.softmax { rows = 64, n = 4096, dtype = 'fp16' }", 1.25, 0.001},
    {"S0:115 LayerNorm, E5", "i.layernorm { rows = 1e6, n = 4096, dtype = 'fp16', ops = 8 }", 2.0, 0.001},
    {"S0:115 LayerNorm, E5", "i.layernorm { rows = 1e6, n = 4096, dtype = 'fp16' }", 1.75, 0.001},
    {"S0:117 RoPE, E4", "i.rope { tokens = 64, heads = 32, d = 128, dtype = 'fp16' }", 0.75, 0.001},
    {"S1:120 RMSNorm, E6", "i.rmsnorm { rows = 1e6, n = 4096, dtype = 'fp16' }", 1.0, 0.001},
    {"S2:60 elementwise fp32", "i.elementwise { n = 1e6, dtype = 'fp32' }", 0.125, 1e-9},
    {"S2:217 ReLU, E12", "i.elementwise { n = 1e6 }", 0.25, 1e-9},
    {"S2:70 dot fp32", "i.dot { n = 1e6, dtype = 'fp32' }", 0.25, 1e-6},
    {"S2:75 GEMV fp32", "i.gemv { n = 4096, k = 4096, dtype = 'fp32' }", 0.5, 0.001},
    {"S2:219 GEMM 128, E12", "i.gemm { m = 128, n = 'm', k = 'm' }", 42.7, 0.05},
    {"S2:220 GEMM 1024, E12", "i.gemm { m = 1024, n = 'm', k = 'm' }", 341.3, 0.05},
    {"S2:221 GEMM 4096, Q1", "i.gemm { m = 4096, n = 'm', k = 'm' }", 1365.3, 0.05},
    {"S2:81 GEMM 128 fp32", "i.gemm { m = 128, n = 'm', k = 'm', dtype = 'fp32' }", 21.3, 0.05},
    {"S2:82 GEMM 1024 fp32", "i.gemm { m = 1024, n = 'm', k = 'm', dtype = 'fp32' }", 170.7, 0.05},
    {"S2:83 GEMM 4096 fp32", "i.gemm { m = 4096, n = 'm', k = 'm', dtype = 'fp32' }", 682.7, 0.05},
    {"S2:223 naive 512, E12", "i.attention { l = 512, d = 64 }", 52.2, 0.05},
    {"S2:225 naive 2048, E12", "i.attention { l = 2048, d = 64 }", 61.4, 0.05},
    {"S2:227 flash 2048, E13", "i.flash { l = 2048, d = 64 }", 1044, 0.5},
    {"S4:90 vector add, E16", "i.elementwise { n = 1e6, reads = 2, dtype = 'fp32' }", 0.0833, 0.0001},
    {"S4 bias+relu+dropout apart, E22", "i.elementwise { n = 1e6, ops = 3, kernels = 3, dtype = 'fp32' }", 0.125, 1e-9},
    {"S4 fused, E22", "i.elementwise { n = 1e6, ops = 3, dtype = 'fp32' }", 0.375, 1e-9},
    {"S2 GEMV in bf16, E29", "i.gemv { n = 4096, k = 4096 }", 1.0, 0.001},
    {"S2 fp8 weights, E29", "i.gemv { n = 4096, k = 4096, weight = 'fp8' }", 2.0, 0.005},
};

static void test_intensities(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof intensities / sizeof *intensities; k++) {
        const worked *w = &intensities[k];
        rft_work work = work_of(w->expression);
        assert_near(w->source, rft_work_intensity(&work), w->intensity, w->tolerance);
    }
}

/* E14: d for one write and one read of the scores, d/2 for two of each (matrix products alone, long sequences). */
static void test_naive_attention(void **state) {
    (void)state;
    rft_work once = work_of("i.attention { l = 1e6, d = 64 }"),
             twice = work_of("i.attention { l = 1e6, d = 64, passes = 2 }");
    assert_near("once", once.pipe_ops[RFT_PIPE_TENSOR_BF16] / rft_work_bytes(&once), 64, 0.1);
    assert_near("twice", twice.pipe_ops[RFT_PIPE_TENSOR_BF16] / rft_work_bytes(&twice), 32, 0.1);
}

/* Fusion moves bytes, never operations. */
static void test_fusion(void **state) {
    (void)state;
    rft_work apart = work_of("i.gemm { m = 64, n = 128, k = 256, epilogue = 2, fused = 0 }");
    rft_work fused = work_of("i.gemm { m = 64, n = 128, k = 256, epilogue = 2, fused = true }");
    assert_near("epilogue", rft_work_bytes(&apart) - rft_work_bytes(&fused), 2 * 2 * 64 * 128, 0);
    assert_near("operations", rft_work_ops(&apart), rft_work_ops(&fused), 0);
    assert_near("on fp32", fused.pipe_ops[RFT_PIPE_FP32], 2 * 64 * 128, 0);
    apart = work_of("i.rmsnorm { rows = 64, n = 128, residual = 1, fused = 0 }");
    fused = work_of("i.rmsnorm { rows = 64, n = 128, residual = 1 }");
    assert_near("residual", rft_work_bytes(&apart) - rft_work_bytes(&fused), 2 * 64 * 128, 0);
    apart = work_of("i.embedding { tokens = 64, d = 128, norm = 1, fused = 0 }");
    fused = work_of("i.embedding { tokens = 64, d = 128, norm = 1 }");
    assert_near("embedding", rft_work_bytes(&apart) - rft_work_bytes(&fused), 2 * 2 * 64 * 128, 0);
    fused = work_of("i.flash { l = 64, d = 32, heads = 8, kv_heads = 2, causal = 1 }");
    assert_near("half of the pairs", fused.pipe_ops[RFT_PIPE_TENSOR_BF16], 4.0 * 8 * 32 * (64 * 65 / 2), 0);
    assert_near("grouped heads", fused.bytes_read, 2 * (8 + 2 * 2) * 64 * 32, 0);
}

/* ---- the worked questions of S2, on datasheets ---- */

static rft_sheet_roof on(const rft_ceilings *ceilings, const char *expression) {
    rft_work work = work_of(expression);
    return rft_sheet_roof_of(&work, ceilings);
}

static double share_of_peak(const rft_ceilings *ceilings, const char *expression) {
    return 100 * on(ceilings, expression).ceiling / ceilings->items[RFT_CEILING_TENSOR_BF16].datasheet;
}

static void test_questions(void **state) {
    const sheets *s = *state;
    rft_sheet_roof q1 = on(&s->h100, "i.gemm { m = 4096, n = 'm', k = 'm' }"); /* S2:584 */
    assert_near("S2:595 ridge of bf16", q1.ridge, 295.3, 0.1);
    assert_int_equal(q1.side, RFT_SIDE_COMPUTE);
    assert_int_equal(q1.bound, RFT_CEILING_TENSOR_BF16);
    assert_int_equal(on(&s->h100, "i.attention { l = 2048, d = 64 }").side, RFT_SIDE_MEMORY); /* Q2, S2:597 */
    assert_int_equal(on(&s->h100, "i.flash { l = 2048, d = 64 }").side, RFT_SIDE_COMPUTE);
    rft_work q4 = {.pipe_ops[RFT_PIPE_TENSOR_BF16] = 64e9, .bytes_read = 1e9}; /* S2:612 */
    double ceiling = rft_sheet_roof_of(&q4, &s->h100).ceiling;
    assert_near("S2:615 ceiling", ceiling, 214.4e12, 1e9);
    assert_near("S2:616 efficiency", 100 * 120e12 / ceiling, 56, 0.05);
    assert_near("S2:634 B = 1", on(&s->h100, "i.gemm { m = 1, n = 4096, k = 4096 }").intensity, 1, 0.01); /* Q6 */
    assert_int_equal(on(&s->h100, "i.gemm { m = 32, n = 4096, k = 4096 }").side, RFT_SIDE_MEMORY);
    assert_int_equal(on(&s->h100, "i.gemm { m = 512, n = 4096, k = 4096 }").side, RFT_SIDE_COMPUTE);
    /* S2:242-251 "of BF16 ceiling", E12. The operations of the naive attention include the softmax. */
    assert_near("S2:246", share_of_peak(&s->h100, "i.gemm { m = 128, n = 'm', k = 'm' }"), 14.5, 0.06);
    assert_near("S2:247", share_of_peak(&s->h100, "i.gemm { m = 1024, n = 'm', k = 'm' }"), 100, 1e-9);
    assert_near("S2:249", share_of_peak(&s->h100, "i.attention { l = 512, d = 64 }"), 17.7, 0.05);
    assert_near("S2:250", share_of_peak(&s->h100, "i.attention { l = 2048, d = 64 }"), 20.8, 0.05);
}

/* Q5, S2:619: three times the arithmetic, 1.6 to 1.7 times the memory (E27: 2.039 TB/s), and who pays for it. */
static void test_a100_to_h100(void **state) {
    const sheets *s = *state;
    static const struct {
        const char *expression;
        rft_side a100, h100;
        double speedup;
    } rows[] = {
        {"i.gemm { m = 8192, n = 'm', k = 'm' }", RFT_SIDE_COMPUTE, RFT_SIDE_COMPUTE, 3.17},
        {"i.gemm { m = 256, n = 4096, k = 4096 }", RFT_SIDE_COMPUTE, RFT_SIDE_MEMORY, 2.44},
        {"i.gemm { m = 512, n = 'm', k = 'm' }", RFT_SIDE_COMPUTE, RFT_SIDE_MEMORY, 1.83},
        {"i.flash { l = 512, d = 128 }", RFT_SIDE_COMPUTE, RFT_SIDE_MEMORY, 2.75},
        {"i.gemm { m = 32, n = 4096, k = 4096 }", RFT_SIDE_MEMORY, RFT_SIDE_MEMORY, 1.643},
        {"i.attention { l = 2048, d = 64 }", RFT_SIDE_MEMORY, RFT_SIDE_MEMORY, 1.643},
        {"i.layernorm { rows = 8192, n = 4096 }", RFT_SIDE_MEMORY, RFT_SIDE_MEMORY, 1.643},
        {"i.embedding { tokens = 8192, d = 4096 }", RFT_SIDE_MEMORY, RFT_SIDE_MEMORY, 1.643},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rft_sheet_roof a100 = on(&s->a100, rows[k].expression), h100 = on(&s->h100, rows[k].expression);
        if (a100.side != rows[k].a100 || h100.side != rows[k].h100) {
            fail_msg("%s: %s, then %s", rows[k].expression, rft_side_name(a100.side), rft_side_name(h100.side));
        }
        assert_near(rows[k].expression, rft_sheet_speedup(&a100, &h100), rows[k].speedup, 0.01);
    }
}

static double turn(const char *arguments, double ridge) {
    char expression[300];
    rft_text_format(expression, sizeof expression, "{ turn = i.turn(%s, %.17g) }", arguments, ridge);
    json_t *value = eval(expression);
    double at = rft_json_real_or(value, "turn", NAN);
    json_decref(value);
    return at;
}

static void test_turns(void **state) {
    (void)state;
    const double h100 = 989.4 / 3.35, h200 = 989.4 / 4.8;
    assert_near("E1", turn("'gemm', { n = 4096, k = 4096 }, 'm'", h100), 345, 0.5);
    assert_near("E1", turn("'gemm', { n = 4096, k = 4096 }, 'm'", 206), 229, 0.5);
    assert_near("E1, measured ceilings", turn("'gemm', { n = 4096, k = 4096 }, 'm'", 184), 202, 0.5);
    assert_near("E1", turn("'gemm', { n = 8192, k = 8192 }, 'm'", 206), 217, 0.5);
    assert_near("E1", turn("'gemm', { n = 16384, k = 16384 }, 'm'", 206), 212, 1);
    assert_true(isnan(turn("'gemm', { n = 256, k = 256 }, 'm'", h100))); /* E1: never */
    assert_near("E28 fp32", turn("'gemm', { n = 'm', k = 'm', dtype = 'fp32' }, 'm'", 66.9 / 3.35), 120, 0.5);
    assert_near("E28 bf16", turn("'gemm', { n = 'm', k = 'm' }, 'm'", h100), 886, 0.5);
    assert_near("E30", turn("'flash', { d = 128 }, 'l'", h100), 590, 1);
    assert_near("E30", turn("'flash', { d = 128 }, 'l'", h200), 412, 1);
    assert_near("E30, causal: twice", turn("'flash', { d = 128, causal = 1 }, 'l'", h100), 2 * 590.7, 2);
}

/* ---- what is not known ---- */

static void test_missing_rates(void **state) {
    const sheets *s = *state;
    rft_ceilings gb10;
    sheet(s, "gb10", &gb10); /* a bandwidth and nothing else */
    rft_sheet_roof roof = on(&gb10, "i.gemm { m = 4096, n = 'm', k = 'm' }");
    assert_int_equal(roof.side, RFT_SIDE_UNKNOWN);
    assert_true(isnan(roof.ridge));
    assert_int_equal(roof.missing, 1u << RFT_PIPE_TENSOR_BF16);
    assert_true(roof.time_floor_s > 0);
    rft_sheet_roof known = on(&s->h100, "i.softmax { rows = 64, n = 64 }");
    assert_int_equal(known.missing, 1u << RFT_PIPE_SFU);
    assert_int_equal(known.side, RFT_SIDE_MEMORY);
    assert_true(isnan(rft_sheet_speedup(&known, &roof)));
    const rft_work adds = {.bytes_read = 1e6, .pipe_ops = {[RFT_PIPE_ATOMICS_L2] = 1e9}}; /* in no datasheet */
    roof = rft_sheet_roof_of(&adds, &s->h100);
    assert_true(roof.missing == 1u << RFT_PIPE_ATOMICS_L2 && roof.side == RFT_SIDE_UNKNOWN && isnan(roof.ceiling));
    roof = on(&s->h100, "i.embedding { tokens = 64, d = 64 }"); /* no arithmetic at all */
    assert_int_equal(roof.side, RFT_SIDE_MEMORY);
    assert_true(isnan(roof.ceiling) && isnan(roof.ridge));
}

static void test_device_names(void **state) {
    const sheets *s = *state;
    static const char *const meant[][2] = {{"a100", "A100-SXM4-80GB"}, {"A100 PCIe 40 GB", "A100-PCIE-40GB"},
                                           {"H100", "H100 80GB HBM3"}, {"h100-nvl", "H100 NVL"},
                                           {"H200", "H200"},           {"b200", "B200"},
                                           {"rtx_4090", "RTX 4090"},   {"L4", "L4"}};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
        assert_string_equal(device(s, meant[i][0]).name, meant[i][1]);
    }
    assert_int_equal(device(s, "rtx 3080").sms, 68); /* two parts of one match */
    assert_int_equal(device(s, "RTX 3080, 12 GB").sms, 70);
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_datasheet_device(&gpu, "h2000", s->json, s->arena, &err), RFT_E_USAGE);
    assert_contains(err.message, "did you mean \"H200\"");
    assert_int_equal(rft_datasheet_device(&gpu, "a100 80", s->json, s->arena, &err), RFT_E_USAGE);
    assert_contains(err.message, "stands for 2 devices: \"A100 SXM 80 GB\", \"A100 PCIe 80 GB\"");
    assert_int_equal(rft_datasheet_device(&gpu, "", s->json, s->arena, &err), RFT_E_USAGE);
}

/* ---- in a sweep ---- */

#define KERNEL                                                                                                         \
    "source = 'saxpy.cu', entry = 'saxpy<VEC>', problem = { 'n' }, params = { { 'VEC', 1, 'v' }, { 'BLOCK', 256, "     \
    "'b' } },\nbuffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,\n"                       \
    "launch = function(p, c, gpu, b) return { args = { b.x, b.y, f32(2), i64(p.n) }, grid = p.n // 256, block = 256 "  \
    "} "                                                                                                               \
    "end,\ncheck = { reference = 'saxpy.cu:saxpy_reference' },\n"

static void test_declared_work(void **state) {
    script_case *test = *state;
    const char *folders[] = {RFT_SOURCE_DIR};
    test->opts.module_folders = folders;
    test->opts.module_folder_count = 1;
    const rft_sweep *sweep = case_load(
        test, "local intensity = require 'kernels.intensity'\nreturn sweep { kernel = kernel { " KERNEL
              "work = function(p) return intensity.elementwise { n = p.n, ops = 2, reads = 2, dtype = 'fp32' } end },\n"
              "over = { n = values(1024) }, tune = { VEC = values(1), BLOCK = values(256) } }");
    rft_value config[2] = {rft_value_int(1), rft_value_int(256)};
    assert_int_equal(case_point(test, sweep->problems[sweep->problems[0].odd ? 1 : 0].values, config), 0);
    assert_near("fp32", test->spec.work.pipe_ops[RFT_PIPE_FP32], 2048, 0);
    assert_near("read", test->spec.work.bytes_read, 8192, 0);
    assert_near("written", test->spec.work.bytes_written, 4096, 0);
}

/* The place is the sweep's line, not the module's. */
static void test_refusals(void **state) {
    script_case *test = *state;
    static const char *const wrong[][2] = {
        {"intensity.gemm { m = 1, n = 2 }", "gemm needs k: columns of A"},
        {"intensity.gemm { m = 1, n = 2, K = 3 }", "unknown \"K\"; it takes m, n, k"},
        {"intensity.gemm { m = 1, n = 2, k = -1 }", "gemm.k = -1: expected a number from 1"},
        {"intensity.gemm { m = 1, n = 2, k = 3, dtype = 'bf61' }", "gemm.dtype = bf61: expected fp64, fp32"},
        {"intensity.gemm { m = 1, n = 2, k = 3, dtype = 'int4' }", "no pipe multiplies it"},
        {"intensity.gemm { m = 1, n = 2, k = 3, fused = 2 }", "gemm.fused = 2: expected 0 or 1"},
        {"intensity.gemm { m = 'n', n = 'm', k = 3 }", "in a circle"},
        {"intensity.flash { l = 64, d = 64, keys = 32, causal = 1 }", "as many keys as queries"},
    };
    const char *folders[] = {RFT_SOURCE_DIR};
    test->opts.module_folders = folders;
    test->opts.module_folder_count = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[400];
        rft_text_format(text, sizeof text, "local intensity = require 'kernels.intensity'\n\nlocal work = %s",
                        wrong[i][0]);
        case_refuse(test, text, RFT_E_SCRIPT, "case.lua:3", wrong[i][1], NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intensities),
        cmocka_unit_test(test_naive_attention),
        cmocka_unit_test(test_fusion),
        cmocka_unit_test_setup_teardown(test_questions, open_sheets, close_sheets),
        cmocka_unit_test_setup_teardown(test_a100_to_h100, open_sheets, close_sheets),
        cmocka_unit_test(test_turns),
        cmocka_unit_test_setup_teardown(test_missing_rates, open_sheets, close_sheets),
        cmocka_unit_test_setup_teardown(test_device_names, open_sheets, close_sheets),
        cmocka_unit_test_setup_teardown(test_declared_work, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
