/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As attention_wgmma.cu; but where it is causal, a warpgroup passes by blocks of keys that none of its 64 queries sees,
 * while others of the block do.
 */
#include "attention_roles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL
template <class PLAN> struct AttentionSkips : PLAN {};

template <class PLAN> struct AttentionConsumer<AttentionSkips<PLAN>> : AttentionConsumer<PLAN> {
    using AttentionConsumer<PLAN>::AttentionConsumer;

    /* The next slot is not used. */
    __device__ __forceinline__ void pass() {
        bulk_wait(this->barriers.full + this->place.stage * 8, this->place.parity);
        this->freeing.tell(this->place.stage);
        this->place.next();
    }
    /* In turns none is passed by: both warpgroups take as many. */
    __device__ __forceinline__ bool sees(int block) const {
        return !PLAN::CAUSAL || PLAN::PINGPONG || block * PLAN::BLOCK_N <= this->row + 63;
    }

    /* As the plan's, from the last block on that it sees. */
    __device__ __forceinline__ void attend(const AttentionTile &tile, unsigned round) {
        this->row = tile.row + this->consumer * 64;
        this->l = tile.l;
        this->scale = tile.scale;
        int block = tile.blocks - 1;
        const bool skips = !sees(block);
        bulk_wait(this->barriers.q_full, round % 2);
        if (skips) {
            pass();
            for (block--; !sees(block); block--) {
                pass();
                pass();
            }
        }
        this->begin(block--);
        if (skips) {
            pass();
        }
        bool first = true;
        for (; block >= 0 && this->hides(block); block--) {
            this->template step<true>(block, first);
            first = false;
        }
        for (; block >= 0; block--) {
            this->template step<false>(block, first);
            first = false;
        }
        if (threadIdx.x % 32 == 0) { /* nothing reads Q any more */
            bulk_arrive(this->barriers.q_free);
        }
        __syncwarp();
        this->end(first);
        divide_by_sums(this->o[0], this->rows, tile.out_scale);
    }
};
#endif

template <typename T, int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, int CLUSTER, bool OVERLAP,
          bool PINGPONG, int ABOVE, int POLYNOMIAL, int HEADS, bool LONGEST>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    attention_skips(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                    const __grid_constant__ CUtensorMap v, T *__restrict__ o, int l, int heads, int group,
                    float scale) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef AttentionPlan<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS,
                          LONGEST>
        P;
    extern __shared__ __align__(1024) unsigned char shared[];
    attention_by_roles<AttentionSkips<P>>(EqualBatch{l, heads, group, scale}, shared_address(shared), &q, &k, &v, o);
#endif
}
