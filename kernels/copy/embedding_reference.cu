/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_fp16.h>

template <typename T>
__device__ __forceinline__ void pick(const int *ids, double *out, const T *table, long long t, long long d) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t * d) {
        out[i] = (double)(float)table[ids[i / d] * d + i % d];
    }
}

extern "C" __global__ void embedding_fp16_reference(const int *ids, double *out, const __half *table, long long t,
                                                    long long d, long long v) {
    pick(ids, out, table, t, d);
}

extern "C" __global__ void embedding_fp32_reference(const int *ids, double *out, const float *table, long long t,
                                                    long long d, long long v) {
    pick(ids, out, table, t, d);
}
