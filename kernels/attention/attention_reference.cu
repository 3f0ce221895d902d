/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_reference.cu - O = softmax(Q K^T / sqrt(D)) V by the plain formula, 32 queries of a head a block. Of rows
 * up to 2048 long all are computed in fp64; of longer ones the first and the last 32 of a head and one in 8 of the
 * others, drawn from its number, and the rest in fp32, whose error is some 2^-18 of what is compared: two launches, SUM
 * = double and float, which share the blocks.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define ROWS 32
#define KEYS 64
#define DEPTH 16
#define THREADS 256

__device__ bool is_exact(long long l, unsigned tile, unsigned tiles, unsigned head) {
    const unsigned drawn = (head * 7919u + tile) * 2654435761u;
    return l <= 2048 || tile == 0 || tile == tiles - 1 || drawn >> 29 == 0;
}

template <typename T> struct Lines {
    const T *from;
    int d;
    __device__ float at(long long row, int column) const {
        return (float)from[row * d + column];
    }
};

/* V of attention_fp8.cu. */
struct Turned {
    const __nv_fp8_e4m3 *from;
    long long pitch;
    __device__ float at(long long key, int column) const {
        const long long in = key % 16;
        return (float)from[column * pitch + key - in + in % 8 / 2 * 4 + in / 8 * 2 + in % 2];
    }
};

/* Rows first_row .. of `rows`, columns from `start`, as [column][row]; zeros beyond the rows. */
template <int COUNT, typename SUM, typename T>
__device__ void load_columns(SUM (*tile)[COUNT + 1], const Lines<T> &matrix, long long first_row, long long rows,
                             int start) {
    for (int i = threadIdx.x; i < COUNT * DEPTH; i += THREADS) {
        const long long row = first_row + i / DEPTH;
        tile[i % DEPTH][i / DEPTH] = row < rows ? (SUM)matrix.at(row, start + i % DEPTH) : (SUM)0;
    }
}

/* A head of l queries and keys. A thread has rows y and y + 16, and every 16th column from x on. */
template <typename T, typename SUM, int D, bool CAUSAL, class V>
__device__ void attend(const Lines<T> &q, const Lines<T> &k, const V &v, double *o, long long l, double scores_scale,
                       double out_scale) {
    __shared__ SUM q_tile[DEPTH][ROWS + 1], k_tile[DEPTH][KEYS + 1], powers[KEYS][ROWS + 1];
    __shared__ float v_tile[DEPTH][D];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const unsigned head = blockIdx.y;
    const long long first_row = (long long)blockIdx.x * ROWS;
    const unsigned tiles = (unsigned)((l + ROWS - 1) / ROWS);
    if (blockIdx.x >= tiles || is_exact(l, blockIdx.x, tiles, head) != (sizeof(SUM) == 8)) {
        return;
    }
    const SUM lowest = (SUM)-1e30f, scale = (SUM)(scores_scale / sqrt((double)D));
    SUM top[2] = {lowest, lowest}, sum[2] = {}, sums[2][D / 16] = {};
    const long long end = CAUSAL && first_row + ROWS < l ? first_row + ROWS : l;
    for (long long first_key = 0; first_key < end; first_key += KEYS) {
        SUM s[2][KEYS / 16] = {};
        for (int start = 0; start < D; start += DEPTH) {
            __syncthreads();
            load_columns<ROWS>(q_tile, q, first_row, l, start);
            load_columns<KEYS>(k_tile, k, first_key, l, start);
            __syncthreads();
#pragma unroll 4
            for (int i = 0; i < DEPTH; i++) {
                for (int j = 0; j < KEYS / 16; j++) {
                    const SUM key = k_tile[i][x + 16 * j];
                    s[0][j] += q_tile[i][y] * key;
                    s[1][j] += q_tile[i][y + 16] * key;
                }
            }
        }
        for (int h = 0; h < 2; h++) {
            const long long row = first_row + y + 16 * h, seen = CAUSAL && row + 1 < l ? row + 1 : l;
            SUM highest = top[h], factor;
            for (int j = 0; j < KEYS / 16; j++) {
                s[h][j] = first_key + x + 16 * j < seen ? s[h][j] * scale : lowest;
                highest = s[h][j] > highest ? s[h][j] : highest;
            }
            for (int apart = 8; apart > 0; apart /= 2) { /* the 16 threads of a row */
                const SUM other = __shfl_xor_sync(~0u, highest, apart);
                highest = other > highest ? other : highest;
            }
            factor = exp(top[h] - highest);
            top[h] = highest;
            sum[h] *= factor;
            for (int j = 0; j < KEYS / 16; j++) {
                const SUM power = s[h][j] > lowest ? exp(s[h][j] - highest) : (SUM)0;
                sum[h] += power;
                powers[x + 16 * j][y + 16 * h] = power;
            }
            for (int j = 0; j < D / 16; j++) {
                sums[h][j] *= factor;
            }
        }
        for (int first = 0; first < KEYS; first += DEPTH) {
            __syncthreads();
            for (int i = threadIdx.x; i < DEPTH * D; i += THREADS) {
                const long long key = first_key + first + i / D;
                v_tile[i / D][i % D] = key < l ? v.at(key, i % D) : 0.0f;
            }
            __syncthreads();
#pragma unroll 4
            for (int i = 0; i < DEPTH; i++) {
                const SUM left = powers[first + i][y], right = powers[first + i][y + 16];
                for (int j = 0; j < D / 16; j++) {
                    const SUM value = (SUM)v_tile[i][x + 16 * j];
                    sums[0][j] += left * value;
                    sums[1][j] += right * value;
                }
            }
        }
    }
    for (int h = 0; h < 2; h++) {
        const long long row = first_row + y + 16 * h;
        for (int apart = 8; apart > 0; apart /= 2) {
            sum[h] += __shfl_xor_sync(~0u, sum[h], apart);
        }
        for (int j = 0; j < D / 16 && row < l; j++) {
            o[row * D + x + 16 * j] = out_scale * (double)(sums[h][j] / sum[h]);
        }
    }
}

/* Heads are `apart` lines from one another. */
template <typename T, typename SUM, int D, bool CAUSAL>
__device__ void attend_by_lines(const T *q, const T *k, const T *v, double *o, long long l, long long apart,
                                int group) {
    const long long own = blockIdx.y * apart * D, shared = blockIdx.y / group * apart * D;
    attend<T, SUM, D, CAUSAL>(Lines<T>{q + own, D}, Lines<T>{k + shared, D}, Lines<T>{v + shared, D}, o + own, l, 1.0,
                              1.0);
}

template <typename T, typename SUM, int D, bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention_reference(const T *q, const T *k, const T *v, double *o, long long l, int group) {
    attend_by_lines<T, SUM, D, CAUSAL>(q, k, v, o, l, l, group);
}

/* attention_fp8.cu's, of what its numbers are. */
template <typename SUM, int D, bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention_fp8_reference(const __nv_fp8_e4m3 *q, const __nv_fp8_e4m3 *k, const __nv_fp8_e4m3 *v, const float *scales,
                            double *o, long long l, long long pitch, int heads, int group) {
    const int head = blockIdx.y, shared = head / group;
    const float *of_k = scales + heads, *of_v = of_k + heads / group;
    attend<__nv_fp8_e4m3, SUM, D, CAUSAL>(
        Lines<__nv_fp8_e4m3>{q + head * l * D, D}, Lines<__nv_fp8_e4m3>{k + shared * l * D, D},
        Turned{v + shared * D * pitch, pitch}, o + head * l * D, l, (double)scales[head] * of_k[shared], of_v[shared]);
}

/* attention_packed.cu's: sequence blockIdx.z. */
struct Starts {
    int starts[65];
};

template <typename T, typename SUM, int D, bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention_packed_reference(const T *q, const T *k, const T *v, double *o, Starts starts, int tokens, int group) {
    const long long start = starts.starts[blockIdx.z], l = starts.starts[blockIdx.z + 1] - start;
    attend_by_lines<T, SUM, D, CAUSAL>(q + start * D, k + start * D, v + start * D, o + start * D, l, tokens, group);
}
