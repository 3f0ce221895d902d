/* SPDX-License-Identifier: Apache-2.0 */
/* attention_mma.cuh's, of sequences of one length; operands as in attention_wgmma.cu. */
#include "attention_mma.cuh"

template <typename T, int D, bool CAUSAL, int BLOCK_N, int WARPS, int BANDS, int SLOTS, int ABOVE, int POLYNOMIAL>
__global__ void __launch_bounds__(32 * WARPS, 1)
    attention_mma(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v, T *__restrict__ o, int l,
                  int group, float scale) {
    attend_by_mma<T, D, CAUSAL, BLOCK_N, WARPS, BANDS, SLOTS, ABOVE, POLYNOMIAL>(q, k, v, o, l, l, 0, gridDim.x, group,
                                                                                 scale);
}
