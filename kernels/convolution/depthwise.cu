/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter of 3 x 3 for each channel, images in NHWC, zeros around them: y has the size of x. A thread has VEC channels
 * of COLS neighbouring pixels, and goes down ROWS rows: what it reads is widened once and goes to the three rows of
 * sums that it is part of. Neighbouring threads have neighbouring channels.
 */
#include "bulk_tiles.cuh"
#include "l2_policy.cuh"
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

/*
 * The same out of a ring of rows in shared memory, 64 channels and WARPS x COLS pixels wide, which the accelerator
 * brings with a pixel more on both sides and zeros around the image: what is on its way takes no registers. A lane has
 * two channels, a warp COLS pixels. sm_90 and newer; channels are a multiple of 8. TURN: every other strip goes up, so
 * that two that share rows meet them together. WRITE: a hint of l2_policy.cuh.
 */
template <class T, int WARPS, int COLS, int ROWS, int STAGES, bool TURN, class WRITE>
__device__ __forceinline__ void go_by_rows(const CUtensorMap &x, const T *__restrict__ taps, T *__restrict__ y,
                                           int height, int width, int channels) {
#if __CUDA_ARCH__ >= 900
    constexpr int PIXELS = WARPS * COLS + 2, STAGE_BYTES = PIXELS * 128;
    extern __shared__ __align__(128) unsigned char staged[];
    const unsigned stages = shared_address(staged), full = stages + STAGES * STAGE_BYTES;
    const int slices = (channels + 63) / 64, segments = (width + WARPS * COLS - 1) / (WARPS * COLS);
    const int strips = (height + ROWS - 1) / ROWS;
    const int channel = blockIdx.x % slices * 64, own_channel = channel + threadIdx.x % 32 * 2;
    const int first_column = (int)(blockIdx.x / slices % segments) * (WARPS * COLS);
    const int strip = (int)(blockIdx.x / slices / segments % strips), first_row = strip * ROWS;
    const int image = blockIdx.x / slices / segments / strips;
    const bool up = TURN && strip % 2 == 1;
    const int in_stage = threadIdx.x / 32 * COLS, column = first_column + in_stage;
    const int rows = (height - first_row < ROWS ? height - first_row : ROWS) + 2;
    const int begin = up ? first_row + rows - 2 : first_row - 1, down = up ? -1 : 1; /* rows of x: begin + r down */
    auto load = [&](int r, int stage) {
        bulk_expect(full + stage * 8, STAGE_BYTES);
        bulk_load_row(stages + stage * STAGE_BYTES, &x, channel, Pixel{first_column - 1, begin + r * down, image},
                      full + stage * 8);
    };
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        bulk_barrier_publish();
        for (int stage = 0; stage < STAGES && stage < rows; stage++) {
            load(stage, stage);
        }
    }
    float tap[9][2]; /* their rows in the order in which those of x come */
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const int of = up ? (2 - k / 3) * 3 + k % 3 : k;
        tap[k][0] = own_channel < channels ? widened(taps[of * channels + own_channel]) : 0;
        tap[k][1] = own_channel < channels ? widened(taps[of * channels + own_channel + 1]) : 0;
    }
    __syncthreads();
    T *to = y + (((long long)image * height + begin + down) * width + column) * channels + own_channel;
    float sum[3][COLS][2] = {}; /* of the rows before, at and behind the one that is read */
    int stage = 0;
    unsigned parity = 0;
#pragma unroll 3
    for (int r = 0; r < rows; r++) {
        bulk_wait(full + stage * 8, parity);
        const T *const from =
            reinterpret_cast<const T *>(staged + stage * STAGE_BYTES) + in_stage * 64 + threadIdx.x % 32 * 2;
#pragma unroll
        for (int j = 0; j < COLS + 2; j++) {
            Pack<T, 2> in;
            in.word = *reinterpret_cast<const unsigned *>(from + j * 64);
            const float value[2] = {widened(in.item[0]), widened(in.item[1])};
#pragma unroll
            for (int v = 0; v < 3; v++) {
                if (j - v >= 0 && j - v < COLS) {
#pragma unroll
                    for (int i = 0; i < 6; i++) {
                        sum[i / 2][j - v][i % 2] += value[i % 2] * tap[(2 - i / 2) * 3 + v][i % 2];
                    }
                }
            }
        }
        __syncthreads(); /* no thread reads the stage any more */
        if (threadIdx.x == 0 && r + STAGES < rows) {
            load(r + STAGES, stage);
        }
        if (r >= 2) {
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                Pack<T, 2> out;
                round_to(out.item[0], sum[0][j][0]);
                round_to(out.item[1], sum[0][j][1]);
                if (own_channel < channels && column + j < width) {
                    store_as(WRITE(), reinterpret_cast<unsigned *>(to + (long long)j * channels), out.word);
                }
            }
            to += (long long)(width * channels) * down;
        }
#pragma unroll
        for (int j = 0; j < COLS * 2; j++) {
            sum[0][j / 2][j % 2] = sum[1][j / 2][j % 2];
            sum[1][j / 2][j % 2] = sum[2][j / 2][j % 2];
            sum[2][j / 2][j % 2] = 0;
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
#endif
}

template <class T, int WARPS, int COLS, int ROWS, int STAGES>
__global__ void __launch_bounds__(WARPS * 32)
    depthwise_ring(const __grid_constant__ CUtensorMap x, const T *__restrict__ taps, T *__restrict__ y, int height,
                   int width, int channels) {
    go_by_rows<T, WARPS, COLS, ROWS, STAGES, false, plain>(x, taps, y, height, width, channels);
}

template <class T, int WARPS, int COLS, int ROWS, int STAGES>
__global__ void __launch_bounds__(WARPS * 32)
    depthwise_turning(const __grid_constant__ CUtensorMap x, const T *__restrict__ taps, T *__restrict__ y, int height,
                      int width, int channels) {
    go_by_rows<T, WARPS, COLS, ROWS, STAGES, true, plain>(x, taps, y, height, width, channels);
}

template <class T, int WARPS, int COLS, int ROWS, int STAGES, class WRITE>
__global__ void __launch_bounds__(WARPS * 32)
    depthwise_kept(const __grid_constant__ CUtensorMap x, const T *__restrict__ taps, T *__restrict__ y, int height,
                   int width, int channels) {
    go_by_rows<T, WARPS, COLS, ROWS, STAGES, true, WRITE>(x, taps, y, height, width, channels);
}
