/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_wgmma.cuh - around the main loop of wgmma_tiles.cuh: rows that tensor maps can take, tiles that threads fill,
 * sums to C. */
#ifndef RFT_KERNELS_MATMUL_WGMMA_CUH
#define RFT_KERNELS_MATMUL_WGMMA_CUH

#include "matmul_tensor.cuh"
#include "wgmma_tiles.cuh"

/* Rows whose length is no multiple of 16 bytes become such, which tensor maps demand. */
template <typename T> __global__ void pad_rows(const T *from, T *to, long long rows, int columns, int pitch) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * pitch) {
        const long long row = i / pitch, column = i % pitch;
        to[i] = column < columns ? from[row * columns + column] : (T)0.0f;
    }
}

#if __CUDA_ARCH_FEAT_SM90_ALL

/* A warpgroup's sums to C from its registers, a pair of neighbours at a time: 16 bytes a row and instruction. */
template <typename T, int WAVES, int COUNT>
__device__ __forceinline__ void store_pairs(const float (&sums)[WAVES][COUNT], T *c, long long first_row,
                                            long long first_column, long long m, long long n) {
    const int thread = threadIdx.x % 128, down = thread / 32 * 16 + thread % 32 / 4, right = thread % 4 * 2;
    const bool pairs = n % 2 == 0;
#pragma unroll
    for (int wave = 0; wave < WAVES; wave++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const long long row = first_row + wave * 64 + down + half * 8;
            T *to = c + row * n + first_column + right;
            const int left = row < m ? left_of(n, first_column + right, 2 * COUNT) : 0;
#pragma unroll
            for (int j = 0; j < COUNT / 4; j++) {
                const unsigned pair = rounded_pair<T>(sums[wave][4 * j + 2 * half], sums[wave][4 * j + 2 * half + 1]);
                if (pairs && j * 8 < left) {
                    *reinterpret_cast<unsigned *>(to + j * 8) = pair;
                } else if (j * 8 < left) {
                    unsigned short *items = reinterpret_cast<unsigned short *>(to + j * 8);
                    items[0] = (unsigned short)pair;
                    if (j * 8 + 1 < left) {
                        items[1] = (unsigned short)(pair >> 16);
                    }
                }
            }
        }
    }
}

/* LINES rows of an operand, BLOCK_K deep, by all threads, to where wgmma looks for them. */
template <bool ALIGNED, int LINES, int BLOCK_K, int THREADS, typename T>
__device__ __forceinline__ void fill_swizzled(unsigned char *to, const T *from, long long pitch, int lines_left,
                                              int k_left) {
    constexpr int PIECES = BLOCK_K / 8;
    static_assert(LINES * PIECES % THREADS == 0, "the same number of pieces for every thread");
#pragma unroll
    for (int first = 0; first < LINES * PIECES; first += THREADS) {
        const int i = first + threadIdx.x, line = i / PIECES, piece = i % PIECES;
        const uint4 word =
            load_eight<ALIGNED>(from + line * pitch + piece * 8, line < lines_left ? k_left - piece * 8 : 0);
        const int place = piece / 8 * (LINES * 128) + line * 128 + (piece % 8 ^ line % 8) * 16;
        *reinterpret_cast<uint4 *>(to + place) = word;
    }
}

#endif
#endif
