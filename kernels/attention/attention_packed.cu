/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As attention_wgmma.cu, of sequences of any length behind one another: Q and O are heads x tokens x D, K and V
 * heads / group x tokens x D; query and keys of a sequence lie from starts[i] to starts[i + 1]. At most 64 of them.
 */
#include "attention_roles.cuh"

template <typename T, int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, bool OVERLAP, bool PINGPONG, int ABOVE,
          int POLYNOMIAL, int HEADS, bool LONGEST>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    attention_packed(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                     const __grid_constant__ CUtensorMap v, T *__restrict__ o, const __grid_constant__ Starts starts,
                     int sequences, int tokens, int heads, int group, float scale) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef AttentionPlan<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, 1, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS,
                          LONGEST>
        P;
    extern __shared__ __align__(1024) unsigned char shared[];
    const PackedBatch batch = {starts, sequences, tokens, heads, group, scale};
    attention_by_roles<P>(batch, shared_address(shared), &q, &k, &v, o);
#endif
}
