/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do the accelerator's writes to shared memory (TMA) cost wgmma, which reads both operands from there? GROUPS
 * warpgroups multiply the same tiles of 64 x 64 and 64 x COLUMNS again and again; meanwhile one thread has WRITE bytes
 * a clock of the tensor cores' own time brought beside them (64 x COLUMNS x 16 takes COLUMNS / 2 clocks), out of L2.
 * CLUSTER = 2: each of two blocks asks for half and both get all, where L2 alone would be too slow. Every block does
 * the same; the first writes y. `add` is 0: were it a constant, the compiler would drop what the next step overwrites.
 */
#include "matmul_wgmma.cuh"

constexpr int FEED_BYTES = 8192, FEED_STAGES = 16; /* a box of 64 x 64; on their way: what L2 gives in its latency */

template <int COLUMNS, int GROUPS, int WRITE, int CLUSTER>
__global__ void __launch_bounds__(GROUPS * 128 + 32)
    wgmma_port(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b,
               const __grid_constant__ CUtensorMap feed, __nv_bfloat16 *__restrict__ y, int steps, int feed_lines,
               int add) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef WgmmaTile<true, 64, 64> TileA;
    typedef WgmmaTile<true, COLUMNS, 64> TileB;
    constexpr int PART = 64 / CLUSTER; /* lines of a box that this block asks for */
    extern __shared__ __align__(1024) unsigned char tiles[];
    const unsigned a_tile = shared_address(tiles), b_tile = a_tile + TileA::BYTES, feeds = b_tile + TileB::BYTES;
    const unsigned full = feeds + FEED_STAGES * FEED_BYTES;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);

    if (threadIdx.x < 128) {
        fill_swizzled<true, 64, 64, 128>(tiles, a, 64, 64, 64);
        fill_swizzled<true, COLUMNS, 64, 128>(tiles + TileA::BYTES, b, 64, COLUMNS, 64);
        bulk_fence_writes();
    }
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < FEED_STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        bulk_barrier_publish();
    }
    if (CLUSTER > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }

    if (group == GROUPS) {
        if (threadIdx.x == GROUPS * 128) {
            const long long boxes = (long long)steps * (4 * COLUMNS / 2) * WRITE / FEED_BYTES;
            const int part = blockIdx.x % CLUSTER * PART;
            int line = (int)(blockIdx.x / CLUSTER * 64 % feed_lines);
            RingPlace<FEED_STAGES> place;
            for (long long box = 0; box < boxes; box++) {
                const unsigned barrier = full + place.stage * 8, to = feeds + place.stage * FEED_BYTES + part * 128;
                if (box >= FEED_STAGES) {
                    bulk_wait(barrier, place.parity ^ 1);
                }
                bulk_expect(barrier, FEED_BYTES);
                if (CLUSTER > 1) {
                    bulk_load_box_to((1 << CLUSTER) - 1, to, &feed, 0, line + part, barrier);
                } else {
                    bulk_load_box(to, &feed, 0, line, barrier);
                }
                line = line + 64 < feed_lines ? line + 64 : 0;
                place.next();
            }
            for (int left = 0; left < FEED_STAGES; left++) { /* no warp leaves before everything has arrived */
                if (boxes + left >= FEED_STAGES) {
                    bulk_wait(full + place.stage * 8, place.parity ^ 1);
                }
                place.next();
            }
        }
        __syncwarp();
    } else {
        float sums[1][COLUMNS / 2];
        for (int step = group; step < steps; step += GROUPS) {
            wgmma_tiles<__nv_bfloat16, TileA, TileB, 64>(sums, TileA::operand(a_tile), TileB::operand(b_tile), add);
            wgmma_wait<1>();
        }
        wgmma_wait<0>();
        wgmma_hold(sums);
        if (blockIdx.x == 0 && group == 0) {
            store_rows(sums, y, 0, 0, 64, COLUMNS);
        }
    }
    if (CLUSTER > 1) {
        cluster_meet();
    }
#endif
}
