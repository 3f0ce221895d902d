/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_planes.cuh - a matrix of fp32 as a sum of PLANES narrower ones, for matmul_emulated.cu and
 * matmul_mma_planes.cu.
 */
#ifndef RFT_KERNELS_MATMUL_PLANES_CUH
#define RFT_KERNELS_MATMUL_PLANES_CUH

#include "matmul_tensor.cuh"

/* With PDL launches begin before those in front of them end: from the first call on may the next one; behind the second
 * what comes before has ended. */
__device__ __forceinline__ void next_may_begin() {
#if defined(PDL) && PDL && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void await_launch_before() {
#if defined(PDL) && PDL && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The part of `value` that T holds, as a float. */
template <typename T> struct Narrow;
template <> struct Narrow<__nv_bfloat16> {
    __device__ __forceinline__ static float of(float value) {
        return __bfloat162float(__float2bfloat16_rn(value));
    }
};
template <> struct Narrow<float> {
    __device__ __forceinline__ static float of(float value) {
        unsigned bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
        return __uint_as_float(bits & 0xffffe000u);
    }
};

__device__ __forceinline__ void store_four(__nv_bfloat16 *to, const float (&values)[4]) {
    *reinterpret_cast<uint2 *>(to) = make_uint2(rounded_pair<__nv_bfloat16>(values[0], values[1]),
                                                rounded_pair<__nv_bfloat16>(values[2], values[3]));
}
__device__ __forceinline__ void store_four(float *to, const float (&values)[4]) {
    *reinterpret_cast<float4 *>(to) = make_float4(values[0], values[1], values[2], values[3]);
}

/* Four neighbours to the same place of PLANES planes, which lie `apart` elements apart. */
template <int PLANES, typename T>
__device__ __forceinline__ void store_planes(float (&left)[4], T *to, long long apart) {
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        float part[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            part[e] = Narrow<T>::of(left[e]);
            left[e] -= part[e];
        }
        store_four(to + plane * apart, part);
    }
}

/* Four neighbours of a row, zeros from `here` on; ALIGNED: all or none is there, at a multiple of 16 bytes. */
template <bool ALIGNED> __device__ __forceinline__ void load_four(float (&values)[4], const float *from, int here) {
    float4 word = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (ALIGNED && here > 0) {
        word = *reinterpret_cast<const float4 *>(from);
    }
    values[0] = word.x;
    values[1] = word.y;
    values[2] = word.z;
    values[3] = word.w;
    if (!ALIGNED) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            values[e] = e < here ? from[e] : 0.0f;
        }
    }
}

/* rows x columns to PLANES planes of rows x pitch, a multiple of 8, filled up with zeros. ALIGNED: columns is a
 * multiple of 4. */
template <typename T, int PLANES, bool ALIGNED, int THREADS>
__global__ void __launch_bounds__(THREADS)
    split_rows(const float *__restrict__ from, T *__restrict__ to, long long rows, int columns, int pitch) {
    next_may_begin();
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    const long long row = i / (pitch / 4);
    const int column = (int)(i % (pitch / 4)) * 4;
    if (row < rows) {
        float values[4];
        load_four<ALIGNED>(values, from + row * columns + column, columns - column);
        store_planes<PLANES>(values, to + row * pitch + column, rows * pitch);
    }
}

/* The same of the transposed matrix: rows x columns to planes of columns x pitch. A block turns 64 x 64, in 64 x 65
 * floats of shared memory. */
template <typename T, int PLANES, bool ALIGNED, int THREADS>
__global__ void __launch_bounds__(THREADS)
    split_turned(const float *__restrict__ from, T *__restrict__ to, int rows, long long columns, int pitch) {
    constexpr int SIDE = 64, PITCH = SIDE + 1;
    extern __shared__ float tile[];
    const long long first_column = (long long)blockIdx.x * SIDE;
    const int first_row = blockIdx.y * SIDE;
    next_may_begin();
#pragma unroll
    for (int i = threadIdx.x; i < SIDE * SIDE / 4; i += THREADS) {
        const int row = i / (SIDE / 4), column = i % (SIDE / 4) * 4;
        const int here = first_row + row < rows ? left_of(columns, first_column + column, 4) : 0;
        float values[4];
        load_four<ALIGNED>(values, from + (first_row + row) * columns + first_column + column, here);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            tile[row * PITCH + column + e] = values[e];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < SIDE * SIDE / 4; i += THREADS) {
        const int column = i / (SIDE / 4), row = i % (SIDE / 4) * 4;
        if (first_column + column < columns && first_row + row < pitch) {
            float values[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                values[e] = tile[(row + e) * PITCH + column];
            }
            store_planes<PLANES>(values, to + (first_column + column) * pitch + first_row + row, columns * pitch);
        }
    }
    await_launch_before(); /* so that the product, which awaits this launch, has the other planes as well */
}

/* Which planes PRODUCTS need, and the largest sum of their numbers. */
template <int PRODUCTS> struct Products {
    static constexpr int PLANES = PRODUCTS > 4 ? 3 : 2;
    static constexpr int LAST = PRODUCTS == PLANES * PLANES ? 2 * (PLANES - 1) : PLANES - 1;
    static_assert(PRODUCTS == 3 || PRODUCTS == 4 || PRODUCTS == 6 || PRODUCTS == 9, "all, or those that matter");

    /* Of those, how many come behind the last one of this plane: i + j falls from LAST to 0. */
    __device__ __forceinline__ static constexpr int behind(int plane) {
        return plane * (plane + 1) / 2;
    }
};

#endif
