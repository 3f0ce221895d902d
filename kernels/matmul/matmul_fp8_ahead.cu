/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_fp8_scaled.cuh's product, in which the tensor cores wait for less: sums that are added up every 128 k's come
 * in pieces, of which one is added while the next is multiplied, and scales of rows and columns are read ahead.
 */
#include "matmul_epilogue.cuh"
#include "matmul_fp8_scaled.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* multiply() for consume(): a step's sums come in pieces of 64 rows and 1 / ACROSS of the columns, two sets of
 * registers in turn: one is added up while the other is multiplied, also from step to step, so that the tensor cores
 * always have a piece before them. Large tiles have no room for two sets of whole sums. */
template <class P, int ACROSS, class Scales> struct MultiplyPieces {
    static constexpr int PIECES = P::WAVES * ACROSS, COUNT = P::COUNT / ACROSS;
    static_assert(P::COUNT % (8 * ACROSS) == 0 && PIECES % 2 == 0 && !P::IN_TURN, "whole instructions, two sets");
    typedef typename P::T T;
    typedef typename P::TileA TileA;
    typedef typename P::TileB TileB;
    const Task &task;
    Scales scales;
    unsigned stages;
    int first_row;

    __device__ __forceinline__ MultiplyPieces(const Task &task_, const Scales &scales_, unsigned stages_, int part)
        : task(task_), scales(scales_), stages(stages_), first_row(part * P::ROWS) {
    }

    __device__ __forceinline__ void operator()(float (&sums)[P::WAVES][P::COUNT], Corner corner,
                                               RingPlace<P::STAGES> &place, const Freeing<P> &freeing, int, int) {
        scales.begin(corner);
#pragma unroll
        for (int i = 0; i < P::WAVES * P::COUNT; i++) {
            sums[i / P::COUNT][i % P::COUNT] = 0;
        }
        float even[1][COUNT], odd[1][COUNT];
        RingPlace<P::STAGES> ahead = place;
        begin_step(even, ahead);
        int step = 0;
#pragma unroll 1
        for (; step + 1 < task.steps; step++) {
            one_step(sums, even, odd, place.stage, step);
            ahead.next();
            begin_step(even, ahead);
            end_step<1>(sums, odd, place, freeing);
        }
        if (step < task.steps) {
            one_step(sums, even, odd, place.stage, step);
            end_step<0>(sums, odd, place, freeing);
        } else { /* there is no such k, but without this way out ptxas waits for each instruction (C7514) */
            add_up<0>(sums, even, 0);
        }
    }

  private:
    __device__ __forceinline__ void begin_step(float (&part)[1][COUNT], const RingPlace<P::STAGES> &place) const {
        bulk_wait(stages + P::BARRIERS_AT + place.stage * 8, place.parity);
        ask(part, place.stage, 0);
    }
    __device__ __forceinline__ void ask(float (&part)[1][COUNT], int stage, int piece) const {
        const int at = stage * (P::STAGE_BYTES >> 4);
        wgmma_tiles<T, TileA, TileB, P::BLOCK_K>(
            part, TileA::operand(stages, first_row) + at + piece / ACROSS * (64 * 128 >> 4),
            TileB::operand(stages + TileA::BYTES) + at + piece % ACROSS * (2 * COUNT * 128 >> 4), false);
    }
    /* All pieces but the last are added up, which has been asked for. */
    __device__ __forceinline__ void one_step(float (&sums)[P::WAVES][P::COUNT], float (&even)[1][COUNT],
                                             float (&odd)[1][COUNT], int stage, int step) {
        ask(odd, stage, 1);
        scales.take(stage, step);
        add_up<1>(sums, even, 0);
#pragma unroll
        for (int piece = 2; piece < PIECES; piece += 2) {
            ask(even, stage, piece);
            add_up<1>(sums, odd, piece - 1);
            ask(odd, stage, piece + 1);
            add_up<1>(sums, even, piece);
        }
    }
    template <int PENDING>
    __device__ __forceinline__ void add_up(float (&sums)[P::WAVES][P::COUNT], float (&part)[1][COUNT],
                                           int piece) const {
        wgmma_wait<PENDING>();
        wgmma_hold(part);
        scales.add(sums[piece / ACROSS], part[0], piece / ACROSS, piece % ACROSS * COUNT);
    }
    /* The last piece of a step, whose stage is free then. */
    template <int PENDING>
    __device__ __forceinline__ void end_step(float (&sums)[P::WAVES][P::COUNT], float (&part)[1][COUNT],
                                             RingPlace<P::STAGES> &place, const Freeing<P> &freeing) const {
        wgmma_wait<PENDING>();
        wgmma_hold(part);
        freeing.tell(place.stage);
        place.next();
        scales.add(sums[P::WAVES - 1], part[0], P::WAVES - 1, P::COUNT - COUNT);
    }
};

/* Epilogues (matmul_epilogue.cuh) by the kind of scale: of blocks nothing is left to do; */
template <class P, int SCALE> struct Scaling : NoEpilogue {
    static constexpr int SHARED = 0;
    __device__ __forceinline__ Scaling(const Task &, const float *, const float *, unsigned, int) {
    }
    __device__ __forceinline__ void begin(Corner) {
    }
    __device__ __forceinline__ void ready() {
    }
};

/* times one of A and one of B; */
template <class P> struct Scaling<P, SCALE_TENSOR> : Scale<P> {
    __device__ __forceinline__ Scaling(const Task &task, const float *a, const float *b, unsigned shared, int consumer)
        : Scale<P>(task, a, shared, consumer) {
        this->alpha *= __ldg(b);
    }
};

/* times those of rows and columns, read while the tile is multiplied. */
template <class P> struct Scaling<P, SCALE_ROWS> {
    enum { NONE = false };
    static constexpr int SHARED = KeptColumns<P>::SHARED;
    const float *a, *b;
    int m;
    KeptColumns<P> columns;
    float rows[P::WAVES][2];

    __device__ __forceinline__ Scaling(const Task &task, const float *a_, const float *b_, unsigned shared,
                                       int consumer)
        : a(a_), b(b_), m(task.m), columns(task.n, shared, consumer) {
    }
    __device__ __forceinline__ void begin(Corner corner) {
#pragma unroll
        for (int i = 0; i < 2 * P::WAVES; i++) {
            const int row = corner.row + own_row() + i / 2 * 64 + i % 2 * 8;
            rows[i / 2][i % 2] = row < m ? __ldg(a + row) : 0;
        }
        columns.begin(corner.column, [this](int column) { return __ldg(b + column); });
    }
    __device__ __forceinline__ void ready() {
        columns.ready();
    }
    __device__ __forceinline__ void apply(float (&sums)[P::COUNT], int wave, int first) {
#pragma unroll
        for (int i = 0; i < P::PIECE_N / 8; i++) {
            const float2 two = columns.pair(first, i);
            float *four = sums + first / 2 + i * 4;
            four[0] *= rows[wave][0] * two.x;
            four[1] *= rows[wave][0] * two.y;
            four[2] *= rows[wave][1] * two.x;
            four[3] *= rows[wave][1] * two.y;
        }
    }
};

template <class P, class Store, class Tile>
__device__ __forceinline__ void consume_tiles(const Task &task, unsigned stages, int consumer, Store &store,
                                              const Tile &tile) {
    MultiplyBetween<decltype(store.epilogue), Tile> multiply{tile, store.epilogue};
    consume<P>(task, stages, consumer, multiply, store);
    store.end();
}

/* STAGED: m is a multiple of 4, so scales of blocks come with their stage. */
template <class Plan_, bool STAGED_> struct Staging : Plan_ {
    enum { STAGED = STAGED_ };
};

#endif

/* ACROSS: pieces a row of sums, added up every 128 k's; 0: none, the tensor cores form whole sums. */
template <typename T, typename C, int SCALE, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS,
          int CLUSTER_M, int CLUSTER_N, int GROUP, bool PINGPONG, int LAG, int STORES, int ACROSS, bool STAGED>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_fp8_ahead(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                     const __grid_constant__ CUtensorMap c_map, const float *__restrict__ a_scale,
                     const float *__restrict__ b_scale, C *__restrict__ c, int m, int n, int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Staging<Plan<T, C, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP,
                         PINGPONG, LAG, 1, STORES>,
                    STAGED>
        P;
    static_assert(SCALE != SCALE_BLOCKS || ACROSS > 0, "a scale of blocks is applied when a sum is added up");
    static_assert(CONSUMERS == 2 && BLOCK_N % P::PIECE_N == 0 && (ACROSS == 0 || BLOCK_K == SCALED), "whole pieces");
    typedef Scaling<P, SCALE> E;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, m, n, k);
    begin_ring<P>(stages);
    const StagedScales<P> scales{task, a_scale, b_scale, stages};
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        if constexpr (SCALE == SCALE_BLOCKS) { /* StagedScales take more than else is left */
            warpgroup_give_registers<40>();
        } else {
            give_registers<P>();
        }
        if (threadIdx.x == CONSUMERS * 128) {
            if constexpr (SCALE == SCALE_BLOCKS) {
                produce<P>(task, stages, &a, &b, RingPlace<STAGES>(), scales);
            } else {
                produce<P>(task, stages, &a, &b);
            }
        }
        __syncwarp();
    } else {
        if constexpr (SCALE == SCALE_BLOCKS) {
            warpgroup_take_registers<232>();
        } else {
            take_registers<P>();
        }
        const int part = PINGPONG ? 0 : group; /* of a tile's rows */
        StoreTile<P, E> store(task, &c_map, c, boxes, stages, group,
                              E(task, a_scale, b_scale, stages + P::BARRIERS_AT + STAGES * 16, group));
        if constexpr (SCALE == SCALE_BLOCKS) {
            consume_tiles<P>(
                task, stages, group, store,
                MultiplyPieces<P, ACROSS, BlockScaled<P>>(task, BlockScaled<P>(scales, part), stages, part));
        } else if constexpr (ACROSS > 0) {
            consume_tiles<P>(task, stages, group, store,
                             MultiplyPieces<P, ACROSS, Unscaled>(task, Unscaled(), stages, part));
        } else {
            consume_tiles<P>(task, stages, group, store, MultiplyTile<P>{task, stages, part * P::ROWS});
        }
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* no block leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
