// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void scale_reference(const float *x, double *y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 2.5 * x[i] + 3.0 - 12.0;
    }
}
