/* SPDX-License-Identifier: Apache-2.0 */
/* y = relu((x + 1) * 2): each operation as a kernel of its own, or all three while x is in registers. */
#include "striped.cuh"

struct AddOne : Elementwise<AddOne> {
    static constexpr int INPUTS = 1;
    __device__ __forceinline__ float element(float x, float) const { return x + 1.0f; }
};

struct Twice : Elementwise<Twice> {
    static constexpr int INPUTS = 1;
    __device__ __forceinline__ float element(float x, float) const { return x * 2.0f; }
};

struct Relu : Elementwise<Relu> {
    static constexpr int INPUTS = 1;
    __device__ __forceinline__ float element(float x, float) const { return fmaxf(x, 0.0f); }
};

struct All : Elementwise<All> {
    static constexpr int INPUTS = 1;
    __device__ __forceinline__ float element(float x, float) const { return fmaxf((x + 1.0f) * 2.0f, 0.0f); }
};

template <class Op, int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1) chain(const float *__restrict__ x, float *__restrict__ y, long long n) {
    striped<VEC, BLOCK, ITEMS, ca, wb, false>(Op(), x, x, y, n);
}
