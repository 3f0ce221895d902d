// SPDX-License-Identifier: Apache-2.0
// References that are launched as the script says.

extern "C" __global__ void scores(const float *q, const float *k, double *s, long long length) {
    const long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, head = blockIdx.z;
    if (j >= length) {
        return;
    }
    double sum = 0;
    for (int e = 0; e < 64; e++) {
        sum += (double)q[(head * length + i) * 64 + e] * k[(head * length + j) * 64 + e];
    }
    s[(head * length + i) * length + j] = sum * 0.125;
}

template <class F> __device__ double reduce(double *part, double mine, F both) {
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x] = both(part[threadIdx.x], part[threadIdx.x + half]);
        }
        __syncthreads();
    }
    const double all = part[0];
    __syncthreads();
    return all;
}

extern "C" __global__ void softmax_rows(double *s, long long length) {
    extern __shared__ double part[];
    double *row = s + blockIdx.x * length, most = -1e300, sum = 0;
    for (long long j = threadIdx.x; j < length; j += blockDim.x) {
        most = fmax(most, row[j]);
    }
    most = reduce(part, most, [](double a, double b) { return fmax(a, b); });
    for (long long j = threadIdx.x; j < length; j += blockDim.x) {
        row[j] = exp(row[j] - most);
        sum += row[j];
    }
    sum = reduce(part, sum, [](double a, double b) { return a + b; });
    for (long long j = threadIdx.x; j < length; j += blockDim.x) {
        row[j] /= sum;
    }
}

extern "C" __global__ void mix(const double *s, const float *v, double *o, long long length) {
    const long long row = blockIdx.x, head = row / length;
    double sum = 0;
    for (long long j = 0; j < length; j++) {
        sum += s[row * length + j] * v[(head * length + j) * 64 + threadIdx.x];
    }
    o[row * 64 + threadIdx.x] = sum;
}

#include <cuda_fp16.h>

extern "C" __global__ void scale_reference(const __half *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += 2.0 * (double)__half2float(x[i]);
    }
}
