/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention and convolution (docs/corrections.md A4, A6, A14, A18, E13, E14, E30). Sources: S2 (calculators,
 * program output, questions), S0 (strategy table). One head of dimension d, fp16 or bf16.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#define SOFTMAX 5 /* operations per score, as S2 counts them */

/* S2's functions: naive writes and reads one matrix of scores, flash none. */
static double naive(double l, double d) {
    rft_work work = work_attention(l, d, 2, SOFTMAX, 2);
    return rft_work_intensity(&work);
}

static double flash(double l, double d) {
    rft_work work = work_attention(l, d, 2, SOFTMAX, 0);
    return rft_work_intensity(&work);
}

static void a04_attention_calculators(void **state) {
    (void)state;
    rft_work work = work_attention(2048, 64, 2, SOFTMAX, 2);
    assert_true(rft_work_ops(&work) == 2048.0 * 2048 * (4 * 64 + 5));
    assert_true(rft_work_bytes(&work) == 2.0 * (4 * 2048.0 * 64 + 2 * 2048.0 * 2048));
    rft_work tiled = work_attention(2048, 64, 2, SOFTMAX, 0);
    assert_true(rft_work_ops(&tiled) == rft_work_ops(&work)); /* the same mathematics */
    assert_true(rft_work_bytes(&tiled) == 2.0 * 4 * 2048.0 * 64);
}

/* Printed as 52.1 and 61.1. */
static void a06_naive_attention(void **state) {
    (void)state;
    assert_prints(naive(512, 64), "52.2");
    assert_prints(naive(2048, 64), "61.4");
}

/* "~50 FLOP/B at L = 256, close to the ridge of the L2". */
static void a14_small_attention(void **state) {
    (void)state;
    assert_prints(naive(256, 64), "43.5");
    assert_true(naive(256, 64) < 82);
}

static void a18_compute_bound_when_done_well(void **state) {
    const machines *m = *state;
    double ridge = machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16);
    assert_true(work_intensity_gemm(4096, 4096, 4096, 2) > ridge);
    assert_true(flash(590, 64) > ridge && flash(512, 64) < ridge); /* "above ~512": from 579 with the softmax; E30 */
    /* 3 x 3 over 64 images of 56 x 56 and 256 channels, each input, weight and output once. */
    double pixels = 64.0 * 56 * 56, channels = 256;
    rft_work conv = {.bytes_read = 2 * (pixels * channels + 9 * channels * channels),
                     .bytes_written = 2 * pixels * channels};
    conv.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2 * pixels * channels * channels * 9;
    assert_true(rft_work_intensity(&conv) > ridge);
}

/* Printed as 340.7. */
static void e13_flash_attention(void **state) {
    (void)state;
    assert_prints(flash(2048, 64), "1044");
    assert_between(flash(2048, 64) / (2048 / 2.0), 1.0, 1.03); /* L/2, and the softmax */
}

/* S2 gives 64, 61 and 32 for d = 64. For long sequences and without the softmax it is a matter of passes. */
static void e14_naive_attention_passes(void **state) {
    (void)state;
    double d = 64, l = 1 << 22;
    rft_work one_matrix = work_attention(l, d, 2, 0, 2), two_matrices = work_attention(l, d, 2, 0, 4);
    assert_prints(rft_work_intensity(&one_matrix), "64");   /* S written, then read: d */
    assert_prints(rft_work_intensity(&two_matrices), "32"); /* S and P both written and read: d/2 */
}

/* "50-200, balanced". */
static void e30_flash_attention_bound(void **state) {
    const machines *m = *state;
    double h100 = machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16);
    double h200 = machine_ridge(m, MACHINE_H200, RFT_CEILING_TENSOR_BF16);
    for (double l = 512; l <= 16384; l *= 2) {
        rft_work work = work_attention(l, 128, 2, 0, 0);
        assert_true(rft_work_intensity(&work) == l / 2);
        for (int p = 0; p < RFT_PIPE_COUNT; p++) {
            work.pipe_ops[p] /= 2; /* causal: half of the scores */
        }
        assert_true(rft_work_intensity(&work) == l / 4);
    }
    assert_between(2 * h100, 590, 591);
    assert_prints(2 * h200, "412");
    assert_between(4 * h100, 1180, 1182);
    rft_work at = work_attention(600, 128, 2, 0, 0), below = work_attention(580, 128, 2, 0, 0);
    assert_true(rft_work_intensity(&at) > h100 && rft_work_intensity(&below) < h100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a04_attention_calculators), cmocka_unit_test(a06_naive_attention),
        cmocka_unit_test(a14_small_attention),       cmocka_unit_test(a18_compute_bound_when_done_well),
        cmocka_unit_test(e13_flash_attention),       cmocka_unit_test(e14_naive_attention_passes),
        cmocka_unit_test(e30_flash_attention_bound),
    };
    return cmocka_run_group_tests(tests, machines_set_up, machines_tear_down);
}
