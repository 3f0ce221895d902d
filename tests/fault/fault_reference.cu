// SPDX-License-Identifier: Apache-2.0
// In a file of its own: the reference is compiled without the parameters' macros.
extern "C" __global__ void fault_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + 1.0;
    }
}
