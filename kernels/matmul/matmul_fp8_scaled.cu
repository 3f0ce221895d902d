/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_fp8_scaled.cuh's product, added up a set of sums at a time. */
#include "matmul_fp8_scaled.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* multiply() for consume(): partial sums of PROMOTE k's, added up by `scales`. TURNS: a consumer begins a partial sum
 * when the other is half through one, so that one adds while the other multiplies. */
template <class P, int PROMOTE, bool TURNS, class Scales> struct MultiplyPromoted {
    static constexpr int EACH = PROMOTE / P::BLOCK_K, PARTS = EACH == 1 ? 1 : P::WAVES;
    static_assert(EACH >= 1 && PROMOTE % P::BLOCK_K == 0 && (!TURNS || (EACH == 1 && P::CONSUMERS == 2 && P::LAG == 0)),
                  "whole steps");
    /* A second set of partial sums where registers hold it: one is multiplied while the other is added. */
    enum { IN_PAIRS = EACH == 1 && P::WAVES == 1 && !TURNS && P::CONSUMERS <= 2 && 3 * P::COUNT <= 192 };
    typedef typename P::T T;
    typedef typename P::TileA TileA;
    typedef typename P::TileB TileB;
    const Task &task;
    Scales scales;
    unsigned stages;
    int first_row, consumer;
    unsigned left; /* of TURNS: this consumer's partial sums until the block ends */
    bool first = true;

    __device__ __forceinline__ MultiplyPromoted(const Task &task_, const Scales &scales_, unsigned stages_,
                                                int consumer_)
        : task(task_), scales(scales_), stages(stages_), first_row(consumer_ * P::ROWS), consumer(consumer_),
          left((task.tiles() - task.cluster + task.clusters - 1) / task.clusters * task.steps * P::WAVES) {
    }

    __device__ __forceinline__ void operator()(float (&sums)[P::WAVES][P::COUNT], Corner corner,
                                               RingPlace<P::STAGES> &place, const Freeing<P> &freeing, int last_of_turn,
                                               int turn) {
        scales.begin(corner);
#pragma unroll
        for (int i = 0; i < P::WAVES * P::COUNT; i++) {
            sums[i / P::COUNT][i % P::COUNT] = 0;
        }
        if constexpr (IN_PAIRS) {
            by_pairs(sums, place, freeing, last_of_turn, turn);
        } else if constexpr (EACH == 1) {
            by_waves(sums, place, freeing, last_of_turn, turn);
        } else {
            by_steps(sums, place, freeing, last_of_turn, turn);
        }
    }

  private:
    __device__ __forceinline__ unsigned long long a_operand(const RingPlace<P::STAGES> &place) const {
        return TileA::operand(stages, first_row) + place.stage * (P::STAGE_BYTES >> 4);
    }
    __device__ __forceinline__ unsigned long long b_operand(const RingPlace<P::STAGES> &place) const {
        return TileB::operand(stages + TileA::BYTES) + place.stage * (P::STAGE_BYTES >> 4);
    }

    /* A step into each set in turn: when one is added up, the next has been asked for. */
    __device__ __forceinline__ void by_pairs(float (&sums)[P::WAVES][P::COUNT], RingPlace<P::STAGES> &place,
                                             const Freeing<P> &freeing, int last_of_turn, int turn) {
        float even[1][P::COUNT], odd[1][P::COUNT];
        RingPlace<P::STAGES> ahead = place;
        int step = 0;
        ask(even, ahead, step == last_of_turn, turn);
        for (; step + 2 < task.steps; step += 2) {
            ask(odd, ahead, step + 1 == last_of_turn, turn);
            take_up<1>(sums, even, place, freeing, step);
            ask(even, ahead, step + 2 == last_of_turn, turn);
            take_up<1>(sums, odd, place, freeing, step + 1);
        }
        if (step + 1 < task.steps) {
            ask(odd, ahead, step + 1 == last_of_turn, turn);
            take_up<1>(sums, even, place, freeing, step);
            take_up<0>(sums, odd, place, freeing, step + 1);
        } else {
            take_up<0>(sums, even, place, freeing, step);
        }
    }
    __device__ __forceinline__ void ask(float (&part)[1][P::COUNT], RingPlace<P::STAGES> &ahead, bool ends_turn,
                                        int turn) {
        bulk_wait(stages + P::BARRIERS_AT + ahead.stage * 8, ahead.parity);
        wgmma_tiles<T, TileA, TileB, P::BLOCK_K>(part, a_operand(ahead), b_operand(ahead), false);
        if (P::LAG > 0 && ends_turn) {
            named_arrive(turn, 256);
        }
        ahead.next();
    }
    /* PENDING: of the next step. */
    template <int PENDING>
    __device__ __forceinline__ void take_up(float (&sums)[P::WAVES][P::COUNT], float (&part)[1][P::COUNT],
                                            RingPlace<P::STAGES> &place, const Freeing<P> &freeing, int step) {
        scales.take(place.stage, step);
        wgmma_wait<PENDING>();
        wgmma_hold(part);
        freeing.tell(place.stage);
        place.next();
        scales.add(sums[0], part[0], 0);
    }

    /* 64 rows at a time, so that one set of partial sums is enough. */
    __device__ __forceinline__ void by_waves(float (&sums)[P::WAVES][P::COUNT], RingPlace<P::STAGES> &place,
                                             const Freeing<P> &freeing, int last_of_turn, int turn) {
        float part[1][P::COUNT];
        for (int step = 0; step < task.steps; step++) {
            bulk_wait(stages + P::BARRIERS_AT + place.stage * 8, place.parity);
#pragma unroll
            for (int wave = 0; wave < P::WAVES; wave++) {
                wave_of(part, a_operand(place) + wave * (64 * 128 >> 4), b_operand(place));
                if (wave == 0) {
                    scales.take(place.stage, step);
                }
                if (P::LAG > 0 && wave == P::WAVES - 1 && step == last_of_turn) {
                    named_arrive(turn, 256);
                }
                end_of_wave();
                wgmma_hold(part);
                if (wave == P::WAVES - 1) {
                    freeing.tell(place.stage);
                }
                scales.add(sums[wave], part[0], wave);
            }
            place.next();
        }
    }
    __device__ __forceinline__ void wave_of(float (&part)[1][P::COUNT], unsigned long long a, unsigned long long b) {
        if constexpr (TURNS) {
            constexpr int HALF = P::BLOCK_K / 2, BEHIND = HALF * (int)sizeof(T) / 32;
            if (consumer == 1 || !first) {
                named_wait(turn_barrier(consumer), 256);
            }
            wgmma_tiles<T, TileA, TileB, HALF>(part, a, b, false);
            wgmma_tiles<T, TileA, TileB, HALF>(part, a + TileA::at_step(BEHIND), b + TileB::at_step(BEHIND), true);
        } else {
            wgmma_tiles<T, TileA, TileB, P::BLOCK_K>(part, a, b, false);
        }
    }
    __device__ __forceinline__ void end_of_wave() {
        if constexpr (TURNS) {
            wgmma_wait<1>();
            first = false;
            if (--left > 0 || consumer == 0) {
                named_arrive(turn_barrier(1 - consumer), 256);
            }
        }
        wgmma_wait<0>();
    }

    __device__ __forceinline__ void by_steps(float (&sums)[P::WAVES][P::COUNT], RingPlace<P::STAGES> &place,
                                             const Freeing<P> &freeing, int last_of_turn, int turn) {
        float part[PARTS][P::COUNT];
        int before = -1; /* the stage that is still being read */
        for (int step = 0; step < task.steps; step++) {
            bulk_wait(stages + P::BARRIERS_AT + place.stage * 8, place.parity);
            wgmma_tiles<T, TileA, TileB, P::BLOCK_K>(part, a_operand(place), b_operand(place), step % EACH > 0);
            if (P::LAG > 0 && step == last_of_turn) {
                named_arrive(turn, 256);
            }
            wgmma_wait<1>();
            if (before >= 0) {
                freeing.tell(before);
            }
            before = place.stage;
            if (step % EACH == EACH - 1 || step == task.steps - 1) {
                wgmma_wait<0>();
                wgmma_hold(part);
                freeing.tell(before);
                before = -1;
#pragma unroll
                for (int wave = 0; wave < P::WAVES; wave++) {
                    scales.add(sums[wave], part[wave % PARTS], wave);
                }
            }
            place.next();
        }
    }
};

/* store() for consume(): sums times the scales of tensors, then to C. */
template <class P, int SCALE> struct StoreScaled {
    StoreTile<P> store;
    const float *a, *b;

    __device__ __forceinline__ void operator()(float (&sums)[P::WAVES][P::COUNT], Corner corner) {
        const Task &task = store.task;
        if constexpr (sizeof(typename P::C) == 4) { /* ptxas sees it only here that all have ended (else C7517) */
            wgmma_wait<0>();
            wgmma_hold(sums);
        }
        if constexpr (SCALE == SCALE_TENSOR) {
            const float scale = __ldg(a) * __ldg(b);
#pragma unroll
            for (int i = 0; i < P::WAVES * P::COUNT; i++) {
                sums[i / P::COUNT][i % P::COUNT] *= scale;
            }
        }
        store(sums, corner);
    }
};

#endif

template <typename T, typename C, int SCALE, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS,
          int CLUSTER_M, int CLUSTER_N, int GROUP, bool PINGPONG, int LAG, int STORES, int PROMOTE, bool TURNS>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_fp8_scaled(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      const __grid_constant__ CUtensorMap c_map, const float *__restrict__ a_scale,
                      const float *__restrict__ b_scale, C *__restrict__ c, int m, int n, int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<T, C, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP, PINGPONG,
                 LAG, 1, STORES>
        P;
    static_assert(PROMOTE == 0 || !PINGPONG, "partial sums of one are added while the other multiplies");
    static_assert(SCALE == SCALE_TENSOR || (SCALE == SCALE_BLOCKS && PROMOTE == SCALED),
                  "a scale of blocks is applied when a sum is promoted; those of rows: matmul_fp8_ahead.cu");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, m, n, k);
    begin_ring<P>(stages);
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        if constexpr (SCALE == SCALE_BLOCKS && CONSUMERS == 2) { /* StagedScales take more than that leaves */
            warpgroup_give_registers<40>();
        } else {
            give_registers<P>();
        }
        if (threadIdx.x == CONSUMERS * 128) {
            if constexpr (SCALE == SCALE_BLOCKS) {
                const StagedScales<P> scales{task, a_scale, b_scale, stages};
                produce<P>(task, stages, &a, &b, RingPlace<STAGES>(), scales);
            } else {
                produce<P>(task, stages, &a, &b);
            }
        }
        __syncwarp();
    } else {
        if constexpr (SCALE == SCALE_BLOCKS && CONSUMERS == 2) {
            warpgroup_take_registers<232>();
        } else {
            take_registers<P>();
        }
        StoreScaled<P, SCALE> store{StoreTile<P>(task, &c_map, c, boxes, stages, group), a_scale, b_scale};
        /* Of C in fp32 ptxas would read sums in flight, and wait for them (C7517): the one partial sum is of all k's.
         */
        constexpr int EVERY = PROMOTE == 0 && sizeof(C) == 4 ? 4096 * BLOCK_K : PROMOTE;
        if constexpr (EVERY == 0) {
            MultiplyTile<P> multiply{task, stages, PINGPONG ? 0 : group * P::ROWS};
            consume<P>(task, stages, group, multiply, store);
        } else if constexpr (SCALE == SCALE_BLOCKS) {
            const StagedScales<P> scales{task, a_scale, b_scale, stages};
            MultiplyPromoted<P, EVERY, TURNS, BlockScaled<P>> multiply(task, BlockScaled<P>(scales, group), stages,
                                                                       group);
            consume<P>(task, stages, group, multiply, store);
        } else {
            MultiplyPromoted<P, EVERY, TURNS, Unscaled> multiply(task, Unscaled(), stages, group);
            consume<P>(task, stages, group, multiply, store);
        }
        store.store.end();
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* no block leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
