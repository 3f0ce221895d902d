/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x convolved with filters of 3 x 3 over all channels, in NHWC, zeros around each image: a product of matrices, by
 * warps with roles as in matmul_roles.cuh. A row of A is a pixel of y, its k's are taps and their channels. It lies in
 * no memory: for each tap the accelerator brings a tile's pixels, shifted, by an im2col map. B is the filters as
 * they lie, `outputs` x (3, 3, channels). Where channels end inside of a stage A has zeros, whatever B has there.
 */
#include "matmul_pieces.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

struct Image {
    int height, width, channels;

    __device__ __forceinline__ Pixel at(int number) const {
        return {number % width, number / width % height, number / width / height};
    }
};

/* The pixels of one stage, by one thread; map boxes have 64 channels of TileA::BOX_LINES pixels. */
template <class P>
__device__ __forceinline__ void load_pixels(unsigned to, const CUtensorMap *x, Pixel first, int tap, int channel,
                                            unsigned part, unsigned blocks, unsigned barrier) {
    first.x--; /* by the padding */
    first.y--;
#pragma unroll
    for (int slab = 0; slab < P::TileA::SLABS; slab++) {
        const unsigned slab_to = to + slab * P::TileA::SLAB_BYTES + part * (P::TileA::BOX_LINES * 128);
        if (P::CLUSTER_N > 1) {
            bulk_load_pixels_to(blocks, slab_to, x, channel + slab * 64, first, tap % 3, tap / 3, barrier);
        } else {
            bulk_load_pixels(slab_to, x, channel + slab * 64, first, tap % 3, tap / 3, barrier);
        }
    }
}

/* produce() of matmul_roles.cuh for such an A. */
template <class P>
__device__ __forceinline__ void produce_pixels(const Task &task, unsigned stages, const CUtensorMap *x,
                                               const CUtensorMap *filters, Image image) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    RingPlace<P::STAGES> place;
    unsigned a_blocks = 0;
    for (int i = 0; i < P::CLUSTER_N; i++) {
        a_blocks |= 1u << (task.rank_m + i * P::CLUSTER_M);
    }
    const unsigned b_blocks = ((1u << P::CLUSTER_M) - 1) << (task.rank_n * P::CLUSTER_M);
    for (unsigned number = task.cluster; number < task.tiles(); number += task.clusters) {
        const Corner corner = corner_of<P>(task, number);
        const Pixel first = image.at(corner.row + (int)task.rank_n * P::TileA::BOX_LINES);
        int tap = 0, channel = 0;
        for (int step = 0; step < task.steps; step++) {
            const unsigned to = stages + place.stage * P::STAGE_BYTES, barrier = full + place.stage * 8;
            bulk_wait(free + place.stage * 8, place.parity ^ 1);
            bulk_expect(barrier, P::STAGE_BYTES);
            load_pixels<P>(to, x, first, tap, channel, task.rank_n, a_blocks, barrier);
            P::TileB::load(to + P::TileA::BYTES, filters, corner.column, tap * image.channels + channel, task.rank_m,
                           b_blocks, barrier);
            place.next();
            channel += P::BLOCK_K;
            if (channel >= image.channels) {
                channel = 0;
                tap++;
            }
        }
    }
}

#endif

/* `boxes`: rows of y are multiples of 16 bytes, and y_map may be used. */
template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int GROUP,
          bool PINGPONG, int LAG, int IN_FLIGHT, int STORES>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    convolution_im2col(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap filters,
                       const __grid_constant__ CUtensorMap y_map, __nv_bfloat16 *__restrict__ y, int images, int height,
                       int width, int channels, int outputs, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<__nv_bfloat16, __nv_bfloat16, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M,
                 CLUSTER_N, GROUP, PINGPONG, LAG, IN_FLIGHT, STORES>
        P;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, images * height * width, outputs, channels);
    task.steps *= 9;
    begin_ring<P>(stages);
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        give_registers<P>();
        if (threadIdx.x == CONSUMERS * 128) {
            produce_pixels<P>(task, stages, &x, &filters, Image{height, width, channels});
        }
        __syncwarp();
    } else {
        take_registers<P>();
        MultiplyTile<P> multiply{task, stages, PINGPONG ? 0 : group * P::ROWS};
        StoreTile<P> store(task, &y_map, y, boxes, stages, group);
        consume<P>(task, stages, group, multiply, store);
        store.end();
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* no block leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
