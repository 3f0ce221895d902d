/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out[i] = table[ids[i]] for rows of one float and many ids, in three launches, so that no float is fetched from device
 * memory alone: tiles of TILE ids are put in order of the segment of the table that they ask for (2^shift floats each,
 * BINS of them, which fit L2), segments are read one behind the other, and each tile's floats go back to their places.
 * More bytes move than by gather.cu, but whole lines of them.
 */
#include "striped.cuh"

/* Vector `at` of four ids of a tile's; those behind the last one are -1. */
__device__ __forceinline__ int4 four_ids(const int *ids, long long at, long long t) {
    if (at * 4 + 3 < t) {
        return __ldcs(reinterpret_cast<const int4 *>(ids) + at);
    }
    int own[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        own[i] = at * 4 + i < t ? ids[at * 4 + i] : -1;
    }
    return make_int4(own[0], own[1], own[2], own[3]);
}

/* By the first warp: count[i] becomes the sum of those before it, count[BINS] that of all. */
template <int BINS> __device__ __forceinline__ void counts_to_starts(unsigned *count) {
    unsigned before = 0;
#pragma unroll
    for (int first = 0; first < BINS; first += 32) {
        const unsigned own = count[first + threadIdx.x];
        unsigned sum = own;
#pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            const unsigned other = __shfl_up_sync(~0u, sum, apart);
            sum += threadIdx.x % 32 >= apart ? other : 0;
        }
        count[first + threadIdx.x] = before + sum - own;
        before += __shfl_sync(~0u, sum, 31);
    }
    if (threadIdx.x == 0) {
        count[BINS] = before;
    }
}

/* A tile a block: `binned` has its ids by segments, `places` where each went (16 bits), `starts` where each segment's
 * begin: all tiles' of one segment together. */
template <int BLOCK, int FOURS, int BINS>
__global__ void __launch_bounds__(BLOCK)
    gather_bin(const int *__restrict__ ids, int *__restrict__ binned, uint2 *__restrict__ places,
               unsigned short *__restrict__ starts, long long t, int shift) {
    constexpr int TILE = BLOCK * FOURS * 4;
    static_assert(BINS % 32 == 0 && TILE <= 65535, "whole warps; a place has 16 bits");
    extern __shared__ __align__(16) int sorted[];
    __shared__ unsigned count[BINS + 1];
    for (int i = threadIdx.x; i < BINS; i += BLOCK) {
        count[i] = 0;
    }
    __syncthreads();
    const long long first = (long long)blockIdx.x * (TILE / 4) + threadIdx.x;
    int id[FOURS * 4];
    unsigned rank[FOURS * 4];
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const int4 four = four_ids(ids, first + k * BLOCK, t);
        id[k * 4] = four.x, id[k * 4 + 1] = four.y, id[k * 4 + 2] = four.z, id[k * 4 + 3] = four.w;
    }
#pragma unroll
    for (int i = 0; i < FOURS * 4; i++) {
        rank[i] = id[i] >= 0 ? atomicAdd(count + (id[i] >> shift), 1u) : 0;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        counts_to_starts<BINS>(count);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        unsigned place[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int of = id[k * 4 + i];
            place[i] = of >= 0 ? count[of >> shift] + rank[k * 4 + i] : 0;
            if (of >= 0) {
                sorted[place[i]] = of;
            }
        }
        __stcs(places + first + k * BLOCK, make_uint2(place[0] | place[1] << 16, place[2] | place[3] << 16));
    }
    for (int i = threadIdx.x; i <= BINS; i += BLOCK) {
        starts[(long long)i * gridDim.x + blockIdx.x] = (unsigned short)count[i];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        __stcs(reinterpret_cast<int4 *>(binned) + first + k * BLOCK,
               reinterpret_cast<const int4 *>(sorted)[threadIdx.x + k * BLOCK]);
    }
}

/* A warp for what PIECES tiles ask of one segment; floats take their ids' places. All ids are asked for first, then all
 * floats: AHEAD of each piece in a thread. */
template <int BLOCK, int TILE, int BINS, int PIECES, int AHEAD>
__global__ void __launch_bounds__(BLOCK, 1)
    gather_segments(int *binned, const unsigned short *__restrict__ starts, const float *__restrict__ table, int tiles,
                    int blocks, int shift) {
    constexpr int WARPS = BLOCK / 32;
    const int bin = blockIdx.x / blocks, lane = threadIdx.x % 32;
    const int tile = (blockIdx.x % blocks * WARPS + threadIdx.x / 32) * PIECES, own = tile + lane % PIECES;
    int begin = 0, end = 0;
    if (own < tiles) {
        begin = starts[(long long)bin * tiles + own];
        end = starts[(long long)(bin + 1) * tiles + own];
    }
    int first[PIECES], count[PIECES], longest = 0;
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        first[p] = __shfl_sync(~0u, begin, p);
        count[p] = __shfl_sync(~0u, end, p) - first[p];
        longest = count[p] > longest ? count[p] : longest;
    }
    unsigned *const words = reinterpret_cast<unsigned *>(binned) + (long long)tile * TILE;
    const unsigned *const from = reinterpret_cast<const unsigned *>(table);
#pragma unroll 1
    for (int at = lane; at < longest; at += 32 * AHEAD) {
        unsigned word[PIECES][AHEAD];
#pragma unroll
        for (int i = 0; i < PIECES * AHEAD; i++) {
            const int p = i / AHEAD, in = at + i % AHEAD * 32;
            word[p][i % AHEAD] = in < count[p] ? __ldcs(words + p * TILE + first[p] + in) : 0;
        }
#pragma unroll
        for (int i = 0; i < PIECES * AHEAD; i++) {
            if (at + i % AHEAD * 32 < count[i / AHEAD]) {
                word[i / AHEAD][i % AHEAD] = load_no_allocate(from + word[i / AHEAD][i % AHEAD]);
            }
        }
#pragma unroll
        for (int i = 0; i < PIECES * AHEAD; i++) {
            const int p = i / AHEAD, in = at + i % AHEAD * 32;
            if (in < count[p]) {
                __stcs(words + p * TILE + first[p] + in, word[p][i % AHEAD]);
            }
        }
    }
}

/* A tile a block: what `places` says of each. */
template <int BLOCK, int FOURS>
__global__ void __launch_bounds__(BLOCK) gather_back(const int *__restrict__ binned, const uint2 *__restrict__ places,
                                                     float *__restrict__ out, long long t) {
    extern __shared__ __align__(16) int sorted[];
    const long long first = (long long)blockIdx.x * (BLOCK * FOURS) + threadIdx.x;
    uint2 place[FOURS];
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        reinterpret_cast<int4 *>(sorted)[threadIdx.x + k * BLOCK] =
            __ldcs(reinterpret_cast<const int4 *>(binned) + first + k * BLOCK);
        place[k] = __ldcs(places + first + k * BLOCK);
    }
    __syncthreads();
    const float *from = reinterpret_cast<const float *>(sorted);
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const float4 four = make_float4(from[place[k].x & 0xffff], from[place[k].x >> 16], from[place[k].y & 0xffff],
                                        from[place[k].y >> 16]);
        const long long at = (first + k * BLOCK) * 4;
        if (at + 3 < t) {
            __stcs(reinterpret_cast<float4 *>(out + at), four);
        } else {
            const float own[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (at + i < t) {
                    out[at + i] = own[i];
                }
            }
        }
    }
}
