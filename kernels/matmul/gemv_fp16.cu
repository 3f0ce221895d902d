/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = W x; W is n rows of k halves, row-major. Products and sums are fp32: rounding each product to half, as __hmul2
 * does, would cost three decimal digits.
 * VEC = 8 (16-byte loads) needs rows that are multiples of 16 bytes; VEC = 1 takes any k.
 */
#include <cuda_fp16.h>

template <int VEC> struct Halves;
template <> struct Halves<8> {
    uint4 word;
    /* Read once: keeps W from pushing x out of L1. */
    __device__ __forceinline__ void load_once(const __half *from) {
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
            : "l"(from));
    }
    __device__ __forceinline__ void load(const __half *from) {
        word = *reinterpret_cast<const uint4 *>(from);
    }
};
template <> struct Halves<1> {
    __half item;
    __device__ __forceinline__ void load_once(const __half *from) {
        item = *from;
    }
    __device__ __forceinline__ void load(const __half *from) {
        item = *from;
    }
};

__device__ __forceinline__ float2 pair_of(unsigned int word) {
    return __half22float2(*reinterpret_cast<const __half2 *>(&word));
}

__device__ __forceinline__ void add_product(float &sum, unsigned int w, unsigned int x) {
    const float2 ws = pair_of(w), xs = pair_of(x);
    sum = fmaf(ws.x, xs.x, sum);
    sum = fmaf(ws.y, xs.y, sum);
}

__device__ __forceinline__ void add_products(float &sum, const Halves<8> &w, const Halves<8> &x) {
    add_product(sum, w.word.x, x.word.x);
    add_product(sum, w.word.y, x.word.y);
    add_product(sum, w.word.z, x.word.z);
    add_product(sum, w.word.w, x.word.w);
}

__device__ __forceinline__ void add_products(float &sum, const Halves<1> &w, const Halves<1> &x) {
    sum = fmaf(__half2float(w.item), __half2float(x.item), sum);
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    }
    return value;
}

/* A thread a row: the lanes of a warp read k * 2 bytes apart. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) gemv_naive(const __half *__restrict__ w, const __half *__restrict__ x,
                                                    __half *__restrict__ y, long long n, long long k) {
    const long long row = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n) {
        return;
    }
    float sum = 0.0f;
    for (long long i = 0; i < k; i++) {
        sum = fmaf(__half2float(w[row * k + i]), __half2float(x[i]), sum);
    }
    y[row] = __float2half(sum);
}

/* The whole block on ROWS rows at once: every piece of x is loaded once for all of them, and ROWS * UNROLL loads of W
 * are in flight in a thread. */
template <int VEC, int BLOCK, int ROWS, int UNROLL>
__global__ void __launch_bounds__(BLOCK, 1) gemv_vectorised(const __half *__restrict__ w, const __half *__restrict__ x,
                                                            __half *__restrict__ y, long long n, long long k) {
    constexpr int WARPS = BLOCK / 32;
    const long long first_row = (long long)blockIdx.x * ROWS;
    const __half *rows[ROWS];
    float sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        /* Rows that do not exist read the last one again and are not stored. */
        rows[r] = w + (first_row + r < n ? first_row + r : n - 1) * k;
        sum[r] = 0.0f;
    }

    const int vectors = (int)(k / VEC);
    int v = threadIdx.x;
#pragma unroll 1
    for (; v + (UNROLL - 1) * BLOCK < vectors; v += UNROLL * BLOCK) {
        Halves<VEC> ws[UNROLL][ROWS], xs[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                ws[u][r].load_once(rows[r] + (v + u * BLOCK) * VEC);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            xs[u].load(x + (v + u * BLOCK) * VEC);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                add_products(sum[r], ws[u][r], xs[u]);
            }
        }
    }
#pragma unroll 1
    for (; v < vectors; v += BLOCK) { /* what fills no batch of UNROLL */
        Halves<VEC> xs;
        xs.load(x + v * VEC);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            Halves<VEC> ws;
            ws.load_once(rows[r] + v * VEC);
            add_products(sum[r], ws, xs);
        }
    }

    __shared__ float partial[ROWS][WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        sum[r] = warp_sum(sum[r]);
        if (lane == 0) {
            partial[r][warp] = sum[r];
        }
    }
    __syncthreads();
    static_assert(ROWS <= 32, "a thread a row");
    const int row = threadIdx.x;
    if (row < ROWS && first_row + row < n) {
        float total = 0.0f;
#pragma unroll
        for (int i = 0; i < WARPS; i++) {
            total += partial[row][i];
        }
        y[first_row + row] = __float2half(total);
    }
}

/* x in shared memory, staged once for the ROWS rows of a block; a warp a row, so nothing is exchanged between warps. */
template <int VEC, int BLOCK, int ROWS, int UNROLL>
__global__ void __launch_bounds__(BLOCK, 1) gemv_shared(const __half *__restrict__ w, const __half *__restrict__ x,
                                                        __half *__restrict__ y, long long n, long long k) {
    constexpr int WARPS = BLOCK / 32;
    extern __shared__ __align__(16) unsigned char staged[];
    __half *x_staged = reinterpret_cast<__half *>(staged);
    const int vectors = (int)(k / VEC);
#pragma unroll 4
    for (int v = threadIdx.x; v < vectors; v += BLOCK) {
        reinterpret_cast<Halves<VEC> *>(staged)[v].load(x + (long long)v * VEC);
    }
    __syncthreads();

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int r = warp; r < ROWS; r += WARPS) {
        const long long row = (long long)blockIdx.x * ROWS + r;
        if (row >= n) {
            return;
        }
        const __half *from = w + row * k;
        float sum = 0.0f;
        int v = lane;
#pragma unroll 1
        for (; v + (UNROLL - 1) * 32 < vectors; v += UNROLL * 32) {
            Halves<VEC> ws[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                ws[u].load_once(from + (v + u * 32) * VEC);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                Halves<VEC> xs;
                xs.load(x_staged + (v + u * 32) * VEC);
                add_products(sum, ws[u], xs);
            }
        }
#pragma unroll 1
        for (; v < vectors; v += 32) { /* what fills no batch of UNROLL */
            Halves<VEC> ws, xs;
            ws.load_once(from + v * VEC);
            xs.load(x_staged + v * VEC);
            add_products(sum, ws, xs);
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            y[row] = __float2half(sum);
        }
    }
}
