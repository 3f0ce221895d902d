/* SPDX-License-Identifier: Apache-2.0 */
/* device.hpp - what CUDA C++ has and C++ has not, in front of a kernel that rewrite.cpp has been over. sm_90a, and
 * sm_100a's tcgen05. */
#pragma once
#include "emulator/emulator.hpp"
#include "emulator/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#define __device__
#define __host__
#define __global__
#define __shared__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#ifndef __CUDA_ARCH__ /* test_emulator_older.cpp has another */
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#define __CUDA_ARCH_FEAT_SM100_ALL 1
#endif

struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
inline int4 make_int4(int x, int y, int z, int w) {
    return {x, y, z, w};
}
inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
    return {x, y};
}

extern emulator::Size threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulator {

/* An operand of an instruction: where it lies, when it is a variable, and its value. */
struct Operand {
    char kind; /* of the constraint: r, l, f, d, h, n */
    unsigned size;
    void *place;
    unsigned long long bits;
};
struct Constraint {
    char kind;
    template <typename T> Operand operator()(T &&value) const {
        typedef std::remove_cv_t<std::remove_reference_t<T>> Plain;
        Operand operand = {kind, (unsigned)sizeof(Plain), nullptr, 0};
        if constexpr (std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>) {
            operand.place = (void *)&value;
        }
        if constexpr (std::is_integral_v<Plain> || std::is_enum_v<Plain>) {
            operand.bits = (unsigned long long)value;
        } else if constexpr (std::is_array_v<Plain>) {
            operand.bits = (unsigned long long)&value[0];
            operand.size = sizeof(void *);
        } else {
            static_assert(sizeof(Plain) <= 8, "a register");
            memcpy(&operand.bits, &value, sizeof(Plain));
        }
        return operand;
    }
};
inline Constraint operator""_op(const char *text, size_t length) {
    return {text[length - 1]};
}
void ptx(const char *text, std::initializer_list<Operand> out, std::initializer_list<Operand> in);

void *shared_memory(); /* the block's, dynamic */
void *fixed_shared_memory(const void *key, size_t bytes);
template <class T> T &fixed_shared(const void *key) {
    return *static_cast<T *>(fixed_shared_memory(key, sizeof(T)));
}
size_t shared_offset(const void *place);
unsigned exchange(unsigned value, unsigned from_lane); /* all lanes of a warp at once */
unsigned ballot(bool predicate);
void meet_block();
void meet_warp();
void trap();

} // namespace emulator
using emulator::operator""_op;

inline void __syncthreads() {
    emulator::meet_block();
}
inline void __syncwarp(unsigned = ~0u) {
    emulator::meet_warp();
}
inline size_t __cvta_generic_to_shared(const void *place) {
    return emulator::shared_offset(place);
}
inline size_t __cvta_generic_to_global(const void *place) {
    return (size_t)place;
}
template <typename T> T shuffled(T value, unsigned lane) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "registers");
    unsigned bits[sizeof(T) / 4];
    memcpy(bits, &value, sizeof(T));
    for (unsigned &word : bits) {
        word = emulator::exchange(word, lane);
    }
    memcpy(&value, bits, sizeof(T));
    return value;
}
template <typename T> T __shfl_sync(unsigned, T value, int lane, int = 32) {
    return shuffled(value, (unsigned)lane % 32);
}
template <typename T> T __shfl_xor_sync(unsigned, T value, int apart, int = 32) {
    return shuffled(value, threadIdx.x % 32 ^ (unsigned)apart);
}
template <typename T> T __shfl_down_sync(unsigned, T value, int apart, int = 32) {
    const unsigned lane = threadIdx.x % 32 + (unsigned)apart;
    return shuffled(value, lane < 32 ? lane : threadIdx.x % 32);
}
template <typename T> T __shfl_up_sync(unsigned, T value, int apart, int = 32) {
    const int lane = (int)(threadIdx.x % 32) - apart;
    return shuffled(value, lane >= 0 ? (unsigned)lane : threadIdx.x % 32);
}
inline unsigned __ballot_sync(unsigned, int predicate) { /* of a whole warp */
    return emulator::ballot(predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == ~0u;
}
inline unsigned __match_any_sync(unsigned, unsigned value) { /* of a whole warp */
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        same |= (unsigned)(emulator::exchange(value, lane) == value) << lane;
    }
    return same;
}
inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}
inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
inline int __clz(int bits) {
    return bits ? __builtin_clz((unsigned)bits) : 32;
}
inline long long __double_as_longlong(double value) {
    long long bits;
    memcpy(&bits, &value, 8);
    return bits;
}
inline double __longlong_as_double(long long bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
inline unsigned __float_as_uint(float value) {
    return emulator::bits_of(value);
}
inline float __uint_as_float(unsigned bits) {
    return emulator::float_of(bits);
}
inline int __float_as_int(float value) {
    return (int)emulator::bits_of(value);
}
inline float __int_as_float(int bits) {
    return emulator::float_of((unsigned)bits);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
    return value.bits;
}
inline unsigned short __half_as_ushort(__half value) {
    return value.bits;
}
inline __half __ushort_as_half(unsigned short bits) {
    __half value;
    value.bits = bits;
    return value;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned chosen) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned all = 0;
    for (unsigned i = 0; i < 4; i++) {
        all |= (unsigned)(bytes >> (chosen >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    }
    return all;
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __expf(float value) {
    return std::exp(value);
}
inline float __logf(float value) {
    return std::log(value);
}
inline void __trap() {
    emulator::trap();
}
inline void __threadfence() {
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)((((unsigned long long)high << 32 | low) << by % 32) >> 32);
}
inline int __float2int_rn(float x) {
    return std::isnan(x) ? 0 : (int)std::clamp(std::nearbyint((double)x), -2147483648.0, 2147483647.0);
}
inline int __double2hiint(double x) {
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 32);
}
inline void __nanosleep(unsigned) {
}
inline __half __hfma(__half a, __half b, __half c) {
    return __half((float)((double)(float)a * (float)b + (float)c));
}
template <typename T> T __ldg(const T *from) {
    return *from;
}
template <typename T> T __ldca(const T *from) {
    return *from;
}
template <typename T> T __ldcg(const T *from) {
    return *from;
}
template <typename T> T __ldcs(const T *from) {
    return *from;
}
template <typename T> void __stcg(T *to, T value) {
    *to = value;
}
template <typename T> void __stcs(T *to, T value) {
    *to = value;
}
template <typename T, typename U> T atomicAdd(T *to, U value) {
    const T before = *to;
    *to = before + (T)value;
    return before;
}
template <typename T, typename U> T atomicAdd_block(T *to, U value) {
    return atomicAdd(to, value);
}
template <typename T, typename U> T atomicAdd_system(T *to, U value) {
    return atomicAdd(to, value);
}
template <typename T, typename U> T atomicMax(T *to, U value) {
    const T before = *to;
    *to = std::max(before, (T)value);
    return before;
}
template <typename T, typename U> T atomicMin(T *to, U value) {
    const T before = *to;
    *to = std::min(before, (T)value);
    return before;
}
template <typename T> T atomicExch(T *to, T value) {
    std::swap(*to, value);
    return value;
}
inline unsigned atomicInc(unsigned *to, unsigned most) {
    const unsigned before = *to;
    *to = before >= most ? 0 : before + 1;
    return before;
}
inline int __reduce_add_sync(unsigned, int value) {
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        value += shuffled(value, threadIdx.x % 32 ^ apart);
    }
    return value;
}
using std::max;
using std::min;
