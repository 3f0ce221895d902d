/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x W^T without tensor cores: x is m x k (m tokens) and y m x n in T, W n rows of k weights in a format F of
 * weight_formats.cuh. Sums are fp32.
 */
#include "linear_finish.cuh"
#include "striped.cuh"
#include "weight_formats.cuh"

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, apart);
    }
    return value;
}

template <class F> __device__ __forceinline__ float zero_of(const unsigned char *zeros, long long group) {
    return F::ZEROS ? (float)zeros[group] : 8.0f;
}

/* What is left to multiply a row's sum with. */
template <class F> __device__ __forceinline__ float factor_of(const __half *scales, long long row) {
    return F::BITS == 8 ? __half2float(scales[row]) * Pairs<__half, F>::FACTOR : 1.0f;
}

/* A warp for an element of y: a lane takes every 32nd weight, one at a time. Any k. */
template <class F, typename T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    linear_naive(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                 const unsigned char *__restrict__ zeros, const T *__restrict__ x, T *__restrict__ y, long long n,
                 long long k) {
    const long long row = (long long)blockIdx.x * WARPS + threadIdx.x / 32, token = blockIdx.y;
    if (row >= n) {
        return;
    }
    const long long groups = groups_of<F>(k);
    float sum = 0.0f;
    for (long long i = threadIdx.x % 32; i < k; i += 32) {
        const unsigned code = code_at<F>(w, row, i, k);
        const long long group = F::GROUP ? row * groups + i / (F::GROUP ? F::GROUP : 1) : 0;
        const float weight = Natural<T, F>::at(&code, 0, zero_of<F>(zeros, group));
        sum = fmaf(F::GROUP ? weight * __half2float(scales[group]) : weight, as_sum(x[token * k + i]), sum);
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) {
        y[token * n + row] = rounded<T>(sum * factor_of<F>(scales, row));
    }
}

/* 16 bytes of a row times x, whose 16-bit elements lie in xs. */
template <class F, typename T>
__device__ __forceinline__ float product(const uint4 &weights, const uint4 (&xs)[16 / F::BITS], float zero) {
    const unsigned *words = &weights.x;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 128 / F::BITS; i++) {
        const unsigned *pairs = &xs[i / 8].x;
        sum = fmaf(Natural<T, F>::at(words, i, zero), float_at<T>(pairs[i % 8 / 2], i % 2), sum);
    }
    return sum;
}

/* A token. The whole block on ROWS rows at once, in 16-byte loads of which ROWS * UNROLL are in flight in a thread;
 * every piece of x is loaded once for all of them. SPLIT blocks share k. Rows of W are multiples of 16 bytes. */
template <class F, typename T, int BLOCK, int ROWS, int UNROLL, int SPLIT, bool LAST_BLOCK>
__global__ void __launch_bounds__(BLOCK, 1)
    linear_wide(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                const unsigned char *__restrict__ zeros, const T *__restrict__ x, T *__restrict__ y,
                float *__restrict__ parts, unsigned *__restrict__ counters, long long m, long long n, long long k) {
    constexpr int EACH = 128 / F::BITS, WARPS = BLOCK / 32;
    const int split = blockIdx.x % SPLIT;
    const TileOfY<1, ROWS> part(blockIdx.x / SPLIT, blockIdx.y, m, n);
    const long long vectors = k / EACH, groups = groups_of<F>(k);
    const uint4 *x_row = reinterpret_cast<const uint4 *>(x + part.first_token * k);
    const int end = (int)(vectors * (split + 1) / SPLIT);
    const uint4 *rows[ROWS];
    long long group_of[ROWS];
    float sums[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        /* Rows that do not exist read the last one again and are not stored. */
        const long long row = part.first_row + r < n ? part.first_row + r : n - 1;
        rows[r] = reinterpret_cast<const uint4 *>(w) + row * vectors;
        group_of[r] = row * groups;
        sums[r] = 0.0f;
    }
#pragma unroll 1
    for (int v = (int)(vectors * split / SPLIT) + threadIdx.x; v < end; v += UNROLL * BLOCK) {
        uint4 words[UNROLL][ROWS];
        float scale[UNROLL][ROWS], zero[UNROLL][ROWS];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int at = v + u * BLOCK < end ? v + u * BLOCK : end - 1; /* the last again, times 0 */
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                words[u][r] = load_no_allocate(rows[r] + at);
                const long long group = F::GROUP ? group_of[r] + at * EACH / (F::GROUP ? F::GROUP : 1) : 0;
                zero[u][r] = zero_of<F>(zeros, group);
                scale[u][r] = F::GROUP ? __half2float(scales[group]) : 1.0f;
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (v + u * BLOCK >= end) {
                break;
            }
            uint4 xs[16 / F::BITS];
#pragma unroll
            for (int i = 0; i < 16 / F::BITS; i++) {
                xs[i] = __ldg(x_row + (v + u * BLOCK) * (16 / F::BITS) + i);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sums[r] = fmaf(product<F, T>(words[u][r], xs, zero[u][r]), scale[u][r], sums[r]);
            }
        }
    }

    extern __shared__ __align__(16) float of_warp[]; /* ROWS x WARPS */
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float sum = sum_of_warp(sums[r]);
        if (threadIdx.x % 32 == 0) {
            of_warp[r * WARPS + threadIdx.x / 32] = sum;
        }
    }
    __syncthreads();
    unsigned *flag = reinterpret_cast<unsigned *>(of_warp);
    finish<T, 1, ROWS, SPLIT, LAST_BLOCK>(part, split, y, parts, counters, flag, n, BLOCK, [&](int row) {
        float total = 0.0f;
#pragma unroll
        for (int warp = 0; warp < WARPS; warp++) {
            total += of_warp[row * WARPS + warp];
        }
        const long long of = part.first_row + row;
        return of < n ? total * factor_of<F>(scales, of) : 0.0f;
    });
}
