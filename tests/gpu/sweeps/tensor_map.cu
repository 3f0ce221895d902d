// SPDX-License-Identifier: Apache-2.0
// y = 2 x, with x brought in by the tensor memory accelerator. Beyond the edges it delivers zeros and counts the bytes.
#include <cuda_fp16.h>

#include "tma.cuh"

// Swizzles exchange the 16-byte columns of a row by the number of the 128-byte row they lie in (CUDA driver API,
// CUtensorMapSwizzle); rows of the box are as wide as the swizzle.
template <int BOX_W, int BOX_H, int SWIZZLE>
__global__ void double_tiles(const __grid_constant__ CUtensorMap map, float *y, int h, int w) {
    __shared__ alignas(1024) float tile[BOX_W * BOX_H];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned mask = SWIZZLE ? SWIZZLE / 16 - 1 : 0;
    const int left = blockIdx.x * BOX_W, top = blockIdx.y * BOX_H;
    if (threadIdx.x == 0) {
        barrier_open(&barrier, sizeof tile);
        load_tile(tile, &map, left, top, &barrier);
    }
    __syncthreads();
    barrier_wait(&barrier);
    for (int i = threadIdx.x; i < BOX_W * BOX_H; i += blockDim.x) {
        const int column = left + i % BOX_W, row = top + i / BOX_W;
        const unsigned at = (unsigned)i * 4;
        const float value = tile[(at ^ (at >> 7 & mask) << 4) / 4];
        if (column < w && row < h) {
            y[(long long)row * w + column] = 2.0f * value;
        }
    }
}

extern "C" __global__ void double_tiles_reference(const float *x, double *y, long long h, long long w) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h * w) {
        y[i] = 2.0 * x[i];
    }
}

// Bricks of 32 x 4 x 2 halves out of rows with a gap behind them; one thread an element.
extern "C" __global__ void double_bricks(const __grid_constant__ CUtensorMap map, float *y, int d, int h, int w) {
    __shared__ alignas(128) __half brick[2][4][32];
    __shared__ alignas(8) unsigned long long barrier;
    const int left = blockIdx.x * 32, top = blockIdx.y * 4, front = blockIdx.z * 2;
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        barrier_open(&barrier, sizeof brick);
        load_brick(brick, &map, left, top, front, &barrier);
    }
    __syncthreads();
    barrier_wait(&barrier);
    const int x = left + threadIdx.x, row = top + threadIdx.y, plane = front + threadIdx.z;
    if (x < w && row < h && plane < d) {
        y[((long long)plane * h + row) * w + x] = 2.0f * __half2float(brick[threadIdx.z][threadIdx.y][threadIdx.x]);
    }
}

extern "C" __global__ void double_bricks_reference(const __half *x, double *y, long long d, long long h, long long w,
                                                   long long pitch) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d * h * w) {
        y[i] = 2.0 * (double)__half2float(x[i / w * pitch + i % w]);
    }
}

// The sum of a pixel and its eight neighbours, zeros around an image: 16 pixels a block, in the order of memory, across
// rows and images; for each tap the accelerator brings those that it looks at.
extern "C" __global__ void sum_neighbours(const __grid_constant__ CUtensorMap map, float *y, int n, int h, int w) {
    __shared__ alignas(128) float taps[9][16][8];
    __shared__ alignas(8) unsigned long long barrier;
    const int first = blockIdx.x * 16, pixel = first + threadIdx.x / 8;
    if (threadIdx.x == 0) {
        barrier_open(&barrier, sizeof taps);
        for (int tap = 0; tap < 9; tap++) {
            load_pixels(taps[tap], &map, 0, first % w - 1, first / w % h - 1, first / w / h, tap % 3, tap / 3,
                        &barrier);
        }
    }
    __syncthreads();
    barrier_wait(&barrier);
    if (pixel < n * h * w) {
        float sum = 0;
        for (int tap = 0; tap < 9; tap++) {
            sum += taps[tap][threadIdx.x / 8][threadIdx.x % 8];
        }
        y[pixel * 8 + threadIdx.x % 8] = sum;
    }
}

extern "C" __global__ void sum_neighbours_reference(const float *x, double *y, long long n, long long h, long long w) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, column = i / 8 % w, row = i / 8 / w % h;
    if (i < n * h * w * 8) {
        y[i] = 0;
        for (long long r = row > 0 ? -1 : 0; r <= (row < h - 1 ? 1 : 0); r++) {
            for (long long s = column > 0 ? -1 : 0; s <= (column < w - 1 ? 1 : 0); s++) {
                y[i] += (double)x[i + (r * w + s) * 8];
            }
        }
    }
}
