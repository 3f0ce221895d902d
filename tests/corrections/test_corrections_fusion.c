/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fusing saves (docs/corrections.md E21-E23, E25, E31). Sources: S4 (fusion, L2 norm, intensity tuning),
 * S2 (feed-forward sublayer). Accesses are those of fp32 elements, once through memory each.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include <math.h>

#define FLOAT 4.0

typedef struct step {
    double reads, writes, ops; /* per element */
} step;

/* Steps one behind the other, each through memory. */
static rft_work chain(const step *steps, size_t count) {
    rft_work sum = {.bytes_read = 0};
    for (size_t i = 0; i < count; i++) {
        sum.bytes_read += steps[i].reads * FLOAT;
        sum.bytes_written += steps[i].writes * FLOAT;
        sum.pipe_ops[RFT_PIPE_FP32] += steps[i].ops;
    }
    return sum;
}

static double accesses(rft_work work) {
    return rft_work_bytes(&work) / FLOAT;
}

static double intensity(rft_work work) {
    return rft_work_intensity(&work);
}

/* S4's fused kernel, block by block. */
static void fused_l2_norm(const double *x, double *out, int n, int block) {
    for (int first = 0; first < n; first += block) {
        double sum = 0;
        for (int i = first; i < first + block && i < n; i++) {
            sum += x[i] * x[i];
        }
        for (int i = first; i < first + block && i < n; i++) {
            out[i] = x[i] / sqrt(sum);
        }
    }
}

static void e21_fused_l2_norm(void **state) {
    (void)state;
    static double x[1024], out[1024];
    for (int n = 256; n <= 1024; n *= 4) {
        double norm = 0;
        for (int i = 0; i < n; i++) {
            x[i] = 1.0;
        }
        fused_l2_norm(x, out, n, 256);
        for (int i = 0; i < n; i++) {
            norm += out[i] * out[i];
        }
        assert_prints(sqrt(norm), n == 256 ? "1.0" : "2.0"); /* right for one block only */
    }
    /* Square, sum, divide: 3 operations. Five passes, two passes, and a true global norm: two reads, one write. */
    rft_work unfused = work_per_element(3, 3, 2, FLOAT), fused = work_per_element(3, 1, 1, FLOAT);
    rft_work global = work_per_element(3, 2, 1, FLOAT);
    assert_prints(rft_work_bytes(&unfused), "20");
    assert_prints(rft_work_bytes(&fused), "8");
    assert_prints(rft_work_bytes(&global), "12");
    assert_prints(intensity(unfused), "0.15");
    assert_prints(intensity(fused), "0.375");
    assert_prints(intensity(global), "0.25");
    assert_prints(intensity(fused) / intensity(unfused), "2.5");
    assert_prints(85.0 / 34.0, "2.5"); /* its times */
}

static void e22_bias_relu_dropout(void **state) {
    (void)state;
    static const step array_bias[] = {{2, 1, 1}, {1, 1, 1}, {1, 1, 1}}, fused_array[] = {{2, 1, 3}};
    static const step scalar_bias[] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, fused_scalar[] = {{1, 1, 3}};
    assert_prints(accesses(chain(array_bias, 3)), "7");
    assert_prints(accesses(chain(fused_array, 1)), "3");
    assert_prints(accesses(chain(array_bias, 3)) / accesses(chain(fused_array, 1)), "2.3");
    assert_prints(accesses(chain(scalar_bias, 3)), "6");
    assert_prints(accesses(chain(fused_scalar, 1)), "2");
    assert_prints(intensity(chain(scalar_bias, 3)), "0.125");
    assert_prints(intensity(chain(fused_scalar, 1)), "0.375");
    /* 4 and 12 TFLOP/s follow from .5 and 1.5 at its 8 TB/s; right are 1 and 3. */
    assert_prints(work_roof(0.5, 2000, 8), "4");
    assert_prints(work_roof(intensity(chain(scalar_bias, 3)), 2000, 8), "1");
    assert_prints(work_roof(intensity(chain(fused_scalar, 1)), 2000, 8), "3");
}

/* x + 1, x * 2, relu. */
static void e23_elementwise_chain(void **state) {
    (void)state;
    static const step three[] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, one[] = {{1, 1, 3}};
    assert_prints(accesses(chain(three, 3)), "6"); /* as its output says: 6 memory operations are 3 kernels, not 4 */
    assert_prints(intensity(chain(three, 3)), "0.125");
    assert_prints(intensity(chain(one, 1)), "0.375");
    assert_prints(12.5 / 3.8, "3.3");                                   /* its times; 3 by the accesses */
    assert_prints(intensity(work_per_element(20, 1, 1, FLOAT)), "2.5"); /* expf: a read and a write */
    double product = intensity(work_per_element(1, 2, 1, FLOAT));
    assert_prints(1 / product, "12");
    /* b (x^4 + 2 x^3 + 3 x^2 + 4 x + 5): Horner has 4 products and 4 sums, written out 9 products and 4 sums. */
    double horner = 4 + 4 + 1, written = (3 + 3 + 2 + 1) + 4 + 1;
    assert_prints(horner, "9");
    assert_prints(written, "14");
    assert_prints(intensity(work_per_element(horner, 2, 1, FLOAT)), "0.75");
    assert_prints(intensity(work_per_element(horner, 2, 1, FLOAT)) / product, "9");
    double x = 1.7, sum = (((x + 2) * x + 3) * x + 4) * x + 5;
    assert_true(fabs(sum - (pow(x, 4) + 2 * pow(x, 3) + 3 * x * x + 4 * x + 5)) < 1e-12);
}

/* dropout(gelu(linear2(gelu(linear1(x))))): the activations are not neighbours; each belongs to the GEMM before it. */
static void e25_epilogues_not_one_kernel(void **state) {
    (void)state;
    enum { LINEAR, ELEMENTWISE };
    static const int order[] = {LINEAR, ELEMENTWISE, LINEAR, ELEMENTWISE, ELEMENTWISE};
    int kernels = 0, longest = 0, run = 0, into_epilogues = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        run = order[i] == ELEMENTWISE ? run + 1 : 0;
        longest = run > longest ? run : longest;
        into_epilogues += run > 0;
        kernels += order[i] == LINEAR;
    }
    assert_int_equal(longest, 2);        /* gelu and dropout: at most these two share an elementwise kernel */
    assert_int_equal(into_epilogues, 3); /* each saves a read and a write of its tensor */
    assert_int_equal(kernels, 2);        /* what is left to launch, of 5 */
}

/* A ReLU after a bf16 GEMM of 4096^3 on an H200: compute-bound before a memory-bound one, and worth fusing. */
static void e31_epilogue_of_a_compute_bound_kernel(void **state) {
    const machines *m = *state;
    double n = 4096;
    rft_work gemm = work_gemm(n, n, n, 2), relu = work_per_element(n * n, n * n, n * n, 2);
    double peak = machine_rate(m, MACHINE_H200, RFT_CEILING_TENSOR_BF16);
    double bandwidth = machine_rate(m, MACHINE_H200, RFT_CEILING_DRAM_COPY);
    assert_true(rft_work_intensity(&gemm) > peak / bandwidth && rft_work_intensity(&relu) < peak / bandwidth);
    assert_true(rft_work_bytes(&relu) == 2 * n * n * 2); /* the saving: M x N read and written once */
    double gemm_s = rft_work_ops(&gemm) / peak, relu_s = rft_work_bytes(&relu) / bandwidth;
    assert_prints(100 * relu_s / (gemm_s + relu_s), "9"); /* per cent of the pair */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e21_fused_l2_norm),
        cmocka_unit_test(e22_bias_relu_dropout),
        cmocka_unit_test(e23_elementwise_chain),
        cmocka_unit_test(e25_epilogues_not_one_kernel),
        cmocka_unit_test(e31_epilogue_of_a_compute_bound_kernel),
    };
    return cmocka_run_group_tests(tests, machines_set_up, machines_tear_down);
}
