/* SPDX-License-Identifier: Apache-2.0 */
/* Of linear_weights.lua: weights and x in fp64, then their product. */
#include "vendor_matmul_reference.cu"

/* n rows of k weights: CODE has one each, but of 4 bits two lie in a byte. `group`: neighbours of a row that share a
 * scale and a zero point (0 everywhere without `zeros`); 0: no scales. */
template <class CODE, bool NIBBLES>
__global__ void widen(const CODE *w, const __half *scales, const unsigned char *zeros, double *to, long long n,
                      long long k, long long group, double zero) {
    const long long groups = group ? (k + group - 1) / group : 0;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n * k;
         i += (long long)gridDim.x * blockDim.x) {
        const long long row = i / k, at = i % k, of = group ? row * groups + at / group : 0;
        double value;
        if constexpr (NIBBLES) {
            value = (double)(w[row * ((k + 1) / 2) + at / 2] >> at % 2 * 4 & 15);
        } else {
            value = (double)(float)w[i];
        }
        to[i] = (value - (zeros ? (double)zeros[of] : zero)) * (group ? (double)__half2float(scales[of]) : 1.0);
    }
}
