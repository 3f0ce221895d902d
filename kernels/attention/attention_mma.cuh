/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_mma.cuh - O = softmax(Q K^T / sqrt(D)) V by mma.sync on tiles that cp.async brings (sm_80 and newer; fp16
 * also sm_75): what attention_mma.cu and attention_packed_mma.cu share. A block has 16 BANDS queries a warp, and goes
 * over blocks of BLOCK_N keys from the last that it sees to the first. Their K and V take turns in SLOTS places of
 * shared memory: while one is multiplied, the others are on their way. Blocks that see most keys come first.
 */
#ifndef RFT_KERNELS_ATTENTION_MMA_CUH
#define RFT_KERNELS_ATTENTION_MMA_CUH

#include "attention_tiles.cuh"

/* Block `tile` of `rows` of queries of a head of l. Heads are `pitch` rows apart, and begin with row `start`. */
template <typename T, int D, bool CAUSAL, int BLOCK_N, int WARPS, int BANDS, int SLOTS, int ABOVE, int POLYNOMIAL>
__device__ __forceinline__ void attend_by_mma(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v,
                                              T *__restrict__ o, int l, int pitch, int start, int rows, int group,
                                              float scale) {
    constexpr int BLOCK_M = 16 * BANDS * WARPS;
    typedef SlabTile<T, BLOCK_M, D, 32 * WARPS> TileQ;
    typedef SlabTile<T, BLOCK_N, D, 32 * WARPS> TileKV;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned q_tile = shared_address(shared), slots = q_tile + TileQ::BYTES;
    const int head = blockIdx.y, warp = threadIdx.x / 32;
    const int first_row = (CAUSAL ? rows - 1 - (int)blockIdx.x : (int)blockIdx.x) * BLOCK_M;
    const int seen = CAUSAL && first_row + BLOCK_M < l ? first_row + BLOCK_M : l;
    const int blocks = (seen + BLOCK_N - 1) / BLOCK_N;
    k += ((long long)(head / group) * pitch + start) * D;
    v += ((long long)(head / group) * pitch + start) * D;

    /* The tile with this number: K and V in turn. Each is a group, also where there is none. */
    const auto request = [&](int number) {
        const int first = (blocks - 1 - number / 2) * BLOCK_N;
        if (number < 2 * blocks) {
            TileKV::request(slots + number % SLOTS * TileKV::BYTES, (number % 2 ? v : k) + (long long)first * D, D,
                            l - first);
        }
        copy_async_commit();
    };
    TileQ::request(q_tile, q + ((long long)head * pitch + start + first_row) * D, D, l - first_row);
    for (int number = 0; number < SLOTS - 1; number++) {
        request(number);
    }
    /* The tile with this number is there for all threads, and the place of the one before is free. */
    const auto take = [&](int number) {
        copy_async_wait<SLOTS - 2>();
        __syncthreads();
        request(number + SLOTS - 1);
        return slots + number % SLOTS * TileKV::BYTES;
    };

    const int row = first_row + warp * 16 * BANDS; /* the warp's first */
    Softmax softmax[BANDS];
    float sums[BANDS][D / 2] = {};
    for (int block = blocks - 1, number = 0; block >= 0; block--, number += 2) {
        float s[BANDS][BLOCK_N / 2] = {};
        unsigned tile = take(number);
#pragma unroll
        for (int piece = 0; piece < D / 8; piece += 2) {
            unsigned a[BANDS][4];
#pragma unroll
            for (int band = 0; band < BANDS; band++) {
                load_left<TileQ>(a[band], q_tile, (warp * BANDS + band) * 16, piece);
            }
            add_by_rows<TileKV, T>(s, a, tile, piece);
        }
        const bool hides = (block + 1) * BLOCK_N > l || (CAUSAL && (block + 1) * BLOCK_N > row + 1);
        unsigned p[BANDS][BLOCK_N / 4];
#pragma unroll
        for (int band = 0; band < BANDS; band++) {
            if (hides) {
                int left[2];
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const int line = row + band * 16 + h * 8 + threadIdx.x % 32 / 4;
                    left[h] = (CAUSAL && line + 1 < l ? line + 1 : l) - block * BLOCK_N;
                }
                hide(s[band], left);
            }
            float factor[2];
            if (raise_top<ABOVE>(softmax[band], s[band], scale, factor)) {
                multiply_rows(sums[band], factor);
            }
            raise_to_powers<POLYNOMIAL, true>(softmax[band], s[band], scale);
            round_powers<T>(p[band], s[band]);
        }
        tile = take(number + 1);
#pragma unroll
        for (int step = 0; step < BLOCK_N / 16; step++) {
            unsigned a[BANDS][4];
#pragma unroll
            for (int i = 0; i < 4 * BANDS; i++) {
                a[i / 4][i % 4] = p[i / 4][4 * step + i % 4];
            }
            add_by_columns<TileKV, T>(sums, a, tile, step * 16);
        }
    }
#pragma unroll
    for (int band = 0; band < BANDS; band++) {
        divide_by_sums(sums[band], softmax[band]);
        store_warp_rows(sums[band], o + ((long long)head * pitch + start) * D, D, row + band * 16, l);
    }
}

#endif
