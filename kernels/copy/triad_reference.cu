/* SPDX-License-Identifier: Apache-2.0 */
/* a = b + 1.5 * c in fp64. The factor is that of triad.lua. */
#include <cuda_fp16.h>

extern "C" __global__ void triad_fp32_reference(double *a, const float *b, const float *c, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = (double)b[i] + 1.5 * (double)c[i];
    }
}

extern "C" __global__ void triad_fp16_reference(double *a, const __half *b, const __half *c, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = (double)__half2float(b[i]) + 1.5 * (double)__half2float(c[i]);
    }
}
