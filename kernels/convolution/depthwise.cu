/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter of 3 x 3 for each channel, images in NHWC, zeros around them: y has the size of x. A thread has VEC channels
 * of COLS neighbouring pixels, and goes down ROWS rows: what it reads is widened once and goes to the three rows of
 * sums that it is part of. Neighbouring threads have neighbouring channels.
 */
#include "vectors.cuh"

#include <cuda_bf16.h>

__device__ __forceinline__ float widened(__half value) {
    return __half2float(value);
}
__device__ __forceinline__ float widened(__nv_bfloat16 value) {
    return __bfloat162float(value);
}
__device__ __forceinline__ void round_to(__half &to, float value) {
    to = __float2half_rn(value);
}
__device__ __forceinline__ void round_to(__nv_bfloat16 &to, float value) {
    to = __float2bfloat16_rn(value);
}

template <class T, int BLOCK, int VEC, int COLS, int ROWS>
__global__ void __launch_bounds__(BLOCK) depthwise(const T *__restrict__ x, const T *__restrict__ taps,
                                                   T *__restrict__ y, int height, int width, int channels) {
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    const unsigned vectors = channels / VEC, groups = (width + COLS - 1) / COLS;
    const unsigned at = blockIdx.x * BLOCK + threadIdx.x, vector = at % vectors, pixel = at / vectors;
    const int first_row = (int)(pixel / groups) * ROWS, first_column = (int)(pixel % groups) * COLS;
    if (first_row >= height) {
        return;
    }
    const long long image = (long long)blockIdx.y * height * width * vectors + vector;
    const word_t *const from = reinterpret_cast<const word_t *>(x) + image;
    word_t *const to = reinterpret_cast<word_t *>(y) + image;
    float tap[9][VEC], sum[3][COLS][VEC] = {};
#pragma unroll
    for (int k = 0; k < 9; k++) {
        Pack<T, VEC> some;
        some.word = __ldg(reinterpret_cast<const word_t *>(taps) + k * vectors + vector);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            tap[k][i] = widened(some.item[i]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) { /* row r - 1 of x, counted from the first of y */
        const int row = first_row + r - 1;
        Pack<T, VEC> in[COLS + 2];
#pragma unroll
        for (int j = 0; j < COLS + 2; j++) {
            const int column = first_column + j - 1;
            const bool is_there = row >= 0 && row < height && column >= 0 && column < width;
            in[j].word = is_there ? __ldg(from + ((long long)row * width + column) * vectors) : word_t();
        }
#pragma unroll
        for (int j = 0; j < COLS + 2; j++) {
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                const float value = widened(in[j].item[i]);
#pragma unroll
                for (int v = 0; v < 3; v++) {
#pragma unroll
                    for (int u = 0; u < 3; u++) {
                        if (j - v >= 0 && j - v < COLS && r - u >= 0 && r - u < ROWS) {
                            sum[(r - u) % 3][j - v][i] += value * tap[u * 3 + v][i];
                        }
                    }
                }
            }
        }
        if (r < 2) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < COLS; j++) { /* row r - 2 of y has all it gets */
            Pack<T, VEC> out;
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                round_to(out.item[i], sum[(r - 2) % 3][j][i]);
                sum[(r - 2) % 3][j][i] = 0;
            }
            if (row - 1 < height && first_column + j < width) {
                to[((long long)(row - 1) * width + first_column + j) * vectors] = out.word;
            }
        }
    }
}
