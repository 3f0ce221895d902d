/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp64 on tensor cores; B lies as n x k. Tiles by cp.async; matmul_dmma_turns.cu goes on.
 */
#include "matmul_dmma.cuh"

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile; tiles of the operands pass through STAGES places in shared
 * memory, STAGES = 1: everyone waits for a tile, then multiplies. A lane reads 16 bytes at a time: elements 2 (l % 4)
 * and the next of eight along k stand at the places 0 and 1 of l % 4. DEPTH is k of the instruction. The order of tiles
 * is tile_at<GROUP>(). ALIGNED: k is even.
 */
template <bool ALIGNED, int DEPTH, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES, int GROUP>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_dmma(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, long long m,
                long long n, long long k) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEP = DEPTH < 8 ? 8 : DEPTH, EIGHTS = STEP / 8;
    typedef TileStream<double, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, TWO_ROWS, STAGES, BlockPart::THREADS> Stream;
    typedef typename Stream::CopyA::Place Place;
    constexpr int ROW_BYTES = Stream::CopyA::ROW_BYTES;
    static_assert(WARP_M % 16 == 0 && WARP_N % 8 == 0 && BLOCK_K % STEP == 0, "whole fragments");

    extern __shared__ __align__(128) unsigned char stages[];
    const BlockPart part(blockIdx.x, m, n);
    const int lane = threadIdx.x % 32;
    const unsigned begin = shared_address(stages);
    Stream stream(begin, a, b, k, part.first_row, part.first_column, part.rows_left, part.columns_left);
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K);

    /* Eight of k are four pieces, 64 bytes: an exclusive or within a row, swizzled or not. */
    const unsigned a_lane = begin + Place::offset(part.warp_row + lane / 4, lane % 4);
    const unsigned b_lane = begin + Stream::A_BYTES + Place::offset(part.warp_column + lane / 4, lane % 4);
    double sums[DOWN][RIGHT][2][2];
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        sums[i / 4 / RIGHT][i / 4 % RIGHT][i / 2 % 2][i % 2] = 0.0;
    }

    unsigned use = 0; /* bytes from the first place to the tile that is multiplied */
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        stream.request();
    }
    for (int tile = 0; tile < tiles; tile++) {
        if (STAGES == 1) {
            __syncthreads(); /* no thread reads the tile before this */
            stream.request();
        }
        copy_async_wait<STAGES == 1 ? 0 : STAGES - 2>();
        __syncthreads(); /* this tile has arrived for every thread, and no thread reads the place filled next */
        if (STAGES > 1) {
            stream.request();
        }
#pragma unroll
        for (int first = 0; first < BLOCK_K; first += STEP) {
            double a_part[DOWN][2][2 * EIGHTS], b_part[RIGHT][2 * EIGHTS];
#pragma unroll
            for (int e = 0; e < EIGHTS; e++) {
                const unsigned step = (first / 8 + e) * 64;
#pragma unroll
                for (int i = 0; i < 2 * DOWN; i++) {
                    load_pair(a_part[i / 2][i % 2] + 2 * e, ((a_lane + use) ^ step) + i * 8 * ROW_BYTES);
                }
#pragma unroll
                for (int j = 0; j < RIGHT; j++) {
                    load_pair(b_part[j] + 2 * e, ((b_lane + use) ^ step) + j * 8 * ROW_BYTES);
                }
            }
#pragma unroll
            for (int at = 0; at < STEP / 4; at += DEPTH / 4) {
#pragma unroll
                for (int i = 0; i < DOWN * RIGHT; i++) {
                    multiply<DEPTH>(sums[i / RIGHT][i % RIGHT], a_part[i / RIGHT][0] + at, a_part[i / RIGHT][1] + at,
                                    b_part[i % RIGHT] + at);
                }
            }
        }
        use = Stream::after(use);
    }

    store_sums(sums, c, part.first_row + part.warp_row, part.first_column + part.warp_column, m, n);
}
