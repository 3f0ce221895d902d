/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_tensor.cuh - what matrix products on tensor cores share: C = A B. A is m x k and C m x n by rows, B lies as
 * n x k: both operands have k fastest. T is __nv_bfloat16 or __half, 2 bytes each, where nothing else is said.
 */
#ifndef RFT_KERNELS_MATMUL_TENSOR_CUH
#define RFT_KERNELS_MATMUL_TENSOR_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* An element in the type of sums. */
__device__ __forceinline__ float as_sum(__nv_bfloat16 value) {
    return __bfloat162float(value);
}
__device__ __forceinline__ float as_sum(__half value) {
    return __half2float(value);
}
__device__ __forceinline__ double as_sum(double value) {
    return value;
}

/* Two sums become two neighbouring elements of C, `first` at the lower address. An epilogue (bias, activation, scale)
 * belongs in front of it. */
template <typename T> __device__ __forceinline__ unsigned rounded_pair(float first, float second);
template <> __device__ __forceinline__ unsigned rounded_pair<__nv_bfloat16>(float first, float second) {
    unsigned pair;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#else
    pair = __bfloat16_as_ushort(__float2bfloat16_rn(first)) |
           (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(second)) << 16;
#endif
    return pair;
}
template <> __device__ __forceinline__ unsigned rounded_pair<__half>(float first, float second) {
    unsigned pair;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#else
    pair = __half_as_ushort(__float2half_rn(first)) | (unsigned)__half_as_ushort(__float2half_rn(second)) << 16;
#endif
    return pair;
}

template <int BYTES> struct Bits;
template <> struct Bits<1> { typedef unsigned char type; };
template <> struct Bits<2> { typedef unsigned short type; };
template <> struct Bits<4> { typedef unsigned type; };
template <> struct Bits<8> { typedef unsigned long long type; };

/* 16 bytes of a row, zeros from `left` elements on (which may be negative). ALIGNED: the row begins at a multiple of 16
 * bytes and ends at one. */
template <bool ALIGNED, typename T> __device__ __forceinline__ uint4 load_piece(const T *from, int left) {
    constexpr int SIZE = sizeof(T);
    uint4 word = make_uint4(0, 0, 0, 0);
    if (ALIGNED) {
        if (left > 0) {
            word = *reinterpret_cast<const uint4 *>(from);
        }
        return word;
    }
    const typename Bits<SIZE>::type *items = reinterpret_cast<const typename Bits<SIZE>::type *>(from);
    unsigned *words = &word.x;
#pragma unroll
    for (int i = 0; i < 16 / SIZE; i++) {
        const unsigned long long item = i < left ? items[i] : 0;
        words[i * SIZE / 4] |= (unsigned)item << (i * SIZE % 4 * 8);
        if (SIZE == 8) {
            words[i * SIZE / 4 + 1] = (unsigned)(item >> 32);
        }
    }
    return word;
}

/* Eight elements of 16 bits, as above. */
template <bool ALIGNED, typename T> __device__ __forceinline__ uint4 load_eight(const T *from, int left) {
    return load_piece<ALIGNED>(from, left);
}

/* Eight elements of a row of C, of which `left` are inside; `aligned` as above. */
template <typename T> __device__ __forceinline__ void store_eight(T *to, uint4 word, int left, bool aligned) {
    if (aligned) {
        if (left > 0) {
            *reinterpret_cast<uint4 *>(to) = word;
        }
        return;
    }
    unsigned short *items = reinterpret_cast<unsigned short *>(to);
    const unsigned *pairs = &word.x;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (i < left) {
            items[i] = (unsigned short)(pairs[i / 2] >> (i % 2 * 16));
        }
    }
}

/* Of four lanes that hold a row of a 4 x 4 matrix each, lane i gets column i. */
__device__ __forceinline__ void turn_quad(unsigned (&row)[4]) {
#pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2) {
        const bool upper = threadIdx.x & apart;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if ((i & apart) == 0) {
                const unsigned other = __shfl_xor_sync(~0u, upper ? row[i] : row[i + apart], apart);
                row[i] = upper ? other : row[i];
                row[i + apart] = upper ? row[i + apart] : other;
            }
        }
    }
}

/* What is left of `size` from `first` on, at most `limit`. */
__device__ __forceinline__ int left_of(long long size, long long first, int limit) {
    const long long left = size - first;
    return left < limit ? (int)left : limit;
}

/* Of rows x columns tiles the one with this index: GROUP rows of tiles at a time, and in them column by column, so that
 * blocks that run together share rows and columns. GROUP = 1 is row by row. */
struct Tile {
    unsigned row, column;
};

template <int GROUP> __device__ __forceinline__ Tile tile_at(unsigned index, unsigned rows, unsigned columns) {
    if (GROUP == 1) {
        return Tile{index / columns, index % columns};
    }
    const unsigned group = index / (GROUP * columns), within = index - group * (GROUP * columns);
    const unsigned first = group * GROUP, height = rows - first < GROUP ? rows - first : GROUP;
    return Tile{first + within % height, within / height};
}

#endif
