// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sgemm_reference(const float *a, const float *b, double *c, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n) return;
    const long long row = i / n, column = i % n;
    double sum = 0.0;
    for (long long j = 0; j < n; j++) sum += (double)a[row * n + j] * (double)b[j * n + column];
    c[i] = sum;
}
