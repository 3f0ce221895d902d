/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weight_formats.cuh - weights of a linear layer that are narrower than what they are multiplied with, and how they
 * widen without one conversion instruction. Rows of k weights; the first of those that share a byte is in its lower
 * half.
 *
 *   Plain        as x: 16 bits
 *   E4m3, Int8   8 bits, a scale (fp16) for each row. The two NaNs of e4m3 are not looked for.
 *   Int4<G, Z>   4 bits, q of 0 to 15; a scale (fp16) for each G neighbours of a row and, with Z, a zero point (a
 * byte): (q - zero) scale, zero = 8 without Z
 *
 * Integers are put into the mantissa of a number whose last bit counts 1, which is then taken away: 0x6400 is 1024 in
 * fp16, 0x4300 is 128 in bf16, 0x4b000000 is 2^23 in fp32. All of it is exact. e4m3 is shifted to where fp16 (bf16) has
 * exponent and mantissa, and is too small by 2^8 (2^120) then.
 */
#ifndef RFT_KERNELS_WEIGHT_FORMATS_CUH
#define RFT_KERNELS_WEIGHT_FORMATS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Plain {
    enum { BITS = 16, GROUP = 0, ZEROS = 0 };
};
struct E4m3 {
    enum { BITS = 8, GROUP = 0, ZEROS = 0 };
};
struct Int8 {
    enum { BITS = 8, GROUP = 0, ZEROS = 0 };
};
template <int NEIGHBOURS, bool HAS_ZEROS> struct Int4 {
    static_assert(NEIGHBOURS == 32 || NEIGHBOURS == 64 || NEIGHBOURS == 128, "whole groups in a record");
    enum { BITS = 4, GROUP = NEIGHBOURS, ZEROS = HAS_ZEROS };
};

/* Of a row. */
template <class F> __device__ __forceinline__ long long groups_of(long long k) {
    return F::GROUP ? (k + F::GROUP - 1) / (F::GROUP ? F::GROUP : 1) : 0;
}

/* Weights as tensor cores take them lie in records: of 16 rows as many neighbours as are 64 bytes of a row, K. A record
 * has 32 lanes' 16 bytes of the upper 8 rows, the same of the lower 8, then the scales of each group (row r beside row
 * r + 8), then their zero points. So a warp's load is 512 bytes in one piece. Lane l has rows l / 4 (+ 8); in each turn
 * of 32 k's the 8 from 8 (l % 4) on. Records of 16 rows follow each other along k. */
template <class F> struct Record {
    enum {
        TURNS = 16 / F::BITS,
        K = 32 * TURNS,
        GROUPS = F::GROUP ? K / (F::GROUP ? F::GROUP : 1) : 0,
        TURNS_OF_GROUP = GROUPS ? TURNS / (GROUPS ? GROUPS : 1) : TURNS,
        WORDS_OF_TURN = F::BITS / 4, /* of a lane's row, 32 bits each */
        BYTES = 1024 + GROUPS * (32 + 16 * F::ZEROS),
    };
};

/* Which of 8 neighbours stands in which of the places of a word, so that its halves come out as neighbours. */
template <class F> __device__ __forceinline__ int neighbour_at(int place) {
    return F::BITS == 4   ? place % 4 * 2 + place / 4
           : F::BITS == 8 ? place % 2 * 2 + place / 2 /* of 4 */
                          : place;
}

__device__ __forceinline__ unsigned short code_16(const unsigned char *w, long long at) {
    return reinterpret_cast<const unsigned short *>(w)[at];
}

/* A weight's bits. */
template <class F>
__device__ __forceinline__ unsigned code_at(const unsigned char *w, long long row, long long i, long long k) {
    if (F::BITS == 16) {
        return code_16(w, row * k + i);
    }
    return F::BITS == 8 ? w[row * k + i] : w[row * ((k + 1) / 2) + i / 2] >> i % 2 * 4 & 15;
}

/* ---- to pairs of 16 bits ---- */

__device__ __forceinline__ unsigned subtract_halves(unsigned a, unsigned b) {
    unsigned to;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b));
    return to;
}
__device__ __forceinline__ unsigned fma_halves(unsigned a, unsigned b, unsigned c) {
    unsigned to;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(c));
    return to;
}
__device__ __forceinline__ unsigned fma_bfloats(unsigned a, unsigned b, unsigned c) {
    unsigned to = 0;
#if __CUDA_ARCH__ >= 800
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(c));
#endif
    return to;
}

/* Bits of sign and bits of exponent and mantissa, each from where they stand. */
__device__ __forceinline__ unsigned joined(unsigned signs, unsigned rest, unsigned mask) {
    return (signs & 0x80008000u) | (rest & mask);
}

/* Of Record's word(s) of a turn the pairs (0, 1), (2, 3), (4, 5), (6, 7) of its 8 neighbours; of int4 without the
 * scale, of e4m3 times 1 / FACTOR. `zero`: of the group. */
template <typename T, class F> struct Pairs;

template <typename T> struct Pairs<T, Plain> {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ void of(const unsigned *words, unsigned, unsigned (&pairs)[4]) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            pairs[i] = words[i];
        }
    }
};

template <> struct Pairs<__half, E4m3> {
    static constexpr float FACTOR = 256.0f;
    static __device__ __forceinline__ void of(const unsigned *words, unsigned, unsigned (&pairs)[4]) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            pairs[2 * i] = joined(words[i] << 8, words[i] << 7, 0x3f803f80u);
            pairs[2 * i + 1] = joined(words[i], words[i] >> 1, 0x3f803f80u);
        }
    }
};
template <> struct Pairs<__nv_bfloat16, E4m3> {
    static constexpr float FACTOR = 1.0f; /* times 2^120 here: sums of such small products would be lost */
    static __device__ __forceinline__ void of(const unsigned *words, unsigned, unsigned (&pairs)[4]) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            pairs[2 * i] = fma_bfloats(joined(words[i] << 8, words[i] << 4, 0x07f007f0u), 0x7b807b80u, 0x80008000u);
            pairs[2 * i + 1] = fma_bfloats(joined(words[i], words[i] >> 4, 0x07f007f0u), 0x7b807b80u, 0x80008000u);
        }
    }
};

template <> struct Pairs<__half, Int8> {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ void of(const unsigned *words, unsigned, unsigned (&pairs)[4]) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned from_0 = words[i] ^ 0x80808080u; /* as from 0 on: 1024 + 128 too much */
            pairs[2 * i] = subtract_halves(__byte_perm(from_0, 0x64646464u, 0x4240), 0x64806480u);
            pairs[2 * i + 1] = subtract_halves(__byte_perm(from_0, 0x64646464u, 0x4341), 0x64806480u);
        }
    }
};
/* A mantissa of bf16 is too short for 255; a whole number up to 128 fits its upper half of an fp32 exactly. */
template <> struct Pairs<__nv_bfloat16, Int8> {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ unsigned as_float(unsigned from_0, unsigned byte) {
        return __float_as_uint(__uint_as_float(__byte_perm(from_0, 0x4b000000u, 0x7440 + byte)) - 8388736.0f);
    }
    static __device__ __forceinline__ void of(const unsigned *words, unsigned, unsigned (&pairs)[4]) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned from_0 = words[i] ^ 0x80808080u;
            pairs[2 * i] = __byte_perm(as_float(from_0, 0), as_float(from_0, 2), 0x7632);
            pairs[2 * i + 1] = __byte_perm(as_float(from_0, 1), as_float(from_0, 3), 0x7632);
        }
    }
};

template <int GROUP, bool ZEROS> struct Pairs<__half, Int4<GROUP, ZEROS>> {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ void of(const unsigned *words, unsigned zero, unsigned (&pairs)[4]) {
        /* 1024 + zero, and -(64 + zero), whose last bit counts 1/16. */
        const unsigned low = 0x64006400u + zero * 0x00010001u, high = 0xd400d400u + zero * 0x00100010u;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned word = words[0] >> 8 * i;
            pairs[2 * i] = subtract_halves((word & 0x000f000fu) | 0x64006400u, low);
            pairs[2 * i + 1] = fma_halves((word & 0x00f000f0u) | 0x64006400u, 0x2c002c00u, high);
        }
    }
};
template <int GROUP, bool ZEROS> struct Pairs<__nv_bfloat16, Int4<GROUP, ZEROS>> {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ void of(const unsigned *words, unsigned zero, unsigned (&pairs)[4]) {
        const unsigned offset = 0xc300c300u + zero * 0x00010001u; /* -(128 + zero) */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            pairs[i] = fma_bfloats((words[0] >> 4 * i & 0x000f000fu) | 0x43004300u, 0x3f803f80u, offset);
        }
    }
};

/* ---- to floats, from where they lie ---- */

template <typename T> __device__ __forceinline__ float float_at(unsigned pair, int upper);
template <> __device__ __forceinline__ float float_at<__half>(unsigned pair, int upper) {
    return __half2float(__ushort_as_half((unsigned short)(upper ? pair >> 16 : pair & 0xffffu)));
}
template <> __device__ __forceinline__ float float_at<__nv_bfloat16>(unsigned pair, int upper) {
    return __uint_as_float(upper ? pair & 0xffff0000u : pair << 16);
}

/* 2^23 + a whole number, as a float, without the 2^23 and `zero`. */
__device__ __forceinline__ float whole(unsigned bits, float zero) {
    return __uint_as_float(0x4b000000u | bits) - (8388608.0f + zero);
}

/* Weight i of those in these words, as they lie in a row; times 1 / Pairs<__half, F>::FACTOR and without scales. */
template <typename T, class F> struct Natural;
template <typename T> struct Natural<T, Plain> {
    static __device__ __forceinline__ float at(const unsigned *words, int i, float) {
        return float_at<T>(words[i / 2], i % 2);
    }
};
template <typename T> struct Natural<T, E4m3> {
    static __device__ __forceinline__ float at(const unsigned *words, int i, float) {
        const unsigned word = words[i / 4];
        const unsigned pair = i % 2 ? joined(word, word >> 1, 0x3f803f80u) : joined(word << 8, word << 7, 0x3f803f80u);
        return float_at<__half>(pair, i % 4 / 2);
    }
};
template <typename T> struct Natural<T, Int8> {
    static __device__ __forceinline__ float at(const unsigned *words, int i, float) {
        return whole((words[i / 4] ^ 0x80808080u) >> i % 4 * 8 & 255u, 128.0f);
    }
};
template <typename T, int GROUP, bool ZEROS> struct Natural<T, Int4<GROUP, ZEROS>> {
    static __device__ __forceinline__ float at(const unsigned *words, int i, float zero) {
        return whole(words[i / 8] >> i % 8 * 4 & 15u, zero);
    }
};

#endif
