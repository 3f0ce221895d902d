/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out[i] = table[ids[i]] for rows of d floats, from one float a row on: what embedding.cu does for long rows, for rows
 * that are shorter than a line. What counts is how many of them are on their way at once. Words of VEC floats: rows are
 * multiples of them.
 */
#include "row_bulk.cuh"
#include "striped.cuh"

/* A word a thread. */
template <int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK) gather_words(const int *__restrict__ ids, const float *__restrict__ table,
                                                      float *__restrict__ out, long long t, long long d) {
    typedef typename Word<4 * VEC>::type word_t;
    const unsigned words = (unsigned)(d / VEC);
    const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x, row = at / words;
    if (row < t) {
        const long long from = ids[row] * (long long)words + (at - row * words);
        reinterpret_cast<word_t *>(out)[at] = reinterpret_cast<const word_t *>(table)[from];
    }
}

/* Rows of one float: a thread has ITEMS times four neighbours of out, reads their ids as a vector each, and asks for
 * all of them before it stores the first. */
template <int BLOCK, int ITEMS, class LOAD>
__global__ void __launch_bounds__(BLOCK, 1)
    gather_floats(const int *__restrict__ ids, const float *__restrict__ table, float *__restrict__ out, long long t) {
    const unsigned *from = reinterpret_cast<const unsigned *>(table);
    const long long vectors = t / 4, first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    uint4 id[ITEMS], got[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const long long at = first + k * BLOCK;
        id[k] = at < vectors ? __ldcs(reinterpret_cast<const uint4 *>(ids) + at) : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        got[k].x = load_as(LOAD(), from + id[k].x);
        got[k].y = load_as(LOAD(), from + id[k].y);
        got[k].z = load_as(LOAD(), from + id[k].z);
        got[k].w = load_as(LOAD(), from + id[k].w);
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (first + k * BLOCK < vectors) {
            __stcs(reinterpret_cast<uint4 *>(out) + first + k * BLOCK, got[k]);
        }
    }
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == 0 && rest < t) {
        out[rest] = table[ids[rest]];
    }
}

/* TEAM threads share a row, and have ROWS rows on their way at once; the rows of a block's teams are neighbours, so
 * that stores are. */
template <int VEC, int BLOCK, int TEAM, int ROWS, class LOAD>
__global__ void __launch_bounds__(BLOCK, 1) gather_teams(const int *__restrict__ ids, const float *__restrict__ table,
                                                         float *__restrict__ out, long long t, long long d) {
    typedef typename Word<4 * VEC>::type word_t;
    constexpr int TEAMS = BLOCK / TEAM;
    static_assert(BLOCK % TEAM == 0, "whole teams");
    const int words = (int)(d / VEC);
    const long long first = (long long)blockIdx.x * (TEAMS * ROWS) + threadIdx.x / TEAM;
    const word_t *from[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const long long row = first + r * TEAMS;
        from[r] = reinterpret_cast<const word_t *>(table) + (row < t ? ids[row] : 0) * (long long)words;
    }
#pragma unroll 1
    for (int at = threadIdx.x % TEAM; at < words; at += TEAM) {
        word_t word[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            word[r] = load_as(LOAD(), from[r] + at);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (first + r * TEAMS < t) {
                __stcs(reinterpret_cast<word_t *>(out) + (first + r * TEAMS) * words + at, word[r]);
            }
        }
    }
}

/*
 * A copy by the copy engine for each row, ROWS of them to a place in shared memory, and one from there to their common
 * place in out. A block is a warp with STAGES such places: two leave while the others fill. Blocks stay. Rows are
 * multiples of 16 bytes.
 */
template <int ROWS, int STAGES>
__global__ void __launch_bounds__(32) gather_bulk(const int *__restrict__ ids, const char *__restrict__ table,
                                                  char *__restrict__ out, long long t, int row_bytes) {
#if __CUDA_ARCH__ >= 900
    static_assert(ROWS <= 32 && STAGES >= 3, "a lane a row; two places leave while others fill");
    constexpr unsigned LAG = STAGES - 2;
    extern __shared__ __align__(128) unsigned char staged[];
    const unsigned place_bytes = ROWS * row_bytes, places = shared_place(staged), gates = places + STAGES * place_bytes;
    const unsigned lane = threadIdx.x, batches = (unsigned)((t + ROWS - 1) / ROWS);
    const unsigned count = blockIdx.x < batches ? (batches - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    const long long step = (long long)gridDim.x * ROWS;
    long long load_row = (long long)blockIdx.x * ROWS, store_row = load_row; /* first rows of batches */
    if (lane == 0) {
        for (int s = 0; s < STAGES; s++) {
            bulk_barrier_open(gates + 8 * s);
        }
        bulk_barriers_ready();
    }
    __syncwarp();
    int id = load_row + lane < t ? ids[load_row + lane] : 0;
    unsigned load_place = 0, store_place = 0, parity = 0;
#pragma unroll 1
    for (unsigned i = 0; i < count + LAG; i++) {
        if (i < count) {
            const unsigned rows = t - load_row < ROWS ? (unsigned)(t - load_row) : ROWS, gate = gates + 8 * load_place;
            const int now = id;
            load_row += step;
            id = load_row + lane < t ? ids[load_row + lane] : 0; /* of the next batch */
            if (lane == 0) {
                bulk_stores_read<1>(); /* the newest but one left this place */
                bulk_expect(rows * row_bytes, gate);
            }
            __syncwarp();
            if (lane < rows) {
                bulk_copy(places + load_place * place_bytes + lane * row_bytes, table + (long long)now * row_bytes,
                          row_bytes, gate);
            }
            load_place = load_place + 1 < STAGES ? load_place + 1 : 0;
        }
        if (i >= LAG) {
            if (lane == 0) {
                const unsigned rows = t - store_row < ROWS ? (unsigned)(t - store_row) : ROWS;
                bulk_wait(gates + 8 * store_place, parity);
                bulk_store(out + store_row * row_bytes, places + store_place * place_bytes, rows * row_bytes);
            }
            store_row += step;
            if (++store_place == STAGES) {
                store_place = 0;
                parity ^= 1;
            }
        }
    }
    if (lane == 0) {
        bulk_stores_done();
    }
#endif
}
