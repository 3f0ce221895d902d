/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index[0] = where the largest of n floats is; of several equal ones the first. A value and its place are one whole
 * number of 64 bits, the value above: the largest of them is the answer in whatever order it is found.
 */
#include "top_keys.cuh"

/* x is a multiple of 16 bytes. `best` has a word, zero before the launch and behind it, `done` a counter likewise. */
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1) argmax_keys(const float *__restrict__ x, int *__restrict__ index,
                                                        unsigned long long *best, unsigned *done, long long n) {
    const long long vectors = n / 4, step = (long long)gridDim.x * (BLOCK * ITEMS);
    float most = x[0];
    long long place = 0; /* a thread meets places in rising order: a later one must be larger */
#pragma unroll 1
    for (long long first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x; first - threadIdx.x < vectors;
         first += step) {
        float4 item[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (first + i * BLOCK < vectors) {
                item[i] = __ldcs(reinterpret_cast<const float4 *>(x) + first + i * BLOCK);
            } else {
                item[i] = make_float4(most, most, most, most);
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const float of_vector = fmaxf(fmaxf(item[i].x, item[i].y), fmaxf(item[i].z, item[i].w));
            if (of_vector > most) {
                most = of_vector;
                place = (first + i * BLOCK) * 4 + (item[i].x == most   ? 0
                                                   : item[i].y == most ? 1
                                                   : item[i].z == most ? 2
                                                                       : 3);
            }
        }
    }
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n && x[rest] > most) {
        most = x[rest];
        place = rest;
    }
    const unsigned long long key = largest_of_block<BLOCK>(key_of(most, (unsigned)place));
    if (threadIdx.x == 0) {
        atomicMax(best, key);
        __threadfence();
        if (atomicInc(done, gridDim.x - 1) == gridDim.x - 1) {
            __threadfence();
            index[0] = (int)place_of(atomicExch(best, 0ull));
        }
    }
}
