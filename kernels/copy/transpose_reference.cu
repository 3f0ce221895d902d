/* SPDX-License-Identifier: Apache-2.0 */
/* y = x transposed, widened to fp64. */
#include <cuda_fp16.h>

template <typename T> __device__ __forceinline__ void turn(const T *x, double *y, long long m, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n) {
        y[i] = (double)x[i % m * n + i / m];
    }
}

extern "C" __global__ void transpose_f16_reference(const __half *x, double *y, long long m, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n) {
        y[i] = (double)__half2float(x[i % m * n + i / m]);
    }
}

extern "C" __global__ void transpose_f32_reference(const float *x, double *y, long long m, long long n) {
    turn(x, y, m, n);
}

extern "C" __global__ void transpose_f64_reference(const double *x, double *y, long long m, long long n) {
    turn(x, y, m, n);
}
