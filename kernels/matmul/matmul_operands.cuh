/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_operands.cuh - tiles of A and B for mma.sync, whichever way the matrices lie, and their product. A tile has
 * LINES rows of A, or columns of B, and DEPTH of k. Loops of kernels that use it are theirs; places and fragments are
 * matmul_stages.cuh's and matmul_fragments.cuh's.
 */
#ifndef RFT_KERNELS_MATMUL_OPERANDS_CUH
#define RFT_KERNELS_MATMUL_OPERANDS_CUH

#include "matmul_fragments.cuh"

/* BY_K: k is contiguous, and a line of the tile has 64 or 128 bytes. ALIGNED: rows in memory begin and end at multiples
 * of 16 bytes. left_at() and right_at() say where in a tile this lane's fragments of lines from `first` on begin. */
template <typename T, bool BY_K, bool ALIGNED, int LINES, int DEPTH, int THREADS> struct Operand {
    typedef TileCopy<T, ALIGNED, LINES, DEPTH, EIGHT_ROWS, THREADS> Copy;
    static constexpr int BYTES = LINES * Copy::ROW_BYTES, STEPS = DEPTH * (int)sizeof(T) / 32;

    const T *from;
    long long k;
    int left;

    __device__ __forceinline__ Operand(const T *matrix, long long lines, long long k_, long long first)
        : from(matrix + (first + Copy::row()) * k_ + Copy::step()), k(k_), left(left_of(lines, first, LINES)) {
    }
    /* The tile from start of k on; `apart`: elements behind the matrix. */
    __device__ __forceinline__ void request(unsigned to, long long start, long long apart = 0) const {
        Copy::template request<false>(to + Copy::offset(), from + apart + start, k, left, left_of(k, start, DEPTH));
    }
    __device__ __forceinline__ static unsigned left_at(int first) {
        const int lane = threadIdx.x % 32;
        return Copy::Place::offset(first + lane % 16, lane / 16);
    }
    __device__ __forceinline__ static unsigned right_at(int first) {
        const int lane = threadIdx.x % 32;
        return Copy::Place::offset(first + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    }
    /* Of 16 lines, the `i`th from there, and 32 bytes of k. Tiles begin at multiples of 128 bytes. */
    __device__ __forceinline__ static void load(unsigned (&to)[4], unsigned at, int i, int step) {
        load_matrices(to, (at ^ (step * 32)) + i * 16 * Copy::ROW_BYTES);
    }
};

/* Lines are contiguous, elements have 16 bits: a row of the tile is a step of k, in slabs of 64 lines. */
template <typename T, bool ALIGNED, int LINES, int DEPTH, int THREADS>
struct Operand<T, false, ALIGNED, LINES, DEPTH, THREADS> {
    typedef TileCopy<T, ALIGNED, DEPTH, 64, EIGHT_ROWS, THREADS> Copy;
    static constexpr int SLAB_BYTES = DEPTH * 128, BYTES = LINES / 64 * SLAB_BYTES, STEPS = DEPTH / 16;
    static_assert(sizeof(T) == 2 && LINES % 64 == 0, "ldmatrix turns 16 bits");

    const T *from;
    long long k, lines;
    int left;

    __device__ __forceinline__ Operand(const T *matrix, long long lines_, long long k_, long long first)
        : from(matrix + Copy::row() * lines_ + first + Copy::step()), k(k_), lines(lines_),
          left(left_of(lines_, first, LINES)) {
    }
    __device__ __forceinline__ void request(unsigned to, long long start, long long apart = 0) const {
        const int rows = left_of(k, start, DEPTH);
#pragma unroll
        for (int slab = 0; slab < LINES / 64; slab++) {
            Copy::template request<false>(to + Copy::offset() + slab * SLAB_BYTES,
                                          from + apart + start * lines + slab * 64, lines, rows, left - slab * 64);
        }
    }
    __device__ __forceinline__ static unsigned place(int first, int row, int beside) {
        return first / 64 * SLAB_BYTES + Copy::Place::offset(row, first % 64 / 8 + beside);
    }
    __device__ __forceinline__ static unsigned left_at(int first) {
        const int lane = threadIdx.x % 32;
        return place(first, lane / 16 * 8 + lane % 8, lane / 8 % 2);
    }
    __device__ __forceinline__ static unsigned right_at(int first) {
        const int lane = threadIdx.x % 32;
        return place(first, lane % 16, lane / 16);
    }
    __device__ __forceinline__ static void load(unsigned (&to)[4], unsigned at, int i, int step) {
        load_matrices_turned(to, (at ^ (i * 32)) + step * 16 * 128);
    }
};

/* sums += a tile of A times one of B, of a warp's 16 DOWN rows from a_at on and 8 RIGHT columns from b_at on. The next
 * fragments are read while those before them are multiplied. M has add(), as Multiply<T>. */
template <class A, class B, class M, typename SUM, int DOWN, int RIGHT>
__device__ __forceinline__ void multiply_tile(SUM (&sums)[DOWN][RIGHT][4], unsigned a_at, unsigned b_at) {
    static_assert(RIGHT % 2 == 0, "fragments of B come in pairs");
    unsigned a[2][DOWN][4], b[2][RIGHT / 2][4];
    auto load = [&](int step) {
#pragma unroll
        for (int j = 0; j < RIGHT / 2; j++) {
            B::load(b[step % 2][j], b_at, j, step);
        }
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            A::load(a[step % 2][i], a_at, i, step);
        }
    };
    load(0);
#pragma unroll
    for (int step = 0; step < A::STEPS; step++) {
        if (step + 1 < A::STEPS) {
            load(step + 1);
        }
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                const int across = i % 2 == 0 ? j : RIGHT - 1 - j; /* the last fragment of B again at once */
                M::add(sums[i][across], a[step % 2][i], b[step % 2][across / 2] + across % 2 * 2);
            }
        }
    }
}

template <typename SUM, int DOWN, int RIGHT> __device__ __forceinline__ void clear(SUM (&sums)[DOWN][RIGHT][4]) {
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0;
    }
}

/*
 * STAGES places of STAGE_BYTES in shared memory, from `begin` on, through which `tiles` tiles pass: request(tile, to)
 * asks for one, multiply(tile, from) is called for each in turn. With one place none is on its way meanwhile.
 */
template <int STAGES, int STAGE_BYTES, class REQUEST, class MULTIPLY>
__device__ __forceinline__ void pass_tiles(unsigned begin, int tiles, const REQUEST &request,
                                           const MULTIPLY &multiply) {
    auto ask = [&](int tile) {
        if (tile < tiles) {
            request(tile, begin + tile % STAGES * STAGE_BYTES);
        }
        copy_async_commit();
    };
#pragma unroll
    for (int tile = 0; tile < STAGES - 1; tile++) {
        ask(tile);
    }
    for (int tile = 0; tile < tiles; tile++) {
        copy_async_wait<(STAGES > 1 ? STAGES - 2 : 0)>();
        __syncthreads(); /* this tile has arrived for every thread, and no thread reads the place filled next */
        ask(tile + STAGES - 1);
        if (STAGES == 1) {
            copy_async_wait<0>();
            __syncthreads();
        }
        multiply(tile, begin + tile % STAGES * STAGE_BYTES);
    }
}

#endif
