/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = dropout(relu(x + bias)), fp16 in memory, fp32 in registers; bias lies along the rows. One kernel, or the three
 * steps as kernels of their own.
 *
 * The mask depends on seed, offset and an element's place in the array alone: element i takes 15 bits of the sixteen at
 * place i % 8 of Philox call i / 8, and is dropped where they are below `drop` (probability drop / 32768). With DRAWS =
 * 1 it takes them from place 0 of call i. Bits are compared as halves, two an instruction: non-negative halves are
 * ordered as their bits are, and patterns that are no numbers are below nothing; `drop` itself must be finite (below
 * 0x7c00).
 *
 * A block takes a chunk of WIDTH vectors of HEIGHT x ROWS rows; a thread keeps its columns' bias in registers.
 */
#include "philox.cuh"
#include "vectors.cuh"

constexpr int BIAS = 1, RELU = 2, DROPOUT = 4, ALL = 7;

struct Random {
    unsigned drop; /* of 32768 */
    float scale;   /* 32768 / (32768 - drop) */
    unsigned long long seed, offset;
};

template <int ROUNDS>
__device__ __forceinline__ void draw(unsigned (&word)[4], unsigned long long call, const Random &random) {
    word[0] = (unsigned)call;
    word[1] = (unsigned)(call >> 32);
    word[2] = (unsigned)random.offset;
    word[3] = (unsigned)(random.offset >> 32);
    philox_4x32(word, (unsigned)random.seed, (unsigned)(random.seed >> 32), ROUNDS);
}

/* All ones in the halves that are dropped; two elements from 32 random bits. */
__device__ __forceinline__ unsigned dropped(unsigned bits, unsigned drop) {
    unsigned mask; /* the magnitude is taken within the comparison */
    asm("{\n .reg .b32 magnitude;\n abs.f16x2 magnitude, %1;\n set.lt.u32.f16x2 %0, magnitude, %2;\n}"
        : "=r"(mask)
        : "r"(bits), "r"(drop * 0x10001u));
    return mask;
}

/* Four times two elements from element `first` on. */
template <int ROUNDS, int DRAWS>
__device__ __forceinline__ void draw_mask(unsigned (&mask)[4], long long first, const Random &random) {
    unsigned word[4];
    if (DRAWS == 8) {
        draw<ROUNDS>(word, (unsigned long long)first / 8, random);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            mask[i] = dropped(word[i], random.drop);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            draw<ROUNDS>(word, (unsigned long long)first + 2 * i, random);
            const unsigned low = word[0] & 0xffffu;
            draw<ROUNDS>(word, (unsigned long long)first + 2 * i + 1, random);
            mask[i] = dropped(low | (word[0] << 16), random.drop);
        }
    }
}

template <int ROUNDS, int DRAWS> __device__ __forceinline__ bool drops_element(long long at, const Random &random) {
    unsigned word[4];
    draw<ROUNDS>(word, (unsigned long long)at / DRAWS, random);
    const int place = (int)(at % DRAWS);
    const unsigned bits = place < 4 ? (place < 2 ? word[0] : word[1]) : (place < 6 ? word[2] : word[3]);
    return ((place % 2 == 0 ? bits : bits >> 16) & 0x7fffu) < random.drop;
}

/* Rounds two to fp16; with RELU negative results become 0 in the same instruction. */
template <int STEPS> __device__ __forceinline__ unsigned pack_pair(float low, float high) {
    unsigned pair;
#if __CUDA_ARCH__ < 800
    const bool keeps = !(STEPS & RELU);
    const unsigned upper = __half_as_ushort(__float2half_rn(keeps || !(high < 0.0f) ? high : 0.0f));
    pair = upper << 16 | __half_as_ushort(__float2half_rn(keeps || !(low < 0.0f) ? low : 0.0f));
#else
    if (STEPS & RELU) {
        asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    } else {
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    }
#endif
    return pair;
}

/* scale (x + bias), with the bias multiplied beforehand. */
template <int STEPS> __device__ __forceinline__ float affine(__half x, float scaled_bias, float scale) {
    const float value = __half2float(x);
    if ((STEPS & BIAS) && (STEPS & DROPOUT)) {
        return fmaf(value, scale, scaled_bias);
    }
    return (STEPS & BIAS) ? value + scaled_bias : (STEPS & DROPOUT) ? value * scale : value;
}

/* Eight elements, or one, from element `first` on. */
template <int STEPS, int ROUNDS, int DRAWS> struct Vector {
    __device__ static void apply(Pack<__half, 8> &x, const float (&bias)[8], long long first, const Random &random) {
        unsigned pair[4], mask[4] = {0, 0, 0, 0};
        if (STEPS & DROPOUT) { /* first: it does not wait for x */
            draw_mask<ROUNDS, DRAWS>(mask, first, random);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            pair[i] = ~mask[i] & pack_pair<STEPS>(affine<STEPS>(x.item[2 * i], bias[2 * i], random.scale),
                                                  affine<STEPS>(x.item[2 * i + 1], bias[2 * i + 1], random.scale));
        }
        x.word = make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
    __device__ static void apply(Pack<__half, 1> &x, const float (&bias)[1], long long first, const Random &random) {
        const unsigned value = pack_pair<STEPS>(affine<STEPS>(x.item[0], bias[0], random.scale), 0.0f);
        const bool drop = (STEPS & DROPOUT) && drops_element<ROUNDS, DRAWS>(first, random);
        x.word = drop ? 0 : (unsigned short)value;
    }
};

/* VEC: 8, where the columns are a multiple of it, or 1. LOOP: the grid, a multiple of the chunks of a row, may be
 * smaller than the array; blocks go on below. */
template <int STEPS, int VEC, int WIDTH, int HEIGHT, int ROWS, bool STREAM, bool LOOP, int ROUNDS, int DRAWS>
__global__ void __launch_bounds__(WIDTH *HEIGHT, 1)
    bias_dropout(const __half *__restrict__ x, const __half *__restrict__ bias, __half *__restrict__ y, unsigned drop,
                 float scale, unsigned long long seed, unsigned long long offset, long long rows, long long columns) {
    typedef typename Word<2 * VEC>::type word_t;
    typedef Vector<STEPS, ROUNDS, DRAWS> vector_t;
    const Random random = {drop, scale, seed, offset};
    const unsigned vectors = (unsigned)(columns / VEC), chunks = (vectors + WIDTH - 1) / WIDTH;
    const unsigned column = blockIdx.x % chunks * WIDTH + threadIdx.x % WIDTH;
    if (column >= vectors) {
        return;
    }
    const word_t *from = reinterpret_cast<const word_t *>(x);
    word_t *to = reinterpret_cast<word_t *>(y);
    const long long step = (long long)HEIGHT * vectors;
    long long top = (long long)(blockIdx.x / chunks) * (HEIGHT * ROWS);
    Pack<__half, VEC> along;
    if (STEPS & BIAS) {
        along.word = __ldg(reinterpret_cast<const word_t *>(bias) + column);
    }
    do {
        const long long row = top + threadIdx.x / WIDTH, first = row * vectors + column;
        const bool whole = top + HEIGHT * ROWS <= rows;
        Pack<__half, VEC> pack[ROWS];
        if (whole) {
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                pack[k].word = load_word<STREAM>(from + first + k * step);
            }
        }
        float scaled_bias[VEC];
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            scaled_bias[i] = (STEPS & BIAS) ? __half2float(along.item[i]) * ((STEPS & DROPOUT) ? scale : 1.0f) : 0.0f;
        }
        if (whole) {
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                vector_t::apply(pack[k], scaled_bias, (first + k * step) * VEC, random);
                store_word<STREAM>(to + first + k * step, pack[k].word);
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < ROWS && row + k * HEIGHT < rows; k++) {
                pack[0].word = load_word<STREAM>(from + first + k * step);
                vector_t::apply(pack[0], scaled_bias, (first + k * step) * VEC, random);
                store_word<STREAM>(to + first + k * step, pack[0].word);
            }
        }
        top += (long long)(gridDim.x / chunks) * (HEIGHT * ROWS);
    } while (LOOP && top < rows);
}
