/* SPDX-License-Identifier: Apache-2.0 */
/* eps is that of embedding_norm.lua. Every element sums its row again: slow, but nothing is shared that could be wrong.
 */
#include <cuda_fp16.h>

extern "C" __global__ void embedding_norm_reference(const int *ids, double *out, const __half *table,
                                                    const __half *weight, long long t, long long d, long long v) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t * d) {
        return;
    }
    const __half *row = table + ids[i / d] * d;
    double sum = 0.0;
    for (long long k = 0; k < d; k++) {
        const double x = (double)__half2float(row[k]);
        sum += x * x;
    }
    const double eps = (double)1e-6f;
    out[i] = (double)__half2float(row[i % d]) / sqrt(sum / (double)d + eps) * (double)__half2float(weight[i % d]);
}
