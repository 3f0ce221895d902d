/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.cuh - softmax as an operation on rows (rows.cuh). Exponentials are powers of two: e^x = 2^(x log2 e). */
#ifndef RFT_KERNELS_SOFTMAX_CUH
#define RFT_KERNELS_SOFTMAX_CUH

#include "rows.cuh"

#define LOG2_E 1.4426950408889634f
#define LOWEST (-3.0e38f) /* a number, and no infinity: what is left of nothing must not be NaN */

__device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* e^(x - top). The difference comes first and is exact where it matters: x log2 e - top log2 e in one FMA would be one
 * instruction less, and wrong by the rounding of a large product. */
__device__ __forceinline__ float relative_exp(float x, float top) {
    return power_of_two((x - top) * LOG2_E);
}

struct Largest {
    float value;
    __device__ __forceinline__ Largest from_lane(int lane) const {
        return {__shfl_xor_sync(0xffffffffu, value, lane)};
    }
    __device__ __forceinline__ void merge(const Largest &other) {
        value = fmaxf(value, other.value);
    }
};

/* The largest so far and the sum of the exponentials relative to it. */
struct MaxSum {
    float top, sum;
    __device__ __forceinline__ MaxSum from_lane(int lane) const {
        return {__shfl_xor_sync(0xffffffffu, top, lane), __shfl_xor_sync(0xffffffffu, sum, lane)};
    }
    __device__ __forceinline__ void merge(const MaxSum &other) {
        const float larger = fmaxf(top, other.top);
        sum = sum * relative_exp(top, larger) + other.sum * relative_exp(other.top, larger);
        top = larger;
    }
    /* VEC more: one rescaling for all of them. */
    template <int VEC> __device__ __forceinline__ void add(const float (&values)[VEC]) {
        float larger = top;
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            larger = fmaxf(larger, values[i]);
        }
        sum *= relative_exp(top, larger);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sum += relative_exp(values[i], larger);
        }
        top = larger;
    }
};

/* FLOATS: the exponentials stay in registers, relative to the thread's own largest; otherwise the row stays as it came,
 * half the registers, and every exponential is taken twice. */
template <class S, bool FLOATS> struct ExpRow : Row<S> {
    float exps[FLOATS ? S::ITEMS : 1][S::VEC];
    float own_top;
};

/* Two bf16 in one instruction: the largest needs no floats. */
__device__ __forceinline__ unsigned larger_pair(unsigned a, unsigned b) {
    unsigned larger;
#if __CUDA_ARCH__ >= 800
    asm("max.bf16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
#else /* a bf16 is the upper half of a float */
    const float high = fmaxf(__uint_as_float(a & 0xffff0000), __uint_as_float(b & 0xffff0000));
    const float low = fmaxf(__uint_as_float(a << 16), __uint_as_float(b << 16));
    larger = __float_as_uint(high) | __float_as_uint(low) >> 16;
#endif
    return larger;
}

template <int VEC> __device__ __forceinline__ unsigned largest_pair(const Words<VEC> &word) {
    if constexpr (VEC == 1) {
        return word | (unsigned)word << 16;
    } else {
        const unsigned *pairs = reinterpret_cast<const unsigned *>(&word);
        unsigned largest = pairs[0];
#pragma unroll
        for (int i = 1; i < VEC / 2; i++) {
            largest = larger_pair(largest, pairs[i]);
        }
        return largest;
    }
}

template <bool FLOATS, class S> __device__ __forceinline__ MaxSum begin_softmax(ExpRow<S, FLOATS> &held) {
    unsigned pair = largest_pair<S::VEC>(held.words[0]);
#pragma unroll
    for (int i = 1; i < S::ITEMS; i++) {
        pair = larger_pair(pair, largest_pair<S::VEC>(held.words[i]));
    }
    const float top = fmaxf(LOWEST, fmaxf(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u)));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < S::ITEMS; i++) {
        float values[S::VEC];
        unpack<S::VEC>(values, held.words[i]);
#pragma unroll
        for (int j = 0; j < S::VEC; j++) {
            const float exponential = relative_exp(values[j], top);
            sum += exponential;
            if (FLOATS) {
                held.exps[i][j] = exponential;
            }
        }
    }
    held.own_top = top;
    return {top, sum};
}

/* What turns held exponentials, or values, into shares of the row's sum. */
template <class S, bool FLOATS> struct Shares {
    float factor, top;
    __device__ __forceinline__ Shares(const ExpRow<S, FLOATS> &held, const MaxSum &all) {
        top = all.top;
        factor = (FLOATS ? relative_exp(held.own_top, top) : 1.0f) / all.sum;
    }
    __device__ __forceinline__ void of(const ExpRow<S, FLOATS> &held, int i, float (&shares)[S::VEC]) const {
        if (!FLOATS) {
            unpack<S::VEC>(shares, held.words[i]);
        }
#pragma unroll
        for (int j = 0; j < S::VEC; j++) {
            shares[j] = (FLOATS ? held.exps[i][j] : relative_exp(shares[j], top)) * factor;
        }
    }
};

template <bool FLOATS> struct Softmax {
    const bf16 *x;
    bf16 *y;
    long long cols;

    typedef MaxSum State;
    template <class S> using Held = ExpRow<S, FLOATS>;
    static constexpr unsigned FILLER = 0xff80ff80u; /* -infinity, twice */

    template <class HINTS, class S>
    __device__ __forceinline__ void load(ExpRow<S, FLOATS> &held, long long row, bool) const {
        held.template load<typename HINTS::READ>(x + row * cols, FILLER);
    }
    template <class S> __device__ __forceinline__ MaxSum begin(ExpRow<S, FLOATS> &held) const {
        return begin_softmax<FLOATS>(held);
    }
    template <class S>
    __device__ __forceinline__ MaxSum reduce(const ExpRow<S, FLOATS> &, MaxSum mine, Exchange<S, MaxSum> &all) const {
        return all.reduce(mine);
    }
    template <class HINTS, class S>
    __device__ __forceinline__ void finish(const ExpRow<S, FLOATS> &held, MaxSum all, long long row,
                                           bool exists) const {
        const Shares<S, FLOATS> shares(held, all);
        if (!exists) {
            return;
        }
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            float values[S::VEC];
            shares.of(held, i, values);
            held.template store<typename HINTS::WRITE>(y + row * cols, i, values);
        }
    }
};

#endif
