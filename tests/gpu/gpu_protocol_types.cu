/* SPDX-License-Identifier: Apache-2.0 */
/* Small floats: the toolkit's own conversions in the reference, against those of harness/measure/device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

typedef long long i64;

template <class T> __global__ void same(const T *in, T *out, i64 n) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

template <class T> __global__ void widen(const T *in, double *out, i64 n) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (double)(float)in[i];
    }
}
