/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp32 on tensor cores that multiply narrower numbers. A is m x k, B is k x n. split_rows() and
 * split_turned() write each number as a sum of PLANES narrower ones, the largest first, with k fastest: three of bf16
 * hold all 24 bits, two of TF32 some 23. matmul_emulated() (sm_90a) adds the products of planes i of A and j of B with
 * i + j <= LAST; those it leaves out are about as small as what fp32 rounds away. Infinities, and what bf16 rounds to
 * one, become NaN.
 *
 * Tensor cores cut off what lies below the last bit of a sum, always towards zero, so that a long sum is too small.
 * Hence sums of CHUNK of k alone, the smallest products first, each added to the whole in fp32, which rounds.
 *
 * While one consumer waits for its sums and adds them, the other multiplies: with LAG the second begins each tile when
 * the first has its first products behind it, else both do the same at a time.
 *
 * A stage of the ring is a tile of A and of B of one plane; PLANES stages are BLOCK_K of k, the plane with the smallest
 * numbers first, since that is done with first. So each tile is brought once for all its products.
 */
#include "matmul_pieces.cuh"
#include "matmul_planes.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* One thread of a block. */
template <class P, int PLANES>
__device__ __forceinline__ void produce_planes(const Task &task, unsigned stages, const CUtensorMap *a,
                                               const CUtensorMap *b) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    unsigned a_blocks = 0, b_blocks = 0;
    for (int i = 0; i < P::CLUSTER_N; i++) {
        a_blocks |= 1u << (task.rank_m + i * P::CLUSTER_M);
    }
    for (int i = 0; i < P::CLUSTER_M; i++) {
        b_blocks |= 1u << (i + task.rank_n * P::CLUSTER_M);
    }
    RingPlace<P::STAGES> place;
    for (unsigned number = task.cluster; number < task.tiles(); number += task.clusters) {
        const Corner corner = corner_of<P>(task, number);
        for (int step = 0; step < task.steps; step++) {
#pragma unroll 1 /* the producer has few registers */
            for (int plane = PLANES - 1; plane >= 0; plane--) {
                const unsigned to = stages + place.stage * P::STAGE_BYTES, barrier = full + place.stage * 8;
                bulk_wait(free + place.stage * 8, place.parity ^ 1);
                bulk_expect(barrier, P::STAGE_BYTES);
                P::TileA::load(to, a, plane * task.m + corner.row, step * P::BLOCK_K, task.rank_n, a_blocks, barrier);
                P::TileB::load(to + P::TileA::BYTES, b, plane * task.n + corner.column, step * P::BLOCK_K, task.rank_m,
                               b_blocks, barrier);
                place.next();
            }
        }
    }
}

/* The products of PLANES planes of A and B for BLOCK_K of k, a group each; `at` are the planes' stages. */
template <class P, int PRODUCTS, int PLANES>
__device__ __forceinline__ void multiply_planes(typename P::Sum (&sums)[P::WAVES][P::COUNT], unsigned long long a,
                                                unsigned long long b, const unsigned (&at)[PLANES], bool add) {
    constexpr int LAST = Products<PRODUCTS>::LAST;
#pragma unroll
    for (int both = LAST; both >= 0; both--) {
#pragma unroll
        for (int i = 0; i < PLANES; i++) {
            const int j = both - i;
            if (j >= 0 && j < PLANES) {
                const bool first = both == LAST && (i == 0 || j == PLANES - 1);
                wgmma_tiles<typename P::T, typename P::TileA, typename P::TileB, P::BLOCK_K>(
                    sums, a + at[i] * (P::STAGE_BYTES >> 4), b + at[j] * (P::STAGE_BYTES >> 4), !first || add);
            }
        }
    }
}

/* Until the groups that read this plane, and those of smaller numbers, are done: then its stage is free. When the first
 * is, and `tells`, what waits at `turn` may go on. */
template <class P, int PRODUCTS, int PLANE, int PLANES>
__device__ __forceinline__ void free_planes(const unsigned (&at)[PLANES], const Freeing<P> &freeing, bool tells,
                                            int turn) {
    wgmma_wait<Products<PRODUCTS>::behind(PLANE)>();
    if (P::IN_TURN && PLANE == PLANES - 1 && tells) {
        named_arrive(turn, 256);
    }
    freeing.tell(at[PLANE]);
    if constexpr (PLANE > 0) {
        free_planes<P, PRODUCTS, PLANE - 1>(at, freeing, tells, turn);
    }
}

/* For consume() of matmul_roles.cuh: the whole of k, CHUNK_STEPS stages' depths at a time. */
template <class P, int PRODUCTS, int CHUNK_STEPS> struct MultiplyPlanes {
    static constexpr int PLANES = Products<PRODUCTS>::PLANES;
    const Task &task;
    unsigned stages;
    int first_row;

    __device__ __forceinline__ void operator()(typename P::Sum (&sums)[P::WAVES][P::COUNT], Corner,
                                               RingPlace<P::STAGES> &place, const Freeing<P> &freeing, int last_of_turn,
                                               int turn) const {
        const unsigned full = stages + P::BARRIERS_AT;
        const unsigned long long a = P::TileA::operand(stages, first_row),
                                 b = P::TileB::operand(stages + P::TileA::BYTES);
        typename P::Sum part[P::WAVES][P::COUNT];
#pragma unroll
        for (int i = 0; i < P::WAVES * P::COUNT; i++) {
            sums[i / P::COUNT][i % P::COUNT] = 0;
        }
        int in_chunk = 0;
        for (int step = 0; step < task.steps; step++) {
            unsigned at[PLANES];
#pragma unroll
            for (int plane = PLANES - 1; plane >= 0; plane--) {
                at[plane] = place.stage;
                bulk_wait(full + place.stage * 8, place.parity);
                place.next();
            }
            multiply_planes<P, PRODUCTS>(part, a, b, at, in_chunk > 0);
            free_planes<P, PRODUCTS, PLANES - 1>(at, freeing, step == last_of_turn, turn);
            wgmma_hold(part);
            if (++in_chunk == CHUNK_STEPS || step + 1 == task.steps) {
                in_chunk = 0;
#pragma unroll
                for (int i = 0; i < P::WAVES * P::COUNT; i++) {
                    sums[i / P::COUNT][i % P::COUNT] += part[i / P::COUNT][i % P::COUNT];
                }
            }
        }
    }
};

#endif

template <typename T, int PRODUCTS, int CHUNK, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS,
          int CLUSTER_M, int CLUSTER_N, int GROUP, bool LAG, int STORES>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_emulated(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                    const __grid_constant__ CUtensorMap c_map, float *__restrict__ c, int m, int n, int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<T, float, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP, false,
                 LAG, 0, STORES>
        P;
    static_assert(STAGES >= Products<PRODUCTS>::PLANES && CHUNK % BLOCK_K == 0, "a step's planes together");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, m, n, k);
    begin_ring<P>(stages);

    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        give_registers<P>();
        if (threadIdx.x == CONSUMERS * 128) {
            await_launch_before();
            produce_planes<P, Products<PRODUCTS>::PLANES>(task, stages, &a, &b);
        }
        __syncwarp();
    } else {
        take_registers<P>();
        MultiplyPlanes<P, PRODUCTS, CHUNK / BLOCK_K> multiply{task, stages, group * P::ROWS};
        StoreTile<P> store(task, &c_map, c, boxes, stages, group);
        consume<P>(task, stages, group, multiply, store);
        store.end();
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* a block that has left cannot be told anything */
        cluster_meet();
    }
#endif
}
