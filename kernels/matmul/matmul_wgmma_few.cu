/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B for few rows of A on the tensor cores of sm_90a, where weights must come from memory as fast as it gives
 * them; A is m x k (tokens), B lies as n x k (weights). As matmul_wgmma_split.cu with a block for each 64 rows of
 * weights, and:
 *
 * One thread makes the barriers and asks for the first stages before the block meets. CREWS warpgroups take stages in
 * turn, so that the last ones to arrive are not multiplied one behind the other; their sums are added in their order.
 * Blocks begin with TURNS different parts of k and go round: in step, all of them would ask for the same columns of
 * rows that lie far apart, which takes longer (2 % on an H200; why, was not looked into).
 *
 * EARLY: weights are asked for before the launch in front of this one ends (PDL), and each block fetches its share of A
 * into L2, where that launch leaves it.
 */
#include "matmul_wgmma_split.cu"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* What the one thread asks for. Stage s of the block is step (first + s) % steps of k. */
template <class P> struct FewStages {
    const CUtensorMap *weights, *tokens;
    Corner corner;
    unsigned stages, full;
    int first, steps;

    __device__ __forceinline__ int k_of(int stage) const {
        const int step = first + stage;
        return (step < steps ? step : step - steps) * P::BLOCK_K;
    }
    __device__ __forceinline__ void ask_weights(int step, int stage) const {
        bulk_expect(full + stage * 8, P::STAGE_BYTES);
        P::TileA::load(stages + stage * P::STAGE_BYTES, weights, corner.row, k_of(step), 0, 0, full + stage * 8);
    }
    __device__ __forceinline__ void ask_tokens(int step, int stage) const {
        P::TileB::load(stages + stage * P::STAGE_BYTES + P::TileA::BYTES, tokens, corner.column, k_of(step), 0, 0,
                       full + stage * 8);
    }
};

/* The first of what a block needs, by one thread: barriers, weights, and tokens, which an early launch waits for. */
template <class P, bool EARLY> __device__ __forceinline__ void begin_few(const FewStages<P> &ask, int begun, int k) {
    bulk_fetch_map(ask.weights);
    bulk_fetch_map(ask.tokens);
    for (int stage = 0; stage < P::STAGES; stage++) {
        bulk_barrier_init(ask.full + stage * 8);
        bulk_barrier_init(ask.full + (P::STAGES + stage) * 8, P::FREE_ARRIVALS);
    }
    bulk_barrier_publish();
    if (EARLY) {
        launch_next();
    }
    for (int i = 0; i < begun; i++) {
        ask.ask_weights(i, i);
        if (!EARLY) {
            ask.ask_tokens(i, i);
        }
    }
    for (int at = blockIdx.x * P::TileB::WIDE; EARLY && at < k; at += gridDim.x * P::TileB::WIDE) {
        bulk_prefetch_box(ask.tokens, at, ask.corner.column); /* each block its share */
    }
}

/* The rest, by the same thread. */
template <class P, bool EARLY> __device__ __forceinline__ void bring_few(const FewStages<P> &ask, int begun) {
    if (EARLY) {
        await_launch();
        for (int i = 0; i < begun; i++) {
            ask.ask_tokens(i, i);
        }
    }
    RingPlace<P::STAGES> place;
    place.skip(begun);
    for (int step = begun; step < ask.steps; step++) {
        bulk_wait(ask.full + (P::STAGES + place.stage) * 8, place.parity ^ 1);
        ask.ask_weights(step, place.stage);
        ask.ask_tokens(step, place.stage);
        place.next();
    }
}

/* A crew's sums, of every CREWS-th step. */
template <class P, int CREWS>
__device__ __forceinline__ void multiply_few(float (&sums)[P::WAVES][P::COUNT], int crew, int steps, unsigned stages) {
    const unsigned full = stages + P::BARRIERS_AT;
    const unsigned long long w = P::TileA::operand(stages), x = P::TileB::operand(stages + P::TileA::BYTES);
    RingPlace<P::STAGES> place;
    place.skip(crew);
    for (int step = crew; step < steps; step += CREWS) {
        bulk_wait(full + place.stage * 8, place.parity);
        const unsigned at = place.stage * (P::STAGE_BYTES >> 4);
        wgmma_tiles<typename P::T, typename P::TileA, typename P::TileB, P::BLOCK_K>(sums, w + at, x + at, true);
        wgmma_wait<0>();
        if (threadIdx.x % 32 == 0) {
            bulk_arrive(full + (P::STAGES + place.stage) * 8);
        }
        __syncwarp();
        place.skip(CREWS);
    }
    wgmma_hold(sums);
}

#endif

template <typename T, typename C, int BLOCK_M, int BLOCK_K, int STAGES, int CREWS, int TURNS, bool EARLY>
__global__ void __launch_bounds__(CREWS * 128 + 32, 1)
    matmul_wgmma_few(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, C *__restrict__ c,
                     int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<T, C, true, true, 64, BLOCK_M, BLOCK_K, STAGES, 1, 1, 1, 1, false, 0, 0, 0> P;
    typedef SumsTile<P> Sums;
    constexpr int THREADS = CREWS * 128 + 32, SUMS = BLOCK_M * Sums::PITCH;
    static_assert(STAGES % CREWS == 0, "a crew sees every phase of its stages' barriers");
    static_assert(CREWS * SUMS <= P::BARRIERS_AT, "sums lie where the stages were");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, n, m, k);
    const Corner corner = corner_of<P>(task, blockIdx.x);
    const FewStages<P> ask = {
        &b, &a, corner, stages, stages + P::BARRIERS_AT, (int)(blockIdx.x % TURNS) * task.steps / TURNS, task.steps};
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0), begun = task.steps < STAGES ? task.steps : STAGES;
    if (threadIdx.x == CREWS * 128) {
        begin_few<P, EARLY>(ask, begun, k);
    }
    __syncthreads();
    if (group < CREWS) {
        float sums[P::WAVES][P::COUNT] = {};
        multiply_few<P, CREWS>(sums, group, task.steps, stages);
        named_wait(own_barrier(0), CREWS * 128); /* the stages are read no more */
        Sums::write(sums, stages + group * SUMS, 0);
    } else if (threadIdx.x == CREWS * 128) {
        bring_few<P, EARLY>(ask, begun);
    }
    __syncthreads();
    const int pieces = left_of(m, corner.column, BLOCK_M) * 8;
    for (int i = threadIdx.x; i < pieces; i += THREADS) {
        const int token = i / 8, first = i % 8 * 8;
        float sums[8] = {};
#pragma unroll
        for (int crew = 0; crew < CREWS; crew++) {
            Sums::template add_up<1, 1>(sums, stages + crew * SUMS + token * Sums::PITCH + first * 4, 0);
        }
        const uint4 word = make_uint4(rounded_pair<C>(sums[0], sums[1]), rounded_pair<C>(sums[2], sums[3]),
                                      rounded_pair<C>(sums[4], sums[5]), rounded_pair<C>(sums[6], sums[7]));
        const long long column = corner.row + first;
        store_eight(c + (long long)(corner.column + token) * n + column, word, left_of(n, column, 8), n % 8 == 0);
    }
#endif
}
