// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void exchange_tiles_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (i ^ 256) < n ? 2.0 * x[i ^ 256] : 0.0;
    }
}
