/* SPDX-License-Identifier: Apache-2.0 */
extern "C" __global__ void strided_read_reference(const float *x, double *y, long long n, long long stride) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i * stride];
    }
}
