/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.cuh - attention of one new token a sequence over a cache in pages: what its kernels share.
 *
 * K and V lie as [pages][kv_heads][page][D]: a page of a head is contiguous. table[sequence][i] is the page of tokens
 * i * page on; page is a power of two and at least 16. Query heads kv_head * group + i share K and V. q and out are
 * [batch][kv_heads * group][D].
 *
 * Blocks share a sequence, `chunk` tokens each (split-KV). A block leaves sums of exp2(score - top) v, not divided,
 * with their top and the sum of the weights; who joins them scales each by exp2(its top - the highest top).
 */
#ifndef RFT_KERNELS_DECODE_CUH
#define RFT_KERNELS_DECODE_CUH

#include "launch_order.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Decode {
    int group, kv_heads, pages; /* pages: entries of a row of the table */
    int page_shift, chunk;      /* chunk: a multiple of 16 tokens */
    float scale;                /* of q k, times log2(e) */
    float out_scale;            /* of the result */
    const float *scales;        /* of K of each KV head, then of V; NULL where there are none */
};

/* Below every score: exp2(LOWEST - score) is 0 and exp2(LOWEST - LOWEST) is 1. */
#define LOWEST (-1e30f)
/* The score of what is not there: below LOWEST, too. */
#define MASKED (-3e38f)

__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float out_scale_of(const Decode &of, int kv_head) {
    return of.out_scale * (of.scales ? of.scales[of.kv_heads + kv_head] : 1.0f);
}

/* What a block does: `heads` query heads from first_head on (of all of the sequence), tokens [first, end). */
struct Share {
    int sequence, kv_head, first_head, heads, first, end, part, parts;
    float scale, out_scale;
    const int *table;

    /* Blocks along x share the tokens, along y the heads, HEADS at a time. */
    __device__ __forceinline__ Share(const Decode &of, const int *tables, const int *lengths, int most_heads) {
        const int tiles = (of.group + most_heads - 1) / most_heads, tile = blockIdx.y % tiles;
        sequence = blockIdx.z;
        kv_head = blockIdx.y / tiles;
        first_head = kv_head * of.group + tile * most_heads;
        heads = min(most_heads, of.group - tile * most_heads);
        const int length = lengths[sequence];
        part = blockIdx.x;
        parts = max(1, (length + of.chunk - 1) / of.chunk);
        first = part * of.chunk;
        end = min(length, first + of.chunk);
        table = tables + (long long)sequence * of.pages;
        scale = of.scale * (of.scales ? of.scales[kv_head] : 1.0f);
        out_scale = out_scale_of(of, kv_head);
    }
    /* A part without tokens; the first of an empty sequence stays, to write zeros. */
    __device__ __forceinline__ bool idle() const {
        return part >= parts;
    }
    /* Of query head i of this block, among all. */
    __device__ __forceinline__ long long row(const Decode &of, int i) const {
        return (long long)sequence * of.kv_heads * of.group + first_head + i;
    }
};

/* Of the parts of a row: tops and weights' sums, and the sums themselves, D floats each. gridDim.x is the parts' most.
 */
struct Parts {
    float2 *stats;
    float *sums;
};

template <typename T> __device__ __forceinline__ T rounded(float value);
template <> __device__ __forceinline__ __nv_bfloat16 rounded<__nv_bfloat16>(float value) {
    return __float2bfloat16(value);
}
template <> __device__ __forceinline__ __half rounded<__half>(float value) {
    return __float2half(value);
}

/* The first in the lower half. */
template <typename T> __device__ __forceinline__ unsigned pair_of(float first, float second);
template <> __device__ __forceinline__ unsigned pair_of<__nv_bfloat16>(float first, float second) {
    unsigned pair;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#else
    pair = __bfloat16_as_ushort(__float2bfloat16_rn(first)) |
           (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(second)) << 16;
#endif
    return pair;
}
template <> __device__ __forceinline__ unsigned pair_of<__half>(float first, float second) {
    unsigned pair;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#else
    pair = __half_as_ushort(__float2half_rn(first)) | (unsigned)__half_as_ushort(__float2half_rn(second)) << 16;
#endif
    return pair;
}

/* Joins `count` parts of WIDTH columns of a row by all threads of the block, which have `space`: count +
 * (threads / (WIDTH / 4) + 1) WIDTH floats of shared memory. From a part's sums to the next it is D. */
template <typename T, int D, int WIDTH>
__device__ __forceinline__ void join_parts(const float2 *stats, const float *sums, int count, float out_scale, T *out,
                                           float *space) {
    const int threads = blockDim.x, thread = threadIdx.x, columns = WIDTH / 4, lines = threads / columns;
    float *factors = space, *joined = space + count;
    __syncthreads();                   /* the space is free */
    float top = LOWEST, weight = 0.0f; /* by each warp for itself: one wait for memory, whatever the count */
    for (int i = thread % 32; i < count; i += 32) {
        top = fmaxf(top, __ldcg(&stats[i]).x);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        top = fmaxf(top, __shfl_xor_sync(~0u, top, apart));
    }
    for (int i = thread % 32; i < count; i += 32) {
        const float2 own = __ldcg(&stats[i]);
        const float factor = exp2_fast(own.x - top);
        weight += own.y * factor;
        if (thread < 32) {
            factors[i] = factor;
        }
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        weight += __shfl_xor_sync(~0u, weight, apart);
    }
    __syncthreads();
    const int column = thread % columns, line = thread / columns;
    float own[4] = {};
    if (line < lines) {
#pragma unroll 8
        for (int i = line; i < count; i += lines) {
            const float4 part = __ldcg(reinterpret_cast<const float4 *>(sums + (long long)i * D) + column);
            const float factor = factors[i];
            own[0] += factor * part.x;
            own[1] += factor * part.y;
            own[2] += factor * part.z;
            own[3] += factor * part.w;
        }
#pragma unroll
        for (int e = 0; e < 4; e++) {
            joined[line * WIDTH + column * 4 + e] = own[e];
        }
    }
    __syncthreads();
    const float scale = weight > 0.0f ? out_scale / weight : 0.0f;
    for (int at = thread; at < WIDTH; at += threads) {
        float sum = 0.0f;
        for (int i = 0; i < lines; i++) {
            sum += joined[i * WIDTH + at];
        }
        out[at] = rounded<T>(sum * scale);
    }
}

/* The same by a warp, so that a block joins as many rows at once as it has warps. */
template <typename T, int D>
__device__ __forceinline__ void join_row(const float2 *stats, const float *sums, int count, float out_scale, T *out) {
    const int lane = threadIdx.x % 32;
    float top = LOWEST;
    for (int i = lane; i < count; i += 32) {
        top = fmaxf(top, __ldcg(&stats[i]).x);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        top = fmaxf(top, __shfl_xor_sync(~0u, top, apart));
    }
    constexpr int WIDE = D < 128 ? 2 : 4, TURNS = D / (32 * WIDE);
    float own[TURNS][WIDE] = {}, weight = 0.0f;
#pragma unroll 8
    for (int i = 0; i < count; i++) {
        const float2 part = __ldcg(&stats[i]);
        const float factor = exp2_fast(part.x - top);
        weight += part.y * factor;
#pragma unroll
        for (int turn = 0; turn < TURNS; turn++) {
            const float *from = sums + (long long)i * D + (turn * 32 + lane) * WIDE;
            if constexpr (WIDE == 4) {
                const float4 four = __ldcg(reinterpret_cast<const float4 *>(from));
                own[turn][0] += factor * four.x;
                own[turn][1] += factor * four.y;
                own[turn][2] += factor * four.z;
                own[turn][3] += factor * four.w;
            } else {
                const float2 two = __ldcg(reinterpret_cast<const float2 *>(from));
                own[turn][0] += factor * two.x;
                own[turn][1] += factor * two.y;
            }
        }
    }
    const float scale = weight > 0.0f ? out_scale / weight : 0.0f;
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
        for (int e = 0; e < WIDE; e++) {
            out[(turn * 32 + lane) * WIDE + e] = rounded<T>(own[turn][e] * scale);
        }
    }
}

/*
 * The end of a block: its warps' sums, in `space` as [warps][HEADS][D + 4] with top and weight behind each D, become
 * one. It is the result where the block is its sequence's only one, else it goes to `parts`. LAST: the block that comes
 * last of a sequence joins them; `arrived` counts to 0 again. All threads, behind a barrier.
 */
template <typename T, int D, int HEADS, int WARPS, bool LAST>
__device__ __forceinline__ void end_block(const Decode &of, const Share &share, float *space, const Parts &parts,
                                          unsigned *arrived, T *out) {
    constexpr int PITCH = D + 4;
    const int threads = blockDim.x, thread = threadIdx.x;
    const bool alone = share.parts == 1;
    for (int i = thread; i < share.heads * (D / 4); i += threads) {
        const int head = i / (D / 4), at = i % (D / 4) * 4;
        const float *own = space + head * PITCH;
        float top = LOWEST, weight = 0.0f, sum[4] = {};
#pragma unroll
        for (int warp = 0; warp < WARPS; warp++) {
            top = fmaxf(top, own[warp * HEADS * PITCH + D]);
        }
#pragma unroll
        for (int warp = 0; warp < WARPS; warp++) {
            const float *from = own + warp * HEADS * PITCH;
            const float factor = exp2_fast(from[D] - top);
            weight += factor * from[D + 1];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                sum[e] += factor * from[at + e];
            }
        }
        const long long row = share.row(of, head);
        if (alone) {
            const float scale = weight > 0.0f ? share.out_scale / weight : 0.0f;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                out[row * D + at + e] = rounded<T>(sum[e] * scale);
            }
        } else {
            const long long place = row * gridDim.x + share.part;
            *reinterpret_cast<float4 *>(parts.sums + place * D + at) = make_float4(sum[0], sum[1], sum[2], sum[3]);
            if (at == 0) {
                parts.stats[place] = make_float2(top, weight);
            }
        }
    }
    if (!LAST || alone) {
        return;
    }
    unsigned *count = arrived + blockIdx.z * gridDim.y + blockIdx.y;
    unsigned *ticket = reinterpret_cast<unsigned *>(space + WARPS * HEADS * PITCH); /* one more word */
    __threadfence();
    __syncthreads();
    if (thread == 0) {
        *ticket = atomicAdd(count, 1u);
    }
    __syncthreads();
    if (*ticket != share.parts - 1u) {
        return;
    }
    __threadfence();
    if (thread == 0) {
        *count = 0;
    }
    for (int head = thread / 32; head < share.heads; head += threads / 32) {
        const long long row = share.row(of, head), place = row * gridDim.x;
        join_row<T, D>(parts.stats + place, parts.sums + place * D, share.parts, share.out_scale, out + row * D);
    }
}

/* A launch of its own for what LAST does inside: a block a row, or 128 columns of it. `most` parts have places. */
template <typename T, int D>
__global__ void __launch_bounds__(256)
    decode_join(const int *__restrict__ lengths, Parts parts, T *__restrict__ out, Decode of, int most) {
    constexpr int WIDTH = D < 128 ? D : 128;
    extern __shared__ __align__(16) float space[];
    await_launch();
    const long long row = blockIdx.x;
    const int length = lengths[row / (of.kv_heads * of.group)], count = (length + of.chunk - 1) / of.chunk;
    if (count > 1) {
        const long long place = row * most, column = blockIdx.y * WIDTH;
        const float scale = out_scale_of(of, row / of.group % of.kv_heads);
        join_parts<T, D, WIDTH>(parts.stats + place, parts.sums + place * D + column, count, scale,
                                out + row * D + column, space);
    }
}

#endif
