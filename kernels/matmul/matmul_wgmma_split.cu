/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B for few rows of A, or few tiles, on the tensor cores of sm_90a; A is m x k (tokens), B lies as n x k
 * (weights). Operands are swapped: an instruction takes 64 rows of weights and BLOCK_M tokens, 16 to 256, so that few
 * tokens waste no rows of it. The roles of matmul_roles.cuh, whose A is B here and whose rows are C's columns.
 *
 * SPLIT blocks of a cluster compute the same tile of C, each from a part of k. Behind it each writes its sums to its
 * own shared memory, where the stages were, and adds up one part of the tile from all of them, in their order: the same
 * result every time, without scratch in memory and without a second launch. Blocks of a cluster, from the fastest on:
 * CLUSTER_N tiles along n, which share what they read of A; CLUSTER_M along m, which share B; SPLIT parts of k.
 */
#include "matmul_roles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* Four sums of a block of the cluster, at a place that bulk_place_in() named. */
__device__ __forceinline__ float4 load_sums(unsigned there) {
    float4 sums;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(sums.x), "=f"(sums.y), "=f"(sums.z), "=f"(sums.w)
                 : "r"(there)
                 : "memory");
    return sums;
}

__device__ __forceinline__ void store_sum(unsigned to, float sum) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(sum) : "memory");
}

/* A tile of C as floats in shared memory: a token's line holds its P::BLOCK_M sums. Four lines further begin 16 banks
 * further, so that the lanes of a warp meet each bank once. */
template <class P> struct SumsTile {
    static constexpr int PITCH = (P::BLOCK_M + 4) * 4; /* bytes */
    static_assert(P::BLOCK_N * PITCH <= P::BARRIERS_AT, "sums lie where the stages were");

    __device__ __forceinline__ static void write(const float (&sums)[P::WAVES][P::COUNT], unsigned tile,
                                                 int first_row) {
        const int thread = threadIdx.x % 128, row = first_row + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
        for (int i = 0; i < P::WAVES * P::COUNT; i++) {
            const int in = i % P::COUNT, token = in / 4 * 8 + thread % 4 * 2 + in % 2;
            store_sum(tile + token * PITCH + (row + i / P::COUNT * 64 + in / 2 % 2 * 8) * 4, sums[i / P::COUNT][in]);
        }
    }

    /* Eight neighbours of a token, of all parts: blocks APART of each other in the cluster, the first being `rank`. */
    template <int SPLIT, int APART>
    __device__ __forceinline__ static void add_up(float (&sums)[8], unsigned place, unsigned rank) {
#pragma unroll
        for (int part = 0; part < SPLIT; part++) {
            const unsigned there = bulk_place_in(place, rank + part * APART);
            const float4 low = load_sums(there), high = load_sums(there + 16);
            const float own[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (int i = 0; i < 8; i++) {
                sums[i] += own[i];
            }
        }
    }
};

/* What produce() does for the one tile of a block, whose weights are asked for before the launch in front of this one
 * has ended, as it does not write them. */
template <class P>
__device__ __forceinline__ void produce_early(const Task &task, unsigned stages, const CUtensorMap *weights,
                                              const CUtensorMap *tokens) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    unsigned sharers_of_tokens = 0, sharers_of_weights = 0;
    for (int i = 0; i < P::CLUSTER_N; i++) {
        sharers_of_weights |= 1u << (task.first_rank + task.rank_m + i * P::CLUSTER_M);
    }
    for (int i = 0; i < P::CLUSTER_M; i++) {
        sharers_of_tokens |= 1u << (task.first_rank + i + task.rank_n * P::CLUSTER_M);
    }
    const Corner corner = corner_of<P>(task, task.cluster);
    auto ask_weights = [&](int step, int stage) {
        bulk_expect(full + stage * 8, P::STAGE_BYTES);
        P::TileA::load(stages + stage * P::STAGE_BYTES, weights, corner.row, (task.first_step + step) * P::BLOCK_K,
                       task.rank_n, sharers_of_weights, full + stage * 8);
    };
    auto ask_tokens = [&](int step, int stage) {
        P::TileB::load(stages + stage * P::STAGE_BYTES + P::TileA::BYTES, tokens, corner.column,
                       (task.first_step + step) * P::BLOCK_K, task.rank_m, sharers_of_tokens, full + stage * 8);
    };
    const int begun = task.steps < P::STAGES ? task.steps : P::STAGES;
    launch_next();
    for (int i = 0; i < begun; i++) {
        ask_weights(i, i);
    }
    await_launch();
    for (int i = 0; i < begun; i++) {
        ask_tokens(i, i);
    }
    RingPlace<P::STAGES> place;
    place.skip(begun);
    for (int step = begun; step < task.steps; step++) {
        bulk_wait(free + place.stage * 8, place.parity ^ 1);
        ask_weights(step, place.stage);
        ask_tokens(step, place.stage);
        place.next();
    }
}

/* The kernel: T is what A and B have, C what the product has. EARLY: the launch may begin before the one in front of it
 * ends. */
template <typename T, typename C, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M,
          int CLUSTER_N, int SPLIT, bool EARLY = false>
__device__ __forceinline__ void multiply_parts(const CUtensorMap &a, const CUtensorMap &b, C *__restrict__ c, int m,
                                               int n, int k) {
    typedef Plan<T, C, true, true, BLOCK_N, BLOCK_M, BLOCK_K, STAGES, CONSUMERS, CLUSTER_N, CLUSTER_M, 1, false, 0, 1,
                 0>
        P;
    typedef SumsTile<P> Sums;
    constexpr int SHARERS = CLUSTER_M * CLUSTER_N, CLUSTER = SHARERS * SPLIT, THREADS = CONSUMERS * 128 + 32;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared), rank = blockIdx.x % CLUSTER, part = rank / SHARERS;
    Task task;
    begin_task<P>(task, n, m, k);
    task.cluster = blockIdx.x / CLUSTER;
    task.first_rank = part * SHARERS;
    task.first_step = (int)((long long)task.steps * part / SPLIT);
    task.steps = (int)((long long)task.steps * (part + 1) / SPLIT) - task.first_step;
    begin_ring<P>(stages);

    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        if (threadIdx.x == CONSUMERS * 128) {
            if constexpr (EARLY) {
                produce_early<P>(task, stages, &b, &a);
            } else {
                produce<P>(task, stages, &b, &a);
            }
        }
        __syncwarp();
    } else {
        float sums[P::WAVES][P::COUNT] = {};
        if (task.steps > 0) { /* fewer steps than parts leave parts without one */
            const Freeing<P> freeing(task, stages + P::BARRIERS_AT + STAGES * 8);
            RingPlace<STAGES> place;
            multiply<P>(sums, task.steps, stages, group * P::ROWS, place, freeing, -1, 0);
        }
        named_wait(own_barrier(0), CONSUMERS * 128); /* the stages are read no more */
        Sums::write(sums, stages, group * P::ROWS);
    }
    if (CLUSTER > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
    const Corner corner = corner_of<P>(task, task.cluster);
    const int pieces = left_of(m, corner.column, BLOCK_M) * (BLOCK_N / 8);
    for (int i = part * THREADS + threadIdx.x; i < pieces; i += SPLIT * THREADS) {
        const int token = i / (BLOCK_N / 8), first = i % (BLOCK_N / 8) * 8;
        float sums[8] = {};
        Sums::template add_up<SPLIT, SHARERS>(sums, stages + token * Sums::PITCH + first * 4, rank % SHARERS);
        const uint4 word = make_uint4(rounded_pair<C>(sums[0], sums[1]), rounded_pair<C>(sums[2], sums[3]),
                                      rounded_pair<C>(sums[4], sums[5]), rounded_pair<C>(sums[6], sums[7]));
        const long long column = corner.row + first;
        store_eight(c + (long long)(corner.column + token) * n + column, word, left_of(n, column, 8), n % 8 == 0);
    }
    if (CLUSTER > 1) { /* no block leaves while others may still read its sums */
        cluster_meet();
    }
}

#endif

template <typename T, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N,
          int SPLIT>
__global__ void __launch_bounds__(CONSUMERS * 128 + 32, 1)
    matmul_wgmma_split(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, T *__restrict__ c,
                       int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    multiply_parts<T, T, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, SPLIT>(a, b, c, m, n, k);
#endif
}

/* The same with a C of another type: bf16 where T is e4m3 (unsigned char). */
template <typename T, typename C, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M,
          int CLUSTER_N, int SPLIT, bool EARLY>
__global__ void __launch_bounds__(CONSUMERS * 128 + 32, 1)
    matmul_wgmma_split_to(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                          C *__restrict__ c, int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    multiply_parts<T, C, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, SPLIT, EARLY>(a, b, c, m,
                                                                                                           n, k);
#endif
}
