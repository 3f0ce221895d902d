/* SPDX-License-Identifier: Apache-2.0 */
/* What fills decode's page table and lengths. */

/* A bijection of [0, below): a Feistel network over the next power of four, asked again until it lands inside. */
__device__ unsigned long long shuffled(unsigned long long i, unsigned long long below, unsigned long long seed) {
    int half = 1;
    while (half < 31 && (1ull << 2 * half) < below) {
        half++;
    }
    const unsigned long long mask = (1ull << half) - 1;
    do {
        unsigned long long left = i >> half, right = i & mask;
        for (int round = 0; round < 4; round++) {
            unsigned long long mixed = (right + seed + round) * 0x9e3779b97f4a7c15ull;
            mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
            const unsigned long long next = (left ^ mixed >> 32) & mask;
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= below);
    return i;
}

/* Every page once, in an order without order. */
extern "C" __global__ void pages(int *out, unsigned long long count, unsigned long long seed) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = (int)shuffled(i, count, seed);
    }
}

/* All the longest, or lengths from there down to an eighth of it, as decode.lua counts them. */
extern "C" __global__ void lengths(int *out, unsigned long long count, unsigned long long, long long longest,
                                   int ragged) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        const long long all = (long long)count, shorter = (long long)i * 5 % all;
        out[i] = (int)(longest - (ragged ? 7 * longest * shorter / (8 * all) : 0));
    }
}
