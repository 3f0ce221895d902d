/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y[i][j] = sum of x[i + u][j + v] d_filter[u][v], one channel: x has filter - 1 rows and columns more than y. The
 * macro `filter` is the problem's. Coefficients are the same for all threads, so they come out of constant memory by
 * broadcast.
 */
__constant__ float d_filter[filter * filter];

/* A pixel a thread, straight from x. */
template <int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    convolution_pixels(const float *__restrict__ x, float *__restrict__ y, long long height, long long width) {
    const long long column = (long long)blockIdx.x * BLOCK_X + threadIdx.x % BLOCK_X;
    const long long row = (long long)blockIdx.y * BLOCK_Y + threadIdx.x / BLOCK_X, pitch = width + filter - 1;
    if (row >= height || column >= width) {
        return;
    }
    float sum = 0;
#pragma unroll 1
    for (int u = 0; u < filter; u++) {
#pragma unroll
        for (int v = 0; v < filter; v++) {
            sum += __ldg(x + (row + u) * pitch + column + v) * d_filter[u * filter + v];
        }
    }
    y[row * width + column] = sum;
}

/* What pixels from (row, column) on read, in shared memory: ROWS rows of PITCH; zeros where x ends. */
template <int THREADS, int ROWS, int PITCH>
__device__ __forceinline__ void load_tile(float *tile, const float *__restrict__ x, long long row, long long column,
                                          long long height, long long width) {
    const long long rows = height + filter - 1 - row, columns = width + filter - 1 - column;
    const float *from = x + row * (width + filter - 1) + column;
#pragma unroll 4
    for (int i = threadIdx.x; i < ROWS * PITCH; i += THREADS) {
        const int r = i / PITCH, c = i % PITCH;
        tile[i] = r < rows && c < columns ? __ldg(from + r * (width + filter - 1) + c) : 0.0f;
    }
    __syncthreads();
}

/* TILE_X by TILE_Y pixels a thread, a block's width and height apart. Each product reads shared memory. */
template <int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    convolution_tile(const float *__restrict__ x, float *__restrict__ y, long long height, long long width) {
    constexpr int PITCH = BLOCK_X * TILE_X + filter - 1, ROWS = BLOCK_Y * TILE_Y + filter - 1;
    extern __shared__ __align__(128) unsigned char staged[];
    float *const tile = reinterpret_cast<float *>(staged);
    const long long row = (long long)blockIdx.y * (BLOCK_Y * TILE_Y),
                    column = (long long)blockIdx.x * (BLOCK_X * TILE_X);
    load_tile<BLOCK_X * BLOCK_Y, ROWS, PITCH>(tile, x, row, column, height, width);
    const int across = threadIdx.x % BLOCK_X, down = threadIdx.x / BLOCK_X;
    float sum[TILE_Y][TILE_X] = {};
#pragma unroll 1
    for (int u = 0; u < filter; u++) {
#pragma unroll
        for (int v = 0; v < filter; v++) {
            const float factor = d_filter[u * filter + v];
#pragma unroll
            for (int i = 0; i < TILE_Y; i++) {
#pragma unroll
                for (int j = 0; j < TILE_X; j++) {
                    sum[i][j] += tile[(down + i * BLOCK_Y + u) * PITCH + across + j * BLOCK_X + v] * factor;
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TILE_Y; i++) {
#pragma unroll
        for (int j = 0; j < TILE_X; j++) {
            const long long r = row + down + i * BLOCK_Y, c = column + across + j * BLOCK_X;
            if (r < height && c < width) {
                y[r * width + c] = sum[i][j];
            }
        }
    }
}

/*
 * TILE_X by TILE_Y neighbouring pixels a thread. It reads each row of what they need once, in vectors, and multiplies
 * it from registers for all pixels that it is part of. UNROLLED: no loop is left, so that coefficients are operands of
 * the multiplications; else they are loaded into registers.
 */
template <int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, bool UNROLLED>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    convolution_registers(const float *__restrict__ x, float *__restrict__ y, long long height, long long width) {
    static_assert(TILE_X % 4 == 0, "whole vectors");
    constexpr int PITCH = (BLOCK_X * TILE_X + filter + 2) / 4 * 4, VECTORS = (TILE_X + filter + 2) / 4;
    constexpr int STEPS = TILE_Y + filter - 1, UNROLL = UNROLLED ? STEPS : 1;
    extern __shared__ __align__(128) unsigned char staged[];
    float *const tile = reinterpret_cast<float *>(staged);
    const long long row = (long long)blockIdx.y * (BLOCK_Y * TILE_Y),
                    column = (long long)blockIdx.x * (BLOCK_X * TILE_X);
    load_tile<BLOCK_X * BLOCK_Y, BLOCK_Y * TILE_Y + filter - 1, PITCH>(tile, x, row, column, height, width);
    const int across = threadIdx.x % BLOCK_X * TILE_X, down = threadIdx.x / BLOCK_X * TILE_Y;
    float sum[TILE_Y][TILE_X] = {};
#pragma unroll UNROLL
    for (int step = 0; step < STEPS; step++) {
        float in[VECTORS * 4];
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
            const float4 four = *reinterpret_cast<const float4 *>(tile + (down + step) * PITCH + across + i * 4);
            in[i * 4] = four.x;
            in[i * 4 + 1] = four.y;
            in[i * 4 + 2] = four.z;
            in[i * 4 + 3] = four.w;
        }
#pragma unroll
        for (int i = 0; i < TILE_Y; i++) {
            if (step - i >= 0 && step - i < filter) {
#pragma unroll
                for (int v = 0; v < filter; v++) {
                    const float factor = d_filter[(step - i) * filter + v];
#pragma unroll
                    for (int j = 0; j < TILE_X; j++) {
                        sum[i][j] += in[j + v] * factor;
                    }
                }
            }
        }
    }
    const bool whole = width % 4 == 0; /* then vectors lie on multiples of 16 bytes */
#pragma unroll
    for (int i = 0; i < TILE_Y; i++) {
        const long long r = row + down + i, c = column + across;
#pragma unroll
        for (int j = 0; j < TILE_X; j += 4) {
            if (whole && r < height && c + j < width) {
                *reinterpret_cast<float4 *>(y + r * width + c + j) =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            }
        }
#pragma unroll
        for (int j = 0; j < TILE_X; j++) {
            if (!whole && r < height && c + j < width) {
                y[r * width + c + j] = sum[i][j];
            }
        }
    }
}
