// SPDX-License-Identifier: Apache-2.0
// What fills spmv.lua's inputs: each is given its buffer, the number of elements and a seed, then what the sweep lists.
static __device__ unsigned drawn(unsigned long long seed, unsigned long long i, unsigned below) {
    unsigned long long z = seed + (i + 1) * 0x9E3779B97F4A7C15ull; // SplitMix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)((z ^ (z >> 31)) % below);
}

// Where the rows begin: about `each` entries a row, between 1 and 2 * each - 1.
extern "C" __global__ void rows(int *out, unsigned long long count, unsigned long long seed, int each) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        const bool end = i == 0 || i == count - 1;
        out[i] = (int)i * each + (end ? 0 : (int)drawn(seed, i, each));
    }
}

// The columns of every row ascend: one from each equal part of them.
extern "C" __global__ void cols(int *out, unsigned long long count, unsigned long long seed, const int *rows, int m,
                                int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        const int begin = rows[row], length = rows[row + 1] - begin;
        for (int e = 0; e < length; e++) {
            const int from = (int)((long long)n * e / length), to = (int)((long long)n * (e + 1) / length);
            out[begin + e] = from + (int)drawn(seed, begin + e, to - from);
        }
    }
}
