/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts[k] += how often k is among n keys, for the keys below `bins`; others are counted nowhere. counts are zeros
 * before. Keys come 16 bytes at a time. What differs is where an addition is made (global memory, COPIES of the counts
 * in shared memory, two counters of 16 bits a word), and what threads add up before it.
 */
#include "vectors.cuh"

constexpr unsigned NO_KEY = ~0u; /* no bin */

template <typename T> struct Keys {
    static constexpr int COUNT = 16 / sizeof(T); /* of a vector */
    __device__ static __forceinline__ unsigned key(const uint4 &vector, int i) {
        constexpr int OF_WORD = 4 / sizeof(T), BITS = 8 * sizeof(T);
        const int at = i / OF_WORD;
        const unsigned word = at == 0 ? vector.x : at == 1 ? vector.y : at == 2 ? vector.z : vector.w;
        return BITS == 32 ? word : word >> i % OF_WORD * BITS & (1u << BITS % 32) - 1;
    }
    __device__ static __forceinline__ unsigned key(const T *keys, long long at) {
        return (unsigned)keys[at];
    }
};

/* ---- where additions are made ---- */

struct GlobalCounts {
    unsigned *counts, bins;
    __device__ __forceinline__ void add(unsigned key, unsigned times) const {
        if (key < bins) {
            atomicAdd(counts + key, times);
        }
    }
};

/* A thread's copy in shared memory: that of its lane (STRIDE copies lie beside each other), or of its warp (1). A bin
 * behind the last takes what is no key, without a branch. */
template <int STRIDE> struct SharedCounts {
    unsigned *own, bins;
    __device__ __forceinline__ void add(unsigned key, unsigned times) const {
        atomicAdd(own + min(key, bins) * STRIDE, times);
    }
};

/* Two counters a word: an even key's below, an odd one's above. */
template <int STRIDE> struct PackedCounts {
    unsigned *own, bins;
    __device__ __forceinline__ void add(unsigned key, unsigned times) const {
        const unsigned bin = min(key, bins);
        atomicAdd(own + bin / 2 * STRIDE, times << bin % 2 * 16);
    }
};

/* ---- what is added up before ---- */

template <class Counts> struct Each { /* nothing */
    Counts counts;
    __device__ __forceinline__ void take(unsigned key) {
        counts.add(key, 1u);
    }
    __device__ __forceinline__ void finish() {
    }
};

/* Lanes of a warp that have one key at the same time: the first of them adds. All lanes call take(). */
template <class Counts> struct Match {
    Counts counts;
    __device__ __forceinline__ void take(unsigned key) {
        const unsigned same = __match_any_sync(0xffffffffu, key);
        if ((same & (1u << threadIdx.x % 32) - 1) == 0) {
            counts.add(key, (unsigned)__popc(same));
        }
    }
    __device__ __forceinline__ void finish() {
    }
};

/* Keys that a thread meets one after another. */
template <class Counts> struct Runs {
    Counts counts;
    unsigned key = NO_KEY, times = 0;
    __device__ explicit Runs(const Counts &into) : counts(into) {
    }
    __device__ __forceinline__ void take(unsigned next) {
        if (next != key) {
            counts.add(key, times);
            key = next;
            times = 0;
        }
        times++;
    }
    __device__ __forceinline__ void finish() {
        counts.add(key, times);
    }
};

/* ---- the walk ---- */

/* A lane without a vector takes NO_KEY: lanes stay together. */
template <typename T, class Taker>
__device__ __forceinline__ void take_vector(Taker &taker, const uint4 &vector, bool there) {
#pragma unroll
    for (int i = 0; i < Keys<T>::COUNT; i++) {
        taker.take(there ? Keys<T>::key(vector, i) : NO_KEY);
    }
}

/* The tile of BLOCK * ITEMS vectors that begins with vector `base`. */
template <typename T, int BLOCK, int ITEMS, class Taker>
__device__ __forceinline__ void count_tile(Taker &taker, const T *keys, long long n, long long base) {
    const uint4 *from = reinterpret_cast<const uint4 *>(keys) + base + threadIdx.x;
    const long long vectors = n / Keys<T>::COUNT - base;
    if (vectors >= BLOCK * ITEMS) {
        uint4 vector[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            vector[k] = __ldcs(from + k * BLOCK);
        }
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            take_vector<T>(taker, vector[k], true);
        }
        return;
    }
#pragma unroll 1
    for (int at = threadIdx.x; at - (int)threadIdx.x < vectors; at += BLOCK) {
        const bool there = at < vectors;
        take_vector<T>(taker, there ? __ldcs(from + at - threadIdx.x) : make_uint4(0, 0, 0, 0), there);
    }
}

/* Those that fill no vector, fewer than 16. */
template <typename T>
__device__ __forceinline__ void count_rest(const T *keys, unsigned *counts, long long n, int bins) {
    const long long at = n / Keys<T>::COUNT * Keys<T>::COUNT + threadIdx.x;
    if (blockIdx.x == 0 && at < n) {
        GlobalCounts{counts, (unsigned)bins}.add(Keys<T>::key(keys, at), 1u);
    }
}

template <typename T, int BLOCK, int ITEMS, class Taker>
__device__ __forceinline__ void count_tiles(Taker taker, const T *keys, long long n) {
    const long long vectors = n / Keys<T>::COUNT, step = (long long)gridDim.x * (BLOCK * ITEMS);
#pragma unroll 1
    for (long long base = (long long)blockIdx.x * (BLOCK * ITEMS); base < vectors; base += step) {
        count_tile<T, BLOCK, ITEMS>(taker, keys, n, base);
    }
    taker.finish();
}

/* ---- kernels; shared memory has bins + 1 words a copy, or halves of them ---- */

template <typename T, int BLOCK, int ITEMS, template <class> class How>
__global__ void __launch_bounds__(BLOCK)
    histogram_global(const T *__restrict__ keys, unsigned *counts, long long n, int bins) {
    count_tiles<T, BLOCK, ITEMS>(How<GlobalCounts>{{counts, (unsigned)bins}}, keys, n);
    count_rest(keys, counts, n, bins);
}

template <int BLOCK> __device__ __forceinline__ void clear_words(unsigned *words, int count) {
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        words[i] = 0;
    }
    __syncthreads();
}

/* BY_LANE: 32 / COPIES lanes of a warp share a copy, and with 32 copies each lane has a bank of its own. Else BLOCK /
 * 32 warps share COPIES. */
template <typename T, int BLOCK, int ITEMS, int COPIES, bool BY_LANE, template <class> class How>
__global__ void __launch_bounds__(BLOCK)
    histogram_shared(const T *__restrict__ keys, unsigned *counts, long long n, int bins) {
    static_assert(32 % COPIES == 0, "lanes and warps share copies evenly");
    extern __shared__ unsigned copies[];
    constexpr int STRIDE = BY_LANE ? COPIES : 1;
    unsigned *own = copies + (BY_LANE ? threadIdx.x % COPIES : threadIdx.x / 32 % COPIES * (bins + 1));
    clear_words<BLOCK>(copies, (bins + 1) * COPIES);
    count_tiles<T, BLOCK, ITEMS>(How<SharedCounts<STRIDE>>{{own, (unsigned)bins}}, keys, n);
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += BLOCK) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; c++) {
            /* Neighbours begin with different copies: those of one number lie in one bank. */
            sum += BY_LANE ? copies[bin * COPIES + (c + bin) % COPIES] : copies[c * (bins + 1) + bin];
        }
        if (sum > 0) {
            atomicAdd(counts + bin, sum);
        }
    }
    count_rest(keys, counts, n, bins);
}

/* To global memory; the words are zeros again. */
template <int BLOCK, int COPIES>
__device__ __forceinline__ void empty_packed(unsigned *copies, unsigned *counts, int bins) {
    __syncthreads();
    for (int pair = threadIdx.x; pair <= bins / 2; pair += BLOCK) {
        unsigned even = 0, odd = 0;
#pragma unroll
        for (int c = 0; c < COPIES; c++) {
            const int at = pair * COPIES + (c + pair) % COPIES;
            even += copies[at] & 0xffffu;
            odd += copies[at] >> 16;
            copies[at] = 0;
        }
        if (even > 0 && 2 * pair < bins) {
            atomicAdd(counts + 2 * pair, even);
        }
        if (odd > 0 && 2 * pair + 1 < bins) {
            atomicAdd(counts + 2 * pair + 1, odd);
        }
    }
    __syncthreads();
}

/* Copies of lanes with counters of 16 bits, emptied before any of them can be full. */
template <typename T, int BLOCK, int ITEMS, int COPIES>
__global__ void __launch_bounds__(BLOCK)
    histogram_packed(const T *__restrict__ keys, unsigned *counts, long long n, int bins) {
    constexpr int OF_COPY = BLOCK / COPIES * ITEMS * Keys<T>::COUNT, TILES = 65535 / OF_COPY;
    static_assert(32 % COPIES == 0 && TILES >= 1, "a tile fills no counter");
    extern __shared__ unsigned copies[];
    Each<PackedCounts<COPIES>> taker = {{copies + threadIdx.x % COPIES, (unsigned)bins}};
    const long long vectors = n / Keys<T>::COUNT, step = (long long)gridDim.x * (BLOCK * ITEMS);
    int left = TILES;
    clear_words<BLOCK>(copies, (bins / 2 + 1) * COPIES);
#pragma unroll 1
    for (long long base = (long long)blockIdx.x * (BLOCK * ITEMS); base < vectors; base += step) {
        count_tile<T, BLOCK, ITEMS>(taker, keys, n, base);
        if (--left == 0) {
            empty_packed<BLOCK, COPIES>(copies, counts, bins);
            left = TILES;
        }
    }
    empty_packed<BLOCK, COPIES>(copies, counts, bins);
    count_rest(keys, counts, n, bins);
}
