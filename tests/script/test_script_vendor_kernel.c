/* SPDX-License-Identifier: Apache-2.0 */
/* vendor.matmul{} where a kernel stands: what it brings, beside other kernels, and what is said of what does not fit.
 */
#include "script_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const char *kernel, const char *rest) {
    static char text[4000];
    snprintf(text, sizeof(text),
             "return sweep {\n"
             "  kernel = %s,\n"
             "  over = { m = values(64, 128) }, with = { n = 256, k = function(p) return 2 * p.n end },\n"
             "  %s\n"
             "}\n",
             kernel, rest);
    return text;
}

static const rft_point_spec *spell(script_case *test, const rft_sweep *sweep, int64_t algo) {
    rft_value config[] = {rft_value_int(algo)};
    const rft_problem *last = &sweep->problems[sweep->problem_count - 1];
    if (case_point(test, last->values, config) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    return &test->spec;
}

static void test_it_brings_what_a_kernel_has(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(
        test, text_of("vendor.matmul { math = 'fp16', transpose_b = true }", "tune = { ALGO = range(0, 7) }"));
    assert_int_equal(sweep->axis_count, 3);
    assert_string_equal(sweep->axes[0].name, "m");
    assert_string_equal(sweep->axes[2].name, "k");
    assert_true(sweep->problems[0].odd);
    const rft_variant *variant = &sweep->variants[0];
    assert_string_equal(variant->name, "cuBLASLt");
    assert_int_equal(variant->param_count, 1);
    assert_string_equal(variant->params[0].name, "ALGO");
    assert_int_equal(variant->params[0].value_count, 8);
    assert_int_equal(variant->params[0].default_value.as.integer, 0);
    assert_non_null(strstr(variant->source, "vendor_matmul.lua"));
    const rft_point_spec *spec = spell(test, sweep, 5);
    assert_int_equal(spec->unit.name_count, 0); /* nothing to compile, but: */
    assert_string_equal(spec->check.reference->unit.names[0],
                        "vendor_matmul_reference<__half, double, false, true, false>");
    assert_int_equal(spec->launch_count, 1);
    assert_int_equal(spec->launches[0].kind, RFT_LAUNCH_VENDOR);
    const rft_vendor_call *v = &spec->launches[0].vendor;
    assert_true(v->math == RFT_VENDOR_FP16 && v->m == 128 && v->n == 256 && v->k == 512 && v->algo == 5);
    assert_true(v->a_order == RFT_VENDOR_ROW && v->b_order == RFT_VENDOR_COLUMN && v->d_order == RFT_VENDOR_ROW);
    assert_int_equal(spec->buffers[v->d].type, RFT_TYPE_F16);
    assert_int_equal(spec->buffers[v->b].count, 256 * 512);
    assert_true(spec->work.pipe_ops[RFT_PIPE_TENSOR_FP16] == 2.0 * 128 * 256 * 512);
    assert_true(spec->work.bytes_read == 2.0 * (128 * 512 + 256 * 512) && spec->work.bytes_written == 2.0 * 128 * 256);
    assert_true(spec->check.length == 512);
}

/* Without `tune` it is the library's own choice. */
static void test_the_first_is_the_default(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep =
        case_load(test, text_of("vendor.matmul { math = 'int8', transpose_b = true }", "baseline = 'cublaslt'"));
    assert_int_equal(sweep->variants[0].params[0].value_count, 1);
    assert_false(sweep->problems[0].odd); /* the library has only multiples of 16 */
    const rft_point_spec *spec = spell(test, sweep, 0);
    assert_int_equal(spec->launches[0].vendor.algo, 0);
    assert_int_equal(spec->buffers[2].type, RFT_TYPE_I32);
    assert_string_equal(spec->check.reference->unit.names[0],
                        "vendor_matmul_reference<signed char, int, false, true, false>");
    /* and beside it as a baseline */
    assert_int_equal(
        sweep->vt->baseline(sweep->self, 0, sweep->problems[0].values, test->arena, &test->spec, &test->err), 0);
    assert_int_equal(test->spec.launches[0].vendor.math, RFT_VENDOR_INT8);
}

static void test_output_and_tolerance(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(test, text_of("vendor.matmul { math = 'bf16', output = f32 }", ""));
    assert_int_equal(spell(test, sweep, 0)->buffers[2].type, RFT_TYPE_F32);
    assert_true(test->spec.work.bytes_written == 4.0 * 128 * 256);
    sweep = case_load(test, text_of("vendor.matmul { math = 'fp32' }", ""));
    double exact = rft_spec_tolerance(spell(test, sweep, 0), 2);
    sweep = case_load(test, text_of("vendor.matmul { math = 'tf32' }", ""));
    assert_string_equal(sweep->variants[0].name, "cuBLASLt tf32");
    assert_true(rft_spec_tolerance(spell(test, sweep, 0), 2) > exact + 0.003);
    assert_true(test->spec.work.pipe_ops[RFT_PIPE_TENSOR_TF32] > 0 && test->spec.work.pipe_ops[RFT_PIPE_FP32] == 0);
    sweep = case_load(test, text_of("vendor.matmul { math = 'tf32', tol = 0.25 }", ""));
    assert_true(rft_spec_tolerance(spell(test, sweep, 0), 2) == 0.25);
}

static void test_an_epilogue_brings_what_it_reads(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep =
        case_load(test, text_of("vendor.matmul { math = 'bf16', transpose_b = true, epilogue = 'bias_gelu' }", ""));
    const rft_point_spec *spec = spell(test, sweep, 0);
    const rft_vendor_call *v = &spec->launches[0].vendor;
    assert_int_equal(v->epilogue, RFT_VENDOR_EPILOGUE_BIAS_GELU);
    assert_true(spec->buffers[v->extra].count == 256 && spec->buffers[v->extra].type == RFT_TYPE_BF16);
    assert_string_equal(spec->check.reference->unit.names[0],
                        "bias_reference<__nv_bfloat16, __nv_bfloat16, false, true, 2>");
    assert_true(spec->work.bytes_read == 2.0 * (128 * 512 + 256 * 512 + 256));
    assert_true(spec->work.pipe_ops[RFT_PIPE_FP32] == 9.0 * 128 * 256);
    sweep = case_load(test, text_of("vendor.matmul { math = 'fp32', epilogue = 'residual' }", ""));
    spec = spell(test, sweep, 0);
    v = &spec->launches[0].vendor;
    assert_true(spec->buffers[v->extra].count == 128 * 256 && spec->buffers[v->extra].type == RFT_TYPE_F32);
    assert_true(spec->work.pipe_ops[RFT_PIPE_FP32] == 2.0 * 128 * 256 * 512 + 128 * 256);
}

/* A kernel of the user's own whose launch is the library's: other names, another problem. */
#define OWN(launch, more)                                                                                              \
    "kernel { problem = { 'm', 'n', 'k' },\n"                                                                          \
    "  buffers = function(p) return { w = input(f16, p.n * p.k), x = input(f16, p.m * p.k),\n"                         \
    "    y = output(f32, p.m * p.n) } end,\n"                                                                          \
    "  launch = " launch ",\n"                                                                                         \
    "  work = function(p) return { tensor_fp16 = 2 * p.m * p.n * p.k, bytes = 1 } end,\n"                              \
    "  check = { reference = 'saxpy.cu:saxpy_reference' }" more " }"

static void test_a_kernel_whose_launch_is_the_librarys(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(
        test, text_of(OWN("vendor.matmul { a = 'x', b = 'w', c = 'y', transpose_b = true }", ", name = 'mine'"),
                      "tune = { ALGO = 3 }"));
    assert_string_equal(sweep->variants[0].kernel, "mine");
    const rft_point_spec *spec = spell(test, sweep, 3);
    const rft_vendor_call *v = &spec->launches[0].vendor;
    assert_true(v->a == 1 && v->b == 0 && v->d == 2 && v->algo == 3 && v->math == RFT_VENDOR_FP16);
}

static void test_beside_another_kernel(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(
        test, "return sweep { variants = {\n"
              "  { 'ours', kernel = kernel { source = 'saxpy.cu', entry = 'mm', problem = { 'm', 'n', 'k' },\n"
              "      params = { { 'TILE', 16 } },\n"
              "      buffers = function(p) return { a = input(f32, p.m * p.k), b = input(f32, p.k * p.n),\n"
              "        c = output(f32, p.m * p.n) } end,\n"
              "      launch = function(p, c, gpu, b) return { args = { b.a }, grid = 1, block = 32 } end,\n"
              "      work = function(p) return { fp32 = 1, bytes = 1 } end,\n"
              "      check = { reference = 'saxpy.cu:saxpy_reference' } }, tune = { TILE = values(8, 16) } },\n"
              "  { 'library', kernel = vendor.matmul { math = 'fp32' }, tune = { ALGO = values(0, 1) } } },\n"
              "  over = { n = values(64, 128) },\n"
              "  with = { m = 64, k = 32 } }");
    assert_int_equal(sweep->variant_count, 2);
    assert_string_equal(sweep->variants[1].name, "library");
    assert_string_equal(sweep->variants[1].kernel, "cuBLASLt");
    rft_value config[] = {rft_value_int(1)};
    assert_int_equal(
        sweep->vt->point(sweep->self, 1, sweep->problems[1].values, config, test->arena, &test->spec, &test->err), 0);
    assert_int_equal(test->spec.launches[0].vendor.algo, 1);
}

static void test_refused(void **state) {
    static const struct {
        const char *kernel, *rest, *message, *remedy;
    } cases[] = {
        {"vendor.matmul {}", "", "sweep.kernel: a library in a kernel's place brings its own buffers", "math ="},
        {"vendor.matmul { math = 'fp16', m = 64 }", "", "sweep.kernel.m: in a kernel's place the problem is m, n, k",
         "kernel { launch = vendor.matmul"},
        {"vendor.matmul { math = 'fp16', a = 'x' }", "",
         "sweep.kernel.a: in a kernel's place the buffers are a, b and c", "kernel { launch ="},
        {"vendor.matmul { math = 'fp16', output = bf16 }", "",
         "sweep.kernel.output: fp16 has no results of type bf16; it writes f16", NULL},
        {"vendor.matmul { math = 'fp16', output = 'f32' }", "", "vendor.matmul.output: expected an element type", NULL},
        {"vendor.matmul { math = 'fp16' }", "tune = { ALGOS = 1 }",
         "sweep.tune.ALGOS: the kernel has no such parameter, did you mean \"ALGO\"?", NULL},
        {"vendor.matmul { math = 'fp16' }", "tune = { ALGO = -1 }", "ALGO: -1 is outside 0 to 1000", NULL},
        {"vendor.matmul { math = 'fp16' }", "tune = { ALGO = 0.5 }", "ALGO: expected a whole number", NULL},
        {OWN("vendor.matmul { a = 'x', b = 'w', c = 'y' }", ", entry = 'e'"), "",
         "kernel.entry: the launch is a library's, which has no code to compile", "ALGO"},
        {OWN("vendor.matmul { a = 'x', b = 'w', c = 'y', k = 'depth' }", ""), "",
         "kernel.launch.k: the problem has no dimension \"depth\"", "known: m, n, k"},
        {OWN("vendor.matmul { a = 'x', b = 'w', c = 'z' }", ""), "", "vendor.matmul.c: no buffer has the name \"z\"",
         "known: w, x, y"},
        {OWN("vendor.matmul { a = 'x', b = 'w', c = 'y', output = f16 }", ""), "",
         "vendor.matmul.output: the results shall be f16, the buffer \"y\" is f32", NULL},
        {"vendor.matmul { math = 'int8', epilogue = 'bias' }", "",
         "sweep.kernel.epilogue: in a kernel's place int8 has no epilogue", NULL},
        {"vendor.matmul { math = 'bf16', epilogue = 'bias', bias = 'x' }", "",
         "sweep.kernel.epilogue: in a kernel's place what the epilogue reads is called bias", "kernel { launch ="},
        {"7", "", "sweep.kernel: expected kernel { ... }", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        case_refuse(*state, text_of(cases[i].kernel, cases[i].rest), RFT_E_SCRIPT, ".lua", cases[i].message,
                    cases[i].remedy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_brings_what_a_kernel_has, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_the_first_is_the_default, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_output_and_tolerance, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_an_epilogue_brings_what_it_reads, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_a_kernel_whose_launch_is_the_librarys, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_beside_another_kernel, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refused, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
