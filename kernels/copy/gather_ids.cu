/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of v are asked for: fills of buffers of ids, and of what is added to rows. */

/* splitmix64's output function. */
__device__ __forceinline__ unsigned long long mixed(unsigned long long x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
__device__ __forceinline__ unsigned long long draw(unsigned long long seed, unsigned long long i) {
    return mixed(mixed(seed) + i);
}
__device__ __forceinline__ double draw_share(unsigned long long seed, unsigned long long i) { /* of 1, 1 excluded */
    return (double)(draw(seed, i) >> 11) * 0x1p-53;
}
__device__ __forceinline__ unsigned long long place() {
    return blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
}

extern "C" __global__ void random_ids(int *out, unsigned long long count, unsigned long long seed, long long v) {
    const unsigned long long i = place();
    if (i < count) {
        out[i] = (int)(draw(seed, i) % v);
    }
}

/* One at random out of each of `count` equal parts of the table. */
extern "C" __global__ void sorted_ids(int *out, unsigned long long count, unsigned long long seed, long long v) {
    const unsigned long long i = place();
    if (i < count) {
        const long long id = (long long)(((double)i + draw_share(seed, i)) * ((double)v / (double)count));
        out[i] = (int)(id < v ? id : v - 1);
    }
}

/* Runs of `run` neighbours, each from a place at random. */
extern "C" __global__ void clustered_ids(int *out, unsigned long long count, unsigned long long seed, long long v,
                                         int run) {
    const unsigned long long i = place();
    if (i < count) {
        out[i] = (int)((draw(seed, i / run) % v + i % run) % v);
    }
}

/* The r-th most frequent row comes as often as 1 / r says; where it lies has nothing to do with r. */
extern "C" __global__ void zipf_ids(int *out, unsigned long long count, unsigned long long seed, long long v) {
    const unsigned long long i = place();
    if (i < count) {
        const double rank = exp(draw_share(seed, i) * log((double)v + 1.0)) - 1.0;
        const long long r = (long long)rank < v ? (long long)rank : v - 1;
        out[i] = (int)((unsigned long long)r * 2654435761ull % v); /* a prime: no two ranks meet, unless it divides v */
    }
}

/* Every other one is the row in the middle. */
extern "C" __global__ void duplicated_ids(int *out, unsigned long long count, unsigned long long seed, long long v) {
    const unsigned long long i = place();
    if (i < count) {
        out[i] = i % 2 ? (int)(v / 2) : (int)(draw(seed, i) % v);
    }
}

/* Whole numbers from -4 to 4: fp32 adds them up exactly in any order. */
extern "C" __global__ void whole_numbers(float *out, unsigned long long count, unsigned long long seed) {
    const unsigned long long i = place();
    if (i < count) {
        out[i] = (float)((int)(draw(seed, i) % 9) - 4);
    }
}
