/* SPDX-License-Identifier: Apache-2.0 */
/* More or less arithmetic an element: a product, log(exp(x)), a polynomial with as many operations as one asks for. */
#include "striped.cuh"

struct Product : Elementwise<Product> {
    static constexpr int INPUTS = 2;
    __device__ __forceinline__ float element(float x, float y) const { return x * y; }
};

/* FAST: ex2 and lg2 of the special-function unit and a scaling each; else the accurate functions. */
template <bool FAST> struct LogExp : Elementwise<LogExp<FAST>> {
    static constexpr int INPUTS = 1;
    __device__ __forceinline__ float element(float x, float) const { return FAST ? __logf(__expf(x)) : logf(expf(x)); }
};

/* Horner: y = y x + slope, flops / 2 times, one addition more when flops is odd. The vectors of a thread take turns. */
struct Polynomial {
    static constexpr int INPUTS = 1;
    float leading, slope;
    int flops;

    template <int ITEMS, int VEC>
    __device__ __forceinline__ void apply(Pack<float, VEC> (&x)[ITEMS], const Pack<float, VEC> (&)[ITEMS]) const {
        float y[ITEMS][VEC];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                y[k][i] = leading;
            }
        }
#pragma unroll 8
        for (int step = 0; step < flops / 2; step++) {
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
#pragma unroll
                for (int i = 0; i < VEC; i++) {
                    y[k][i] = fmaf(y[k][i], x[k].item[i], slope);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                x[k].item[i] = flops % 2 == 1 ? y[k][i] + leading : y[k][i];
            }
        }
    }
};

template <int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, long long n) {
    striped<VEC, BLOCK, ITEMS, ca, wb, false>(Product(), a, b, out, n);
}

template <int VEC, int BLOCK, int ITEMS, bool FAST>
__global__ void __launch_bounds__(BLOCK, 1)
    log_exp(const float *__restrict__ x, float *__restrict__ y, long long n) {
    striped<VEC, BLOCK, ITEMS, ca, wb, false>(LogExp<FAST>(), x, x, y, n);
}

template <int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    polynomial(const float *__restrict__ x, float *__restrict__ y, float leading, float slope, long long n,
               long long flops) {
    const Polynomial op = {leading, slope, (int)flops};
    striped<VEC, BLOCK, ITEMS, ca, wb, false>(op, x, x, y, n);
}
