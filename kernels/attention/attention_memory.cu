/* SPDX-License-Identifier: Apache-2.0 */
/*
 * O = softmax(Q K^T / sqrt(D)) V in three kernels, each of which writes to memory what the next one reads: scores in
 * fp32, then their powers divided by their sums, in 16 bits, then O. Operands as in attention_wgmma.cu; all scores are
 * computed, also those that a query does not see. Rows of scores and powers are `pitch` long, a multiple of 64. sm_80
 * and newer.
 */
#include "attention_tiles.cuh"

/* BLOCK queries by 64 keys a block, 16 queries a warp. */
template <typename T, int D, int BLOCK>
__global__ void __launch_bounds__(2 * BLOCK, 1)
    attention_scores(const T *__restrict__ q, const T *__restrict__ k, float *__restrict__ scores, int l, int pitch,
                     int group, float scale) {
    typedef SlabTile<T, BLOCK, D, 2 * BLOCK> TileQ;
    typedef SlabTile<T, 64, D, 2 * BLOCK> TileK;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned q_tile = shared_address(shared), k_tile = q_tile + TileQ::BYTES;
    const int first_key = blockIdx.x * 64, first_row = blockIdx.y * BLOCK, head = blockIdx.z, lane = threadIdx.x % 32;
    TileQ::request(q_tile, q + ((long long)head * l + first_row) * D, D, l - first_row);
    TileK::request(k_tile, k + ((long long)(head / group) * l + first_key) * D, D, l - first_key);
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    const int warp_row = threadIdx.x / 32 * 16;
    float s[1][32] = {};
#pragma unroll
    for (int piece = 0; piece < D / 8; piece += 2) {
        unsigned a[1][4];
        load_left<TileQ>(a[0], q_tile, warp_row, piece);
        add_by_rows<TileK, T>(s, a, k_tile, piece);
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int row = first_row + warp_row + h * 8 + lane / 4;
        float *to = scores + ((long long)head * l + row) * pitch + first_key + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            if (row < l) {
                *reinterpret_cast<float2 *>(to + 8 * j) =
                    make_float2(s[0][4 * j + 2 * h] * scale, s[0][4 * j + 2 * h + 1] * scale);
            }
        }
    }
}

/* A row a warp: `rows` of them, row i % l of a head; scores are exponents of two. */
template <typename T, bool CAUSAL>
__global__ void attention_softmax(const float *__restrict__ scores, T *__restrict__ powers, long long rows, int l,
                                  int pitch) {
    const long long row = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32, seen = CAUSAL ? (int)(row % l) + 1 : l;
    if (row >= rows) {
        return;
    }
    const float *from = scores + row * pitch;
    T *to = powers + row * pitch;
    float top = LOWEST, sum = 0.0f;
    for (int i = lane; i < seen; i += 32) {
        const float before = top;
        top = fmaxf(top, from[i]);
        sum = sum * power_of_two(before - top) + power_of_two(from[i] - top);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        const float other_top = __shfl_xor_sync(~0u, top, apart), other_sum = __shfl_xor_sync(~0u, sum, apart);
        const float both = fmaxf(top, other_top);
        if (both > LOWEST) { /* a lane may have seen nothing */
            sum = sum * power_of_two(top - both) + other_sum * power_of_two(other_top - both);
        }
        top = both;
    }
    const float factor = 1.0f / sum;
    for (int i = 2 * lane; i < pitch; i += 64) {
        const float first = i < seen ? power_of_two(from[i] - top) * factor : 0.0f;
        const float second = i + 1 < seen ? power_of_two(from[i + 1] - top) * factor : 0.0f;
        *reinterpret_cast<unsigned *>(to + i) = rounded_pair<T>(first, second);
    }
}

/* BLOCK queries a block, 16 a warp, 64 keys at a time in one of two places. */
template <typename T, int D, int BLOCK>
__global__ void __launch_bounds__(2 * BLOCK, 1) attention_values(const T *__restrict__ powers, const T *__restrict__ v,
                                                                 T *__restrict__ o, int l, int pitch, int group) {
    typedef SlabTile<T, BLOCK, 64, 2 * BLOCK> TileP;
    typedef SlabTile<T, 64, D, 2 * BLOCK> TileV;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned tiles = shared_address(shared);
    const int first_row = blockIdx.x * BLOCK, head = blockIdx.y, blocks = pitch / 64;
    powers += ((long long)head * l + first_row) * pitch;
    v += (long long)(head / group) * l * D;
    const auto request = [&](int block) {
        const unsigned to = tiles + block % 2 * (TileP::BYTES + TileV::BYTES);
        if (block < blocks) {
            TileP::request(to, powers + block * 64, pitch, l - first_row);
            TileV::request(to + TileP::BYTES, v + (long long)block * 64 * D, D, l - block * 64);
        }
        copy_async_commit();
    };
    float sums[1][D / 2] = {};
    request(0);
    for (int block = 0; block < blocks; block++) {
        copy_async_wait<0>();
        __syncthreads();
        request(block + 1);
        const unsigned tile = tiles + block % 2 * (TileP::BYTES + TileV::BYTES);
#pragma unroll
        for (int step = 0; step < 4; step++) {
            unsigned a[1][4];
            load_left<TileP>(a[0], tile, threadIdx.x / 32 * 16, 2 * step);
            add_by_columns<TileV, T>(sums, a, tile + TileP::BYTES, step * 16);
        }
    }
    store_warp_rows(sums[0], o + (long long)head * l * D, D, first_row + threadIdx.x / 32 * 16, l);
}
