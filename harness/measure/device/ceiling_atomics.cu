/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings of atomic additions whose result nobody takes. A thread does UNROLL of them before the loop turns. Where
 * they go is a stride that the compiler does not know, so that it cannot add up the lanes of a warp itself: 0 is one
 * address for all.
 */
struct rft_add_u32 {
    typedef rft_u32 value;
    static __device__ __forceinline__ void in_shared(rft_u32 at, rft_u32 by) {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(by) : "memory");
    }
    static __device__ __forceinline__ void in_l2(rft_u32 *at, rft_u32 by) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(by) : "memory");
    }
};

/* A histogram's: the hardware counts the lanes of an address together. */
struct rft_add_one {
    typedef rft_u32 value;
    static __device__ __forceinline__ void in_shared(rft_u32 at, rft_u32) {
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
    }
};

struct rft_add_f32 {
    typedef float value;
    static __device__ __forceinline__ void in_shared(rft_u32 at, float by) {
        asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at), "f"(by) : "memory");
    }
    static __device__ __forceinline__ void in_l2(float *at, float by) {
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(by) : "memory");
    }
};

#define RFT_SHARED_THREADS 256

/* Every block has words of its own; stride 1: a bank for each lane. */
template <class ADD, int UNROLL>
__global__ void rft_atomics_shared(rft_u32 steps, rft_u32 stride, rft_u32 never, typename ADD::value *out) {
    __shared__ typename ADD::value words[UNROLL * RFT_SHARED_THREADS];
    typename ADD::value by = (typename ADD::value)(threadIdx.x + 1);
    rft_u32 at[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        words[u * RFT_SHARED_THREADS + threadIdx.x] = 0;
        at[u] = (rft_u32)__cvta_generic_to_shared(&words[(u * RFT_SHARED_THREADS + threadIdx.x) * stride]);
    }
    __syncthreads();
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            ADD::in_shared(at[u], by);
        }
    }
    __syncthreads();
    if (steps == never) {
        *out = words[threadIdx.x];
    }
}

/* All threads side by side, `stride` words apart, and on to the next words; `mask` + 1 words, a power of two. */
template <class ADD, int UNROLL>
__global__ void rft_atomics_l2(typename ADD::value *words, rft_u32 steps, rft_u32 mask, rft_u32 stride) {
    typename ADD::value by = (typename ADD::value)(threadIdx.x + 1);
    const rft_u32 step_words = (rft_u32)RFT_THREADS * stride;
    rft_u32 at = (rft_u32)RFT_THREAD * stride;
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            ADD::in_l2(words + (at & mask), by);
            at += step_words;
        }
    }
}
