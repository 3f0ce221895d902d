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

/* A copy with longer rows: `pieces` of 16 bytes in all of them. */
struct Padding {
    const void *matrix;
    void *to;
    long long pieces;
    int bytes, pitch; /* of a row, and of a row of the copy: a multiple of 16 */

    __device__ __forceinline__ void copy(long long piece) const {
        const int in_row = pitch / 16, first = (int)(piece % in_row) * 16;
        const long long row = piece / in_row, place = row * bytes + first, end = pieces / in_row * bytes;
        const int shift = (int)(place % 4), left = bytes - first;
        const unsigned char *from = static_cast<const unsigned char *>(matrix) + place;
        unsigned words[5] = {};
        if (left < 16 || place - shift + 20 > end) { /* what lies behind the row, or the matrix, is not read */
#pragma unroll
            for (int i = 0; i < 16; i++) {
                words[i / 4] |= i < left ? (unsigned)from[i] << i % 4 * 8 : 0;
            }
        } else {
            const unsigned *source = reinterpret_cast<const unsigned *>(from - shift);
#pragma unroll
            for (int i = 0; i < 5; i++) {
                words[i] = source[i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                words[i] = __funnelshift_r(words[i], words[i + 1], shift * 8);
            }
        }
        static_cast<uint4 *>(to)[piece] = make_uint4(words[0], words[1], words[2], words[3]);
    }
};

/* The same of both operands in one launch, BYTES a thread. A template, so that kernels which copy nothing are made
 * without it. */
template <int BYTES>
__global__ void pad_both(const void *a, void *a_to, long long a_pieces, int a_bytes, int a_pitch, const void *b,
                         void *b_to, long long b_pieces, int b_bytes, int b_pitch) {
    static_assert(BYTES == 16, "as a row of a tensor map begins");
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a_pieces) {
        Padding{a, a_to, a_pieces, a_bytes, a_pitch}.copy(i);
    } else if (i - a_pieces < b_pieces) {
        Padding{b, b_to, b_pieces, b_bytes, b_pitch}.copy(i - a_pieces);
    }
}

#if __CUDA_ARCH_FEAT_SM90_ALL

/* A warpgroup's sums to C of 16 bits from its registers. A row of 32 columns lies in four lanes, pairs of neighbours 8
 * columns apart; turned, a lane has 8 neighbours. */
template <typename T, int WAVES, int COUNT>
__device__ __forceinline__ void store_rows16(const float (&sums)[WAVES][COUNT], T *c, long long first_row,
                                             long long first_column, long long m, long long n) {
    static_assert(COUNT % 16 == 0, "32 columns at a time");
    const int thread = threadIdx.x % 128, down = thread / 32 * 16 + thread % 32 / 4;
    const long long column = first_column + thread % 4 * 8;
    const bool aligned = n % 8 == 0;
#pragma unroll
    for (int wave = 0; wave < WAVES; wave++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const long long row = first_row + wave * 64 + down + half * 8;
            const int left = row < m ? left_of(n, column, 2 * COUNT) : 0;
#pragma unroll
            for (int j = 0; j < COUNT / 4; j += 4) {
                unsigned pairs[4];
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float *own = sums[wave] + 4 * (j + i) + 2 * half;
                    pairs[i] = rounded_pair<T>(own[0], own[1]);
                }
                turn_quad(pairs);
                const uint4 word = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
                store_eight(c + row * n + column + j * 8, word, left - j * 8, aligned);
            }
        }
    }
}

/* A warpgroup's sums to C from its registers. Of 32 bits, four lanes have 32 bytes of a row. */
template <typename SUM, typename C, int WAVES, int COUNT>
__device__ __forceinline__ void store_rows(const SUM (&sums)[WAVES][COUNT], C *c, long long first_row,
                                           long long first_column, long long m, long long n) {
    if constexpr (sizeof(C) == 2) {
        store_rows16(sums, c, first_row, first_column, m, n);
        return;
    } else {
        const int thread = threadIdx.x % 128, down = thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
        for (int i = 0; i < WAVES * COUNT; i++) {
            const SUM value = sums[i / COUNT][i % COUNT];
            const long long row = first_row + i / COUNT * 64 + down + i / 2 % 2 * 8;
            const long long column = first_column + i % COUNT / 4 * 8 + thread % 4 * 2 + i % 2;
            if (row < m && column < n) {
                c[row * n + column] = value;
            }
        }
    }
}

/* A warp's sums of 16 rows, from `first_line` on, and COLUMNS columns to shared memory, swizzled. */
template <typename C, int COLUMNS, typename SUM>
__device__ __forceinline__ void write_lines(const SUM *sums, int first_line, unsigned to) {
    const int lane = threadIdx.x % 32;
    if constexpr (sizeof(C) == 4) {
#pragma unroll
        for (int i = 0; i < COLUMNS / 2; i += 2) {
            const int line = first_line + i / 2 % 2 * 8 + lane / 4, sixteen = i / 4 * 2 + lane % 4 / 2;
            store_pair(to + line * 128 + (sixteen ^ line % 8) * 16 + lane % 2 * 8, word_of(sums[i]),
                       word_of(sums[i + 1]));
        }
    } else {
        const int line = first_line + lane % 16, beside = lane / 16;
        const int turn = COLUMNS == 64 ? line % 8 : line / 2 % 4; /* the swizzle of 128 or 64 bytes */
#pragma unroll
        for (int right = 0; right < COLUMNS / 8; right += 2) {
            const float *own = sums + right * 4;
            store_tiles(to + line * (COLUMNS * 2) + ((right + beside) ^ turn) * 16, rounded_pair<C>(own[0], own[1]),
                        rounded_pair<C>(own[2], own[3]), rounded_pair<C>(own[4], own[5]),
                        rounded_pair<C>(own[6], own[7]));
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
