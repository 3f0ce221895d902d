// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
extern "C" __global__ void reference(const __half *a, const __half *b, double *c, long long m, long long n,
                                     long long k) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < m * n) {
        double sum = 0;
        for (long long e = 0; e < k; e++) {
            sum += (double)__half2float(a[i / n * k + e]) * (double)__half2float(b[i % n * k + e]);
        }
        c[i] = sum;
    }
}
