// SPDX-License-Identifier: Apache-2.0
// y = scale * (W x): int8 weights by rows with a scale per group of GROUP weights, FP16 x and y. A warp makes a row.
#include <cuda_fp16.h>

// VEC weights or halves that one load brings.
template <typename T, int VEC> struct alignas(sizeof(T) * VEC > 16 ? 16 : sizeof(T) * VEC) vec { T at[VEC]; };

// k is a multiple of GROUP, GROUP one of VEC.
template <int GROUP, int VEC, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) gemv(const signed char *__restrict__ w, const __half *__restrict__ scales,
                                                   const __half *__restrict__ x, __half *__restrict__ y, int m, int k) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= m) {
        return;
    }
    w += (long long)row * k;
    scales += (long long)row * (k / GROUP);
    float sum = 0;
#pragma unroll 4
    for (int i = lane * VEC; i < k; i += 32 * VEC) {
        const auto weights = *reinterpret_cast<const vec<signed char, VEC> *>(w + i);
        const auto inputs = *reinterpret_cast<const vec<__half, VEC> *>(x + i);
        float part = 0;
#pragma unroll
        for (int j = 0; j < VEC; j++) {
            part += (float)weights.at[j] * __half2float(inputs.at[j]);
        }
        sum += part * __half2float(scales[i / GROUP]);
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) {
        y[row] = __float2half(sum);
    }
}
