/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question of the hardware each: what does a bank conflict, a branch, an addition on a shared address cost, and
 * what hides latency? Integers wrap, and floats hold small whole numbers: all results are exact.
 */
enum { LOADS = 512, STEPS = 256, SUMS = 128, ROUNDS = 32 }; /* of a thread; experiments.lua has the same */

__device__ __forceinline__ long long own_item() {
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Lanes read words that lie `stride` apart, all from neighbours of the same place: gcd(stride, 32) passes a load. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    banks(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n, int stride) {
    extern __shared__ unsigned words[];
    for (int i = threadIdx.x; i < 31 * stride + LOADS; i += BLOCK) {
        words[i] = x[i];
    }
    __syncthreads();
    const unsigned *from = words + threadIdx.x % 32 * stride;
    unsigned sum = 0;
#pragma unroll 16
    for (int i = 0; i < LOADS; i++) {
        sum += from[i];
    }
    if (own_item() < n) {
        y[own_item()] = sum;
    }
}

/*
 * Of 32 neighbours the first `lanes` take paths of their own (from paths - 1 on they share one), the others path 0.
 * Blocks of 1024 take them as they lie, or SORTED: warp w takes all that stand at place w of 32, which is one path.
 */
template <bool SORTED>
__global__ void __launch_bounds__(1024)
    divergence(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n, int paths, int lanes) {
    const int place = SORTED ? threadIdx.x % 32 * 32 + threadIdx.x / 32 : threadIdx.x;
    const long long i = (long long)blockIdx.x * 1024 + place;
    if (i >= n) {
        return;
    }
    const int path = place % 32 >= lanes ? 0 : min(place % 32, paths - 2) + 1;
    unsigned v = x[i];
    for (int taken = 0; taken < paths; taken++) {
        if (path == taken) {
#pragma unroll 16
            for (int step = 0; step < STEPS; step++) {
                v = v * (8u * taken + 5) + taken;
            }
        }
    }
    y[i] = v;
}

enum Way { shuffles, redux, tree, broadcast };

/* The sum of a warp's values, in all of its lanes. `own`: a word of shared memory for each lane, aligned to 128 bytes.
 */
template <Way WAY> __device__ __forceinline__ unsigned warp_total(unsigned value, unsigned *own) {
    const int lane = threadIdx.x % 32;
    unsigned sum = value;
    if (WAY == shuffles) {
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) {
            sum += __shfl_xor_sync(~0u, sum, apart);
        }
    }
#if __CUDA_ARCH__ >= 800
    if (WAY == redux) {
        sum = __reduce_add_sync(~0u, value);
    }
#endif
    if (WAY == tree) {
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) {
            own[lane] = sum;
            __syncwarp();
            sum += own[lane ^ apart];
            __syncwarp();
        }
    }
    if (WAY == broadcast) {
        own[lane] = value;
        __syncwarp();
        sum = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const uint4 four = ((const uint4 *)own)[i];
            sum += four.x + four.y + four.z + four.w;
        }
        __syncwarp();
    }
    return sum;
}

template <Way WAY, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    warp_sums(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n) {
    __shared__ __align__(128) unsigned words[BLOCK];
    unsigned v = own_item() < n ? x[own_item()] : 0;
#pragma unroll 4
    for (int i = 0; i < SUMS; i++) {
        v = 3 * v + warp_total<WAY>(v, words + threadIdx.x / 32 * 32);
    }
    if (own_item() < n) {
        y[own_item()] = v;
    }
}

/* A table in shared memory is followed from word to word, LIVE values of a thread in turn: HELD threads an SM or
 * spills. */
template <int LIVE, int HELD, int BLOCK>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    occupancy(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n) {
    __shared__ unsigned table[32 * 32]; /* a lane reads its own bank: no conflicts */
    for (int i = threadIdx.x; i < 32 * 32; i += BLOCK) {
        table[i] = x[i / 32];
    }
    __syncthreads();
    if (own_item() >= n) {
        return;
    }
    unsigned v[LIVE], at = 0;
#pragma unroll
    for (int k = 0; k < LIVE; k++) {
        v[k] = x[own_item() + k * n];
    }
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < LIVE; k++) {
            at = table[(at + v[k]) % 32 * 32 + threadIdx.x % 32];
            v[k] += at;
        }
    }
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < LIVE; k++) {
        sum += v[k];
    }
    y[own_item()] = sum;
}

/* CHAINS items of a thread at once; in each, a multiply-add waits for the one before it. x is -1, 0 or 1. */
template <int CHAINS, int WARPS>
__global__ void __launch_bounds__(WARPS * 32, 1) chains(const int *__restrict__ x, float *__restrict__ y, long long n) {
    const long long threads = (long long)gridDim.x * blockDim.x;
    for (long long first = own_item(); first < n; first += threads * CHAINS) {
        float factor[CHAINS], v[CHAINS];
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            factor[c] = first + c * threads < n ? (float)x[first + c * threads] : 0.0f;
            v[c] = 0.0f;
        }
#pragma unroll 8
        for (int step = 0; step < STEPS; step++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                v[c] = fmaf(v[c], factor[c], 1.0f);
            }
        }
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            if (first + c * threads < n) {
                y[first + c * threads] = v[c];
            }
        }
    }
}

enum Scope { of_block, of_device, of_system };

/* 4096 items of a block go to words of its own while there are enough `addresses`, else blocks share them in turn. */
template <Scope SCOPE>
__global__ void __launch_bounds__(256) additions(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n,
                                                 unsigned addresses, unsigned width) {
    const unsigned base = (unsigned)((unsigned long long)blockIdx.x * width % addresses);
    unsigned offset = threadIdx.x % width;
#pragma unroll 4
    for (int k = 0; k < 16; k++) {
        const long long i = (long long)blockIdx.x * 4096 + k * 256 + threadIdx.x;
        if (i < n) {
            if (SCOPE == of_block) {
                atomicAdd_block(y + base + offset, x[i]);
            } else if (SCOPE == of_device) {
                atomicAdd(y + base + offset, x[i]);
            } else {
                atomicAdd_system(y + base + offset, x[i]);
            }
        }
        offset += 256 % width;
        offset -= offset >= width ? width : 0;
    }
}

/* Each thread of the grid adds up every so manieth word. How much of x the L2 is asked to keep is the launch's matter.
 */
template <int PERCENT>
__global__ void __launch_bounds__(256) added(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n) {
    unsigned sum = 0;
#pragma unroll 8
    for (long long i = own_item(); i < n; i += (long long)gridDim.x * 256) {
        sum += x[i];
    }
    y[own_item()] = sum;
}

enum Kind { add, logic, shift, multiply_high, popcount, leading_zeros, division, from_int, to_int, to_double };

/* One instruction of the kind, and a cheap one or two that keep its result in use; a division is some twenty. */
template <Kind KIND> __device__ __forceinline__ unsigned next_of(unsigned a, unsigned b) {
    switch (KIND) {
    case add:
        return a + b;
    case logic:
        return (a | b) ^ 0x5bd1e995u;
    case shift:
        return __funnelshift_l(a, b, 7);
    case multiply_high:
        return __umulhi(a, b) + a;
    case popcount:
        return a + __popc(b);
    case leading_zeros:
        return a + __clz(b);
    case division:
        return a + b / (a | 1);
    case from_int:
        return a ^ __float_as_uint((float)b);
    case to_int:
        return a ^ (unsigned)__float2int_rn(__uint_as_float(b & 0x4fffffffu));
    default:
        return a ^ (unsigned)__double2hiint((double)__uint_as_float(b & 0x4fffffffu));
    }
}

/* Two values of a thread take turns, so that no compiler can sum a chain up. */
template <Kind KIND>
__global__ void __launch_bounds__(256) rates(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n) {
    if (own_item() < n) {
        unsigned a = x[own_item()], b = 0x9e3779b9u;
#pragma unroll 8
        for (int step = 0; step < STEPS / 2; step++) {
            a = next_of<KIND>(a, b);
            b = next_of<KIND>(b, a);
        }
        y[own_item()] = a ^ b;
    }
}
