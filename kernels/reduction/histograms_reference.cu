/* SPDX-License-Identifier: Apache-2.0 */
/* How often each of `bins` numbers is among n keys. A block has SHARE keys and BINS of the bins. */
enum { SHARE = 1 << 20, BINS = 4096 };

extern "C" __global__ void histogram_zeros(unsigned *counts, long long bins) {
    const long long bin = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (bin < bins) {
        counts[bin] = 0;
    }
}

template <typename T>
__device__ __forceinline__ void histogram_of(const T *keys, unsigned *counts, long long n, long long bins) {
    __shared__ unsigned own[BINS];
    const long long first = (long long)blockIdx.x * SHARE, last = first + SHARE < n ? first + SHARE : n;
    const long long first_bin = (long long)blockIdx.y * BINS;
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    for (long long i = first + threadIdx.x; i < last; i += blockDim.x) {
        const long long bin = (long long)keys[i] - first_bin;
        if (bin >= 0 && bin < BINS && first_bin + bin < bins) {
            atomicAdd(own + bin, 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS && first_bin + i < bins; i += blockDim.x) {
        if (own[i] > 0) {
            atomicAdd(counts + first_bin + i, own[i]);
        }
    }
}

extern "C" __global__ void histogram_u8(const unsigned char *keys, unsigned *counts, long long n, long long bins) {
    histogram_of(keys, counts, n, bins);
}
extern "C" __global__ void histogram_u16(const unsigned short *keys, unsigned *counts, long long n, long long bins) {
    histogram_of(keys, counts, n, bins);
}
extern "C" __global__ void histogram_i32(const int *keys, unsigned *counts, long long n, long long bins) {
    histogram_of(keys, counts, n, bins);
}
