// SPDX-License-Identifier: Apache-2.0
__device__ double bias;

extern "C" __global__ void filter_reference(const float *weights, const int *table, const float *x, double *y,
                                            long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int k = 0; k < 9; k++) {
            sum += (double)weights[k] * x[(i + k) % n];
        }
        y[i] = 3.0 * sum + table[(i + 7) % 1000] + bias;
    }
}
