/* SPDX-License-Identifier: Apache-2.0 */
/* rmsnorm.cuh - RMSNorm as an operation on rows (rows.cuh). */
#ifndef RFT_KERNELS_RMSNORM_CUH
#define RFT_KERNELS_RMSNORM_CUH

#include "rows.cuh"

struct RmsNorm {
    const bf16 *x, *weight;
    bf16 *y;
    long long cols;
    float epsilon;

    typedef Sum State;
    template <class S> using Held = Row<S>;
    static constexpr unsigned FILLER = 0;

    template <class HINTS, class S> __device__ __forceinline__ void load(Row<S> &held, long long row, bool) const {
        held.template load<typename HINTS::READ>(x + row * cols, FILLER);
    }
    template <class S> __device__ __forceinline__ Sum begin(const Row<S> &held) const {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            float values[S::VEC];
            unpack<S::VEC>(values, held.words[i]);
#pragma unroll
            for (int j = 0; j < S::VEC; j++) {
                sum = fmaf(values[j], values[j], sum);
            }
        }
        return {sum};
    }
    template <class S> __device__ __forceinline__ Sum reduce(const Row<S> &, Sum mine, Exchange<S, Sum> &all) const {
        return all.reduce(mine);
    }
    /* The weights are read here and not before: they come out of L1 or L2, and would hold registers until now. As
     * read-only data their loads may go ahead of the stores. */
    template <class HINTS, class S>
    __device__ __forceinline__ void finish(const Row<S> &held, Sum squares, long long row, bool exists) const {
        const float scale = rsqrtf(squares.value / (float)cols + epsilon);
        if (!exists) {
            return;
        }
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            if (held.has(i)) {
                float values[S::VEC], weights[S::VEC];
                unpack<S::VEC>(values, held.words[i]);
                unpack<S::VEC>(weights, load_once<false>(words_of<S::VEC>(weight) + held.index(i)));
#pragma unroll
                for (int j = 0; j < S::VEC; j++) {
                    values[j] *= scale * weights[j];
                }
                held.template store<typename HINTS::WRITE>(y + row * cols, i, values);
            }
        }
    }
};

#endif
