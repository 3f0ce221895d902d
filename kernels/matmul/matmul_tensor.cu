/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B; B lies as n x k. The first steps of a ladder: no tensor cores, also for fp64; then, in 16-bit floats with
 * sums in fp32, tensor cores by CUDA's own fragments (wmma). matmul_mma.cu goes on.
 */
#include "matmul_tensor.cuh"

#include <mma.h>

/* A thread an element; the lanes of a warp read rows of B, k elements apart. */
template <typename T, int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    matmul_naive(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
                 long long k) {
    const long long column = (long long)blockIdx.x * BLOCK_X + threadIdx.x;
    const long long row = (long long)blockIdx.y * BLOCK_Y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    decltype(as_sum(*a)) sum = 0;
    for (long long i = 0; i < k; i++) {
        sum = fma(as_sum(a[row * k + i]), as_sum(b[column * k + i]), sum);
    }
    c[row * n + column] = (T)sum;
}

/* A tile of ROWS x BLOCK_K goes through registers to shared memory. */
template <bool ALIGNED, int ROWS, int BLOCK_K, int PITCH, int THREADS, typename T>
__device__ __forceinline__ void fill_tile(T *to, const T *from, long long pitch, int rows_left, int k_left) {
    constexpr int IN_ROW = BLOCK_K / 8;
#pragma unroll
    for (int first = 0; first < ROWS * IN_ROW; first += THREADS) {
        const int i = first + threadIdx.x, row = i / IN_ROW, step = i % IN_ROW * 8;
        if (ROWS * IN_ROW % THREADS == 0 || row < ROWS) {
            const uint4 word = load_eight<ALIGNED>(from + row * pitch + step, row < rows_left ? k_left - step : 0);
            *reinterpret_cast<uint4 *>(to + row * PITCH + step) = word;
        }
    }
}

/*
 * A warp computes WARP_M x WARP_N elements as fragments of 16 x 16 from tiles in shared memory; between two tiles
 * everyone waits. Rows of a tile are 16 bytes longer than they need be: eight of them then begin in different banks.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32)
    matmul_wmma(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
                long long k) {
    using namespace nvcuda;
    constexpr int WARPS_N = BLOCK_N / WARP_N, WARPS = BLOCK_M / WARP_M * WARPS_N, THREADS = WARPS * 32;
    constexpr int PITCH = BLOCK_K + 8, DOWN = WARP_M / 16, RIGHT = WARP_N / 16;
    static_assert(BLOCK_K % 16 == 0 && WARP_M % 16 == 0 && WARP_N % 16 == 0, "whole fragments");
    __shared__ __align__(128) T a_tile[BLOCK_M * PITCH];
    __shared__ __align__(128) T b_tile[BLOCK_N * PITCH];
    __shared__ __align__(128) float results[WARPS][16 * 16];

    const long long first_row = (long long)blockIdx.y * BLOCK_M, first_column = (long long)blockIdx.x * BLOCK_N;
    const int rows_left = left_of(m, first_row, BLOCK_M), columns_left = left_of(n, first_column, BLOCK_N);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / WARPS_N * WARP_M, warp_column = warp % WARPS_N * WARP_N;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[DOWN][RIGHT];
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT; i++) {
        wmma::fill_fragment(sums[i / RIGHT][i % RIGHT], 0.0f);
    }
    for (long long start = 0; start < k; start += BLOCK_K) {
        const int k_left = left_of(k, start, BLOCK_K);
        fill_tile<ALIGNED, BLOCK_M, BLOCK_K, PITCH, THREADS>(a_tile, a + first_row * k + start, k, rows_left, k_left);
        fill_tile<ALIGNED, BLOCK_N, BLOCK_K, PITCH, THREADS>(b_tile, b + first_column * k + start, k, columns_left,
                                                             k_left);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < BLOCK_K; step += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a_part[DOWN];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b_part[RIGHT];
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                wmma::load_matrix_sync(a_part[i], a_tile + (warp_row + i * 16) * PITCH + step, PITCH);
            }
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                wmma::load_matrix_sync(b_part[j], b_tile + (warp_column + j * 16) * PITCH + step, PITCH);
            }
#pragma unroll
            for (int i = 0; i < DOWN * RIGHT; i++) {
                wmma::mma_sync(sums[i / RIGHT][i % RIGHT], a_part[i / RIGHT], b_part[i % RIGHT],
                               sums[i / RIGHT][i % RIGHT]);
            }
        }
        __syncthreads();
    }

    /* A fragment's layout is not known: it becomes rows in shared memory, half a row a lane. */
    const bool aligned = n % 8 == 0;
    const float *half_row = results[warp] + lane * 8;
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT; i++) {
        wmma::store_matrix_sync(results[warp], sums[i / RIGHT][i % RIGHT], 16, wmma::mem_row_major);
        __syncwarp();
        uint4 word;
        word.x = rounded_pair<T>(half_row[0], half_row[1]);
        word.y = rounded_pair<T>(half_row[2], half_row[3]);
        word.z = rounded_pair<T>(half_row[4], half_row[5]);
        word.w = rounded_pair<T>(half_row[6], half_row[7]);
        __syncwarp();
        const int row = warp_row + i / RIGHT * 16 + lane / 2, column = warp_column + i % RIGHT * 16 + lane % 2 * 8;
        if (row < rows_left) {
            store_eight(c + (first_row + row) * n + first_column + column, word, columns_left - column, aligned);
        }
    }
}
