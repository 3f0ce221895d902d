/* SPDX-License-Identifier: Apache-2.0 */
/*
 * O = softmax(Q K^T / sqrt(D)) V on the tensor cores of sm_90a, by warps with roles: attention_roles.cuh says how. Q
 * and O are heads x l x D, K and V heads / group x l x D: those of `group` neighbouring heads of Q are the same.
 * CAUSAL: query i sees the keys 0 to i. `scale` is log2(e) / sqrt(D).
 */
#include "attention_roles.cuh"

template <typename T, int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, int CLUSTER, bool OVERLAP,
          bool PINGPONG, int ABOVE, int POLYNOMIAL, int HEADS, bool LONGEST>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    attention_wgmma(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                    const __grid_constant__ CUtensorMap v, T *__restrict__ o, int l, int heads, int group,
                    float scale) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef AttentionPlan<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS,
                          LONGEST>
        P;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned place = shared_address(shared);
    const AttentionTask task = attention_task<P>(place, l, heads, group);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (warpgroup == CONSUMERS) {
        attention_give_registers<P>();
        if (threadIdx.x == CONSUMERS * 128) {
            attention_produce<P>(task, place, &q, &k, &v);
        }
        __syncwarp();
    } else {
        attention_take_registers<P>();
        AttentionConsumer<P> consumer(task, place, warpgroup, scale);
        if (PINGPONG && warpgroup == 1) { /* the other begins */
            named_arrive(turn_barrier(0), 256);
        }
        for (unsigned round = 0, number; (number = attention_number<P>(task, round)) < task.tiles; round++) {
            const AttentionTile tile = attention_tile<P>(task, number);
            consumer.attend(tile, round);
            store_rows16(consumer.o, o + (long long)tile.head * l * D, consumer.row, 0, l, D);
        }
        if (PINGPONG && warpgroup == 0) { /* the last turn, which is not taken */
            named_wait(turn_barrier(0), 256);
        }
    }
    if (CLUSTER > 1) { /* a block that has ended could not be told that a slot is free */
        cluster_meet();
    }
#endif
}
