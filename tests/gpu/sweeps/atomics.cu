// SPDX-License-Identifier: Apache-2.0
// Additions into bins, in the L2 and in shared memory.

// A step of the golden ratio: neighbouring lanes are far apart, and every bin has its turn. `bins` is a power of two.
#define STEP 2654435761u

extern "C" __global__ void count_in_l2(unsigned *h, long long n, long long bins) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    const unsigned mask = (unsigned)bins - 1;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(h + ((unsigned)i * STEP & mask), 1u);
    }
}

// Bin b has turns i = b / STEP (mod bins), and every `bins` later.
extern "C" __global__ void counts_in_l2(unsigned *h, long long n, long long bins) {
    const long long b = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inverse = STEP; // Newton's steps double the bits that are right
    for (int k = 0; k < 5; k++) {
        inverse *= 2u - STEP * inverse;
    }
    if (b < bins) {
        const long long first = (unsigned)b * inverse & ((unsigned)bins - 1);
        h[b] = first < n ? (unsigned)((n - 1 - first) / bins + 1) : 0;
    }
}

// A histogram of bytes: 16 of each load, in the block's own 256 bins.
__device__ void add_bytes(unsigned *bins, const unsigned char *x, long long n, long long first, long long stride) {
    const long long words = n / 16;
    for (long long i = first; i < words; i += stride) {
        const uint4 w = reinterpret_cast<const uint4 *>(x)[i];
        const unsigned part[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int k = 0; k < 16; k++) {
            atomicAdd(bins + (part[k / 4] >> 8 * (k % 4) & 255u), 1u);
        }
    }
    for (long long i = words * 16 + first; i < n; i += stride) {
        atomicAdd(bins + x[i], 1u);
    }
}

extern "C" __global__ void histogram_in_shared(const unsigned char *x, unsigned *h, long long n) {
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        bins[i] = 0;
    }
    __syncthreads();
    add_bytes(bins, x, n, (long long)blockIdx.x * blockDim.x + threadIdx.x, (long long)gridDim.x * blockDim.x);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(h + i, bins[i]);
    }
}

// Each block counts all bytes, and writes the bins that belong to its threads: right whatever the geometry is.
extern "C" __global__ void histogram_of_bytes(unsigned *h, const unsigned char *x, long long n) {
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        bins[i] = 0;
    }
    __syncthreads();
    add_bytes(bins, x, n, threadIdx.x, blockDim.x);
    __syncthreads();
    const long long bin = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (bin < 256) {
        h[bin] = bins[bin];
    }
}
