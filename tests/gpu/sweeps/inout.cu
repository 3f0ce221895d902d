// SPDX-License-Identifier: Apache-2.0
// y = y + 100 + x. Met twice, y gives itself away: nobody restored it.
#include <cuda_fp16.h>

template <class T> __global__ void raise(const T *x, T *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if ((float)y[i] > 50.0f) {
            __trap();
        }
        y[i] = (T)((float)y[i] + 100.0f + (float)x[i]);
    }
}

// y arrives holding its original values: as doubles where T is a floating-point type.
template <class T, class R> __global__ void raise_reference(const T *x, R *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = y[i] + (R)100 + (R)(float)x[i];
    }
}
