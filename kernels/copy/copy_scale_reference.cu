/* SPDX-License-Identifier: Apache-2.0 */
/* y = 1.5 * x in fp64. The factor is that of copy_scale.lua. */
#include <cuda_fp16.h>

extern "C" __global__ void copy_scale_fp32_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 1.5 * x[i];
    }
}

extern "C" __global__ void copy_scale_fp16_reference(const __half *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 1.5 * (double)__half2float(x[i]);
    }
}
