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
