// SPDX-License-Identifier: Apache-2.0
__global__ void plain(float *y) {
    y[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}
__global__ void plain_reference(double *y, long long n) {
    const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 1.0;
    }
}
