/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that tell how exact a matrix product is. A number depends on the seed and its place alone. */

__device__ __forceinline__ unsigned long long mixed(unsigned long long x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ __forceinline__ unsigned long long bits_at(unsigned long long seed, unsigned long long place) {
    return mixed(seed + (place + 1) * 0x9e3779b97f4a7c15ull);
}

/* In [-1, 1), a multiple of 2^-23. */
__device__ __forceinline__ float even(unsigned long long bits) {
    return (float)(int)(bits >> 40) * 0x1p-23f - 1.0f;
}

/* Exponents of two from -12 to 12, each as often: a sum's largest terms are 2^48 times its smallest. */
extern "C" __global__ void wide(float *out, unsigned long long count, unsigned long long seed) {
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const unsigned long long bits = bits_at(seed, i);
        out[i] = ldexpf(even(bits), (int)(bits % 25) - 12);
    }
}

/* Along k, which is `apart` elements from one to the next and `k` long, the second half is as large as the first; with
 * `opposite`, of the other sign and off by up to 2^-6. So sums grow up to half of k and then fall to 2^-6 of that. */
extern "C" __global__ void cancelling(float *out, unsigned long long count, unsigned long long seed, long long apart,
                                      long long k, int opposite) {
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const long long half = k / 2, at = i / apart % k;
    if (at < half || at >= 2 * half) { /* an odd one at the end has no other half: it is small */
        out[i] = even(bits_at(seed, i)) * (at < half ? 1.0f : 0x1p-6f);
        return;
    }
    const float first = even(bits_at(seed, i - half * apart));
    out[i] = opposite ? -first * (1.0f + even(bits_at(seed, i)) * 0x1p-6f) : first;
}
