// SPDX-License-Identifier: Apache-2.0
// y = 2 x: the reference of several sweeps here.
extern "C" __global__ void double_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 2.0 * x[i];
    }
}
