// SPDX-License-Identifier: Apache-2.0
// Each fill is given its buffer, the count and a seed, then what `args` lists. Element i depends on these alone.
static __device__ unsigned long long mixed(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static __device__ unsigned drawn(unsigned long long seed, unsigned long long i, unsigned below) {
    return (unsigned)(mixed(seed + (i + 1) * 0x9E3779B97F4A7C15ull) % below);
}

// Row pointers: `entries` of them shared out, each row's begin moved by up to a row's share.
extern "C" __global__ void rows(int *out, unsigned long long count, unsigned long long seed, int m, int entries) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    const int share = entries / m;
    if (i < count) {
        out[i] = i == 0 ? 0 : i == (unsigned long long)m ? entries : (int)i * share + (int)drawn(seed, i, share);
    }
}

// One thread a row: as many columns as it has entries, one out of each equal part of the columns.
extern "C" __global__ void cols(int *out, unsigned long long count, unsigned long long seed, const int *rows, int m,
                                int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        const int begin = rows[row], length = rows[row + 1] - begin;
        for (int k = 0; k < length; k++) {
            const int from = (int)((long long)n * k / length), to = (int)((long long)n * (k + 1) / length);
            out[begin + k] = from + (int)drawn(seed, begin + k, to - from);
        }
    }
}

// A permutation by one thread (Fisher and Yates).
extern "C" __global__ void shuffle(int *out, unsigned long long count, unsigned long long seed) {
    for (unsigned long long i = 0; i < count; i++) {
        const unsigned j = drawn(seed, i, (unsigned)i + 1);
        out[i] = out[j];
        out[j] = (int)i;
    }
}

template <typename T> __global__ void ramp(T *out, unsigned long long count, unsigned long long seed, float step) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = (T)(step * (float)((seed + i) % 16));
    }
}
