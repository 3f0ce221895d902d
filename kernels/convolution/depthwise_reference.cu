/* SPDX-License-Identifier: Apache-2.0 */
/* An element a thread, in fp64. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__device__ void depthwise_element(const T *taps, const T *x, double *y, long long n, long long h, long long w,
                                  long long c) {
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long channel = at % c, column = at / c % w, row = at / c / w % h;
    if (at >= n * h * w * c) {
        return;
    }
    double sum = 0.0;
    for (long long u = 0; u < 3; u++) {
        for (long long v = 0; v < 3; v++) {
            if (row + u >= 1 && row + u <= h && column + v >= 1 && column + v <= w) {
                sum +=
                    (double)(float)taps[(u * 3 + v) * c + channel] * (double)(float)x[at + ((u - 1) * w + v - 1) * c];
            }
        }
    }
    y[at] = sum;
}
extern "C" __global__ void depthwise_f16_reference(const __half *taps, const __half *x, double *y, long long n,
                                                   long long h, long long w, long long c) {
    depthwise_element(taps, x, y, n, h, w, c);
}
extern "C" __global__ void depthwise_bf16_reference(const __nv_bfloat16 *taps, const __nv_bfloat16 *x, double *y,
                                                    long long n, long long h, long long w, long long c) {
    depthwise_element(taps, x, y, n, h, w, c);
}
