/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in compressed sparse rows, n by n: count - 1 rows, whose nonzeros are `mean` times as many. */

/* 0 to 1, 1 excluded. */
__device__ __forceinline__ double draw_share(unsigned long long seed, unsigned long long i) {
    unsigned long long x = (seed + i) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}
__device__ __forceinline__ unsigned long long place() {
    return blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
}

extern "C" __global__ void equal_offsets(int *out, unsigned long long count, unsigned long long seed, long long mean) {
    if (place() < count) {
        out[place()] = (int)(place() * mean);
    }
}

/* Lengths whose distribution falls with the power 1 + 1 / 0.7: of a million rows the longest is some ten thousand times
 * the median. One block of 1024 threads, so that the running sum has one order. */
extern "C" __global__ void power_offsets(int *out, unsigned long long count, unsigned long long seed, long long mean) {
    __shared__ double before[1025];
    const unsigned long long rows = count - 1, part = (rows + 1023) / 1024;
    const unsigned long long first = part * threadIdx.x, end = first + part < rows ? first + part : rows;
    double sum = 0.0;
    for (unsigned long long i = first; i < end; i++) {
        sum += pow(1.0 - draw_share(seed, i), -0.7);
    }
    before[threadIdx.x + 1] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        before[0] = 0.0;
        for (int i = 1; i <= 1024; i++) {
            before[i] += before[i - 1];
        }
    }
    __syncthreads();
    const double scale = (double)(rows * mean) / before[1024];
    sum = before[threadIdx.x];
    for (unsigned long long i = first; i < end; i++) {
        const double to = sum * scale;
        out[i] = (int)(to < (double)(rows * mean) ? to : (double)(rows * mean));
        sum += pow(1.0 - draw_share(seed, i), -0.7);
    }
    if (threadIdx.x == 0) {
        out[rows] = (int)(rows * mean);
    }
}

/* The k-th of a row's nonzeros, by its length. Columns rise along a row. */
struct Row {
    long long row, k, length, n;
};
__device__ __forceinline__ Row row_of(const int *offsets, long long n, long long i) {
    long long low = 0, high = n;
    while (high - low > 1) {
        const long long middle = low + (high - low) / 2;
        if (offsets[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return {low, i - offsets[low], offsets[low + 1] - offsets[low], n};
}
__device__ __forceinline__ int within(double share, long long n) {
    const long long column = (long long)(share * (double)n);
    return (int)(column < n ? column : n - 1);
}

/* Around the diagonal. */
extern "C" __global__ void band_columns(int *out, unsigned long long count, unsigned long long seed, const int *offsets,
                                        long long n) {
    if (place() < count) {
        const Row at = row_of(offsets, n, place());
        const long long last = n - at.length, first = at.row - at.length / 2;
        out[place()] = (int)((last <= 0 || first < 0 ? at.k : (first < last ? first : last) + at.k) % n);
    }
}

/* One at random out of each of as many equal parts as the row is long. */
extern "C" __global__ void uniform_columns(int *out, unsigned long long count, unsigned long long seed,
                                           const int *offsets, long long n) {
    if (place() < count) {
        const Row at = row_of(offsets, n, place());
        out[place()] = within(((double)at.k + draw_share(seed, place())) / (double)at.length, n);
    }
}

/* The further to the front the more often, as a graph's nodes by their degree; long rows have some of them twice. */
extern "C" __global__ void power_columns(int *out, unsigned long long count, unsigned long long seed,
                                         const int *offsets, long long n) {
    if (place() < count) {
        const Row at = row_of(offsets, n, place());
        const double share = ((double)at.k + draw_share(seed, place())) / (double)at.length;
        out[place()] = within(share * share, n);
    }
}

/* Eight rows and eight neighbouring columns are full or empty together. */
extern "C" __global__ void block_columns(int *out, unsigned long long count, unsigned long long seed,
                                         const int *offsets, long long n) {
    if (place() < count) {
        const Row at = row_of(offsets, n, place());
        const long long parts = (at.length + 7) / 8, columns = (n + 7) / 8, part = at.k / 8;
        const double share = draw_share(seed, (unsigned long long)(at.row / 8 * parts + part));
        const long long column = within(((double)part + share) / (double)parts, columns) * 8LL + at.k % 8;
        out[place()] = (int)(column < n ? column : n - 1);
    }
}
