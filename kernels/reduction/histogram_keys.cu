/* SPDX-License-Identifier: Apache-2.0 */
/* Keys from 0 to bins - 1: each as likely; in rising order; the r-th most frequent as often as 1 / r says; all the one
 * in the middle. */

__device__ __forceinline__ double share_of(unsigned long long seed, unsigned long long i) { /* of 1, 1 excluded */
    unsigned long long x =
        (seed ^ i * 0x9e3779b97f4a7c15ull) + 0x9e3779b97f4a7c15ull; /* splitmix64's output function */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

struct Uniform {
    __device__ long long operator()(double i, double count, double share, long long bins) const {
        return (long long)(share * (double)bins);
    }
};
struct Sorted {
    __device__ long long operator()(double i, double count, double share, long long bins) const {
        return (long long)(i / count * (double)bins);
    }
};
struct Zipf {
    __device__ long long operator()(double i, double count, double share, long long bins) const {
        const long long rank = (long long)(exp(share * log((double)bins + 1.0)) - 1.0);
        return (rank < bins ? rank : bins - 1) * 2654435761ll % bins; /* a prime: no two ranks meet */
    }
};
struct Constant {
    __device__ long long operator()(double i, double count, double share, long long bins) const {
        return bins / 2;
    }
};

template <class Of, typename T>
__device__ __forceinline__ void fill_keys(T *out, unsigned long long count, unsigned long long seed, long long bins) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = (T)Of()((double)i, (double)count, share_of(seed, i), bins);
    }
}

#define FILL(name, Of, type, T)                                                                                        \
    extern "C" __global__ void name##_##type(T *out, unsigned long long count, unsigned long long seed,                \
                                             long long bins) {                                                         \
        fill_keys<Of>(out, count, seed, bins);                                                                         \
    }
#define FILLS(type, T)                                                                                                 \
    FILL(uniform, Uniform, type, T)                                                                                    \
    FILL(sorted, Sorted, type, T)                                                                                      \
    FILL(zipf, Zipf, type, T)                                                                                          \
    FILL(constant, Constant, type, T)
FILLS(u8, unsigned char)
FILLS(u16, unsigned short)
FILLS(i32, int)
