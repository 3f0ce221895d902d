/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in fp64: a block has 64 pixels x 64 outputs, whose taps pass through shared memory, and finds its tiles itself.
 */
#include <cuda_bf16.h>

#define TILE 64
#define PITCH (TILE + 1) /* so that a warp fills it without conflicts */
#define DEPTH 16         /* channels */
#define EACH 4           /* pixels and outputs of a thread, 16 apart */

struct Sizes {
    long long n, h, w, c, k;
};

/* 16 channels of a tap: of 64 pixels from `first` on, or of as many filters. */
__device__ void load_pixels(double (*to)[PITCH], const __nv_bfloat16 *x, const Sizes &of, long long first, int tap,
                            long long channel) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
        const long long pixel = first + i / DEPTH, c = channel + i % DEPTH;
        const long long column = pixel % of.w + tap % 3 - 1, row = pixel / of.w % of.h + tap / 3 - 1;
        const bool inside =
            pixel < of.n * of.h * of.w && c < of.c && column >= 0 && column < of.w && row >= 0 && row < of.h;
        const long long at = (pixel + (tap / 3 - 1) * of.w + tap % 3 - 1) * of.c + c;
        to[i % DEPTH][i / DEPTH] = inside ? (double)__bfloat162float(x[at]) : 0.0;
    }
}
__device__ void load_filters(double (*to)[PITCH], const __nv_bfloat16 *filters, const Sizes &of, long long first,
                             int tap, long long channel) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
        const long long output = first + i / DEPTH, c = channel + i % DEPTH;
        const bool inside = output < of.k && c < of.c;
        to[i % DEPTH][i / DEPTH] = inside ? (double)__bfloat162float(filters[(output * 9 + tap) * of.c + c]) : 0.0;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    convolution_nhwc_reference(const __nv_bfloat16 *filters, const __nv_bfloat16 *x, double *y, long long n,
                               long long h, long long w, long long c, long long k) {
    __shared__ double a[DEPTH][PITCH];
    __shared__ double b[DEPTH][PITCH];
    const Sizes of = {n, h, w, c, k};
    const long long columns = (k + TILE - 1) / TILE, tiles = (n * h * w + TILE - 1) / TILE * columns;
    const int down = threadIdx.x / 16, across = threadIdx.x % 16;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long pixel = tile / columns * TILE, output = tile % columns * TILE;
        double sums[EACH * EACH] = {};
        for (long long part = 0; part < 9 * ((c + DEPTH - 1) / DEPTH); part++) {
            const int tap = (int)(part % 9);
            load_pixels(a, x, of, pixel, tap, part / 9 * DEPTH);
            load_filters(b, filters, of, output, tap, part / 9 * DEPTH);
            __syncthreads();
            for (int step = 0; step < DEPTH; step++) {
                for (int i = 0; i < EACH * EACH; i++) {
                    sums[i] += a[step][down + i / EACH * 16] * b[step][across + i % EACH * 16];
                }
            }
            __syncthreads();
        }
        for (int i = 0; i < EACH * EACH; i++) {
            const long long row = pixel + down + i / EACH * 16, column = output + across + i % EACH * 16;
            if (row < n * h * w && column < k) {
                y[row * k + column] = sums[i];
            }
        }
    }
}
