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
    attention_by_roles<P>(EqualBatch{l, heads, group, scale}, shared_address(shared), &q, &k, &v, o);
#endif
}
