/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do the tensor cores of sm_100a give (tcgen05) where nothing is brought meanwhile? Each block multiplies the same
 * tiles of 128 x 64 and COLUMNS x 64 `steps` times; the first writes y. It compiles and runs in tests/emulator: no card
 * has run it yet.
 */
#include "tcgen05.cuh"

template <int COLUMNS>
__global__ void __launch_bounds__(192, 1)
    tcgen05_rate(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 __nv_bfloat16 *__restrict__ y, int steps) {
#if __CUDA_ARCH_FEAT_SM100_ALL
    constexpr int LINES = 128, DEPTH = 64, A_BYTES = LINES * 128, BYTES = A_BYTES + COLUMNS * 128;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned tiles = shared_address(shared), full = tiles + BYTES, done = full + 8;
    const int warp = threadIdx.x / 32;
    const unsigned sums = tcgen05_begin<COLUMNS>(shared + BYTES, 2);

    if (warp == 4 && threadIdx.x % 32 == 0) {
        bulk_expect(full, BYTES);
        bulk_load_box(tiles, &a, 0, 0, full);
        bulk_load_box(tiles + A_BYTES, &b, 0, 0, full);
    } else if (warp == 5 && threadIdx.x % 32 == 0) {
        const unsigned long long from = tcgen05_operand(tiles);
        bulk_wait(full, 0);
        tcgen05_after_sync();
#pragma unroll 1
        for (int step = 0; step < steps; step++) { /* each sets the sums anew */
#pragma unroll
            for (int i = 0; i < DEPTH / 16; i++) {
                tcgen05_multiply(sums, from + i * 2, from + (A_BYTES >> 4) + i * 2,
                                 tcgen05_product<__nv_bfloat16, LINES, COLUMNS>(), i > 0);
            }
        }
        tcgen05_commit(done);
    } else if (warp < 4) {
        bulk_wait(done, 0);
        tcgen05_after_sync();
        if (blockIdx.x == 0) {
            tcgen05_store<__nv_bfloat16, COLUMNS>(sums + ((warp * 32) << 16), y, threadIdx.x, 0, LINES, COLUMNS);
        }
    }
    __syncwarp();
    tcgen05_before_sync();
    __syncthreads();
    if (warp == 5) {
        tcgen05_after_sync();
        tcgen05_give<COLUMNS>(sums);
    }
#endif
}
