/* SPDX-License-Identifier: Apache-2.0 */
/* The same results, an element a thread, by the definition; the counts are those of experiments.cu. */
#define AT ((long long)blockIdx.x * blockDim.x + threadIdx.x)
enum { LOADS = 512, STEPS = 256, SUMS = 128, ROUNDS = 32 };

extern "C" __global__ void banks_reference(const unsigned *x, unsigned *y, long long n, long long stride) {
    if (AT < n) {
        unsigned sum = 0;
        for (int i = 0; i < LOADS; i++) {
            sum += x[AT % 32 * stride + i];
        }
        y[AT] = sum;
    }
}

extern "C" __global__ void divergence_reference(const unsigned *x, unsigned *y, long long n, long long paths,
                                                long long lanes) {
    if (AT < n) {
        const long long lane = AT % 32;
        const unsigned path = lane < lanes && paths > 1 ? (unsigned)(lane + 1 < paths ? lane + 1 : paths - 1) : 0;
        unsigned v = x[AT];
        for (int step = 0; step < STEPS; step++) {
            v = v * (8 * path + 5) + path;
        }
        y[AT] = v;
    }
}

/* With v = 3 v + S for all 32 lanes, S becomes 35 S. */
extern "C" __global__ void warp_sums_reference(const unsigned *x, unsigned *y, long long n) {
    if (AT < n) {
        unsigned sum = 0, v = x[AT];
        for (long long i = AT / 32 * 32; i < AT / 32 * 32 + 32 && i < n; i++) {
            sum += x[i];
        }
        for (int i = 0; i < SUMS; i++) {
            v = 3 * v + sum;
            sum *= 35;
        }
        y[AT] = v;
    }
}

#ifdef live
extern "C" __global__ void occupancy_reference(const unsigned *x, unsigned *y, long long n) {
    if (AT < n) {
        unsigned v[live], at = 0, sum = 0;
        for (int k = 0; k < live; k++) {
            v[k] = x[AT + k * n];
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < live; k++) {
                at = x[(at + v[k]) % 32];
                v[k] += at;
            }
        }
        for (int k = 0; k < live; k++) {
            sum += v[k];
        }
        y[AT] = sum;
    }
}
#endif

extern "C" __global__ void chains_reference(const int *x, double *y, long long n) {
    if (AT < n) {
        y[AT] = x[AT] == 0 ? 1 : x[AT] == 1 ? STEPS : STEPS % 2;
    }
}

/* One thread an item. */
extern "C" __global__ void additions_reference(const unsigned *x, unsigned *y, long long n, long long addresses) {
    const long long blocks = (n + 4095) / 4096, width = addresses > blocks ? addresses / blocks : 1;
    if (AT < n) {
        atomicAdd(y + (AT / 4096 * width + AT % 4096 % width) % addresses, x[AT]);
    }
}

extern "C" __global__ void window_reference(const unsigned *kept, const unsigned *passing, unsigned *y, unsigned *z,
                                            long long keep, long long pass) {
    const long long threads = 1024 * 256;
    if (AT < threads) {
        unsigned sum = 0;
        for (long long i = AT; i < keep; i += threads) {
            sum += kept[i];
        }
        y[AT] = sum;
        sum = 0;
        for (long long i = AT; i < pass; i += threads) {
            sum += passing[i];
        }
        z[AT] = sum;
    }
}

#ifdef instruction
inline __device__ unsigned bits(unsigned of) {
    unsigned count = 0;
    for (; of != 0; of &= of - 1) {
        count++;
    }
    return count;
}

inline __device__ unsigned zeros_before(unsigned of) {
    unsigned count = 0;
    for (unsigned bit = 0x80000000u; bit != 0 && (of & bit) == 0; bit /= 2) {
        count++;
    }
    return count;
}

static __device__ unsigned next_of(unsigned a, unsigned b) {
#if instruction == instruction_add
    return a + b;
#elif instruction == instruction_logic
    return (a | b) ^ 0x5bd1e995u;
#elif instruction == instruction_shift
    return b << 7 | a >> 25;
#elif instruction == instruction_multiply_high
    return (unsigned)((unsigned long long)a * b >> 32) + a;
#elif instruction == instruction_popcount
    return a + bits(b);
#elif instruction == instruction_leading_zeros
    return a + zeros_before(b);
#elif instruction == instruction_division
    return a + b / (a | 1);
#elif instruction == instruction_from_int
    return a ^ __float_as_uint((float)b);
#elif instruction == instruction_to_int
    return a ^ (unsigned)__float2int_rn(__uint_as_float(b & 0x4fffffffu));
#else
    return a ^ (unsigned)((unsigned long long)__double_as_longlong((double)__uint_as_float(b & 0x4fffffffu)) >> 32);
#endif
}

extern "C" __global__ void rates_reference(const unsigned *x, unsigned *y, long long n) {
    if (AT < n) {
        unsigned a = x[AT], b = 0x9e3779b9u;
        for (int step = 0; step < STEPS / 2; step++) {
            a = next_of(a, b);
            b = next_of(b, a);
        }
        y[AT] = a ^ b;
    }
}
#endif
