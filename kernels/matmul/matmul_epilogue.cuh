/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_epilogue.cuh - what matmul_wgmma_epilogue.cu does to sums in registers before they are rounded to C. An
 * epilogue of a consumer has begin(corner), in front of a tile's multiplication: what the tile needs is asked for;
 * ready(), behind it; apply(sums, wave, first): P::PIECE_N columns of 64 rows, from column `first` of the tile on, in
 * this order and each once. What it reads (EXTRA) comes from memory; SHARED bytes a consumer lie behind the barriers.
 *
 * Register i of a wave's sums: row 16 (warp) + lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2.
 */
#ifndef RFT_KERNELS_MATMUL_EPILOGUE_CUH
#define RFT_KERNELS_MATMUL_EPILOGUE_CUH

#include "matmul_activations.cuh"
#include "matmul_pieces.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

__device__ __forceinline__ void store_word(unsigned to, unsigned word) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
__device__ __forceinline__ float2 load_pair(unsigned from) {
    float2 two;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(two.x), "=f"(two.y) : "r"(from) : "memory");
    return two;
}

template <typename T> __device__ __forceinline__ float2 widened_pair(unsigned pair);
template <> __device__ __forceinline__ float2 widened_pair<__nv_bfloat16>(unsigned pair) {
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000));
}
template <> __device__ __forceinline__ float2 widened_pair<__half>(unsigned pair) {
    const __half *two = reinterpret_cast<const __half *>(&pair);
    return make_float2(__half2float(two[0]), __half2float(two[1]));
}

/* A float for each of a tile's columns: a consumer's threads read them once, while it is multiplied, and share them. */
template <class P> struct KeptColumns {
    static constexpr int SHARED = P::BLOCK_N * 4, EACH = (P::BLOCK_N + 127) / 128;
    int n, consumer;
    unsigned place;
    float held[EACH];

    __device__ __forceinline__ KeptColumns(int n_, unsigned shared, int consumer_)
        : n(n_), consumer(consumer_), place(shared + consumer_ * SHARED) {
    }
    /* Columns from FIRST on, each what LOAD makes of it. */
    template <class Load> __device__ __forceinline__ void begin(int first, const Load &load) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int column = first + i * 128 + threadIdx.x % 128;
            held[i] = column < n ? load(column) : 0.0f;
        }
    }
    __device__ __forceinline__ void ready() {
        named_wait(own_barrier(consumer), 128); /* those of the tile before are read no more */
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int column = i * 128 + threadIdx.x % 128;
            if (P::BLOCK_N % 128 == 0 || column < P::BLOCK_N) {
                store_word(place + column * 4, __float_as_uint(held[i]));
            }
        }
        named_wait(own_barrier(consumer), 128);
    }
    /* Of the tile's own columns, those of the pair of sums in FIRST + 8 i. */
    __device__ __forceinline__ float2 pair(int first, int i) const {
        return load_pair(place + (first + threadIdx.x % 4 * 2) * 4 + i * 32);
    }
};

/* ---- of a tile ---- */

/* Activation of each sum and its column's bias, which is of C's type. */
template <class P, class Activation> struct Bias {
    typedef typename P::C Extra;
    enum { NONE = false };
    static constexpr int SHARED = KeptColumns<P>::SHARED;
    const Extra *bias;
    KeptColumns<P> columns;

    __device__ __forceinline__ Bias(const Task &task, const Extra *extra, unsigned shared, int consumer)
        : bias(extra), columns(task.n, shared, consumer) {
    }
    __device__ __forceinline__ void begin(Corner corner) {
        columns.begin(corner.column, [this](int column) { return Activation::kept((float)bias[column]); });
    }
    __device__ __forceinline__ void ready() {
        columns.ready();
    }
    __device__ __forceinline__ void apply(float (&sums)[P::COUNT], int, int first) {
#pragma unroll
        for (int i = 0; i < P::PIECE_N / 8; i++) {
            const float2 two = columns.pair(first, i);
            float *four = sums + first / 2 + i * 4;
            four[0] = Activation::of(four[0], two.x);
            four[1] = Activation::of(four[1], two.y);
            four[2] = Activation::of(four[2], two.x);
            four[3] = Activation::of(four[3], two.y);
        }
    }
};
template <class P> using BiasAlone = Bias<P, Same>;
template <class P> using BiasRelu = Bias<P, Relu>;
template <class P> using BiasGelu = Bias<P, Gelu<sizeof(typename P::C) == 4>>;
template <class P> using BiasGeluErf = Bias<P, GeluErf>;

/* Times a number in memory. */
template <class P> struct Scale {
    typedef float Extra;
    enum { NONE = false };
    static constexpr int SHARED = 0;
    float alpha;

    __device__ __forceinline__ Scale(const Task &, const Extra *extra, unsigned, int) : alpha(*extra) {
    }
    __device__ __forceinline__ void begin(Corner) {
    }
    __device__ __forceinline__ void ready() {
    }
    __device__ __forceinline__ void apply(float (&sums)[P::COUNT], int, int first) {
#pragma unroll
        for (int i = 0; i < P::PIECE_N / 2; i++) {
            sums[first / 2 + i] *= alpha;
        }
    }
};

/* Plus the element of a matrix like C. It is brought to L2 during multiplication, and to registers a piece ahead. */
template <class P> struct Residual {
    typedef typename P::C Extra;
    enum { NONE = false };
    static constexpr int SHARED = 0, PIECES = P::BLOCK_N / P::PIECE_N, WORDS = P::PIECE_N * (int)sizeof(Extra) / 8;
    static_assert(sizeof(Extra) == 2 || P::PIECE_N == 32, "16 words at most");
    const Extra *residual;
    int m, n;
    Corner corner;
    unsigned next[WORDS];

    __device__ __forceinline__ Residual(const Task &task, const Extra *extra, unsigned, int)
        : residual(extra), m(task.m), n(task.n) {
    }
    __device__ __forceinline__ void begin(Corner corner_) {
        corner = corner_;
        constexpr int LINES = (P::BLOCK_N * (int)sizeof(Extra) + 127) / 128; /* of L2, a row */
        for (int i = threadIdx.x % 128; i < P::ROWS * LINES; i += 128) {
            const int row = corner.row + i / LINES, column = corner.column + i % LINES * (128 / (int)sizeof(Extra));
            if (row < m && column < n) {
                asm volatile("prefetch.global.L2 [%0];" ::"l"(residual + (long long)row * n + column));
            }
        }
        fetch(0);
    }
    __device__ __forceinline__ void ready() {
    }
    __device__ __forceinline__ void apply(float (&sums)[P::COUNT], int wave, int first) {
        unsigned words[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            words[i] = next[i];
        }
        const int piece = wave * PIECES + first / P::PIECE_N;
        if (piece + 1 < P::WAVES * PIECES) {
            fetch(piece + 1);
        }
        add(sums + first / 2, words);
    }

  private:
    /* A quad's lanes have neighbours of a row: 16 bytes each of 16 bits, which add() turns; of 32 bits their own 8. */
    __device__ __forceinline__ void fetch(int piece) {
        const int thread = threadIdx.x % 128, first = piece % PIECES * P::PIECE_N;
        const int down = piece / PIECES * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const long long row = corner.row + down + half * 8;
            if constexpr (sizeof(Extra) == 2) {
#pragma unroll
                for (int group = 0; group < P::PIECE_N / 32; group++) {
                    const long long column = corner.column + first + group * 32 + thread % 4 * 8;
                    const Extra *from = residual + row * n + column;
                    const int left = row < m ? left_of(n, column, 8) : 0;
                    const uint4 word = n % 8 == 0 ? load_piece<true>(from, left) : load_piece<false>(from, left);
                    unsigned *to = next + (half * (P::PIECE_N / 32) + group) * 4;
                    to[0] = word.x;
                    to[1] = word.y;
                    to[2] = word.z;
                    to[3] = word.w;
                }
            } else {
#pragma unroll
                for (int i = 0; i < P::PIECE_N / 8; i++) {
                    const long long column = corner.column + first + i * 8 + thread % 4 * 2;
                    const Extra *from = residual + row * n + column;
#pragma unroll
                    for (int e = 0; e < 2; e++) {
                        next[(half * (P::PIECE_N / 8) + i) * 2 + e] =
                            row < m && column + e < n ? word_of((float)from[e]) : 0;
                    }
                }
            }
        }
    }
    __device__ __forceinline__ static void add(float *sums, const unsigned *words) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if constexpr (sizeof(Extra) == 2) {
#pragma unroll
                for (int group = 0; group < P::PIECE_N / 32; group++) {
                    unsigned pairs[4];
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        pairs[i] = words[(half * (P::PIECE_N / 32) + group) * 4 + i];
                    }
                    turn_quad(pairs);
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const float2 two = widened_pair<Extra>(pairs[i]);
                        sums[group * 16 + i * 4 + half * 2] += two.x;
                        sums[group * 16 + i * 4 + half * 2 + 1] += two.y;
                    }
                }
            } else {
#pragma unroll
                for (int i = 0; i < P::PIECE_N / 8; i++) {
                    sums[i * 4 + half * 2] += __uint_as_float(words[(half * (P::PIECE_N / 8) + i) * 2]);
                    sums[i * 4 + half * 2 + 1] += __uint_as_float(words[(half * (P::PIECE_N / 8) + i) * 2 + 1]);
                }
            }
        }
    }
};

/* ---- for consume() ---- */

/* TILE's product, between an epilogue's begin() and ready(). */
template <class E, class Tile> struct MultiplyBetween {
    Tile tile;
    E &epilogue;

    template <class Sums, class Place, class Free>
    __device__ __forceinline__ void operator()(Sums &sums, Corner corner, Place &place, const Free &freeing,
                                               int last_of_turn, int turn) {
        epilogue.begin(corner);
        tile(sums, corner, place, freeing, last_of_turn, turn);
        epilogue.ready();
    }
};

#endif
#endif
