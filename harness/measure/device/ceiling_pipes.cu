/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings of the pipes: CHAINS independent dependency chains a thread, UNROLL operations on each before the loop
 * turns, so that the loop's own instructions stay below 1 %. Operands differ per thread, so they are in registers; the
 * sum is written under a condition that never holds and that the compiler cannot know.
 */
struct rft_op_fp32 {
    typedef float value;
    static __device__ __forceinline__ void apply(float &a, float m, float k) {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(m), "f"(k));
    }
};

struct rft_op_fp64 {
    typedef double value;
    static __device__ __forceinline__ void apply(double &a, double m, double k) {
        asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(a) : "d"(m), "d"(k));
    }
};

/* Two halves a register: 4 operations. */
struct rft_op_fp16 {
    typedef rft_u32 value;
    static __device__ __forceinline__ void apply(rft_u32 &a, rft_u32 m, rft_u32 k) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(a) : "r"(m), "r"(k));
    }
};

/* The .ftz form is the bare instruction; without it two multiplications guard denormals. */
struct rft_op_sfu {
    typedef float value;
    static __device__ __forceinline__ void apply(float &a, float, float) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
    }
};

/* A product and a sum: 2 operations. */
struct rft_op_int32_mad {
    typedef rft_u32 value;
    static __device__ __forceinline__ void apply(rft_u32 &a, rft_u32 m, rft_u32 k) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(a) : "r"(m), "r"(k));
    }
};

/* With logic behind it, as in a hash: 3 operations. Two pipes take one each, and nothing can be put together. */
struct rft_op_int32_mix {
    typedef rft_u32 value;
    static __device__ __forceinline__ void apply(rft_u32 &a, rft_u32 m, rft_u32 k) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(a) : "r"(m), "r"(k));
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(a) : "r"(m));
    }
};

template <class OP, int CHAINS, int UNROLL>
RFT_DEVICE void rft_chains(typename OP::value first, typename OP::value m, typename OP::value k, rft_u32 steps,
                           typename OP::value never, typename OP::value *out) {
    typename OP::value a[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        a[c] = first + (typename OP::value)c;
    }
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                OP::apply(a[c], m, k);
            }
        }
    }
    typename OP::value sum = a[0];
#pragma unroll
    for (int c = 1; c < CHAINS; c++) {
        sum += a[c];
    }
    if (sum == never) {
        *out = sum;
    }
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_fp32(rft_u32 steps, float never, float *out) {
    float x = (float)threadIdx.x * 1e-6f;
    rft_chains<rft_op_fp32, CHAINS, UNROLL>(x, 0.99f + x, 0.01f - x, steps, never, out);
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_fp64(rft_u32 steps, double never, double *out) {
    double x = (double)threadIdx.x * 1e-6;
    rft_chains<rft_op_fp64, CHAINS, UNROLL>(x, 0.99 + x, 0.01 - x, steps, never, out);
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_fp16(rft_u32 steps, rft_u32 never, rft_u32 *out) {
    /* 0.5 and 0.25 in both halves, the low bits per thread: values stay near 0.5. */
    rft_u32 x = threadIdx.x & 15u;
    rft_chains<rft_op_fp16, CHAINS, UNROLL>(0x38003800u + x, 0x38003800u + x, 0x34003400u + x, steps, never, out);
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_sfu(rft_u32 steps, float never, float *out) {
    float x = (float)threadIdx.x * -1e-3f;
    rft_chains<rft_op_sfu, CHAINS, UNROLL>(x, x, x, steps, never, out);
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_int32_mad(rft_u32 steps, rft_u32 never, rft_u32 *out) {
    rft_u32 x = threadIdx.x * 2654435761u | 1u;
    rft_chains<rft_op_int32_mad, CHAINS, UNROLL>(x, x, x ^ 0x9E3779B9u, steps, never, out);
}

template <int CHAINS, int UNROLL> __global__ void rft_pipe_int32_mix(rft_u32 steps, rft_u32 never, rft_u32 *out) {
    rft_u32 x = threadIdx.x * 2654435761u | 1u;
    rft_chains<rft_op_int32_mix, CHAINS, UNROLL>(x, x, x ^ 0x9E3779B9u, steps, never, out);
}
