/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands of the tensor ceilings: random, uniform in [-1, 1) (int8: all values). Zeros would switch little, draw less
 * power and let the clock rise above what real data sees. Made by the kernel itself, before its loop.
 */
RFT_DEVICE float rft_uniform(rft_u32 bits) {
    return (float)(int)bits * 4.656612873e-10f; /* 2^-31 */
}

/* 32 bits of operands: one tf32, two halves, four bytes. */
struct rft_data_tf32 {
    static __device__ __forceinline__ rft_u32 word(rft_u64 random) {
        return __float_as_uint(rft_uniform((rft_u32)random));
    }
};

struct rft_data_bf16 {
    static __device__ __forceinline__ rft_u32 word(rft_u64 random) {
        rft_u32 pair;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
            : "=r"(pair)
            : "f"(rft_uniform((rft_u32)random)), "f"(rft_uniform((rft_u32)(random >> 32))));
        return pair;
    }
};

struct rft_data_fp16 {
    static __device__ __forceinline__ rft_u32 word(rft_u64 random) {
        rft_u32 pair;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;"
            : "=r"(pair)
            : "f"(rft_uniform((rft_u32)random)), "f"(rft_uniform((rft_u32)(random >> 32))));
        return pair;
    }
};

struct rft_data_fp8 {
    static __device__ __forceinline__ rft_u32 pair(rft_u64 random) {
        unsigned short two;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
            : "=h"(two)
            : "f"(rft_uniform((rft_u32)random)), "f"(rft_uniform((rft_u32)(random >> 32))));
        return two;
    }
    static __device__ __forceinline__ rft_u32 word(rft_u64 random) {
        return pair(random) | pair(rft_mix(random)) << 16;
    }
};

struct rft_data_int8 {
    static __device__ __forceinline__ rft_u32 word(rft_u64 random) {
        return (rft_u32)random;
    }
};

struct rft_data_fp64 {
    static __device__ __forceinline__ double word(rft_u64 random) {
        return (double)(rft_i64)random * 1.0842021724855044e-19; /* 2^-63 */
    }
};

/* Random bits for operand word `index` of this thread. */
RFT_DEVICE rft_u64 rft_thread_random(rft_u32 index) {
    return rft_mix((RFT_THREAD << 16 | index) * 0x9E3779B97F4A7C15ull);
}

RFT_DEVICE rft_u32 rft_fold(float x) {
    return __float_as_uint(x);
}
RFT_DEVICE rft_u32 rft_fold(int x) {
    return (rft_u32)x;
}
RFT_DEVICE rft_u32 rft_fold(double x) {
    return (rft_u32)(__double_as_longlong(x) >> 32);
}
