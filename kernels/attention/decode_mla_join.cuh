/* SPDX-License-Identifier: Apache-2.0 */
/* decode_mla_join.cuh - a launch of its own that joins what the blocks of decode_mla.cu and decode_mla_mma.cu have left
 * of a row. */
#ifndef RFT_KERNELS_DECODE_MLA_JOIN_CUH
#define RFT_KERNELS_DECODE_MLA_JOIN_CUH

#include "decode.cuh"

/* LINES parts at a time, a block a row. */
template <int LINES>
__global__ void __launch_bounds__(128 * LINES)
    mla_join(const int *__restrict__ lengths, Parts parts, __nv_bfloat16 *__restrict__ out, Decode of, int most) {
    __shared__ float4 joined[LINES][128];
    const long long row = blockIdx.x, place = row * most;
    const int column = threadIdx.x % 128, line = threadIdx.x / 128, lane = threadIdx.x % 32;
    const int count = (lengths[row / of.group] + of.chunk - 1) / of.chunk;
    if (count <= 1) {
        return;
    }
    await_launch();
    float top = LOWEST, weight = 0.0f;
    for (int i = lane; i < count; i += 32) {
        top = fmaxf(top, __ldcg(&parts.stats[place + i]).x);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        top = fmaxf(top, __shfl_xor_sync(~0u, top, apart));
    }
    float own[4] = {};
#pragma unroll 4
    for (int i = line; i < count; i += LINES) {
        const float4 part = __ldcg(reinterpret_cast<const float4 *>(parts.sums + (place + i) * 512) + column);
        const float2 stats = __ldcg(&parts.stats[place + i]);
        const float factor = exp2_fast(stats.x - top);
        weight += factor * stats.y;
        own[0] += factor * part.x;
        own[1] += factor * part.y;
        own[2] += factor * part.z;
        own[3] += factor * part.w;
    }
    if (LINES > 1) {
        __shared__ float weights[LINES];
        joined[line][column] = make_float4(own[0], own[1], own[2], own[3]);
        weights[line] = weight;
        __syncthreads();
        if (line > 0) {
            return;
        }
        for (int i = 1; i < LINES; i++) {
            const float4 part = joined[i][column];
            weight += weights[i];
            own[0] += part.x;
            own[1] += part.y;
            own[2] += part.z;
            own[3] += part.w;
        }
    }
    const float scale = weight > 0.0f ? of.out_scale / weight : 0.0f;
    *reinterpret_cast<uint2 *>(out + row * 512 + column * 4) = make_uint2(
        pair_of<__nv_bfloat16>(own[0] * scale, own[1] * scale), pair_of<__nv_bfloat16>(own[2] * scale, own[3] * scale));
}

#endif
