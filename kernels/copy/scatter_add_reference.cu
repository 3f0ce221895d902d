/* SPDX-License-Identifier: Apache-2.0 */
/* table[ids[i]] += x[i]; whole numbers, so that the order of additions changes nothing. A thread an element of x. */
extern "C" __global__ void scatter_add_reference(const int *ids, double *table, const float *x, long long t,
                                                 long long d, long long v) {
    const long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < t * d; at += threads) {
        atomicAdd(table + ids[at / d] * d + at % d, (double)x[at]);
    }
}
