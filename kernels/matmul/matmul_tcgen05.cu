/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B on the tensor cores of sm_100a (tcgen05), in 16-bit floats with sums in fp32; B lies as n x k. It compiles
 * and runs in tests/emulator: no card has run it yet.
 *
 * A block has a tile of 128 x BLOCK_N, whose sums lie in tensor memory: 128 lanes, a column of 32 bits for each column
 * of C. One warp asks the accelerator for tiles, a thread of another has the tensor core multiply them; four warps,
 * each of which can read 32 lanes, store C. The ring is that of matmul_roles.cuh: full[s] when stage s has arrived,
 * free[s] when the tensor core has read it. Shared memory: the stages, the barriers, `done`, and where tensor memory
 * begins.
 */
#include "tcgen05.cuh"

template <typename T, int BLOCK_N, int STAGES>
__global__ void __launch_bounds__(192, 1)
    matmul_tcgen05(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, T *__restrict__ c,
                   int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM100_ALL
    constexpr int BLOCK_M = 128, BLOCK_K = 64, A_BYTES = BLOCK_M * 128, STAGE_BYTES = A_BYTES + BLOCK_N * 128;
    constexpr int COLUMNS = BLOCK_N <= 32 ? 32 : BLOCK_N <= 64 ? 64 : BLOCK_N <= 128 ? 128 : 256;
    static_assert(BLOCK_N % 16 == 0 && BLOCK_N <= 256, "one instruction");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared), full = stages + STAGES * STAGE_BYTES, free = full + STAGES * 8;
    const unsigned done = free + STAGES * 8;
    const int warp = threadIdx.x / 32, steps = (k + BLOCK_K - 1) / BLOCK_K;
    const int first_row = blockIdx.y * BLOCK_M, first_column = blockIdx.x * BLOCK_N;
    const unsigned sums = tcgen05_begin<COLUMNS>(shared + STAGES * STAGE_BYTES, 2 * STAGES + 1);

    if (warp == 4 && threadIdx.x % 32 == 0) {
        int stage = 0;
        unsigned parity = 0;
        for (int step = 0; step < steps; step++) {
            const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
            bulk_wait(free + stage * 8, parity ^ 1);
            bulk_expect(barrier, STAGE_BYTES);
            bulk_load_box(to, &a, step * BLOCK_K, first_row, barrier);
            bulk_load_box(to + A_BYTES, &b, step * BLOCK_K, first_column, barrier);
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    } else if (warp == 5 && threadIdx.x % 32 == 0) {
        int stage = 0;
        unsigned parity = 0;
        for (int step = 0; step < steps; step++) {
            bulk_wait(full + stage * 8, parity);
            tcgen05_after_sync();
            const unsigned long long from = tcgen05_operand(stages + stage * STAGE_BYTES);
#pragma unroll
            for (int i = 0; i < BLOCK_K / 16; i++) {
                tcgen05_multiply(sums, from + i * 2, from + (A_BYTES >> 4) + i * 2,
                                 tcgen05_product<T, BLOCK_M, BLOCK_N>(), step > 0 || i > 0);
            }
            tcgen05_commit(free + stage * 8);
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        tcgen05_commit(done);
    } else if (warp < 4) {
        bulk_wait(done, 0);
        tcgen05_after_sync();
        tcgen05_store<T, BLOCK_N>(sums + ((warp * 32) << 16), c, (long long)first_row + threadIdx.x, first_column, m,
                                  n);
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
