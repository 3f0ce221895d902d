/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum = x + residual, y = RMSNorm(sum) * weight for rows of bf16. The norm is that of the sum as it is stored, rounded
 * to bf16, in one kernel as in two: both give the same.
 */
#include "rmsnorm.cuh"

template <int VEC> __device__ __forceinline__ Words<VEC> added(const Words<VEC> &a, const Words<VEC> &b) {
    float left[VEC], right[VEC];
    unpack<VEC>(left, a);
    unpack<VEC>(right, b);
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        left[i] += right[i];
    }
    return packed<VEC>(left);
}

struct AddRmsNorm : RmsNorm {
    const bf16 *residual;
    bf16 *sum;

    template <class HINTS, class S>
    __device__ __forceinline__ void load(Row<S> &held, long long row, bool exists) const {
        Row<S> other;
        other.vectors = held.vectors;
        held.template load<typename HINTS::READ>(x + row * cols, FILLER);
        other.template load<typename HINTS::READ>(residual + row * cols, FILLER);
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            held.words[i] = added<S::VEC>(held.words[i], other.words[i]);
            if (exists && held.has(i)) {
                store_as(typename HINTS::WRITE(), words_of<S::VEC>(sum + row * cols) + held.index(i), held.words[i]);
            }
        }
    }
};

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int HELD, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    add_rmsnorm(const bf16 *__restrict__ x, const bf16 *__restrict__ residual, const bf16 *__restrict__ weight,
                bf16 *__restrict__ sum, bf16 *__restrict__ y, long long rows, long long cols, float epsilon) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT> S;
    pass_row<S, Hints<READ, WRITE>>(AddRmsNorm{{x, weight, y, cols, epsilon}, residual, sum}, rows);
}

/* The two kernels that the one above replaces. */
template <int VEC, int ITEMS>
__global__ void __launch_bounds__(256)
    add_rows(const bf16 *__restrict__ x, const bf16 *__restrict__ residual, bf16 *__restrict__ sum, long long n) {
    const long long vectors = n / VEC, first = (long long)blockIdx.x * (256 * ITEMS) + threadIdx.x;
    Words<VEC> left[ITEMS], right[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i * 256 < vectors) {
            left[i] = load_once<false>(words_of<VEC>(x) + first + i * 256);
            right[i] = load_once<false>(words_of<VEC>(residual) + first + i * 256);
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i * 256 < vectors) {
            words_of<VEC>(sum)[first + i * 256] = added<VEC>(left[i], right[i]);
        }
    }
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int HELD, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    rmsnorm_alone(const bf16 *__restrict__ sum, const bf16 *__restrict__ weight, bf16 *__restrict__ y, long long rows,
                  long long cols, float epsilon) {
    pass_row<Shape<VEC, THREADS, BLOCK, ITEMS, EXACT>, Hints<READ, WRITE>>(RmsNorm{sum, weight, y, cols, epsilon},
                                                                           rows);
}
