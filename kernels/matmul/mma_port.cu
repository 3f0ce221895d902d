/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma_port.cu's question where wgmma is not: do writes to shared memory (cp.async; before sm_80 stores) cost mma.sync,
 * whose fragments ldmatrix reads from there? GROUPS times four warps, which have 32 x COLUMNS / 2 of 64 x COLUMNS each,
 * multiply the same tiles again and again; meanwhile one warp brings WRITE bytes for every 1,024 multiply-adds (a clock
 * of an A100's tensor cores) beside them, out of L2. Every block does the same; the first writes y.
 */
#include "matmul_fragments.cuh"

constexpr int FEED_BYTES = 2048, FEED_STAGES = 16; /* a copy of 16 lines; on their way: what L2 gives in its latency */

template <int COLUMNS, int WRITE>
__device__ __forceinline__ void bring(unsigned to, const __nv_bfloat16 *__restrict__ feed, int steps, int feed_lines) {
    const long long copies = (long long)steps * (4 * COLUMNS) * WRITE / FEED_BYTES;
    const int lane = threadIdx.x % 32;
    int line = (int)(blockIdx.x * 16 % feed_lines);
    for (long long copy = 0; copy < copies; copy++) {
        copy_async_wait<FEED_STAGES - 1>(); /* what was asked for into this place */
#pragma unroll
        for (int i = lane; i < FEED_BYTES / 16; i += 32) {
            copy_async(to + (int)(copy % FEED_STAGES) * FEED_BYTES + i * 16, feed + line * 64 + i * 8, true);
        }
        copy_async_commit();
        line = line + 16 < feed_lines ? line + 16 : 0;
    }
    copy_async_wait<0>(); /* no warp leaves before everything has arrived */
}

template <int COLUMNS, int GROUPS, int WRITE>
__global__ void __launch_bounds__(GROUPS * 128 + 32)
    mma_port(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b,
             const __nv_bfloat16 *__restrict__ feed, __nv_bfloat16 *__restrict__ y, int steps, int feed_lines) {
    typedef Pieces<128, EIGHT_ROWS> Place;
    constexpr int DOWN = 2, RIGHT = COLUMNS / 16, EIGHT_LINES = 1024;
    extern __shared__ __align__(128) unsigned char tiles[];
    const unsigned a_tile = shared_address(tiles), b_tile = a_tile + 8 * EIGHT_LINES;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = warp / 4;

    for (int i = threadIdx.x; i < (64 + COLUMNS) * 8; i += GROUPS * 128 + 32) {
        const int row = i / 8;
        const __nv_bfloat16 *from = row < 64 ? a + row * 64 : b + (row - 64) * 64;
        store_shared(a_tile + Place::offset(row, i % 8), *reinterpret_cast<const uint4 *>(from + i % 8 * 8));
    }
    __syncthreads();
    if (group == GROUPS) {
        bring<COLUMNS, WRITE>(b_tile + COLUMNS / 8 * EIGHT_LINES, feed, steps, feed_lines);
        return;
    }

    const int row = warp % 4 / 2 * 32, column = warp % 2 * (COLUMNS / 2);
    const unsigned a_lane = a_tile + Place::offset(row + lane % 16, lane / 16);
    const unsigned b_lane = b_tile + Place::offset(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    float sums[DOWN][RIGHT][4];
#pragma unroll 1
    for (int step = group; step < steps; step += GROUPS) {
#pragma unroll
        for (int i = 0; i < DOWN * RIGHT * 4; i++) {
            sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned a_part[DOWN][4], b_part[4];
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                load_matrices(a_part[i], (a_lane ^ (k * 32)) + i * 2 * EIGHT_LINES);
            }
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                if (j % 2 == 0) {
                    load_matrices(b_part, (b_lane ^ (k * 32)) + j * EIGHT_LINES);
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
                    Multiply<__nv_bfloat16>::add(sums[i][j], a_part[i], b_part + j % 2 * 2);
                }
            }
        }
    }
    if (blockIdx.x == 0 && group == 0) {
        store_sums(sums, y, row, column, 64, COLUMNS);
    }
}
