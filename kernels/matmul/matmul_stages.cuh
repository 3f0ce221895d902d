/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_stages.cuh - tiles of operands in shared memory, brought by cp.async in pieces of 16 bytes; before sm_80 by
 * threads, at once. Source: PTX ISA 8.8, "cp.async".
 */
#ifndef RFT_KERNELS_MATMUL_STAGES_CUH
#define RFT_KERNELS_MATMUL_STAGES_CUH

#include "matmul_tensor.cuh"
#include "shared_address.cuh"

__device__ __forceinline__ void store_shared(unsigned to, uint4 word) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
}
/* 16 bytes from global to shared memory without passing through registers; `present` false writes zeros. */
__device__ __forceinline__ void copy_async(unsigned to, const void *from, bool present) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(present ? 16 : 0)
                 : "memory");
#else
    store_shared(to, present ? *static_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0));
#endif
}

__device__ __forceinline__ void copy_async_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most PENDING of the newest groups are still on their way. */
template <int PENDING> __device__ __forceinline__ void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

/* How the pieces of a tile's rows lie: as they are; for ldmatrix, which reads one piece of eight rows at a time; for
 * pairs of rows of which four neighbouring pieces each are read at a time; for fours of rows, two pieces each. */
enum Swizzle { PLAIN, EIGHT_ROWS, TWO_ROWS, FOUR_ROWS };

/*
 * Rows of ROW_BYTES, 64 or 128. All banks together hold 128 bytes: two rows or one begin at the same bank. A swizzle
 * moves the pieces of a row by exclusive or with what the row's number says, so that what is read at a time meets each
 * bank once. Rows of 64 bytes need nothing for TWO_ROWS.
 */
template <int ROW_BYTES, Swizzle SWIZZLE> struct Pieces {
    static constexpr int IN_ROW = ROW_BYTES / 16;
    static_assert(IN_ROW == 4 || IN_ROW == 8, "rows of 64 or 128 bytes");

    /* Bytes from the tile's begin. */
    __device__ __forceinline__ static unsigned offset(int row, int piece) {
        const int moved = SWIZZLE == EIGHT_ROWS  ? row * IN_ROW / 8 % IN_ROW
                          : SWIZZLE == FOUR_ROWS ? row * IN_ROW / 8 * 2 % IN_ROW
                                                 : row % 2 * (IN_ROW - 4);
        return row * ROW_BYTES + (SWIZZLE == PLAIN ? piece : piece ^ moved) * 16;
    }
};

/*
 * How THREADS threads share the copying of a tile of ROWS x DEPTH elements. A thread's copies are whole numbers of
 * eight rows apart, so they have one piece and one swizzle: it keeps the place of the first. ALIGNED: rows in global
 * memory begin and end at multiples of 16 bytes.
 */
template <typename T, bool ALIGNED, int ROWS, int DEPTH, Swizzle SWIZZLE, int THREADS> struct TileCopy {
    static constexpr int ROW_BYTES = DEPTH * sizeof(T), IN_PIECE = 16 / sizeof(T);
    typedef Pieces<ROW_BYTES, SWIZZLE> Place;
    static constexpr int APART = THREADS / Place::IN_ROW; /* rows */
    static_assert(THREADS % Place::IN_ROW == 0 && APART % 8 == 0 && ROWS % APART == 0, "whole rounds of all threads");

    __device__ __forceinline__ static int row() {
        return threadIdx.x / Place::IN_ROW;
    }
    __device__ __forceinline__ static int step() {
        return threadIdx.x % Place::IN_ROW * IN_PIECE;
    }
    __device__ __forceinline__ static unsigned offset() {
        return Place::offset(threadIdx.x / Place::IN_ROW, threadIdx.x % Place::IN_ROW);
    }

    /* Requests the tile; `to` and `from` are this thread's own. What lies beyond rows_left or k_left becomes zero;
     * INSIDE: nothing does. */
    template <bool INSIDE>
    __device__ __forceinline__ static void request(unsigned to, const T *from, long long pitch, int rows_left,
                                                   int k_left) {
#pragma unroll(ALIGNED ? ROWS / APART : 1) /* loads of elements would take all registers */
        for (int i = 0; i < ROWS / APART; i++) {
            const int left = row() + i * APART < rows_left ? k_left - step() : 0;
            const unsigned place = to + i * APART * ROW_BYTES;
            if (ALIGNED) {
                copy_async(place, from + i * APART * pitch, INSIDE || left > 0);
            } else {
                store_shared(place, load_piece<false>(from + i * APART * pitch, left));
            }
        }
    }
};

/*
 * Tiles of A (BLOCK_M x DEPTH) and B (BLOCK_N x DEPTH) on their way through STAGES places in shared memory, from
 * `begin` on. `request` brings the next tile into the next place; behind the last tile it asks for nothing, but counts.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int DEPTH, Swizzle SWIZZLE, int STAGES, int THREADS>
struct TileStream {
    typedef TileCopy<T, ALIGNED, BLOCK_M, DEPTH, SWIZZLE, THREADS> CopyA;
    typedef TileCopy<T, ALIGNED, BLOCK_N, DEPTH, SWIZZLE, THREADS> CopyB;
    static constexpr int A_BYTES = BLOCK_M * CopyA::ROW_BYTES, STAGE_BYTES = A_BYTES + BLOCK_N * CopyB::ROW_BYTES;

    const T *a_from, *b_from;
    long long pitch, k_left;
    int rows_left, columns_left;
    bool inside;
    unsigned a_to, b_to, fill; /* fill: bytes from the first place to the one filled next */

    __device__ __forceinline__ TileStream(unsigned begin, const T *a, const T *b, long long k, long long first_row,
                                          long long first_column, int rows, int columns)
        : a_from(a + (first_row + CopyA::row()) * k + CopyA::step()),
          b_from(b + (first_column + CopyB::row()) * k + CopyB::step()), pitch(k), k_left(k), rows_left(rows),
          columns_left(columns), inside(rows == BLOCK_M && columns == BLOCK_N), a_to(begin + CopyA::offset()),
          b_to(begin + A_BYTES + CopyB::offset()), fill(0) {
    }

    __device__ __forceinline__ static unsigned after(unsigned place) {
        return place == (STAGES - 1) * STAGE_BYTES ? 0 : place + STAGE_BYTES;
    }

    __device__ __forceinline__ void request() {
        if (inside && k_left >= DEPTH) {
            CopyA::template request<true>(a_to + fill, a_from, pitch, rows_left, DEPTH);
            CopyB::template request<true>(b_to + fill, b_from, pitch, columns_left, DEPTH);
        } else if (k_left > 0) {
            const int left = k_left < DEPTH ? (int)k_left : DEPTH;
            CopyA::template request<false>(a_to + fill, a_from, pitch, rows_left, left);
            CopyB::template request<false>(b_to + fill, b_from, pitch, columns_left, left);
        }
        copy_async_commit();
        a_from += DEPTH;
        b_from += DEPTH;
        k_left -= DEPTH;
        fill = after(fill);
    }
};

/* The tile of C with this index, in the order of tile_at<GROUP>(): of a block's tile the part of a warp. */
template <int BLOCK_M, int BLOCK_N, int WARP_M, int WARP_N, int GROUP> struct Part {
    static constexpr int WARPS_N = BLOCK_N / WARP_N, THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
    long long first_row, first_column;
    int rows_left, columns_left, warp_row, warp_column;

    __device__ __forceinline__ Part(unsigned index, long long m, long long n) {
        const unsigned columns = (unsigned)((n + BLOCK_N - 1) / BLOCK_N),
                       rows = (unsigned)((m + BLOCK_M - 1) / BLOCK_M);
        const Tile place = tile_at<GROUP>(index, rows, columns);
        first_row = (long long)place.row * BLOCK_M;
        first_column = (long long)place.column * BLOCK_N;
        rows_left = left_of(m, first_row, BLOCK_M);
        columns_left = left_of(n, first_column, BLOCK_N);
        warp_row = threadIdx.x / 32 / WARPS_N * WARP_M;
        warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;
    }
};

#endif
