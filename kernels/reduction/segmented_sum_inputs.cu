/* SPDX-License-Identifier: Apache-2.0 */
/* Where segments begin, in n elements: count - 1 segments. The first begins at 0, and the last offset is n. */
extern "C" __global__ void even_offsets(int *out, unsigned long long count, unsigned long long seed, long long n) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, segments = count - 1;
    if (i < count) {
        unsigned long long x = (seed + i) * 0x9e3779b97f4a7c15ull; /* within its part, at random */
        x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9ull;
        const double share = (double)(x >> 40) * 0x1p-24;
        out[i] = (int)(i == 0 ? 0.0 : i == segments ? (double)n : ((double)i + share) * ((double)n / (double)segments));
    }
}

/* Half of the elements lie in some 128 long segments, one after every so many short ones. */
extern "C" __global__ void skewed_offsets(int *out, unsigned long long count, unsigned long long seed, long long n) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, segments = (long long)count - 1;
    const long long period = segments / 128 > 2 ? segments / 128 : 2;
    const long long all_long = (segments + period - 1) / period, before = (i + period - 1) / period; /* long ones */
    if (i <= segments) {
        const double of_long = 0.5 * (double)n / (double)all_long;
        const double of_short = 0.5 * (double)n / (double)(segments - all_long > 0 ? segments - all_long : 1);
        out[i] = i == segments ? (int)n : (int)((double)before * of_long + (double)(i - before) * of_short);
    }
}
