/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_epilogue.lua's epilogues of C = A B in fp64. E is the type of bias or residual; layouts as in
 * matmul_reference.cuh. */
#include "matmul_reference.cuh"

/* 0: none, 1: ReLU, of which NaN is NaN, 2: GELU by tanh, 3: GELU by erf. */
template <int ACTIVATION> __device__ double activated(double x) {
    if (ACTIVATION == 1) {
        return x < 0.0 ? 0.0 : x;
    }
    if (ACTIVATION == 2) {
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }
    if (ACTIVATION == 3) {
        return 0.5 * x * (1.0 + erf(x * 0.7071067811865476));
    }
    return x;
}

template <class T, class E, bool TRANSPOSED_A, bool TRANSPOSED_B, int ACTIVATION>
__global__ void __launch_bounds__(THREADS)
    bias_reference(const T *a, const T *b, const E *bias, double *c, long long m, long long n, long long k) {
    multiply_reference<T, double, TRANSPOSED_A, TRANSPOSED_B>(
        a, b, m, n, k, [=](long long row, long long column, double sum) {
            c[row * n + column] = activated<ACTIVATION>(sum + widened<double>(bias[column]));
        });
}

template <class T, class E, bool TRANSPOSED_A, bool TRANSPOSED_B>
__global__ void __launch_bounds__(THREADS)
    scale_reference(const T *a, const float *alpha, const T *b, double *c, long long m, long long n, long long k) {
    multiply_reference<T, double, TRANSPOSED_A, TRANSPOSED_B>(
        a, b, m, n, k,
        [=](long long row, long long column, double sum) { c[row * n + column] = (double)*alpha * sum; });
}

template <class T, class E, bool TRANSPOSED_A, bool TRANSPOSED_B>
__global__ void __launch_bounds__(THREADS)
    residual_reference(const T *a, const T *b, double *c, const E *residual, long long m, long long n, long long k) {
    multiply_reference<T, double, TRANSPOSED_A, TRANSPOSED_B>(
        a, b, m, n, k, [=](long long row, long long column, double sum) {
            c[row * n + column] = sum + widened<double>(residual[row * n + column]);
        });
}
