// SPDX-License-Identifier: Apache-2.0
// C = A B, an element of C a thread: what the library's results and times stand beside. B is k x n, or n x k.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T, bool TRANSPOSED>
__device__ T element_of_b(const T *b, long long row, long long column, long long n, long long k) {
    return TRANSPOSED ? b[column * k + row] : b[row * n + column];
}

template <class T, class R, class SUM, bool TRANSPOSED>
__global__ void multiply(const T *a, const T *b, R *c, long long m, long long n, long long k) {
    const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long row = blockIdx.y;
    if (column >= n || row >= m) {
        return;
    }
    SUM sum = 0;
    for (long long j = 0; j < k; j++) {
        sum += (SUM)a[row * k + j] * (SUM)element_of_b<T, TRANSPOSED>(b, j, column, n, k);
    }
    c[row * n + column] = (R)sum;
}

// Floating-point results arrive as double, whole ones in their own type: SUM and R are both.
template <class T, class R, bool TRANSPOSED>
__global__ void multiply_reference(const T *a, const T *b, R *c, long long m, long long n, long long k) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) {
        return;
    }
    R sum = 0;
    for (long long j = 0; j < k; j++) {
        sum += (R)(float)a[i / n * k + j] * (R)(float)element_of_b<T, TRANSPOSED>(b, j, i % n, n, k);
    }
    c[i] = sum;
}
