/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_reference.cuh - matrix products with sums in fp64, in int32 for whole numbers. A block takes tiles of C
 * through shared memory, so that it is the FP64 pipe and not memory that a large problem waits for; it finds its tiles
 * itself, whatever the grid. */
#ifndef RFT_KERNELS_MATMUL_REFERENCE_CUH
#define RFT_KERNELS_MATMUL_REFERENCE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define TILE 64          /* rows and columns of C */
#define PITCH (TILE + 1) /* so that a warp fills it without conflicts */
#define DEPTH 16
#define THREADS 256 /* as every reference is launched with */
#define EACH 4      /* rows and columns of a thread: 16 apart, so that a warp reads shared memory without conflicts */

template <class SUM, class T> __device__ SUM widened(T value) {
    return (SUM)(float)value;
}
template <class SUM> __device__ SUM widened(double value) {
    return value;
}

/* Rows `first` .. of a matrix of `rows` x `k`, columns from `start`; zeros beyond its ends. */
template <class T, class SUM, bool TRANSPOSED>
__device__ void load_tile(SUM (*tile)[PITCH], const T *matrix, long long first, long long rows, long long start,
                          long long k) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
        const int row = TRANSPOSED ? i % TILE : i / DEPTH, step = TRANSPOSED ? i / TILE : i % DEPTH;
        const long long r = first + row, s = start + step;
        const bool inside = r < rows && s < k;
        tile[step][row] = inside ? widened<SUM>(TRANSPOSED ? matrix[s * rows + r] : matrix[r * k + s]) : (SUM)0;
    }
}

template <class SUM> __device__ void add_products(SUM (*sums)[EACH], SUM (*a)[PITCH], SUM (*b)[PITCH], int y, int x) {
    for (int step = 0; step < DEPTH; step++) {
        SUM left[EACH], right[EACH];
        for (int i = 0; i < EACH; i++) {
            left[i] = a[step][y + 16 * i];
            right[i] = b[step][x + 16 * i];
        }
        for (int i = 0; i < EACH; i++) {
            for (int j = 0; j < EACH; j++) {
                sums[i][j] += left[i] * right[j];
            }
        }
    }
}

/* A is m x k, or k x m where it lies transposed; B is k x n, or n x k. store(row, column, sum) for each element of C.
 */
template <class T, class SUM, bool TRANSPOSED_A, bool TRANSPOSED_B, class Store>
__device__ void multiply_reference(const T *a, const T *b, long long m, long long n, long long k, const Store &store) {
    __shared__ SUM a_tile[DEPTH][PITCH], b_tile[DEPTH][PITCH];
    const long long columns = (n + TILE - 1) / TILE, tiles = (m + TILE - 1) / TILE * columns;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long row = tile / columns * TILE, column = tile % columns * TILE;
        SUM sums[EACH][EACH] = {};
        for (long long start = 0; start < k; start += DEPTH) {
            load_tile<T, SUM, TRANSPOSED_A>(a_tile, a, row, m, start, k);
            load_tile<T, SUM, !TRANSPOSED_B>(b_tile, b, column, n, start, k);
            __syncthreads();
            add_products(sums, a_tile, b_tile, y, x);
            __syncthreads();
        }
        for (int i = 0; i < EACH * EACH; i++) {
            const long long r = row + y + 16 * (i / EACH), s = column + x + 16 * (i % EACH);
            if (r < m && s < n) {
                store(r, s, sums[i / EACH][i % EACH]);
            }
        }
    }
}

#endif
