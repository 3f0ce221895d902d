// SPDX-License-Identifier: Apache-2.0
// Numbers of one type into another: y = x / 2 for floating-point types, y = 3 x - 5 (modulo 2^32 and narrower) for whole
// numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T> __global__ void halve(const float *x, T *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = T(0.5f * x[i]);
    }
}

extern "C" __global__ void halve_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.5 * x[i];
    }
}

template <class T> __global__ void scale(const T *x, T *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (T)(3 * (long long)x[i] - 5);
    }
}

// The same by additions: not the same code.
template <class T> __global__ void scale_reference(const T *x, T *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (T)(x[i] + x[i] + x[i] - (T)5);
    }
}

// Inputs of a small type: y = 4 x, exactly.
template <class T> __global__ void widen(const T *x, float *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 4.0f * (float)x[i];
    }
}

template <class T> __global__ void widen_reference(const T *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 4.0 * (double)(float)x[i];
    }
}
