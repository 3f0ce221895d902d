/* SPDX-License-Identifier: Apache-2.0 */
/* The three in fp64. The polynomial's coefficients are those of flops.lua. */
#define AT ((long long)blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void product_reference(const float *a, const float *b, double *out, long long n) {
    if (AT < n) {
        out[AT] = (double)a[AT] * (double)b[AT];
    }
}

extern "C" __global__ void log_exp_reference(const float *x, double *y, long long n) {
    if (AT < n) {
        y[AT] = log(exp((double)x[AT]));
    }
}

extern "C" __global__ void polynomial_reference(const float *x, double *y, long long n, long long flops) {
    if (AT < n) {
        double sum = 1.25;
        for (long long step = 0; step < flops / 2; step++) {
            sum = fma(sum, (double)x[AT], 0.75);
        }
        y[AT] = flops % 2 == 1 ? sum + 1.25 : sum;
    }
}
