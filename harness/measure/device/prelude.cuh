/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prelude.cuh - what every built-in kernel starts from; device_kernels.c puts it in front of their text.
 *
 * prelude, fill, convert and compare keep to the common part of C and CUDA C++, so that tests compile the very code
 * that runs on the device for the host, by defining RFT_HOST_KERNELS and the macros below.
 * NVRTC has no <stdint.h>.
 */
typedef unsigned char rft_u8;
typedef unsigned short rft_u16;
typedef unsigned int rft_u32;
typedef unsigned long long rft_u64;
typedef long long rft_i64;

#ifndef RFT_HOST_KERNELS
#define RFT_KERNEL extern "C" __global__ void
#define RFT_DEVICE static __device__ __forceinline__
#define RFT_THREAD ((rft_u64)blockIdx.x * blockDim.x + threadIdx.x)
#define RFT_THREADS ((rft_u64)gridDim.x * blockDim.x)
#endif

/* The order of rft_type (model/sweep/value.h); device_kernels.c asserts it. */
#define RFT_T_F64 0
#define RFT_T_F32 1
#define RFT_T_F16 2
#define RFT_T_BF16 3
#define RFT_T_E4M3 4
#define RFT_T_E5M2 5
#define RFT_T_I8 6
#define RFT_T_U8 7
#define RFT_T_I16 8
#define RFT_T_U16 9
#define RFT_T_I32 10
#define RFT_T_U32 11
#define RFT_T_I64 12
#define RFT_T_U64 13

typedef union rft_bits64 {
    double real;
    rft_u64 bits;
} rft_bits64;

typedef union rft_bits32 {
    float real;
    rft_u32 bits;
} rft_bits32;

/* splitmix64's output function: element i of a stream is mix(key + (i + 1) * gamma), whoever computes it. */
RFT_DEVICE rft_u64 rft_mix(rft_u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

RFT_DEVICE double rft_from_bits(rft_u64 bits) {
    rft_bits64 both;
    both.bits = bits;
    return both.real;
}

RFT_DEVICE rft_u64 rft_to_bits(double real) {
    rft_bits64 both;
    both.real = real;
    return both.bits;
}

/* 2^exponent for -1022 <= exponent <= 1023. */
RFT_DEVICE double rft_pow2(int exponent) {
    return rft_from_bits((rft_u64)(exponent + 1023) << 52);
}

/* A small IEEE-like float: `man` significand bits stored, `exp` exponent bits. E4M3 has no infinity and one NaN. */
RFT_DEVICE double rft_decode_small(rft_u32 bits, int man, int exp, int has_infinity) {
    int bias = (1 << (exp - 1)) - 1;
    int top = (1 << exp) - 1;
    int field = (int)(bits >> man) & top;
    rft_u32 fraction = bits & ((1u << man) - 1u);
    rft_u64 sign = (rft_u64)((bits >> (man + exp)) & 1u) << 63;
    double magnitude;
    if (field == top && (has_infinity || fraction == (1u << man) - 1u)) {
        return rft_from_bits(sign | 0x7FF0000000000000ull | ((rft_u64)fraction << (52 - man)));
    }
    if (field == 0) {
        magnitude = (double)fraction * rft_pow2(1 - bias - man);
    } else {
        magnitude = rft_from_bits(((rft_u64)(field - bias + 1023) << 52) | ((rft_u64)fraction << (52 - man)));
    }
    return sign ? -magnitude : magnitude;
}

/* Round to nearest even; larger than the largest finite value (`max_bits`) becomes that value. `real` is finite. */
RFT_DEVICE rft_u32 rft_encode_small(double real, int man, int exp, rft_u32 max_bits) {
    int bias = (1 << (exp - 1)) - 1;
    rft_u64 wide = rft_to_bits(real);
    double magnitude = rft_from_bits(wide & 0x7FFFFFFFFFFFFFFFull);
    int power = (int)((wide >> 52) & 0x7FF) - 1023;
    rft_u32 sign = (rft_u32)(wide >> 63) << (man + exp);
    rft_u32 bits;
    if (power > bias) {
        return sign | max_bits;
    }
    if (power < 1 - bias) {
        power = 1 - bias; /* subnormal: a fixed quantum */
    }
    /* The carry of a rounded-up significand moves into the exponent by itself. */
    bits = ((rft_u32)(power + bias) << man) + (rft_u32)rint(magnitude * rft_pow2(man - power)) - (1u << man);
    return sign | (bits > max_bits ? max_bits : bits);
}

RFT_DEVICE rft_i64 rft_load_integer(const void *data, int type, rft_u64 i) {
    switch (type) {
    case RFT_T_I8:
        return ((const signed char *)data)[i];
    case RFT_T_U8:
        return ((const rft_u8 *)data)[i];
    case RFT_T_I16:
        return ((const short *)data)[i];
    case RFT_T_U16:
        return ((const rft_u16 *)data)[i];
    case RFT_T_I32:
        return ((const int *)data)[i];
    case RFT_T_U32:
        return ((const rft_u32 *)data)[i];
    default: /* 64 bits; U64 keeps its bits */
        return ((const rft_i64 *)data)[i];
    }
}

RFT_DEVICE double rft_load_real(const void *data, int type, rft_u64 i) {
    switch (type) {
    case RFT_T_F64:
        return ((const double *)data)[i];
    case RFT_T_F32:
        return (double)((const float *)data)[i];
    case RFT_T_F16:
        return rft_decode_small(((const rft_u16 *)data)[i], 10, 5, 1);
    case RFT_T_BF16:
        return rft_decode_small(((const rft_u16 *)data)[i], 7, 8, 1);
    case RFT_T_E4M3:
        return rft_decode_small(((const rft_u8 *)data)[i], 3, 4, 0);
    case RFT_T_E5M2:
        return rft_decode_small(((const rft_u8 *)data)[i], 2, 5, 1);
    case RFT_T_U64:
        return (double)((const rft_u64 *)data)[i];
    default:
        return (double)rft_load_integer(data, type, i);
    }
}
