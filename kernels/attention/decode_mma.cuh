/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode_mma.cuh - decode's products by mma.sync m16n8k16, 16 tokens of a page at a time in a warp. Tokens and the
 * elements of V stand where an instruction has its 16 rows, query heads where it has 8 columns, so that a group of up
 * to 8 wastes nothing of the cache's side. CACHE is what K and V are made of: bf16, fp16, or an unsigned char, an e4m3,
 * which becomes fp16 in registers.
 *
 * Neither sum minds the order of its terms. So a lane reads K and V by 16 bytes and gives the instructions what it has
 * as if they were the elements that the fragments ask for, and Q in the same order. Lane l has g = l / 4 and t = l % 4:
 *   K   of tokens slot(g) and 8 + slot(g) pieces t, t + 4, ...
 *   V   of tokens slot(2 t), slot(2 t + 1), and those 8 on, pieces slot(g), slot(g) + 8, ...
 * slot() is an order of 8 in which neighbours differ by 4: lanes that read shared memory together, swizzled by 128
 * bytes, then meet each bank once. Source: PTX ISA 8.8, "Matrix fragments for mma.m16n8k16", "movmatrix", "cvt".
 */
#ifndef RFT_KERNELS_DECODE_MMA_CUH
#define RFT_KERNELS_DECODE_MMA_CUH

#include "decode.cuh"

#include "mma_halves.cuh"

__device__ __forceinline__ int slot(int i) {
    return i % 2 * 4 + i / 2;
}

/* sums (16 x 8) += a (16 x 16) b (16 x 8); a0 and a2 are row l / 4, a1 and a3 the row 8 on. */
template <typename T>
__device__ __forceinline__ void multiply_add(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                             unsigned b0, unsigned b1);
#define MULTIPLY_ADD(T, TYPES)                                                                                         \
    template <>                                                                                                        \
    __device__ __forceinline__ void multiply_add<T>(float(&sums)[4], unsigned a0, unsigned a1, unsigned a2,            \
                                                    unsigned a3, unsigned b0, unsigned b1) {                           \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPES ".f32"                                             \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                \
                     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                      \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                          \
    }
#if __CUDA_ARCH__ >= 800
MULTIPLY_ADD(__nv_bfloat16, "bf16.bf16")
MULTIPLY_ADD(__half, "f16.f16")
#else /* no bf16 */
template <>
__device__ __forceinline__ void multiply_add<__half>(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2,
                                                     unsigned a3, unsigned b0, unsigned b1) {
    const unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
    multiply_halves(sums, a, b);
}
#endif
#undef MULTIPLY_ADD

/* Of 8 x 8 elements of 16 bits lane l has two of row l / 4; it gets those of column l / 4. */
__device__ __forceinline__ unsigned turned(unsigned pair) {
    unsigned to;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(pair));
    return to;
}

/* Two e4m3, the lower two bytes, as two halves; exactly. */
__device__ __forceinline__ unsigned halves_of(unsigned pair) {
    unsigned halves;
#if __CUDA_ARCH__ >= 890
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((unsigned short)pair));
#else /* sweeps do not ask for it */
    halves = pair;
#endif
    return halves;
}
/* The same of the bytes 1 and 3, times 2^-8, by integer instructions: an e4m3's exponent and mantissa stand one place
 * lower in a half, whose bias is 8 more. NaN becomes a number. */
__device__ __forceinline__ unsigned small_halves_of(unsigned bytes) {
    return (bytes >> 1 & 0x3f803f80u) | (bytes & 0x80008000u);
}

/* How K and V become what instructions multiply. INTEGER: e4m3 by small_halves_of(), so both are 2^-8 of what they are.
 */
template <typename CACHE, bool INTEGER> struct Cached {
    typedef CACHE Number; /* of Q, P and the result */
    enum { ELEMENTS = 8 };
    /* The words of K's piece, as they are. */
    __device__ __forceinline__ static void key(unsigned (&to)[4], uint4 piece) {
        to[0] = piece.x, to[1] = piece.y, to[2] = piece.z, to[3] = piece.w;
    }
    /* Of a piece of V of two tokens, its elements 2 i and 2 i + 1, each of both tokens. */
    __device__ __forceinline__ static void value(unsigned &even, unsigned &odd, const unsigned (&first)[4],
                                                 const unsigned (&second)[4], int i) {
        even = __byte_perm(first[i], second[i], 0x5410);
        odd = __byte_perm(first[i], second[i], 0x7632);
    }
};
template <bool INTEGER> struct Cached<unsigned char, INTEGER> {
    typedef __half Number;
    enum { ELEMENTS = 16 };
    __device__ __forceinline__ static void key(unsigned (&to)[8], uint4 piece) {
        const unsigned words[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            to[2 * i] = INTEGER ? small_halves_of(__byte_perm(words[i], 0, 0x1404)) : halves_of(words[i]);
            to[2 * i + 1] = INTEGER ? small_halves_of(__byte_perm(words[i], 0, 0x3424)) : halves_of(words[i] >> 16);
        }
    }
    __device__ __forceinline__ static void value(unsigned &even, unsigned &odd, const unsigned (&first)[4],
                                                 const unsigned (&second)[4], int i) {
        const unsigned one = first[i / 2], other = second[i / 2];
        if (INTEGER) {
            even = small_halves_of(__byte_perm(one, other, i % 2 ? 0x6020 : 0x4000));
            odd = small_halves_of(__byte_perm(one, other, i % 2 ? 0x7030 : 0x5010));
        } else {
            const unsigned both = __byte_perm(one, other, i % 2 ? 0x7362 : 0x5140);
            even = halves_of(both);
            odd = halves_of(both >> 16);
        }
    }
};

/* What a warp keeps: TILES x 8 query heads with their sums. */
template <typename CACHE, int D, int TILES, bool INTEGER> struct Attending {
    typedef Cached<CACHE, INTEGER> As;
    typedef typename As::Number Number;
    enum {
        ELEMENTS = As::ELEMENTS,
        KEYS = D / (4 * ELEMENTS),   /* pieces of K of a token in a lane */
        VALUES = D / (8 * ELEMENTS), /* pieces of V */
        DOWN = D / 16,               /* instructions along D */
        PITCH = D + 4
    };
    static_assert(D % (8 * ELEMENTS) == 0, "whole pieces");
    unsigned q[DOWN][TILES][2];
    float sums[DOWN][TILES][4];
    float top[TILES][2], weight[TILES][2]; /* of heads 2 (l % 4) and the next; the weight is the lane's part */

    /* Heads beyond `heads` repeat the last one. */
    __device__ __forceinline__ void begin(const Number *first_row, int heads) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            const Number *row = first_row + (long long)min(tile * 8 + lane / 4, heads - 1) * D;
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                const int piece = i / (ELEMENTS / 4) * 4 + lane % 4, at = piece * ELEMENTS + i % (ELEMENTS / 4) * 4;
                const uint2 four = *reinterpret_cast<const uint2 *>(row + at);
                q[i][tile][0] = four.x;
                q[i][tile][1] = four.y;
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    sums[i][tile][e] = 0.0f;
                }
            }
            top[tile][0] = top[tile][1] = LOWEST;
            weight[tile][0] = weight[tile][1] = 0.0f;
        }
    }

    /* Scores of 16 tokens: upper of slot(l / 4), lower of the tokens 8 on. */
    __device__ __forceinline__ void score(float (&scores)[TILES][4], const uint4 (&upper)[KEYS],
                                          const uint4 (&lower)[KEYS]) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                scores[tile][e] = 0.0f;
            }
        }
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            unsigned up[ELEMENTS / 2], low[ELEMENTS / 2];
            As::key(up, upper[j]);
            As::key(low, lower[j]);
#pragma unroll
            for (int i = 0; i < ELEMENTS / 4; i++) {
#pragma unroll
                for (int tile = 0; tile < TILES; tile++) {
                    const unsigned *own = q[j * (ELEMENTS / 4) + i][tile];
                    multiply_add<Number>(scores[tile], up[2 * i], low[2 * i], up[2 * i + 1], low[2 * i + 1], own[0],
                                         own[1]);
                }
            }
        }
    }

    /* Scores become weights, pairs of tokens of a head. `left`: of the 16 tokens, so many are there. Sums are scaled
     * anew only where a score exceeds what they are relative to by 2^8: until then weights are numbers above 1. */
    __device__ __forceinline__ void weigh(unsigned (&p)[TILES][2], float (&scores)[TILES][4], float scale, int left) {
        const int line = slot(threadIdx.x % 32 / 4);
        float highest[TILES][2];
        bool grown = false;
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                scores[tile][e] = line + e / 2 * 8 < left ? scores[tile][e] * scale : MASKED;
            }
#pragma unroll
            for (int e = 0; e < 2; e++) {
                highest[tile][e] = fmaxf(scores[tile][e], scores[tile][2 + e]);
                grown |= highest[tile][e] > top[tile][e] + 8.0f;
            }
        }
        if (__any_sync(~0u, grown)) {
            rise(highest);
        }
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                scores[tile][e] = exp2_fast(scores[tile][e] - top[tile][e % 2]);
                weight[tile][e % 2] += scores[tile][e];
            }
            p[tile][0] = turned(pair_of<Number>(scores[tile][0], scores[tile][1]));
            p[tile][1] = turned(pair_of<Number>(scores[tile][2], scores[tile][3]));
        }
    }

    __device__ __forceinline__ void rise(float (&highest)[TILES][2]) {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float most = fmaxf(top[tile][e], highest[tile][e]);
#pragma unroll
                for (int apart = 4; apart < 32; apart *= 2) {
                    most = fmaxf(most, __shfl_xor_sync(~0u, most, apart));
                }
                const float factor = exp2_fast(top[tile][e] - most);
                top[tile][e] = most;
                weight[tile][e] *= factor;
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
                    sums[i][tile][e] *= factor;
                    sums[i][tile][2 + e] *= factor;
                }
            }
        }
    }

    /* Pieces of V of the tokens slot(2 t), slot(2 t + 1), 8 + slot(2 t), 8 + slot(2 t + 1); t = l % 4. */
    __device__ __forceinline__ void add(const unsigned (&p)[TILES][2], const uint4 (&values)[4][VALUES]) {
#pragma unroll
        for (int h = 0; h < VALUES; h++) {
            unsigned words[4][4];
#pragma unroll
            for (int token = 0; token < 4; token++) {
                const uint4 piece = values[token][h];
                words[token][0] = piece.x, words[token][1] = piece.y;
                words[token][2] = piece.z, words[token][3] = piece.w;
            }
#pragma unroll
            for (int i = 0; i < ELEMENTS / 2; i++) {
                unsigned a0, a1, a2, a3;
                As::value(a0, a1, words[0], words[1], i);
                As::value(a2, a3, words[2], words[3], i);
#pragma unroll
                for (int tile = 0; tile < TILES; tile++) {
                    multiply_add<Number>(sums[h * (ELEMENTS / 2) + i][tile], a0, a1, a2, a3, p[tile][0], p[tile][1]);
                }
            }
        }
    }

    /* For end_block(): to [8 TILES][D + 4]. */
    __device__ __forceinline__ void leave(float *space) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *own = space + (tile * 8 + lane % 4 * 2 + e) * PITCH;
#pragma unroll
                for (int apart = 4; apart < 32; apart *= 2) {
                    weight[tile][e] += __shfl_xor_sync(~0u, weight[tile][e], apart);
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
                    const int piece = slot(lane / 4) + i / (ELEMENTS / 2) * 8;
                    const int at = piece * ELEMENTS + i % (ELEMENTS / 2) * 2;
                    own[at] = sums[i][tile][e];
                    own[at + 1] = sums[i][tile][2 + e];
                }
                if (lane / 4 == 0) {
                    own[D] = top[tile][e];
                    own[D + 1] = weight[tile][e];
                }
            }
        }
    }
};

#endif
