/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp32 by mma.sync (sm_80 and newer) on narrower numbers: what matmul_emulated.cu is on sm_90a, of the same
 * planes, which matmul_planes.cuh writes. A stage has the tiles of all planes of A and of B, so that each is brought
 * once for all its products. Sums of CHUNK of k, the smallest products of each BLOCK_K first, are added to the whole in
 * fp32.
 */
#include "matmul_operands.cuh"
#include "matmul_planes.cuh"

template <typename T, int PRODUCTS, int CHUNK, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N,
          int STAGES, int GROUP>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_mma_planes(const T *__restrict__ a, const T *__restrict__ b, float *__restrict__ c, long long m, long long n,
                      long long pitch) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef Operand<T, true, true, BLOCK_M, BLOCK_K, BlockPart::THREADS> A;
    typedef Operand<T, true, true, BLOCK_N, BLOCK_K, BlockPart::THREADS> B;
    constexpr int PLANES = Products<PRODUCTS>::PLANES, LAST = Products<PRODUCTS>::LAST;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8;
    static_assert(CHUNK % BLOCK_K == 0, "whole tiles");
    extern __shared__ __align__(128) unsigned char stages[];
    const BlockPart own(blockIdx.x, m, n);
    const A left(a, m, pitch, own.first_row);
    const B right(b, n, pitch, own.first_column);
    const unsigned a_at = A::left_at(own.warp_row), b_at = PLANES * A::BYTES + B::right_at(own.warp_column);
    const int tiles = (int)((pitch + BLOCK_K - 1) / BLOCK_K);
    float sums[DOWN][RIGHT][4], part[DOWN][RIGHT][4];
    clear(sums);
    clear(part);
    pass_tiles<STAGES, PLANES *(A::BYTES + B::BYTES)>(
        shared_address(stages), tiles,
        [&](int tile, unsigned to) {
#pragma unroll
            for (int plane = 0; plane < PLANES; plane++) {
                left.request(to + plane * A::BYTES, (long long)tile * BLOCK_K, plane * m * pitch);
                right.request(to + PLANES * A::BYTES + plane * B::BYTES, (long long)tile * BLOCK_K, plane * n * pitch);
            }
        },
        [&](int tile, unsigned from) {
#pragma unroll
            for (int both = LAST; both >= 0; both--) {
#pragma unroll
                for (int i = 0; i < PLANES; i++) {
                    if (both - i >= 0 && both - i < PLANES) {
                        multiply_tile<A, B, Multiply<T>>(part, from + a_at + i * A::BYTES,
                                                         from + b_at + (both - i) * B::BYTES);
                    }
                }
            }
            if ((tile + 1) % (CHUNK / BLOCK_K) == 0 || tile + 1 == tiles) {
#pragma unroll
                for (int i = 0; i < DOWN * RIGHT * 4; i++) {
                    sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] += part[i / 4 / RIGHT][i / 4 % RIGHT][i % 4];
                }
                clear(part);
            }
        });
    store_sums(sums, c, own.first_row + own.warp_row, own.first_column + own.warp_column, m, n);
}
