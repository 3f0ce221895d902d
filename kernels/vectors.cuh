/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.cuh - VEC elements that move through one load or store, for the elementwise kernels.
 * sizeof(T) * VEC must be 2, 4, 8 or 16 bytes; addresses must be multiples of it.
 */
#ifndef RFT_KERNELS_VECTORS_CUH
#define RFT_KERNELS_VECTORS_CUH

#include <cuda_fp16.h>

template <int BYTES> struct Word;
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned int type; };
template <> struct Word<8> { typedef uint2 type; };
template <> struct Word<16> { typedef uint4 type; };

template <typename T, int VEC> union Pack {
    typename Word<sizeof(T) * VEC>::type word;
    T item[VEC];
};

/* STREAM marks the access evict-first (ld.global.cs, st.global.cs): the data is touched once. */
template <bool STREAM, typename W> __device__ __forceinline__ W load_word(const W *from) {
    return STREAM ? __ldcs(from) : *from;
}

template <bool STREAM, typename W> __device__ __forceinline__ void store_word(W *to, W word) {
    if (STREAM) {
        __stcs(to, word);
    } else {
        *to = word;
    }
}

/* Read-only data that takes no place in L1, where others shall stay; single halves go the usual way. */
struct na {};
__device__ __forceinline__ uint4 load_no_allocate(const uint4 *from) {
    uint4 w;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(from));
    return w;
}
__device__ __forceinline__ uint2 load_no_allocate(const uint2 *from) {
    uint2 w;
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(w.x), "=r"(w.y) : "l"(from));
    return w;
}
__device__ __forceinline__ unsigned load_no_allocate(const unsigned *from) {
    unsigned w;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(w) : "l"(from));
    return w;
}
__device__ __forceinline__ unsigned short load_no_allocate(const unsigned short *from) {
    return __ldg(from);
}
template <typename W> __device__ __forceinline__ W load_as(na, const W *from) {
    return load_no_allocate(from);
}

__device__ __forceinline__ float fused_multiply_add(float a, float b, float c) {
    return fmaf(a, b, c);
}
__device__ __forceinline__ __half fused_multiply_add(__half a, __half b, __half c) {
    return __hfma(a, b, c);
}
__device__ __forceinline__ float from_float(float value, float) {
    return value;
}
__device__ __forceinline__ __half from_float(float value, __half) {
    return __float2half(value);
}

#endif
