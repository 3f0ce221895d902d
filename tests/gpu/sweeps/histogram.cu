// SPDX-License-Identifier: Apache-2.0
// How often each value occurs; and what the order of the values looks like, which the reference knows beforehand.
extern "C" __global__ void count_values(const int *x, unsigned *bins, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[x[i]], 1u);
        if (i + 1 < n && x[i] > x[i + 1]) {
            atomicAdd(&bins[256], 1u); // a descent
        }
    }
}

// facts: are the values sorted, and is 0 far more frequent than its share?
extern "C" __global__ void finish_counts(const unsigned *bins, int *counts, int *facts, long long n) {
    if (bins[threadIdx.x] > n) {
        __trap(); // the bins were not set to 0 before
    }
    counts[threadIdx.x] = (int)bins[threadIdx.x];
    if (threadIdx.x == 0) {
        facts[0] = bins[256] == 0;
        facts[1] = bins[0] > n / 20;
    }
}

// A compiled dimension is a macro here too, so the argument has another name.
extern "C" __global__ void histogram_reference(int *counts, int *facts, const int *x, long long n, long long order) {
    const long long value = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (value < 256) {
        int count = 0;
        for (long long i = 0; i < n; i++) {
            count += x[i] == value;
        }
        counts[value] = count;
    }
    if (value == 0) {
        facts[0] = order == arrival_sorted;
        facts[1] = arrival == arrival_zipf;
    }
}
