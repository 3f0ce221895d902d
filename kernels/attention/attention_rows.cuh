/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_rows.cuh - softmax(q k^T scale) of rows whose scores come a block of columns at a time, on the sums of
 * tensor cores: a thread's s[4 j + 2 h + e] are row h of its two, column 8 j + 2 (lane % 4) + e; four lanes share a
 * row.
 *
 * Exponents are of two, and count from a score that is kept for each row, its highest so far or not far below: what was
 * added up is scaled down when a block brings a higher one. ABOVE = 0: by any; else by one that would make a number
 * larger than 2^ABOVE, which costs no accuracy, since the row is divided by its sum in the end.
 */
#ifndef RFT_KERNELS_ATTENTION_ROWS_CUH
#define RFT_KERNELS_ATTENTION_ROWS_CUH

#include "matmul_tensor.cuh"

/* Where sequences that lie behind one another begin, and the last one ends. */
struct Starts {
    int starts[65];
};

#define LOWEST __int_as_float(0xff800000) /* minus infinity */

__device__ __forceinline__ float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

/* The same without the special-function unit, for x <= 120: the nearest whole number goes into the exponent, of the
 * rest in [-1/2, 1/2] a polynomial (within 2^-13 of it) is taken. Below 2^-126 it is as good as 0. */
__device__ __forceinline__ float power_by_polynomial(float x) {
    constexpr float TO_WHOLE = 12582912.0f; /* 3 2^22: adding it rounds to a whole number */
    x = fmaxf(x, -126.0f);
    const float whole = x + TO_WHOLE, rest = x - (whole - TO_WHOLE);
    const float power = fmaf(fmaf(fmaf(0.05517167f, rest, 0.24261113f), rest, 0.69326097f), rest, 0.99992806f);
    return __int_as_float(__float_as_int(power) + (__float_as_int(whole) << 23));
}

struct Softmax {
    float top[2] = {LOWEST, LOWEST}; /* what exponents count from, not yet scaled */
    float sum[2] = {0.0f, 0.0f};     /* of this lane's columns */
};

/* Columns of a block from left[h] on are not seen by row h. */
template <int COUNT> __device__ __forceinline__ void hide(float (&s)[COUNT], const int (&left)[2]) {
    const int first = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        s[i] = i / 4 * 8 + i % 2 + first < left[i / 2 % 2] ? s[i] : LOWEST;
    }
}

/* The rows' highest scores rise by those of a block. Behind it what was added up before counts factor[h] times as much;
 * false where that is 1 in the whole warp. `scale` is that of exponents of two. */
template <int ABOVE, int COUNT>
__device__ __forceinline__ bool raise_top(Softmax &rows, const float (&s)[COUNT], float scale, float (&factor)[2]) {
    float top[2] = {rows.top[0], rows.top[1]};
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        top[i / 2 % 2] = fmaxf(top[i / 2 % 2], s[i]);
    }
    bool higher = false;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 1));
        top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 2));
        const bool rises = ABOVE == 0 ? top[h] > rows.top[h] : (top[h] - rows.top[h]) * scale > (float)ABOVE;
        factor[h] = rises ? power_of_two((rows.top[h] - top[h]) * scale) : 1.0f;
        rows.top[h] = rises ? top[h] : rows.top[h];
        rows.sum[h] *= factor[h];
        higher = higher || rises;
    }
    return ABOVE == 0 || __any_sync(~0u, higher);
}

/* Scores become powers, and are added up. One in POLYNOMIAL is computed without the special-function unit (0: none).
 * HIDDEN: a row may have seen nothing yet. SHIFT: powers and sums are 2^SHIFT times as large. */
template <int POLYNOMIAL, bool HIDDEN, int SHIFT = 0, int COUNT>
__device__ __forceinline__ void raise_to_powers(Softmax &rows, float (&s)[COUNT], float scale) {
    float from[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        from[h] = HIDDEN && rows.top[h] == LOWEST ? 0.0f : -rows.top[h] * scale;
        from[h] = SHIFT ? from[h] + (float)SHIFT : from[h];
    }
#pragma unroll
    for (int i = 0; i < COUNT; i += 2) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const float x = fmaf(s[i + e], scale, from[i / 2 % 2]);
            const bool by_polynomial = POLYNOMIAL > 0 && (i + e) % (POLYNOMIAL > 0 ? POLYNOMIAL : 1) == 0;
            s[i + e] = by_polynomial ? power_by_polynomial(x) : power_of_two(x);
        }
        rows.sum[i / 2 % 2] += s[i] + s[i + 1];
    }
}

/* Powers, rounded, as the A of the next product: four words for each 16 columns (wgmma_registers.cuh). */
template <typename T, int COUNT>
__device__ __forceinline__ void round_powers(unsigned (&p)[COUNT / 2], const float (&s)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) {
        p[i] = rounded_pair<T>(s[2 * i], s[2 * i + 1]);
    }
}

/* Of e4m3, four words for each 32 columns. A lane has columns 8 j + 2 (lane % 4) and the next, where a word asks for
 * four neighbours: its place 4 (lane % 4) + 2 j + e in each 16 is that column, and in that order V must lie. */
template <typename T, int COUNT>
__device__ __forceinline__ void round_powers(unsigned (&p)[COUNT / 4], const float (&s)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT / 4; i++) {
        const float *left = s + i / 2 * 8 + i % 2 * 2, *right = left + 4;
        unsigned short low, high;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(left[1]), "f"(left[0]));
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(right[1]), "f"(right[0]));
        p[i] = __byte_perm(low, high, 0x5410);
    }
}

template <int COUNT> __device__ __forceinline__ void multiply_rows(float (&o)[COUNT], const float (&factor)[2]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        o[i] *= factor[i / 2 % 2];
    }
}

/* The sums of rows are whole, and what was added up is divided by them, and so many times as large. */
template <int COUNT>
__device__ __forceinline__ void divide_by_sums(float (&o)[COUNT], const Softmax &rows, float out_scale = 1.0f) {
    float factor[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = rows.sum[h] + __shfl_xor_sync(~0u, rows.sum[h], 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        factor[h] = out_scale / sum;
    }
    multiply_rows(o, factor);
}

#endif
