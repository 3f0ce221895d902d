// SPDX-License-Identifier: Apache-2.0
// Sums over groups of d neighbours: of all, or (causal) of those up to the own place. d is a template argument, causal
// and GROUPS are macros.
template <int d> __global__ void sum_groups(const float *x, float *y, long long n) {
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (int g = 0; g < GROUPS; g++) {
        const long long first = (thread * GROUPS + g) * d;
        float sum = 0.0f;
        for (int k = 0; k < d && first + k < n; k++) {
            sum += x[first + k];
#if causal
            y[first + k] = sum;
#endif
        }
#if !causal
        for (int k = 0; k < d && first + k < n; k++) {
            y[first + k] = sum;
        }
#endif
    }
}
