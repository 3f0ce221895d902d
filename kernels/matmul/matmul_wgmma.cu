/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B on the tensor cores of sm_90a, as wgmma: operands straight from shared memory, a warpgroup (128 threads) an
 * instruction. Two steps of a ladder: tiles stored by the threads; brought by the accelerator (TMA) behind barriers.
 * matmul_wgmma_roles.cu goes on.
 */
#include "matmul_wgmma.cuh"

/* Swizzled stores: the tiles pass through registers, and nothing is multiplied meanwhile. */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int GROUPS>
__global__ void __launch_bounds__(GROUPS * 128)
    matmul_wgmma_stored(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
                        long long k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef WgmmaTile<true, BLOCK_M, BLOCK_K> TileA;
    typedef WgmmaTile<true, BLOCK_N, BLOCK_K> TileB;
    constexpr int ROWS = BLOCK_M / GROUPS, THREADS = GROUPS * 128;
    extern __shared__ __align__(1024) unsigned char tiles[];
    unsigned char *a_tile = tiles, *b_tile = tiles + TileA::BYTES;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    const long long first_row = (long long)blockIdx.y * BLOCK_M, first_column = (long long)blockIdx.x * BLOCK_N;
    const int rows_left = left_of(m, first_row, BLOCK_M), columns_left = left_of(n, first_column, BLOCK_N);

    float sums[ROWS / 64][BLOCK_N / 2];
    for (long long start = 0; start < k; start += BLOCK_K) {
        const int k_left = left_of(k, start, BLOCK_K);
        __syncthreads();
        fill_swizzled<ALIGNED, BLOCK_M, BLOCK_K, THREADS>(a_tile, a + first_row * k + start, k, rows_left, k_left);
        fill_swizzled<ALIGNED, BLOCK_N, BLOCK_K, THREADS>(b_tile, b + first_column * k + start, k, columns_left,
                                                          k_left);
        bulk_fence_writes();
        __syncthreads();
        wgmma_tiles<T, TileA, TileB, BLOCK_K>(sums, TileA::operand(shared_address(a_tile), group * ROWS),
                                              TileB::operand(shared_address(b_tile)), start > 0);
        wgmma_wait<0>();
        wgmma_hold(sums);
    }
    store_rows(sums, c, first_row + group * ROWS, first_column, m, n);
#endif
}

/* The accelerator brings the tiles, STAGES - 1 ahead: the first thread asks for the next when all are done with the
 * last. Shared memory: the stages, then a barrier each. */
template <typename T, typename C, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int GROUPS>
__global__ void __launch_bounds__(GROUPS * 128)
    matmul_wgmma_tma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, C *__restrict__ c,
                     long long m, long long n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef WgmmaTile<true, BLOCK_M, BLOCK_K, 1, sizeof(T)> TileA;
    typedef WgmmaTile<true, BLOCK_N, BLOCK_K, 1, sizeof(T)> TileB;
    constexpr int ROWS = BLOCK_M / GROUPS, STAGE_BYTES = TileA::BYTES + TileB::BYTES;
    extern __shared__ __align__(1024) unsigned char tiles[];
    const unsigned stages = shared_address(tiles), full = stages + STAGES * STAGE_BYTES;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0), steps = (k + BLOCK_K - 1) / BLOCK_K;
    const int first_row = blockIdx.y * BLOCK_M, first_column = blockIdx.x * BLOCK_N;
    const auto request = [&](int step) {
        const int stage = step % STAGES;
        const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
        bulk_expect(barrier, STAGE_BYTES);
        TileA::load(to, &a, first_row, step * BLOCK_K, 0, 1, barrier);
        TileB::load(to + TileA::BYTES, &b, first_column, step * BLOCK_K, 0, 1, barrier);
    };

    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        bulk_barrier_publish();
        for (int step = 0; step < STAGES - 1 && step < steps; step++) {
            request(step);
        }
    }
    __syncthreads();

    typename SumOf<T>::type sums[ROWS / 64][BLOCK_N / 2];
    RingPlace<STAGES> place;
    for (int step = 0; step < steps; step++) {
        if (threadIdx.x == 0 && step + STAGES - 1 < steps) {
            request(step + STAGES - 1);
        }
        bulk_wait(full + place.stage * 8, place.parity);
        const unsigned at = stages + place.stage * STAGE_BYTES;
        wgmma_tiles<T, TileA, TileB, BLOCK_K>(sums, TileA::operand(at, group * ROWS), TileB::operand(at + TileA::BYTES),
                                              step > 0);
        wgmma_wait<0>();
        wgmma_hold(sums);
        __syncthreads();
        place.next();
    }
    store_rows(sums, c, first_row + group * ROWS, first_column, m, n);
#endif
}
