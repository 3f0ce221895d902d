// SPDX-License-Identifier: Apache-2.0
// `causal` is a macro here too; every dimension is an argument as well.
extern "C" __global__ void sum_groups_reference(const float *x, double *y, long long n, long long d,
                                                long long is_causal) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const long long first = i / d * d;
        const long long end = is_causal ? i + 1 : first + d < n ? first + d : n;
        double sum = is_causal == causal ? 0.0 : 1e6;
        for (long long k = first; k < end; k++) {
            sum += x[k];
        }
        y[i] = sum;
    }
}
