/* SPDX-License-Identifier: Apache-2.0 */
extern "C" __global__ void matmul_fp32_reference(const float *a, const float *b, double *c, long long m, long long n,
                                                 long long k) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) {
        return;
    }
    const long long row = i / n, column = i % n;
    double sum = 0.0;
    for (long long j = 0; j < k; j++) {
        sum += (double)a[row * k + j] * (double)b[j * n + column];
    }
    c[i] = sum;
}
