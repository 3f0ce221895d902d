/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product's calculators (kernels/lib/intensity.lua) against the formulas of work_formulas.h, which know nothing of
 * them: docs/corrections.md A4, and E2, E4-E6, E12-E14, E17, E29, E30, whose right values the calculators must give.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include "base/json.h"
#include "base/str.h"
#include "script/script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The work of an expression of the module `i`, its operations together. */
static rft_work calculated(const char *expression) {
    rft_err err = RFT_ERR_INIT;
    char *json = NULL, text[400];
    json_t *value = NULL;
    rft_text_format(text, sizeof text,
                    "local i = require 'kernels.intensity' local w, ops = %s, 0\n"
                    "for key, n in pairs(w) do if key ~= 'read' and key ~= 'write' then ops = ops + n end end\n"
                    "return { ops = ops, read = w.read or 0, write = w.write or 0 }",
                    expression);
    if (rft_script_eval_table(&json, RFT_SOURCE_DIR "/sweeps/corrections.lua", text, &(rft_script_opts){0}, &err) !=
        0) {
        fail_msg("%s: %s", expression, err.message);
    }
    assert_int_equal(rft_json_parse(&value, json, strlen(json), "answer", &err), 0);
    rft_work work = {.bytes_read = rft_json_real_or(value, "read", NAN),
                     .bytes_written = rft_json_real_or(value, "write", NAN)};
    work.pipe_ops[RFT_PIPE_FP32] = rft_json_real_or(value, "ops", NAN);
    json_decref(value);
    free(json);
    return work;
}

static bool is_same(double got, double want) {
    return fabs(got - want) <= 1e-12 * fabs(want);
}

static void check(const char *expression, rft_work want) {
    rft_work got = calculated(expression);
    bool same = is_same(rft_work_ops(&got), rft_work_ops(&want)) && is_same(got.bytes_read, want.bytes_read) &&
                is_same(got.bytes_written, want.bytes_written);
    if (!same) {
        fail_msg("%s: %.17g operations, %.17g + %.17g B; expected %.17g, %.17g + %.17g", expression, rft_work_ops(&got),
                 got.bytes_read, got.bytes_written, rft_work_ops(&want), want.bytes_read, want.bytes_written);
    }
}

static double intensity_of(const char *expression) {
    rft_work work = calculated(expression);
    return rft_work_intensity(&work);
}

static void a04_matrix_products_agree(void **state) {
    (void)state;
    static const double sizes[][3] = {{1, 4096, 4096}, {8, 4096, 4096}, {512, 4096, 4096}, {128, 8192, 1024}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double *s = sizes[i];
        char text[160];
        snprintf(text, sizeof text, "i.gemm { m = %.0f, n = %.0f, k = %.0f, dtype = 'fp16' }", s[0], s[1], s[2]);
        check(text, work_gemm(s[0], s[1], s[2], 2));
        snprintf(text, sizeof text, "i.gemm { m = %.0f, n = %.0f, k = %.0f, dtype = 'fp32' }", s[0], s[1], s[2]);
        check(text, work_gemm(s[0], s[1], s[2], 4));
        snprintf(text, sizeof text, "i.gemm { m = %.0f, n = %.0f, k = %.0f, weight = 'fp8' }", s[0], s[1], s[2]);
        check(text, work_gemm_weights(s[0], s[1], s[2], 2, 1));
    }
    check("i.gemv { n = 4096, k = 2048, dtype = 'fp16' }", work_gemm(1, 4096, 2048, 2));
}

static void a04_attention_agrees(void **state) {
    (void)state;
    check("i.attention { l = 512, d = 64 }", work_attention(512, 64, 2, 5, 2));
    check("i.attention { l = 2048, d = 64 }", work_attention(2048, 64, 2, 5, 2));
    check("i.attention { l = 2048, d = 64, passes = 2 }", work_attention(2048, 64, 2, 5, 4));
    check("i.flash { l = 2048, d = 64 }", work_attention(2048, 64, 2, 5, 0));
}

static void a04_elementwise_agrees(void **state) {
    (void)state;
    check("i.elementwise { n = 1, dtype = 'fp32' }", work_per_element(1, 1, 1, 4));
    check("i.elementwise { n = 1, reads = 2, dtype = 'fp32' }", work_per_element(1, 2, 1, 4)); /* vector add, E16 */
    check("i.elementwise { n = 1, ops = 3, kernels = 3, dtype = 'fp32' }", work_per_element(3, 3, 3, 4)); /* E23 */
    check("i.softmax { rows = 1, n = 1, dtype = 'fp16' }", work_per_element(5, 1, 1, 2));
    check("i.rope { tokens = 1, d = 1, dtype = 'fp16' }", work_per_element(3, 1, 1, 2)); /* E4 */
}

/* What the sources got wrong, asked of the product. */
static void e02_to_e30_the_calculators_are_right(void **state) {
    (void)state;
    assert_prints(intensity_of("i.gemm { m = 8, n = 4096, k = 4096, dtype = 'fp16' }"), "7.97");   /* E2 */
    assert_prints(intensity_of("i.gemm { m = 32, n = 4096, k = 4096, dtype = 'fp16' }"), "31.5");  /* E2 */
    assert_prints(intensity_of("i.rope { tokens = 8192, d = 128, heads = 32 }"), "0.75");          /* E4 */
    assert_prints(intensity_of("i.layernorm { rows = 8192, n = 4096 }"), "1.75");                  /* E5 */
    assert_prints(intensity_of("i.layernorm { rows = 8192, n = 4096, ops = 8 }"), "2.00");         /* E5 */
    assert_prints(intensity_of("i.rmsnorm { rows = 8192, n = 4096 }"), "1.00");                    /* E6 */
    assert_prints(intensity_of("i.gemm { m = 1024, n = 1024, k = 1024 }"), "341.3");               /* E12 */
    assert_prints(intensity_of("i.flash { l = 2048, d = 64 }"), "1044");                           /* E13 */
    assert_prints(intensity_of("i.attention { l = 2048, d = 64 }"), "61.4");                       /* E13 */
    assert_prints(intensity_of("i.gemm { m = 1024, n = 1024, k = 1024, dtype = 'fp32' }"), "171"); /* E17 */
    assert_prints(intensity_of("i.gemv { n = 4096, k = 4096 }"), "1.0");                           /* E29 */
    assert_prints(intensity_of("i.gemv { n = 4096, k = 4096, weight = 'fp8' }"), "2.0");           /* E29 */
    double full = intensity_of("i.flash { l = 8192, d = 128 }");
    double causal = intensity_of("i.flash { l = 8192, d = 128, causal = 1 }");
    assert_prints(full / causal, "2.0"); /* E30 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a04_matrix_products_agree),
        cmocka_unit_test(a04_attention_agrees),
        cmocka_unit_test(a04_elementwise_agrees),
        cmocka_unit_test(e02_to_e30_the_calculators_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
