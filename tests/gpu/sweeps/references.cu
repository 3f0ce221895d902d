// SPDX-License-Identifier: Apache-2.0
// Kernels whose references are of another shape than one thread an element.
#include <cuda_fp16.h>

template <class F> __device__ __forceinline__ void each(const unsigned char *x, long long n, F add) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        add(x[i]);
    }
}

extern "C" __global__ void count_global(const unsigned char *x, unsigned *h, long long n) {
    each(x, n, [&](unsigned bin) { atomicAdd(h + bin, 1u); });
}

extern "C" __global__ void count_shared(const unsigned char *x, unsigned *h, long long n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        s[i] = 0;
    }
    __syncthreads();
    each(x, n, [&](unsigned bin) { atomicAdd(s + bin, 1u); });
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(h + i, s[i]);
    }
}

// A thread makes one element of the output in one pass over the row (online softmax).
template <int ROWS> __global__ void attention(const float *q, const float *k, const float *v, float *o, int length) {
    const int row = blockIdx.x * ROWS + threadIdx.y, d = threadIdx.x, D = 64;
    const long long head = (long long)blockIdx.y * length * D;
    if (row >= length) {
        return;
    }
    float m = -1e30f, sum = 0, acc = 0;
    for (int j = 0; j < length; j++) {
        float s = 0;
        for (int e = 0; e < D; e++) {
            s += q[head + row * D + e] * k[head + j * D + e];
        }
        s *= 0.125f;
        const float most = fmaxf(s, m), old = expf(m - most), now = expf(s - most);
        sum = sum * old + now;
        acc = acc * old + now * v[head + j * D + d];
        m = most;
    }
    o[head + row * D + d] = acc / sum;
}

// What scale_plain multiplies by: without its prepare launch nothing is right.
extern "C" __global__ void scale_prepare(float *before) { before[threadIdx.x] = 2.0f; }

extern "C" __global__ void scale_plain(const __half *x, __half *y, const float *before, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __float2half(__half2float(y[i]) + before[threadIdx.x] * __half2float(x[i]));
    }
}

extern "C" __global__ void scale_pairs(const __half *x, __half *y, const float *, long long n) {
    const long long i = 2 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    for (long long k = i; k < n && k < i + 2; k++) {
        y[k] = __float2half(__half2float(y[k]) + 2.0f * __half2float(x[k]));
    }
}
