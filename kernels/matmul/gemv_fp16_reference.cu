/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_fp16.h>

extern "C" __global__ void gemv_fp16_reference(const __half *w, const __half *x, double *y, long long n, long long k) {
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) {
        return;
    }
    double sum = 0.0;
    for (long long i = 0; i < k; i++) {
        sum += (double)__half2float(w[row * k + i]) * (double)__half2float(x[i]);
    }
    y[row] = sum;
}
