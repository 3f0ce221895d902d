/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out[i] = table[ids[i]]: t rows of d elements each. Nothing is computed, so every kernel here is a way to move words.
 * VEC elements a word: rows must be multiples of VEC elements; VEC = 1 takes any d.
 */
#include "copy_async.cuh"
#include "embedding_rows.cuh"
#include "row_bulk.cuh"

/* What a block works on: the token, and its first word of that row. t * parts must fit a grid, 2^31 - 1. */
struct Place {
    long long token;
    int first;
};

__device__ __forceinline__ Place place_of_block(int words, int words_a_block) {
    const unsigned int parts = (words + words_a_block - 1) / words_a_block;
    return {blockIdx.x / parts, (int)(blockIdx.x % parts) * words_a_block};
}

/*
 * A block covers BLOCK * ITEMS words of a row. BLOCKED: a thread's items are neighbours, and the lanes of a warp lie
 * ITEMS words apart; else they are striped, BLOCK words apart, and each load of a warp is one contiguous piece.
 */
template <typename T, int VEC, int BLOCK, int ITEMS, bool BLOCKED>
__global__ void __launch_bounds__(BLOCK, 1) embed_items(const int *__restrict__ ids, const T *__restrict__ table,
                                                        T *__restrict__ out, long long t, long long d) {
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    constexpr int STEP = BLOCKED ? 1 : BLOCK;
    const int words = (int)(d / VEC);
    const Place place = place_of_block(words, BLOCK * ITEMS);
    const int at = place.first + (BLOCKED ? (int)threadIdx.x * ITEMS : (int)threadIdx.x);
    const word_t *from = reinterpret_cast<const word_t *>(table + ids[place.token] * d) + at;
    word_t *to = reinterpret_cast<word_t *>(out + place.token * d) + at;
    if (place.first + BLOCK * ITEMS <= words) {
        word_t word[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            word[i] = from[i * STEP];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            to[i * STEP] = word[i];
        }
        return;
    }
    for (int i = 0; i < ITEMS && at + i * STEP < words; i++) { /* the end of a row */
        to[i * STEP] = from[i * STEP];
    }
}

/* The interface speaks of words, so there is nothing to cast; one word a thread. */
template <typename W, int BLOCK>
__global__ void __launch_bounds__(BLOCK) embed_words(const int *__restrict__ ids, const W *__restrict__ table,
                                                     W *__restrict__ out, long long t, long long words) {
    const Place place = place_of_block((int)words, BLOCK);
    const int at = place.first + threadIdx.x;
    if (at < words) {
        out[place.token * words + at] = table[ids[place.token] * words + at];
    }
}

/* One word a thread by way of shared memory: a detour, and a barrier at which all warps wait for the slowest load. */
template <typename T, int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK) embed_shared(const int *__restrict__ ids, const T *__restrict__ table,
                                                      T *__restrict__ out, long long t, long long d) {
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    __shared__ word_t staged[BLOCK];
    const int words = (int)(d / VEC);
    const Place place = place_of_block(words, BLOCK);
    const int at = place.first + threadIdx.x;
    if (at < words) {
        staged[threadIdx.x] = reinterpret_cast<const word_t *>(table + ids[place.token] * d)[at];
    }
    __syncthreads();
    if (at < words) {
        reinterpret_cast<word_t *>(out + place.token * d)[at] = staged[threadIdx.x];
    }
}

/* 16 bytes to shared memory without a register between: through L1 (.ca) or past it (.cg). */
template <bool THROUGH_L1> __device__ __forceinline__ void copy_async(unsigned int to, const void *from) {
#if __CUDA_ARCH__ < 800
    copy_at_once<16, THROUGH_L1>(to, from);
#else
    if (THROUGH_L1) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from))
                     : "memory");
    } else {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from))
                     : "memory");
    }
#endif
}

/*
 * A block a row: STAGES pieces of BLOCK words are on their way to shared memory by cp.async while the oldest is stored.
 * Each thread stores what it copied itself, so its own wait is enough and no barrier is needed; a slot is filled again
 * only behind the store whose value came from it.
 */
template <typename T, int BLOCK, int STAGES, bool L1>
__global__ void __launch_bounds__(BLOCK) embed_async(const int *__restrict__ ids, const T *__restrict__ table,
                                                     T *__restrict__ out, long long t, long long d) {
    __shared__ uint4 staged[STAGES][BLOCK];
    const int words = (int)(d * sizeof(T) / 16);
    const long long token = blockIdx.x;
    const uint4 *from = reinterpret_cast<const uint4 *>(table + ids[token] * d);
    uint4 *to = reinterpret_cast<uint4 *>(out + token * d);
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        const int at = s * BLOCK + threadIdx.x;
        if (at < words) {
            copy_async<L1>(shared_place(&staged[s][threadIdx.x]), from + at);
        }
        copy_async_commit();
    }
    int slot = 0;
#pragma unroll 1
    for (int at = threadIdx.x; at < words; at += BLOCK) {
        copy_async_wait<STAGES - 1>();
        to[at] = staged[slot][threadIdx.x];
        if (at + STAGES * BLOCK < words) {
            copy_async<L1>(shared_place(&staged[slot][threadIdx.x]), from + at + STAGES * BLOCK);
        }
        copy_async_commit();
        slot = slot + 1 < STAGES ? slot + 1 : 0;
    }
}

/*
 * Rows in pieces of PIECE bytes by the copy engine, to shared memory and from there to their place: one thread of a
 * warp says what is to be copied, no register sees the data. STAGES pieces are in shared memory, STAGES - STORES of
 * them arriving and the others leaving. The grid is as large as the device holds; block b takes pieces b, b +
 * gridDim.x, …
 */
template <int PIECE, int STAGES, int STORES>
__global__ void __launch_bounds__(32) embed_bulk(const int *__restrict__ ids, const char *__restrict__ table,
                                                 char *__restrict__ out, long long t, long long row_bytes) {
    static_assert(STORES >= 1 && STORES < STAGES, "something arrives and something leaves");
    constexpr unsigned int LAG = STAGES - STORES;
    extern __shared__ __align__(128) unsigned char staged[];
    __shared__ __align__(8) unsigned long long barriers[STAGES];
    const unsigned int slots = shared_place(staged), gates = shared_place(barriers);
    const unsigned int parts = (unsigned int)((row_bytes + PIECE - 1) / PIECE), pieces = (unsigned int)t * parts;
    const unsigned int count = blockIdx.x < pieces ? (pieces - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    const unsigned int lane = threadIdx.x;
    if (lane == 0) {
        for (int s = 0; s < STAGES; s++) {
            bulk_barrier_open(gates + 8 * s);
        }
        bulk_barriers_ready();
    }
    /* A lane knows one id of the next 32 pieces, and one of the 32 behind them: reading ids is off the critical path.
     */
    int id_now = 0, id_next = lane < count ? ids[(blockIdx.x + lane * gridDim.x) / parts] : 0;
    unsigned int load_slot = 0, store_slot = 0, parity = 0;
#pragma unroll 1
    for (unsigned int i = 0; i < count + LAG; i++) {
        if (i % 32 == 0) {
            const unsigned int ahead = i + 32 + lane;
            id_now = id_next;
            id_next = ahead < count ? ids[(blockIdx.x + ahead * gridDim.x) / parts] : 0;
        }
        const long long id = __shfl_sync(0xffffffffu, id_now, i % 32);
        if (lane != 0) {
            continue;
        }
        if (i < count) {
            const long long begin = (long long)((blockIdx.x + i * gridDim.x) % parts) * PIECE;
            const long long rest = row_bytes - begin;
            bulk_stores_read<STORES - 1>();
            bulk_load(slots + load_slot * PIECE, table + id * row_bytes + begin,
                      rest < PIECE ? (unsigned int)rest : PIECE, gates + 8 * load_slot);
            load_slot = load_slot + 1 < STAGES ? load_slot + 1 : 0;
        }
        if (i >= LAG) {
            const unsigned int piece = blockIdx.x + (i - LAG) * gridDim.x;
            const long long begin = (long long)(piece % parts) * PIECE, rest = row_bytes - begin;
            bulk_wait(gates + 8 * store_slot, parity);
            bulk_store(out + piece / parts * row_bytes + begin, slots + store_slot * PIECE,
                       rest < PIECE ? (unsigned int)rest : PIECE);
            if (++store_slot == STAGES) {
                store_slot = 0;
                parity ^= 1;
            }
        }
    }
    if (lane == 0) {
        bulk_stores_done();
    }
}
