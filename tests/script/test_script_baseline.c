/* SPDX-License-Identifier: Apache-2.0 */
/* `baseline` and vendor.matmul{}: what becomes of them, and what is said of those that do not fit. */
#include "script_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A matrix kernel in which the strings stand where they say. */
typedef struct matmul_case {
    const char *types[3];  /* of a, b, c */
    const char *problem;   /* dimensions */
    const char *sizes[3];  /* of a, b, c */
    const char *with;      /* entries of `with` */
    const char *baselines; /* the value of `baseline` */
} matmul_case;

static const matmul_case usual = {.types = {"f32", "f32", "f32"},
                                  .problem = "'m', 'n', 'k'",
                                  .sizes = {"p.m * p.k", "p.k * p.n", "p.m * p.n"},
                                  .with = "m = 96, k = function(p) return 2 * p.n end",
                                  .baselines = "{ 'cublaslt' }"};

static const char *text_of(const matmul_case *c) {
    static char text[4000];
    snprintf(text, sizeof(text),
             "return sweep {\n"
             "  kernel = kernel {\n"
             "    source = 'saxpy.cu', entry = 'mm<TILE>', problem = { %s },\n"
             "    params = { { 'TILE', 16 } },\n"
             "    buffers = function(p, c) return { a = input(%s, %s), b = input(%s, %s), c = output(%s, %s),\n"
             "      scratch = temp(f32, c.TILE) } end,\n"
             "    launch = function(p, c, gpu, b) return { args = { b.a, b.b, b.c }, grid = 1, block = c.TILE } end,\n"
             "    work = function(p) return { fp32 = 1, bytes = 1 } end,\n"
             "    traffic = function(p, c) return { l2 = c.TILE } end,\n"
             "    check = { reference = 'saxpy.cu:saxpy_reference', length = 4096 },\n"
             "  },\n"
             "  over = { n = values(64, 128) },\n"
             "  with = { %s },\n"
             "  tune = { TILE = values(16, 32) },\n"
             "  baseline = %s,\n"
             "}\n",
             c->problem, c->types[0], c->sizes[0], c->types[1], c->sizes[1], c->types[2], c->sizes[2], c->with,
             c->baselines);
    return text;
}

static const rft_point_spec *spell(script_case *test, const matmul_case *c, size_t index) {
    const rft_sweep *sweep = case_load(test, text_of(c));
    const rft_problem *problem = &sweep->problems[sweep->problem_count - 1];
    assert_true(index < sweep->baseline_count);
    if (sweep->vt->baseline(sweep->self, index, problem->values, test->arena, &test->spec, &test->err) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    return &test->spec;
}

static void test_usual(void **state) {
    script_case *test = *state;
    const rft_point_spec *spec = spell(test, &usual, 0);
    assert_string_equal(rft_script_sweep(test->script, 0)->baselines[0], "cuBLASLt");
    assert_int_equal(spec->buffer_count, 3); /* no temps */
    assert_int_equal(spec->launch_count, 1);
    assert_int_equal(spec->prepare_count, 0);
    assert_int_equal(spec->unit.name_count, 0);
    assert_int_equal(spec->check.reference->unit.name_count, 1);
    assert_false(spec->traffic.present);
    const rft_launch *launch = &spec->launches[0];
    assert_int_equal(launch->kind, RFT_LAUNCH_VENDOR);
    const rft_vendor_call *v = &launch->vendor;
    assert_int_equal(v->math, RFT_VENDOR_FP32);
    assert_string_equal(spec->buffers[v->a].name, "a");
    assert_string_equal(spec->buffers[v->b].name, "b");
    assert_string_equal(spec->buffers[v->d].name, "c");
    assert_true(v->m == 96 && v->n == 128 && v->k == 256);
    assert_true(v->a_order == RFT_VENDOR_ROW && v->b_order == RFT_VENDOR_ROW && v->d_order == RFT_VENDOR_ROW);
    /* judged like the kernels */
    rft_value config[] = {rft_value_int(16)};
    const rft_sweep *sweep = rft_script_sweep(test->script, 0);
    double tol = rft_spec_tolerance(spec, v->d);
    assert_int_equal(case_point(test, sweep->problems[sweep->problem_count - 1].values, config), 0);
    assert_int_equal(test->spec.buffer_count, 4);
    assert_true(tol == rft_spec_tolerance(&test->spec, 2));
}

static void test_named(void **state) {
    script_case *test = *state;
    matmul_case c = usual;
    c.types[0] = c.types[1] = "e4m3";
    c.types[2] = "bf16";
    c.problem = "'rows', 'n', 'depth'";
    c.with = "rows = 32, depth = 512";
    c.sizes[0] = "p.rows * p.depth";
    c.sizes[1] = "p.depth * p.n";
    c.sizes[2] = "p.rows * p.n";
    c.baselines =
        "{ vendor.matmul { m = 'rows', k = function(p) return p.depth end, transpose_b = true },\n"
        "  vendor.matmul { m = 32, k = 'depth', n = 'n', exact = true, tol = 0.5 },\n"
        "  vendor.matmul { m = 'rows', k = 'depth', name = 'mine', transpose_a = true, transpose_c = true } }";
    const rft_point_spec *spec = spell(test, &c, 0);
    const rft_vendor_call *v = &spec->launches[0].vendor;
    const char **names = rft_script_sweep(test->script, 0)->baselines;
    assert_string_equal(names[0], "cuBLASLt");
    assert_string_equal(names[1], "cuBLASLt, exact accumulation");
    assert_string_equal(names[2], "mine");
    assert_true(v->math == RFT_VENDOR_FP8 && v->m == 32 && v->n == 128 && v->k == 512);
    assert_true(v->a_order == RFT_VENDOR_ROW && v->b_order == RFT_VENDOR_COLUMN && !v->exact_accumulation);
    double fast = rft_spec_tolerance(spec, v->d);
    v = &spell(test, &c, 1)->launches[0].vendor;
    assert_true(v->exact_accumulation && rft_spec_tolerance(&test->spec, v->d) == 0.5);
    v = &spell(test, &c, 2)->launches[0].vendor;
    assert_true(v->a_order == RFT_VENDOR_COLUMN && v->d_order == RFT_VENDOR_COLUMN);
    c.baselines = "vendor.matmul { m = 'rows', k = 'depth', exact = true }"; /* one alone needs no list */
    v = &spell(test, &c, 0)->launches[0].vendor;
    assert_true(rft_spec_tolerance(&test->spec, v->d) < fast);
}

/* tf32 rounds its inputs: judged more widely, and named after it. */
static void test_tf32(void **state) {
    script_case *test = *state;
    matmul_case c = usual;
    c.baselines = "{ 'cublaslt', vendor.matmul { math = 'tf32' } }";
    double exact = rft_spec_tolerance(spell(test, &c, 0), 2);
    const rft_point_spec *spec = spell(test, &c, 1);
    assert_int_equal(spec->launches[0].vendor.math, RFT_VENDOR_TF32);
    assert_true(rft_spec_tolerance(spec, 2) > exact + 0.003 && rft_spec_tolerance(spec, 2) < exact + 0.005);
    assert_string_equal(rft_script_sweep(test->script, 0)->baselines[1], "cuBLASLt tf32");
}

static void refuse(void **state, const matmul_case *c, const char *message, const char *remedy) {
    case_refuse(*state, text_of(c), RFT_E_SCRIPT, "case.lua:", message, remedy);
}

/* Scales are buffers of their own, of the library's sizes: those of blocks of B fill up rows of k's to multiples of 4.
 */
static void test_scales(void **state) {
    static const struct {
        const char *scale, *a, *b, *name;
        bool exact;
        const char *refusal;
    } cases[] = {
        {"tensor", "1", "1", "cuBLASLt, scaled by tensor", false, NULL},
        {"rows", "p.m", "p.n", "cuBLASLt, scaled by rows", false, NULL},
        {"blocks", "96 * 3", "1 * 4", "cuBLASLt, scaled by blocks", true, NULL}, /* m = 96, n = 128, k = 300 */
        {"blocks", "96 * 2", "1 * 4", NULL, false, "the buffer \"sa\" is 192 f32, scales by blocks are 288 f32"},
        {"blocks", "96 * 3", "1 * 3", NULL, false, "the buffer \"sb\" is 3 f32, scales by blocks are 4 f32"},
    };
    matmul_case c = usual;
    c.types[0] = "e5m2";
    c.types[1] = "e4m3";
    c.types[2] = "bf16";
    c.with = "m = 96, k = 300";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char c_size[200], baseline[200];
        snprintf(c_size, sizeof(c_size), "p.m * p.n), sa = input(f32, %s), sb = input(f32, %s", cases[i].a, cases[i].b);
        snprintf(baseline, sizeof(baseline),
                 "vendor.matmul { transpose_b = true, scale = '%s', a_scale = 'sa', b_scale = 'sb' }", cases[i].scale);
        c.sizes[2] = c_size;
        c.baselines = baseline;
        if (!cases[i].name) {
            refuse(state, &c, cases[i].refusal, "docs/baselines.md");
            continue;
        }
        const rft_point_spec *spec = spell(*state, &c, 0);
        const rft_vendor_call *v = &spec->launches[0].vendor;
        assert_string_equal(rft_script_sweep(((script_case *)*state)->script, 0)->baselines[0], cases[i].name);
        assert_string_equal(rft_vendor_scale_name(v->scale), cases[i].scale);
        assert_string_equal(spec->buffers[v->a_scale].name, "sa");
        assert_string_equal(spec->buffers[v->b_scale].name, "sb");
        assert_true(v->exact_accumulation == cases[i].exact);
    }
}

static void test_epilogues(void **state) {
    script_case *test = *state;
    matmul_case c = usual;
    c.sizes[2] = "p.m * p.n), bias = input(f32, p.n), short = input(bf16, 5), other = input(f32, p.m * p.n";
    c.baselines = "{ 'cublaslt', vendor.matmul { epilogue = 'bias_gelu' },\n"
                  "  vendor.matmul { math = 'tf32', epilogue = 'residual', residual = 'other' } }";
    const rft_vendor_call *v = &spell(test, &c, 0)->launches[0].vendor;
    assert_int_equal(v->epilogue, RFT_VENDOR_EPILOGUE_NONE);
    const rft_point_spec *spec = spell(test, &c, 1);
    v = &spec->launches[0].vendor;
    assert_int_equal(v->epilogue, RFT_VENDOR_EPILOGUE_BIAS_GELU);
    assert_string_equal(spec->buffers[v->extra].name, "bias");
    assert_string_equal(rft_script_sweep(test->script, 0)->baselines[1], "cuBLASLt, bias_gelu");
    spec = spell(test, &c, 2);
    v = &spec->launches[0].vendor;
    assert_int_equal(v->epilogue, RFT_VENDOR_EPILOGUE_RESIDUAL);
    assert_string_equal(spec->buffers[v->extra].name, "other");
    assert_string_equal(rft_script_sweep(test->script, 0)->baselines[2], "cuBLASLt tf32, residual");
    static const struct {
        const char *baselines, *message, *remedy;
    } cases[] = {
        {"vendor.matmul { epilogue = 'bias_gelo' }",
         "vendor.matmul.epilogue: the library has no epilogue \"bias_gelo\", did you mean \"bias_gelu\"?", "residual"},
        {"vendor.matmul { bias = 'bias' }", "vendor.matmul.bias: the epilogue \"none\" reads no bias", "epilogue ="},
        {"vendor.matmul { epilogue = 'bias', residual = 'other' }",
         "vendor.matmul.residual: the epilogue \"bias\" reads no residual", NULL},
        {"vendor.matmul { epilogue = 'bias', transpose_c = true }",
         "vendor.matmul.epilogue: the library adds a bias to the columns of a C by rows alone", "transpose_c"},
        {"vendor.matmul { epilogue = 'residual' }", "vendor.matmul.residual: no buffer has the name \"residual\"",
         NULL},
        {"vendor.matmul { epilogue = 'bias', bias = 'short' }",
         "vendor.matmul.bias: bias has the type of C, f32; the buffer \"short\" is bf16", NULL},
        {"vendor.matmul { epilogue = 'bias', bias = 'other' }",
         "vendor.matmul.bias: the buffer \"other\" has 6144 elements, 1 x n is 1 x 64", NULL},
        {"vendor.matmul { epilogue = 'residual', residual = 'bias' }",
         "vendor.matmul.residual: the buffer \"bias\" has 64 elements, m x n is 96 x 64", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        c.baselines = cases[i].baselines;
        refuse(state, &c, cases[i].message, cases[i].remedy);
    }
}

static void test_refused(void **state) {
    static const struct {
        const char *baselines, *message, *remedy;
    } cases[] = {
        {"{ 'cublas' }", "sweep.baseline[1]: unknown baseline \"cublas\", did you mean \"cublaslt\"?", "vendor.matmul"},
        {"'cutlass'", "sweep.baseline: unknown baseline \"cutlass\"", NULL},
        {"{ 7 }", "sweep.baseline[1]: expected \"cublaslt\", vendor.matmul { ... } or kernel {", NULL},
        {"{ 'cublaslt', 'cublaslt' }", "sweep.baseline[2]: two baselines are named \"cuBLASLt\"", "name ="},
        {"vendor.matmul { maths = 'fp32' }", "vendor.matmul.maths: unknown key, did you mean \"math\"?", NULL},
        {"vendor.matmul { scale = 'row' }", "vendor.matmul.scale: no library scales by \"row\", did you mean \"rows\"?",
         "blocks"},
        {"vendor.matmul { scale = 'rows' }", "vendor.matmul.scale: fp32 has no scales, fp8 has", "leave it out"},
        {"vendor.matmul { math = 'fp31' }", "vendor.matmul.math: no library multiplies in \"fp31\"", "bf16"},
        {"vendor.matmul { m = 'rows' }", "sweep.baseline.m: the problem has no dimension \"rows\"", "known: m, n, k"},
        {"vendor.matmul { m = {} }", "vendor.matmul.m: expected the name of a dimension", NULL},
        {"vendor.matmul { m = 0 }", "vendor.matmul.m: 0 is outside 1 to 1000000000", NULL},
        {"vendor.matmul { m = function() return 0 end }", "vendor.matmul.m: 0 is outside 1 to 1000000000", NULL},
        {"vendor.matmul { a = 'aa' }", "vendor.matmul.a: no buffer has the name \"aa\", did you mean \"a\"?", NULL},
        {"vendor.matmul { a = 'c' }", "vendor.matmul.a: the buffer \"c\" is no input(...)", NULL},
        {"vendor.matmul { c = 'b' }", "vendor.matmul.c: the buffer \"b\" is no output(...)", NULL},
        {"vendor.matmul { c = 'scratch' }", "no buffer has the name \"scratch\"", "known: a, b, c"},
        {"vendor.matmul { math = 'bf16' }", "vendor.matmul.a: bf16 multiplies bf16, the buffer \"a\" is f32", "math ="},
        {"vendor.matmul { m = 'k' }", "vendor.matmul.a: the buffer \"a\" has 12288 elements, m x k is 128 x 128", NULL},
        {"vendor.matmul { transpose_b = 1 }", "vendor.matmul.transpose_b: expected true or false", NULL},
        {"vendor.matmul { name = '' }", "vendor.matmul.name", NULL},
        {"vendor.matmul { tol = -1 }", "vendor.matmul.tol", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        matmul_case c = usual;
        c.baselines = cases[i].baselines;
        refuse(state, &c, cases[i].message, cases[i].remedy);
    }
}

static void test_refused_types(void **state) {
    matmul_case c = usual;
    c.types[0] = c.types[1] = "e5m2";
    refuse(state, &c, "vendor.matmul.b: the library multiplies e5m2 with e4m3 alone", "e4m3");
    c.types[0] = c.types[1] = "u8";
    refuse(state, &c, "the library multiplies no u8, which the buffer \"a\" is", "e5m2");
    c.types[0] = "f16";
    c.types[1] = "bf16";
    refuse(state, &c, "vendor.matmul.b: fp16 multiplies f16, the buffer \"b\" is bf16", NULL);
    c.types[1] = "f16";
    c.types[2] = "i32";
    refuse(state, &c, "fp16 has no results of type i32, which the buffer \"c\" is; it writes f16", NULL);
    c = usual; /* the dimension that is missing is named */
    c.problem = "'m', 'n'";
    c.with = "m = 96";
    c.sizes[0] = c.sizes[1] = "p.m";
    refuse(state, &c, "sweep.baseline[1].k: the problem has no dimension \"k\"", "function(p)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_usual, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_named, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_tf32, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_scales, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_epilogues, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refused, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refused_types, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
