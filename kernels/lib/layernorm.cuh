/* SPDX-License-Identifier: Apache-2.0 */
/* layernorm.cuh - LayerNorm as an operation on rows (rows.cuh). */
#ifndef RFT_KERNELS_LAYERNORM_CUH
#define RFT_KERNELS_LAYERNORM_CUH

#include "rows.cuh"

/* Count, mean and sum of squared differences from the mean, merged without cancellation (Chan, Golub, LeVeque 1979). */
struct Moments {
    float count, mean, squares;
    __device__ __forceinline__ Moments from_lane(int lane) const {
        return {__shfl_xor_sync(0xffffffffu, count, lane), __shfl_xor_sync(0xffffffffu, mean, lane),
                __shfl_xor_sync(0xffffffffu, squares, lane)};
    }
    __device__ __forceinline__ void merge(const Moments &other) {
        const float both = count + other.count, away = other.mean - mean;
        const float share = both > 0.0f ? __fdividef(other.count, both) : 0.0f;
        squares += other.squares + away * away * count * share;
        mean = fmaf(away, share, mean);
        count = both;
    }
};

template <int VEC> __device__ __forceinline__ float sum_of(const float (&values)[VEC]) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        sum += values[i];
    }
    return sum;
}

template <int VEC> __device__ __forceinline__ float squares_around(const float (&values)[VEC], float mean) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        sum = fmaf(values[i] - mean, values[i] - mean, sum);
    }
    return sum;
}

/* ONCE: every thread's own moments are merged, one exchange. Otherwise two: the mean of the row, then the squares
 * around it. Both take squares of differences only, so a large mean costs no digits. */
template <bool ONCE> struct LayerNorm {
    const bf16 *x, *weight, *bias;
    bf16 *y;
    long long cols;
    float epsilon;

    typedef Moments State;
    template <class S> using Held = Row<S>;
    static constexpr unsigned FILLER = 0;

    template <class HINTS, class S> __device__ __forceinline__ void load(Row<S> &held, long long row, bool) const {
        held.template load<typename HINTS::READ>(x + row * cols, FILLER);
    }
    template <class S> __device__ __forceinline__ float squares_of(const Row<S> &held, float mean) const {
        float squares = 0.0f;
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            if (held.has(i)) {
                float values[S::VEC];
                unpack<S::VEC>(values, held.words[i]);
                squares += squares_around<S::VEC>(values, mean);
            }
        }
        return squares;
    }
    template <class S> __device__ __forceinline__ Moments begin(Row<S> &held) const {
        float sum = 0.0f, count = 0.0f;
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            float values[S::VEC];
            unpack<S::VEC>(values, held.words[i]);
            sum += sum_of<S::VEC>(values);
            count += held.has(i) ? (float)S::VEC : 0.0f;
        }
        if (!ONCE) {
            return {count, sum, 0.0f};
        }
        held.forget();
        const float mean = count > 0.0f ? __fdividef(sum, count) : 0.0f;
        return {count, mean, squares_of(held, mean)};
    }
    template <class S>
    __device__ __forceinline__ Moments reduce(Row<S> &held, Moments mine, Exchange<S, Moments> &all) const {
        if (ONCE) {
            return all.reduce(mine);
        }
        const float mean = all.reduce(Sum{mine.mean}).value / (float)cols;
        held.forget();
        return {0.0f, mean, all.reduce(Sum{squares_of(held, mean)}).value};
    }
    template <class HINTS, class S>
    __device__ __forceinline__ void finish(const Row<S> &held, Moments all, long long row, bool exists) const {
        const float scale = rsqrtf(all.squares / (float)cols + epsilon);
        if (!exists) {
            return;
        }
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            if (held.has(i)) {
                float values[S::VEC], weights[S::VEC], biases[S::VEC];
                unpack<S::VEC>(values, held.words[i]);
                unpack<S::VEC>(weights, load_once<false>(words_of<S::VEC>(weight) + held.index(i)));
                unpack<S::VEC>(biases, load_once<false>(words_of<S::VEC>(bias) + held.index(i)));
#pragma unroll
                for (int j = 0; j < S::VEC; j++) {
                    values[j] = fmaf((values[j] - all.mean) * scale, weights[j], biases[j]);
                }
                held.template store<typename HINTS::WRITE>(y + row * cols, i, values);
            }
        }
    }
};

#endif
