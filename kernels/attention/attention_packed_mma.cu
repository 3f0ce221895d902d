/* SPDX-License-Identifier: Apache-2.0 */
/* attention_mma.cuh's, of sequences of any length behind one another, as attention_packed.cu has them: a block of
 * blockIdx.z's, whose grid is for the longest. */
#include "attention_mma.cuh"

template <typename T, int D, bool CAUSAL, int BLOCK_N, int WARPS, int BANDS, int SLOTS>
__global__ void __launch_bounds__(32 * WARPS, 1)
    attention_packed_mma(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v, T *__restrict__ o,
                         const __grid_constant__ Starts starts, int tokens, int group, float scale) {
    constexpr int BLOCK_M = 16 * BANDS * WARPS;
    const int start = starts.starts[blockIdx.z], l = starts.starts[blockIdx.z + 1] - start;
    const int rows = (l + BLOCK_M - 1) / BLOCK_M;
    if ((int)blockIdx.x < rows) {
        attend_by_mma<T, D, CAUSAL, BLOCK_N, WARPS, BANDS, SLOTS, 8, 0>(q, k, v, o, l, tokens, start, rows, group,
                                                                        scale);
    }
}
