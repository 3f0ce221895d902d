/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding_rows.cuh - rows of a table, picked by ids, copied to consecutive rows by teams of threads.
 * VEC elements a word: rows must be multiples of VEC elements, addresses of sizeof(T) * VEC bytes.
 */
#ifndef RFT_KERNELS_EMBEDDING_ROWS_CUH
#define RFT_KERNELS_EMBEDDING_ROWS_CUH

#include "l2_policy.cuh"
#include "vectors.cuh"

/*
 * TEAM threads share a row, ITEMS words of it in flight in each; a block has BLOCK / TEAM rows at once. With fewer
 * teams than tokens a team takes several rows, one after the other, and reads the id of the next while this one moves.
 * READ, WRITE: l2_policy.cuh.
 */
template <typename T, int VEC, int BLOCK, int TEAM, int ITEMS, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1) embed_rows(const int *__restrict__ ids, const T *__restrict__ table,
                                                       T *__restrict__ out, long long t, long long d) {
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    static_assert(BLOCK % TEAM == 0, "whole teams");
    const long long teams = (long long)gridDim.x * (BLOCK / TEAM);
    const int words = (int)(d / VEC), lane = threadIdx.x % TEAM;
    long long token = (long long)blockIdx.x * (BLOCK / TEAM) + threadIdx.x / TEAM;
    int id = token < t ? ids[token] : 0;
#pragma unroll 1
    while (token < t) {
        const word_t *from = reinterpret_cast<const word_t *>(table + id * d);
        word_t *to = reinterpret_cast<word_t *>(out + token * d);
        token += teams;
        if (token < t) {
            id = ids[token];
        }
        int at = lane;
#pragma unroll 1
        for (; at + (ITEMS - 1) * TEAM < words; at += ITEMS * TEAM) {
            word_t word[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                word[i] = load_as(READ(), from + at + i * TEAM);
            }
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                store_as(WRITE(), to + at + i * TEAM, word[i]);
            }
        }
#pragma unroll 1
        for (; at < words; at += TEAM) { /* what fills no batch of ITEMS */
            store_as(WRITE(), to + at, load_as(READ(), from + at));
        }
    }
}

#endif
