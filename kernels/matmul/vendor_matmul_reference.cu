/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B with sums in fp64, in int32 for whole numbers. */
#include "matmul_reference.cuh"

/* A is m x k, or k x m where it lies transposed; B is k x n, or n x k; C is m x n, or n x m. */
template <class T, class SUM, bool TRANSPOSED_A, bool TRANSPOSED_B, bool TRANSPOSED_C>
__global__ void __launch_bounds__(THREADS)
    vendor_matmul_reference(const T *a, const T *b, SUM *c, long long m, long long n, long long k) {
    multiply_reference<T, SUM, TRANSPOSED_A, TRANSPOSED_B>(
        a, b, m, n, k,
        [=](long long row, long long column, SUM sum) { c[TRANSPOSED_C ? column * m + row : row * n + column] = sum; });
}
