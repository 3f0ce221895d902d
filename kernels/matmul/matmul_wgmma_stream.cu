/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B on the tensor cores of sm_90a without waves of tiles ("stream-K"): the steps of k of all tiles, tile behind
 * tile, are shared evenly among the clusters that stay. So a cluster's share may begin and end inside of a tile. The
 * roles of matmul_roles.cuh; of a cluster's blocks each has its own tile, all from the same steps.
 *
 * Who has a tile's first step finishes it. The others hand their sums over in global memory (`handed`: a place for each
 * block) and say so (`ready`: a number for each of its consumers, 0 before and behind a launch). A cluster does what it
 * hands over first, and what it waits for last. Sums are added in the order of clusters, so results are always the
 * same. All clusters must be on the card at once, or begin in order.
 */
#include "matmul_roles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* What a cluster does next: steps of a tile. */
struct Piece {
    unsigned tile;
    int first, last;
};

/* The steps of all tiles that are a cluster's, from `at` to `end`. */
struct Share {
    unsigned at, end;

    __device__ __forceinline__ Share(const Task &task, unsigned cluster) {
        const unsigned long long all = (unsigned long long)task.tiles() * task.steps;
        at = (unsigned)(all * cluster / task.clusters);
        end = (unsigned)(all * (cluster + 1) / task.clusters);
    }
    __device__ __forceinline__ Piece next(const Task &task) {
        Piece piece;
        piece.tile = at / task.steps;
        piece.first = at % task.steps;
        const unsigned left = task.steps - piece.first;
        piece.last = piece.first + (end - at < left ? end - at : left);
        at += piece.last - piece.first;
        return piece;
    }
};

/* One thread of a block. */
template <class P>
__device__ __forceinline__ void produce_share(const Task &task, unsigned stages, const CUtensorMap *a,
                                              const CUtensorMap *b) {
    RingPlace<P::STAGES> place;
    for (Share share(task, task.cluster); share.at < share.end;) {
        const Piece piece = share.next(task);
        Task part = task; /* this tile alone, from the piece's first step on */
        part.cluster = piece.tile;
        part.clusters = task.tiles();
        part.first_step = piece.first;
        part.steps = piece.last - piece.first;
        produce<P>(part, stages, a, b, place);
        place.skip(part.steps);
    }
}

/* Sums that a consumer of one block hands to the same consumer of the same block of another cluster. */
template <class P> struct Handing {
    static constexpr int FOURS = P::WAVES * P::COUNT / 4, CLUSTER = P::CLUSTER_M * P::CLUSTER_N;
    float4 *handed;
    unsigned *ready;
    int consumer;

    __device__ __forceinline__ float4 *place(unsigned cluster) const {
        const unsigned block = cluster * CLUSTER + blockIdx.x % CLUSTER;
        return handed + ((size_t)block * P::CONSUMERS + consumer) * (FOURS * 128) + threadIdx.x % 128;
    }
    __device__ __forceinline__ unsigned *ready_of(unsigned cluster) const {
        return ready + (cluster * CLUSTER + blockIdx.x % CLUSTER) * P::CONSUMERS + consumer;
    }
    __device__ __forceinline__ void give(const float (&sums)[P::WAVES][P::COUNT], unsigned cluster) const {
        float4 *to = place(cluster);
#pragma unroll
        for (int i = 0; i < FOURS; i++) {
            const float *own = sums[i * 4 / P::COUNT] + i * 4 % P::COUNT;
            __stcg(to + i * 128, make_float4(own[0], own[1], own[2], own[3]));
        }
        __threadfence();
        named_wait(own_barrier(consumer), 128);
        if (threadIdx.x % 128 == 0) {
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(ready_of(cluster)), "r"(1) : "memory");
        }
    }
    __device__ __forceinline__ void take(float (&sums)[P::WAVES][P::COUNT], unsigned cluster) const {
        if (threadIdx.x % 128 == 0) {
            unsigned is_ready = 0;
            while (!is_ready) {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(is_ready)
                             : "l"(ready_of(cluster))
                             : "memory");
            }
            *ready_of(cluster) = 0;
            __threadfence();
        }
        named_wait(own_barrier(consumer), 128);
        const float4 *from = place(cluster);
#pragma unroll
        for (int i = 0; i < FOURS; i++) {
            const float4 other = __ldcg(from + i * 128);
            float *own = sums[i * 4 / P::COUNT] + i * 4 % P::COUNT;
            own[0] += other.x;
            own[1] += other.y;
            own[2] += other.z;
            own[3] += other.w;
        }
    }
};

/* A warpgroup. */
template <class P>
__device__ __forceinline__ void consume_share(const Task &task, unsigned stages, const Handing<P> &handing,
                                              typename P::C *c) {
    const int first_row = handing.consumer * P::ROWS;
    const Freeing<P> freeing(task, stages + P::BARRIERS_AT + P::STAGES * 8);
    RingPlace<P::STAGES> place;
    float sums[P::WAVES][P::COUNT];
    for (Share share(task, task.cluster); share.at < share.end;) {
        const Piece piece = share.next(task);
        multiply<P>(sums, piece.last - piece.first, stages, first_row, place, freeing, -1, 0);
        if (piece.first > 0) {
            handing.give(sums, task.cluster);
            continue;
        }
        const unsigned tile_end = (piece.tile + 1) * task.steps;
        for (unsigned other = task.cluster + 1; other < task.clusters && Share(task, other).at < tile_end; other++) {
            handing.take(sums, other);
        }
        const Corner corner = corner_of<P>(task, piece.tile);
        store_rows(sums, c, corner.row + first_row, corner.column, task.m, task.n);
    }
}

#endif

template <typename T, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_wgmma_stream(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, T *__restrict__ c,
                        float4 *handed, unsigned *ready, int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    /* Down 8 rows of tiles before the next column: blocks that run together share what they read of B. */
    typedef Plan<T, T, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 8, false, 0, 1,
                 0>
        P;
    static_assert(CONSUMERS <= 2, "registers for two");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, m, n, k);
    begin_ring<P>(stages);
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        if constexpr (CONSUMERS > 1) { /* the arithmetic of shares takes more than give_registers() leaves */
            warpgroup_give_registers<40>();
        }
        if (threadIdx.x == CONSUMERS * 128) {
            produce_share<P>(task, stages, &a, &b);
        }
        __syncwarp();
    } else {
        if constexpr (CONSUMERS > 1) {
            warpgroup_take_registers<232>();
        }
        consume_share<P>(task, stages, Handing<P>{handed, ready, group}, c);
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* no block leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
