/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_finish.cuh - sums of a tile of y (TOKENS x ROWS) to y, where SPLIT blocks share k: each leaves its part in
 * device memory, and the block of the tile that comes last adds them up, always in the same order, or a second kernel
 * does. And rows that tensor maps can take.
 */
#ifndef RFT_KERNELS_LINEAR_FINISH_CUH
#define RFT_KERNELS_LINEAR_FINISH_CUH

#include "matmul_tensor.cuh"

template <typename T> __device__ __forceinline__ T rounded(float value);
template <> __device__ __forceinline__ __half rounded<__half>(float value) {
    return __float2half_rn(value);
}
template <> __device__ __forceinline__ __nv_bfloat16 rounded<__nv_bfloat16>(float value) {
    return __float2bfloat16_rn(value);
}

__device__ __forceinline__ float4 load_there(unsigned there) {
    float4 sums;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(sums.x), "=f"(sums.y), "=f"(sums.z), "=f"(sums.w)
                 : "r"(there)
                 : "memory");
    return sums;
}
/* Adds eight sums that lie one behind the other in the shared memory of a block of this cluster. */
__device__ __forceinline__ void add_eight(float (&sums)[8], unsigned there) {
    const float4 low = load_there(there), high = load_there(there + 16);
    const float more[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int j = 0; j < 8; j++) {
        sums[j] += more[j];
    }
}

/* Where a tile lies, and how much of it is inside of y. */
template <int TOKENS, int ROWS> struct TileOfY {
    long long first_token, first_row, tile;
    int tokens, rows;
    __device__ __forceinline__ TileOfY(long long row_tile, long long token_tile, long long m, long long n) {
        first_token = token_tile * TOKENS;
        first_row = row_tile * ROWS;
        tile = token_tile * ((n + ROWS - 1) / ROWS) + row_tile;
        tokens = left_of(m, first_token, TOKENS);
        rows = left_of(n, first_row, ROWS);
    }
};

/* The sum of what SPLIT blocks left of element i of a tile. */
template <int TOKENS, int ROWS, int SPLIT>
__device__ __forceinline__ float sum_of_parts(const float *parts, long long tile, int i) {
    float sum = 0.0f;
#pragma unroll
    for (int split = 0; split < SPLIT; split++) {
        sum += __ldcg(parts + (tile * SPLIT + split) * (TOKENS * ROWS) + i);
    }
    return sum;
}

template <typename T, int TOKENS, int ROWS, class Value>
__device__ __forceinline__ void store_part(const TileOfY<TOKENS, ROWS> &part, T *y, long long n, int threads,
                                           const Value &value) {
    for (int i = threadIdx.x; i < part.tokens * ROWS; i += threads) {
        if (i % ROWS < part.rows) {
            y[(part.first_token + i / ROWS) * n + part.first_row + i % ROWS] = rounded<T>(value(i));
        }
    }
}

/* value(i) is this block's sum of element i of the tile; all threads come here. `shared` is one word, which value() may
 * read. `counters` are zero before a launch and behind it. */
template <typename T, int TOKENS, int ROWS, int SPLIT, bool LAST_BLOCK, class Value>
__device__ __forceinline__ void finish(const TileOfY<TOKENS, ROWS> &part, int split, T *y, float *parts,
                                       unsigned *counters, unsigned *shared, long long n, int threads,
                                       const Value &value) {
    if (SPLIT == 1) {
        store_part<T>(part, y, n, threads, value);
        return;
    }
    float *own = parts + (part.tile * SPLIT + split) * (TOKENS * ROWS);
    for (int i = threadIdx.x; i < part.tokens * ROWS; i += threads) {
        __stcg(own + i, value(i));
    }
    if (!LAST_BLOCK) {
        return;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        *shared = atomicInc(counters + part.tile, SPLIT - 1) == SPLIT - 1;
    }
    __syncthreads();
    if (*shared) { /* the last one */
        __threadfence();
        store_part<T>(part, y, n, threads,
                      [&](int i) { return sum_of_parts<TOKENS, ROWS, SPLIT>(parts, part.tile, i); });
    }
}

/* Adds up what SPLIT blocks of each tile left: a block a tile. */
template <typename T, int TOKENS, int ROWS, int SPLIT>
__global__ void __launch_bounds__(128)
    linear_finish(const float *__restrict__ parts, T *__restrict__ y, long long m, long long n) {
    const TileOfY<TOKENS, ROWS> part(blockIdx.x, blockIdx.y, m, n);
    store_part<T>(part, y, n, 128, [&](int i) { return sum_of_parts<TOKENS, ROWS, SPLIT>(parts, part.tile, i); });
}

/* Rows of k elements become such of `pitch`, a multiple of 16 bytes, which tensor maps demand. */
template <typename T>
__global__ void linear_pad(const T *__restrict__ from, T *__restrict__ to, long long m, long long k, long long pitch) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * pitch) {
        to[i] = i % pitch < k ? from[i / pitch * k + i % pitch] : T(0.0f);
    }
}

#endif
