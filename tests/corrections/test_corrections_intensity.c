/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic intensities of linear layers, norms and elementwise operations (docs/corrections.md A4-A7, A11, A12, E2,
 * E4-E6, E12, E16, E17, E29). Sources: S0 (tables and calculators), S2 (calculators, program output,
 * questions), S1 (RMSNorm), S4 (vector add, matmul). Bandwidth 3.35 TB/s and peak 989 (990 in
 * S0) are theirs, of an H100.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include <math.h>

#define BANDWIDTH 3.35 /* TB/s */

/* Share of the peak that the roof allows, per cent. */
static double percent_of_peak(double intensity, double peak) {
    return 100.0 * work_roof(intensity, peak, BANDWIDTH) / peak;
}

static double intensity_of(rft_work work) {
    return rft_work_intensity(&work);
}

static void a04_calculators(void **state) {
    (void)state;
    /* GEMV and dot product of two fp16 and fp32 vectors; elementwise; softmax. */
    rft_work gemv = work_gemm(1, 4096, 4096, 2);
    assert_prints(rft_work_ops(&gemv) / 1e6, "33.6");
    assert_prints(rft_work_bytes(&gemv) / 1e6, "33.6");
    assert_prints(rft_work_intensity(&gemv), "1.0");
    assert_prints(intensity_of(work_gemm(1, 4096, 4096, 4)), "0.5");
    assert_prints(intensity_of(work_per_element(2, 2, 0, 4)), "0.25"); /* dot */
    assert_prints(intensity_of(work_per_element(1, 1, 1, 4)), "0.125");
    assert_prints(intensity_of(work_per_element(5, 1, 1, 2)), "1.25"); /* softmax */
    rft_work prefill = work_gemm(512, 4096, 4096, 2);
    assert_prints(rft_work_ops(&prefill) / 1e9, "17.2");
    assert_prints(rft_work_bytes(&prefill) / 1e6, "41.9");
    /* S2's first question: 4096^3 in bf16. */
    assert_prints(work_intensity_gemm(4096, 4096, 4096, 2), "1365");
}

/* Table of S0, rows that are right. The rest: E2, E3, E4, E5. */
static void a05_llm_operations(void **state) {
    (void)state;
    assert_prints(work_intensity_gemm(1, 4096, 4096, 2), "1.0");
    assert_prints(percent_of_peak(work_intensity_gemm(1, 4096, 4096, 2), 990), "0.3");
    assert_prints(percent_of_peak(work_intensity_gemm(8, 4096, 4096, 2), 990), "2.7");
    assert_prints(work_intensity_gemm(512, 4096, 4096, 2), "410");
    assert_prints(percent_of_peak(5.0 / 4, 990), "0.4"); /* softmax */
}

/* Output of S2's program; E12 and E13 have what it should have printed. */
static void a06_program_output(void **state) {
    (void)state;
    static const double sizes[] = {128, 1024, 4096};
    static const char *const printed[] = {"21.3", "170.7", "682.7"}; /* these are fp32 */
    for (size_t i = 0; i < 3; i++) {
        assert_prints(work_intensity_gemm(sizes[i], sizes[i], sizes[i], 4), printed[i]);
    }
    assert_prints(intensity_of(work_per_element(7, 3, 1, 2)), "0.9"); /* four accesses a LayerNorm: E5 */
    assert_prints(989.0 / BANDWIDTH, "295.2");
    assert_prints(67.0 / BANDWIDTH, "20.0");
}

static void a07_strategy_table(void **state) {
    (void)state;
    assert_prints(work_intensity_gemm(1, 4096, 4096, 2), "1.0");
    assert_between(work_intensity_gemm(32, 4096, 4096, 2), 30, 32); /* "30"; E2 */
    assert_prints(work_intensity_gemm(512, 4096, 4096, 2), "410");
    assert_prints(intensity_of(work_per_element(5, 1, 1, 2)), "1.25");
}

/* N/3, and the bound of each size as S2's sweep prints it. */
static void a11_square_sweep(void **state) {
    (void)state;
    for (double n = 128; n <= 4096; n *= 2) {
        double intensity = work_intensity_gemm(n, n, n, 2);
        assert_true(fabs(intensity - n / 3) < 1e-9);
        assert_int_equal(intensity > 295, n >= 1024);
    }
}

/* Intensity is about the batch while it is small against N and K. */
static void a12_batch_sweep(void **state) {
    (void)state;
    assert_prints(work_intensity_gemm(1, 4096, 4096, 2), "1");
    assert_prints(work_intensity_gemm(8, 4096, 4096, 2), "8");
    assert_prints(work_intensity_gemm(32, 8192, 8192, 2), "32");
    assert_prints(work_intensity_gemm(32, 4096, 4096, 2), "32"); /* 31.5 */
    assert_true(work_intensity_gemm(32, 4096, 4096, 2) < 295);
    assert_true(work_intensity_gemm(512, 4096, 4096, 2) > 295); /* but 410, not 512 */
}

static void e02_decode_batches(void **state) {
    (void)state;
    assert_prints(work_intensity_gemm(8, 4096, 4096, 2), "7.97");
    assert_prints(work_intensity_gemm(32, 4096, 4096, 2), "31.5");
    assert_prints(percent_of_peak(work_intensity_gemm(32, 4096, 4096, 2), 990), "10.7");
}

/* A pair (x, y) becomes (x c - y s, x s + y c): four products, two sums; the angles are shared by heads and rows. */
static void e04_rope(void **state) {
    (void)state;
    double ops_of_a_pair = 4 + 2;
    double intensity = intensity_of(work_per_element(ops_of_a_pair / 2, 1, 1, 2));
    assert_prints(intensity, "0.75");
    assert_prints(percent_of_peak(intensity, 990), "0.3");
}

/* gamma and beta are read once for all rows: with 8192 rows they no longer count. */
static void e05_layernorm_shares_its_weights(void **state) {
    (void)state;
    double rows = 8192, d = 4096;
    for (int ops = 7; ops <= 8; ops++) {
        rft_work work = {.bytes_read = (rows * d + 2 * d) * 2, .bytes_written = rows * d * 2};
        work.pipe_ops[RFT_PIPE_FP32] = ops * rows * d;
        assert_prints(rft_work_intensity(&work), ops == 7 ? "1.75" : "2.00");
        assert_prints(percent_of_peak(rft_work_intensity(&work), 990), ops == 7 ? "0.6" : "0.7");
        /* One row alone is what S2 computes, and 4 of 4 accesses. */
        rft_work row = {.bytes_read = 3 * d * 2, .bytes_written = d * 2};
        row.pipe_ops[RFT_PIPE_FP32] = ops * d;
        assert_true(rft_work_intensity(&row) < 0.51 * rft_work_intensity(&work));
    }
    assert_prints(8.0 / 6, "1.33"); /* S0: three accesses */
}

static void e06_rmsnorm(void **state) {
    (void)state;
    double rows = 8192, d = 4096;
    rft_work work = {.bytes_read = (rows * d + d) * 2, .bytes_written = rows * d * 2};
    work.pipe_ops[RFT_PIPE_FP32] = 4 * rows * d;
    assert_prints(rft_work_intensity(&work), "1.00");
    assert_prints(4.0 / 6, "0.667"); /* S1: the weight with every row */
    /* The sum is of squares: of these the sum is 0, their root mean square 1. */
    static const double row[] = {1, -1, 1, -1};
    double sum = 0, squares = 0;
    for (int i = 0; i < 4; i++) {
        sum += row[i];
        squares += row[i] * row[i];
    }
    assert_true(sum == 0.0 && sqrt(squares / 4) == 1.0);
}

/* With dtype_bytes = 2, which the program passes. */
static void e12_bf16_output(void **state) {
    (void)state;
    static const double sizes[] = {128, 1024, 4096};
    static const char *const right[] = {"42.7", "341.3", "1365.3"}, *const percent[] = {"14.5", "100.0", "100.0"};
    for (size_t i = 0; i < 3; i++) {
        double intensity = work_intensity_gemm(sizes[i], sizes[i], sizes[i], 2);
        assert_prints(intensity, right[i]);
        assert_prints(percent_of_peak(intensity, 989), percent[i]);
    }
    assert_true(work_intensity_gemm(1024, 1024, 1024, 2) > 989 / BANDWIDTH); /* compute-bound */
    assert_prints(intensity_of(work_per_element(1, 1, 1, 2)), "0.25");
    assert_prints(intensity_of(work_per_element(1, 1, 1, 2)), "0.2"); /* as it prints: 0.25 to one place, to even */
    assert_prints(percent_of_peak(0.25, 989), "0.1");
    assert_prints(percent_of_peak(0.875, 989), "0.3");
    /* How its percentages came about: the bandwidth was left out. */
    assert_prints(100 * 170.7 / 989, "17.3");
    assert_prints(100 * 21.3 / (989 * BANDWIDTH), "0.6");
    assert_prints(percent_of_peak(64.0 / 3, 989), "7.2");
    assert_prints(percent_of_peak(52.2, 989), "17.7");
    assert_prints(percent_of_peak(61.4, 989), "20.8");
}

/* 8 TB/s and 2000 TFLOP/s are S4's. */
static void e16_vector_add(void **state) {
    (void)state;
    rft_work add = work_per_element(1, 2, 1, 4);
    assert_prints(rft_work_bytes(&add), "12");
    assert_prints(rft_work_intensity(&add), "0.083");
    double roof = work_roof(rft_work_intensity(&add), 2000, 8);
    assert_prints(roof, "0.67");
    assert_prints(100 * roof / 2000, "0.033");
    /* The memory ceiling is no level: it grows with the intensity. */
    assert_true(work_roof(20, 2000, 8) == 2 * work_roof(10, 2000, 8));
}

static void e17_matmul_fp32(void **state) {
    (void)state;
    assert_prints(work_intensity_gemm(1024, 1024, 1024, 4), "170.7");
    assert_prints(work_intensity_gemm(4096, 4096, 4096, 4), "682.7");
    double n = 2048; /* without any reuse: two floats for every multiply-add */
    assert_prints(2 * n * n * n / (2 * n * n * n * 4), "0.25");
    assert_prints(2 * n * n * n / (3 * n * n * 4), "341.3"); /* what the text equates with 0.25 */
}

/* Batch 1: bf16 weights are two bytes for two operations. */
static void e29_batch_one(void **state) {
    (void)state;
    rft_work bf16 = work_gemm(1, 4096, 4096, 2), fp8 = work_gemm_weights(1, 4096, 4096, 2, 1);
    assert_prints(rft_work_intensity(&bf16), "1.0");
    assert_prints(rft_work_bytes(&bf16) / rft_work_bytes(&fp8), "2.0"); /* the speed-up, as both are memory-bound */
    assert_true(rft_work_intensity(&fp8) < 295);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a04_calculators),
        cmocka_unit_test(a05_llm_operations),
        cmocka_unit_test(a06_program_output),
        cmocka_unit_test(a07_strategy_table),
        cmocka_unit_test(a11_square_sweep),
        cmocka_unit_test(a12_batch_sweep),
        cmocka_unit_test(e02_decode_batches),
        cmocka_unit_test(e04_rope),
        cmocka_unit_test(e05_layernorm_shares_its_weights),
        cmocka_unit_test(e06_rmsnorm),
        cmocka_unit_test(e12_bf16_output),
        cmocka_unit_test(e16_vector_add),
        cmocka_unit_test(e17_matmul_fp32),
        cmocka_unit_test(e29_batch_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
