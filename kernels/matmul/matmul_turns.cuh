/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_turns.cuh - tiles of operands for blocks that stay: a block computes tiles of C in turn, gridDim.x apart, and
 * the operands of the next are on their way while the sums of the last are stored.
 */
#ifndef RFT_KERNELS_MATMUL_TURNS_CUH
#define RFT_KERNELS_MATMUL_TURNS_CUH

#include "matmul_stages.cuh"

/*
 * Tiles of A (BLOCK_M x DEPTH) and B (BLOCK_N x DEPTH) through STAGES places in shared memory, from `begin` on. A tile
 * is asked for in parts that the caller spreads among multiplications; next() ends it. No branch surrounds a copy, so
 * that the compiler can move multiplications between copies. Behind the last tile places are filled with zeros.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int DEPTH, Swizzle SWIZZLE, int STAGES, int THREADS,
          int GROUP>
struct TurnStream {
    typedef TileCopy<T, ALIGNED, BLOCK_M, DEPTH, SWIZZLE, THREADS> CopyA;
    typedef TileCopy<T, ALIGNED, BLOCK_N, DEPTH, SWIZZLE, THREADS> CopyB;
    static constexpr int A_BYTES = BLOCK_M * CopyA::ROW_BYTES, STAGE_BYTES = A_BYTES + BLOCK_N * CopyB::ROW_BYTES;
    static constexpr int A_ROUNDS = BLOCK_M / CopyA::APART, ROUNDS = A_ROUNDS + BLOCK_N / CopyB::APART;
    static_assert(ROUNDS <= 32, "a bit for each copy of a thread");

    const T *a, *b, *a_from, *b_from;
    long long m, n, k, k_left;
    unsigned a_to, b_to, turn, rows, columns;
    unsigned fill;    /* bytes from the first place to the one filled next */
    unsigned present; /* bit i: copy i of this thread is of a row inside */

    __device__ __forceinline__ TurnStream(unsigned begin, const T *a_, const T *b_, long long m_, long long n_,
                                          long long k_)
        : a(a_), b(b_), a_from(a_), b_from(b_), m(m_), n(n_), k(k_), k_left(k_), a_to(begin + CopyA::offset()),
          b_to(begin + A_BYTES + CopyB::offset()), turn(blockIdx.x), rows((unsigned)((m_ + BLOCK_M - 1) / BLOCK_M)),
          columns((unsigned)((n_ + BLOCK_N - 1) / BLOCK_N)), fill(0), present(0) {
        begin_turn();
    }

    __device__ __forceinline__ static unsigned after(unsigned place) {
        return place == (STAGES - 1) * STAGE_BYTES ? 0 : place + STAGE_BYTES;
    }

    __device__ __forceinline__ void begin_turn() {
        present = 0;
        k_left = k;
        if (turn < rows * columns) {
            const Tile tile = tile_at<GROUP>(turn, rows, columns);
            const long long row = (long long)tile.row * BLOCK_M + CopyA::row();
            const long long column = (long long)tile.column * BLOCK_N + CopyB::row();
            a_from = a + row * k + CopyA::step();
            b_from = b + column * k + CopyB::step();
#pragma unroll
            for (int i = 0; i < ROUNDS; i++) {
                const bool inside =
                    i < A_ROUNDS ? row + i * CopyA::APART < m : column + (i - A_ROUNDS) * CopyB::APART < n;
                present |= (unsigned)inside << i;
            }
        }
    }

    /* Copy i of this thread. */
    __device__ __forceinline__ void copy(int i) {
        const bool of_a = i < A_ROUNDS;
        const int round = of_a ? i : i - A_ROUNDS, apart = of_a ? CopyA::APART : CopyB::APART;
        const unsigned to = (of_a ? a_to : b_to) + fill + round * apart * CopyA::ROW_BYTES;
        const T *from = (of_a ? a_from : b_from) + round * apart * k;
        const bool inside = present >> i & 1;
        if (ALIGNED) {
            copy_async(to, from, inside && k_left > CopyA::step());
        } else {
            store_shared(to, load_piece<false>(from, inside ? left_of(k_left, CopyA::step(), DEPTH) : 0));
        }
    }

    /* One of PARTS parts, about equal; all of them are a tile. */
    template <int PARTS> __device__ __forceinline__ void request(int part) {
        if constexpr (ALIGNED) {
#pragma unroll
            for (int i = 0; i < ROUNDS; i++) {
                if (i * PARTS / ROUNDS == part) {
                    copy(i);
                }
            }
        } else if (part == 0) {
#pragma unroll 1 /* loads of elements would take all registers */
            for (int i = 0; i < ROUNDS; i++) {
                copy(i);
            }
        }
    }

    /* The requests from here on are of the next tile. */
    __device__ __forceinline__ void next() {
        copy_async_commit();
        a_from += DEPTH;
        b_from += DEPTH;
        k_left -= DEPTH;
        fill = after(fill);
        if (k_left <= 0) {
            turn += gridDim.x;
            begin_turn();
        }
    }

    /* STAGES - 1 tiles on their way, the first of them there: PENDING are not yet. */
    template <int PENDING> __device__ __forceinline__ void start() {
#pragma unroll 1
        for (int s = 0; s < STAGES - 1; s++) {
            request<1>(0);
            next();
        }
        arrive<PENDING>();
    }

    /* All but the PENDING tiles asked for last have arrived for every thread, and none reads on behind what it has read
     * so far. */
    template <int PENDING> __device__ __forceinline__ void arrive() {
        copy_async_wait<PENDING>();
        __syncthreads();
    }
};

#endif
