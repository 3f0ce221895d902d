/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table[ids[i]] += x[i] for rows of d floats. Rows may be asked for several times, so additions are atomic: L2 makes
 * them, and none is waited for. What differs is how many floats an instruction takes there: 1, 2 or 4 (sm_90),
 * or a whole row by the copy engine.
 */
#include "l2_policy.cuh"
#include "row_bulk.cuh"
#include "striped.cuh"

__device__ __forceinline__ void add_word(float *to, unsigned word) {
    atomicAdd(to, __uint_as_float(word));
}
__device__ __forceinline__ void add_word(float *to, uint2 word) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.relaxed.gpu.global.v2.f32.add [%0], {%1, %2};" ::"l"(to), "f"(__uint_as_float(word.x)),
                 "f"(__uint_as_float(word.y))
                 : "memory");
#else
    add_word(to, word.x);
    add_word(to + 1, word.y);
#endif
}
__device__ __forceinline__ void add_word(float *to, uint4 word) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.relaxed.gpu.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(__uint_as_float(word.x)),
                 "f"(__uint_as_float(word.y)), "f"(__uint_as_float(word.z)), "f"(__uint_as_float(word.w))
                 : "memory");
#else
    add_word(to, make_uint2(word.x, word.y));
    add_word(to + 2, make_uint2(word.z, word.w));
#endif
}

/* By a policy of l2_policy.cuh, which four floats can have (sm_90). */
template <class WORD> __device__ __forceinline__ void add_by(float *to, WORD word, l2_policy) {
    add_word(to, word);
}
#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void add_by(float *to, uint4 word, l2_policy policy) {
    asm volatile("red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to),
                 "f"(__uint_as_float(word.x)), "f"(__uint_as_float(word.y)), "f"(__uint_as_float(word.z)),
                 "f"(__uint_as_float(word.w)), "l"(policy)
                 : "memory");
}
#endif
template <class WORD> __device__ __forceinline__ void add_as(plain, float *to, WORD word) {
    add_word(to, word);
}
template <class HINT, class WORD> __device__ __forceinline__ void add_as(HINT hint, float *to, WORD word) {
    add_by(to, word, policy_of(hint));
}

/* The line of `to` comes into L2, which nothing waits for; to stay there where a hint says so. */
__device__ __forceinline__ void fetch_line(plain, const float *to) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(to)));
}
template <class HINT> __device__ __forceinline__ void fetch_line(HINT, const float *to) {
#if __CUDA_ARCH__ >= 800
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(__cvta_generic_to_global(to)));
#else
    fetch_line(plain(), to);
#endif
}

/* Words of VEC floats, ITEMS of them on their way in a thread; rows are multiples of VEC floats. FETCH: L2 asks memory
 * for what will be added to while x is on its way. */
template <int VEC, int BLOCK, int ITEMS, bool FETCH, class READ, class WRITE>
__device__ __forceinline__ void add_words(const int *__restrict__ ids, const float *__restrict__ x, float *table,
                                          long long t, long long d) {
    typedef typename Word<4 * VEC>::type word_t;
    const unsigned words = (unsigned)(d / VEC);
    const long long first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x, all = t * words;
    word_t word[ITEMS];
    long long to[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const long long at = first + k * BLOCK, row = at / words;
        if (at < all) {
            word[k] = load_as(READ(), reinterpret_cast<const word_t *>(x) + at);
            to[k] = (ids[row] * (long long)words + (at - row * words)) * VEC;
            if (FETCH && to[k] % 16 < VEC) { /* a thread for 64 bytes */
                fetch_line(WRITE(), table + to[k]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (first + k * BLOCK < all) {
            add_as(WRITE(), table + to[k], word[k]);
        }
    }
}

template <int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    scatter_words(const int *__restrict__ ids, const float *__restrict__ x, float *table, long long t, long long d) {
    add_words<VEC, BLOCK, ITEMS, false, streaming, plain>(ids, x, table, t, d);
}

template <int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    scatter_fetched(const int *__restrict__ ids, const float *__restrict__ x, float *table, long long t, long long d) {
    add_words<VEC, BLOCK, ITEMS, true, streaming, plain>(ids, x, table, t, d);
}

template <int VEC, int BLOCK, int ITEMS, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1)
    scatter_kept(const int *__restrict__ ids, const float *__restrict__ x, float *table, long long t, long long d) {
    add_words<VEC, BLOCK, ITEMS, true, READ, WRITE>(ids, x, table, t, d);
}

__device__ __forceinline__ unsigned sum_of_words(unsigned a, unsigned b) {
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
__device__ __forceinline__ uint2 sum_of_words(uint2 a, uint2 b) {
    return make_uint2(sum_of_words(a.x, b.x), sum_of_words(a.y, b.y));
}
__device__ __forceinline__ uint4 sum_of_words(uint4 a, uint4 b) {
    return make_uint4(sum_of_words(a.x, b.x), sum_of_words(a.y, b.y), sum_of_words(a.z, b.z), sum_of_words(a.w, b.w));
}

/*
 * TEAM threads have ROWS rows of x at once, and add up those for the same row of the table before L2 sees them: where
 * one row is met often it is met less often there.
 */
template <int VEC, int BLOCK, int TEAM, int ROWS>
__global__ void __launch_bounds__(BLOCK, 1)
    scatter_combined(const int *__restrict__ ids, const float *__restrict__ x, float *table, long long t, long long d) {
    typedef typename Word<4 * VEC>::type word_t;
    constexpr int TEAMS = BLOCK / TEAM;
    const int words = (int)(d / VEC);
    const long long first = (long long)blockIdx.x * (TEAMS * ROWS) + threadIdx.x / TEAM;
    int id[ROWS];
    bool adds[ROWS]; /* it is there, and the first of its row */
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const long long row = first + r * TEAMS;
        id[r] = row < t ? ids[row] : -1;
        adds[r] = row < t;
#pragma unroll
        for (int other = 0; other < r; other++) {
            adds[r] = adds[r] && id[other] != id[r];
        }
    }
#pragma unroll 1
    for (int at = threadIdx.x % TEAM; at < words; at += TEAM) {
        word_t word[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const long long row = first + r * TEAMS;
            word[r] = __ldcs(reinterpret_cast<const word_t *>(x) + (row < t ? row : 0) * words + at);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int other = r + 1; other < ROWS; other++) {
                if (id[other] == id[r]) {
                    word[r] = sum_of_words(word[r], word[other]);
                }
            }
            if (adds[r]) {
                add_word(table + (id[r] * (long long)words + at) * VEC, word[r]);
            }
        }
    }
}

/*
 * ROWS rows of x at a time come to shared memory by one copy, and leave by one reduction of the copy engine each. A
 * block is a warp with STAGES such places: two leave while the others fill. Blocks stay. Rows are multiples of 16
 * bytes.
 */
template <int ROWS, int STAGES>
__global__ void __launch_bounds__(32)
    scatter_bulk(const int *__restrict__ ids, const char *__restrict__ x, char *table, long long t, int row_bytes) {
#if __CUDA_ARCH__ >= 900
    static_assert(ROWS <= 32 && STAGES >= 3, "a lane a row; two places leave while others fill");
    constexpr unsigned LAG = STAGES - 2;
    extern __shared__ __align__(128) unsigned char staged[];
    const unsigned place_bytes = ROWS * row_bytes, places = shared_place(staged), gates = places + STAGES * place_bytes;
    const unsigned lane = threadIdx.x, batches = (unsigned)((t + ROWS - 1) / ROWS);
    const unsigned count = blockIdx.x < batches ? (batches - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    const long long step = (long long)gridDim.x * ROWS;
    long long load_row = (long long)blockIdx.x * ROWS, add_row = load_row; /* first rows of batches */
    if (lane == 0) {
        for (int s = 0; s < STAGES; s++) {
            bulk_barrier_open(gates + 8 * s);
        }
        bulk_barriers_ready();
    }
    __syncwarp();
    int id = add_row + lane < t ? ids[add_row + lane] : 0;
    unsigned load_place = 0, add_place = 0, parity = 0;
#pragma unroll 1
    for (unsigned i = 0; i < count + LAG; i++) {
        if (i < count) {
            bulk_stores_read<1>(); /* each lane's newest but one left this place */
            __syncwarp();
            if (lane == 0) {
                const unsigned rows = t - load_row < ROWS ? (unsigned)(t - load_row) : ROWS;
                bulk_load(places + load_place * place_bytes, x + load_row * row_bytes, rows * row_bytes,
                          gates + 8 * load_place);
            }
            load_row += step;
            load_place = load_place + 1 < STAGES ? load_place + 1 : 0;
        }
        if (i >= LAG) {
            const unsigned rows = t - add_row < ROWS ? (unsigned)(t - add_row) : ROWS;
            const int now = id;
            add_row += step;
            id = add_row + lane < t ? ids[add_row + lane] : 0; /* of the next batch */
            bulk_wait(gates + 8 * add_place, parity);
            if (lane < rows) {
                asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                                 __cvta_generic_to_global(table + (long long)now * row_bytes)),
                             "r"(places + add_place * place_bytes + lane * row_bytes), "r"(row_bytes)
                             : "memory");
            }
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (++add_place == STAGES) {
                add_place = 0;
                parity ^= 1;
            }
        }
    }
    bulk_stores_done();
#endif
}
