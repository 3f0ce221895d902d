/* SPDX-License-Identifier: Apache-2.0 */
/* As attention_fp8.cu, with powers taken as codes of e4m3 (attention_codes.cuh): no POLYNOMIAL is of use. */
#include "attention_codes.cuh"

template <int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, int CLUSTER, bool OVERLAP, bool PINGPONG,
          int ABOVE, int POLYNOMIAL, int HEADS, bool LONGEST>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    attention_fp8_codes(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                        const __grid_constant__ CUtensorMap v, __nv_bfloat16 *__restrict__ o,
                        const float *__restrict__ scales, int l, int heads, int group, float scale) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef AttentionPlan<unsigned char, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE,
                          POLYNOMIAL, HEADS, LONGEST>
        P;
    extern __shared__ __align__(1024) unsigned char shared[];
    const float *of_k = scales + heads, *of_v = of_k + heads / group;
    const ScaledBatch batch = {{l, heads, group, scale}, scales, of_k, of_v};
    attention_by_roles<AttentionCodes<P>>(batch, shared_address(shared), &q, &k, &v, o);
#endif
}
