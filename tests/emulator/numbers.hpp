/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.hpp - what tensor cores read, by definition; rounding is to nearest, ties to even. In the place of CUDA's
 * cuda_bf16.h and cuda_fp16.h, too. */
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace emulator {

inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A number of 1 sign bit, `exponent` bits and `mantissa` bits. `has_infinity`: the highest exponent is infinity or NaN,
 * else only all ones is NaN. */
inline float float_of_small(unsigned bits, int exponent, int mantissa, bool has_infinity) {
    const int bias = (1 << (exponent - 1)) - 1, high = (1 << exponent) - 1;
    const int e = (int)(bits >> mantissa) & high, m = (int)bits & ((1 << mantissa) - 1);
    const float sign = bits >> (exponent + mantissa) & 1 ? -1.0f : 1.0f;
    if (e == high && (has_infinity || m == (1 << mantissa) - 1)) {
        return has_infinity && m == 0 ? sign * INFINITY : NAN;
    }
    const float unit = float_of((uint32_t)(127 + (e ? e : 1) - bias - mantissa) << 23); /* a power of two */
    return sign * unit * (float)(e ? m + (1 << mantissa) : m);
}
inline float float_of_fp16(unsigned bits) {
    return float_of_small(bits, 5, 10, true);
}
inline float float_of_e4m3(unsigned bits) {
    return float_of_small(bits, 4, 3, false);
}
inline float float_of_e5m2(unsigned bits) {
    return float_of_small(bits, 5, 2, true);
}
inline float float_of_bf16(unsigned bits) {
    return float_of(bits << 16);
}
/* What of an fp32 number is read as TF32. */
inline float float_of_tf32(uint32_t bits) {
    return float_of(bits & ~0x1fffu);
}

inline unsigned short bf16_of(float value) {
    const uint32_t bits = bits_of(value);
    return std::isnan(value) ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* satfinite: what is too large becomes the largest, 448. */
inline unsigned char e4m3_of(float value) {
    const unsigned sign = bits_of(value) >> 24 & 0x80;
    const float size = std::fmin(std::fabs(value), 448.0f);
    if (std::isnan(value)) {
        return 0x7f;
    }
    int e = size > 0 ? std::ilogb(size) : -6;
    e = e < -6 ? -6 : e;
    return (unsigned char)(sign | ((unsigned)std::nearbyint(std::ldexp(size, 3 - e)) + ((unsigned)(e + 6) << 3)));
}
inline unsigned short fp16_of(float value) {
    const unsigned sign = bits_of(value) >> 16 & 0x8000;
    const float size = std::fabs(value);
    if (std::isnan(value)) {
        return 0x7fff;
    }
    if (size >= 65520.0f) {
        return (unsigned short)(sign | 0x7c00);
    }
    int e = size > 0 ? std::ilogb(size) : -14;
    e = e < -14 ? -14 : e;
    const unsigned m = (unsigned)std::nearbyint(std::ldexp(size, 10 - e)); /* 1024 to 2048 of a normal number */
    return (unsigned short)(sign | (m + ((unsigned)(e + 14) << 10)));
}

} // namespace emulator

/* ---- of cuda_bf16.h and cuda_fp16.h ---- */

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float value) : bits(emulator::bf16_of(value)) {
    }
    operator float() const {
        return emulator::float_of_bf16(bits);
    }
};
typedef __nv_bfloat16 nv_bfloat16;
inline float __bfloat162float(__nv_bfloat16 value) {
    return value;
}
inline __nv_bfloat16 __float2bfloat16(float value) {
    return value;
}
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
    return value;
}

struct __half {
    unsigned short bits;
    __half() = default;
    __half(float value) : bits(emulator::fp16_of(value)) {
    }
    operator float() const {
        return emulator::float_of_fp16(bits);
    }
};
typedef __half half;
inline float __half2float(__half value) {
    return value;
}
inline __half __float2half(float value) {
    return value;
}
inline __half __float2half_rn(float value) {
    return value;
}
