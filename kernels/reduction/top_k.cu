/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The k largest of each row, in falling order, and where they are; of equal ones the first in the row. A block a row.
 * Rows of `cols` floats: VEC = 4 where rows are multiples of 16 bytes, else 1.
 */
#include "top_keys.cuh"
#include "vectors.cuh"

#define INFINITY_FLOAT __uint_as_float(0x7f800000u)

/* By one warp, for the block's row. */
template <int SLOTS>
__device__ __forceinline__ void write_top(const TopList<SLOTS> &list, float *values, int *places, int k) {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        const int rank = 32 * s + (int)(threadIdx.x % 32);
        if (rank < k) {
            values[(long long)blockIdx.x * k + rank] = value_of(list.key[s]);
            places[(long long)blockIdx.x * k + rank] = (int)place_of(list.key[s]);
        }
    }
}

/* k passes over the row: each finds the largest key below the one before. */
template <int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK) top_k_passes(const float *__restrict__ x, float *__restrict__ values,
                                                      int *__restrict__ places, long long cols, int k) {
    typedef typename Word<4 * VEC>::type word_t;
    const word_t *row = reinterpret_cast<const word_t *>(x + blockIdx.x * cols);
    top_key last = ~0ull;
    for (int rank = 0; rank < k; rank++) {
        top_key most = 0;
#pragma unroll 4
        for (int at = threadIdx.x; at < (int)(cols / VEC); at += BLOCK) {
            Pack<float, VEC> item;
            item.word = row[at];
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                const top_key key = key_of(item.item[i], (unsigned)(at * VEC + i));
                most = key < last ? larger_key(most, key) : most;
            }
        }
        last = largest_of_block<BLOCK>(most);
        if (threadIdx.x == 0) {
            values[(long long)blockIdx.x * k + rank] = value_of(last);
            places[(long long)blockIdx.x * k + rank] = (int)place_of(last);
        }
        __syncthreads();
    }
}

/*
 * Each warp keeps the best 32 * SLOTS of what it has met in registers, in order. An element above the k-th of them
 * waits in shared memory; 32 such are put in order at once and merged. A vector whose largest is below costs a
 * comparison; of a long row most are, and others are read once more, from L1. In the end the warps' lists become one.
 * ITEMS vectors of a thread are on their way at once.
 */
template <int VEC, int BLOCK, int ITEMS, int SLOTS>
__global__ void __launch_bounds__(BLOCK, 1) top_k_lists(const float *__restrict__ x, float *__restrict__ values,
                                                        int *__restrict__ places, long long cols, int k) {
    typedef typename Word<4 * VEC>::type word_t;
    __shared__ top_key of_warp[BLOCK / 32][64]; /* who waits; in the end the list */
    const word_t *row = reinterpret_cast<const word_t *>(x + blockIdx.x * cols);
    const int words = (int)(cols / VEC), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    top_key *const waiting = of_warp[warp];
    TopList<SLOTS> list;
    top_key least = 0; /* the k-th so far: what is not above it cannot be among them */
    float bound = -INFINITY_FLOAT;
    int wait = 0; /* so many, at most 31 between two steps */
#pragma unroll 1
    for (int first = warp * 32; first < words; first += BLOCK * ITEMS) {
        Pack<float, VEC> item[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            const int at = first + j * BLOCK + lane;
            item[j].word = __ldg(row + (at < words ? at : 0));
        }
        unsigned wanted = 0; /* which of them to look at closely */
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            float most = item[j].item[0];
#pragma unroll
            for (int i = 1; i < VEC; i++) {
                most = fmaxf(most, item[j].item[i]);
            }
            wanted |= __any_sync(0xffffffffu, most >= bound) ? 1u << j : 0;
        }
        while (wanted) {
            const int at = first + (__ffs((int)wanted) - 1) * BLOCK + lane;
            Pack<float, VEC> again;
            again.word = __ldg(row + (at < words ? at : 0));
            wanted &= wanted - 1;
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                const top_key key = at < words ? key_of(again.item[i], (unsigned)(at * VEC + i)) : 0;
                const unsigned better = __ballot_sync(0xffffffffu, key > least);
                if (key > least) {
                    waiting[wait + __popc(better & ((1u << lane) - 1))] = key;
                }
                wait += __popc(better);
                if (wait >= 32) {
                    __syncwarp();
                    const top_key next = waiting[lane];
                    const top_key left = waiting[32 + lane];
                    __syncwarp();
                    waiting[lane] = left;
                    __syncwarp();
                    wait -= 32;
                    list.merge(sort_keys(next));
                    least = list.of_rank(k);
                }
            }
        }
        bound = least > 0 ? value_of(least) : bound;
    }
    __syncwarp();
    list.merge(sort_keys(lane < wait ? waiting[lane] : 0));
    __syncwarp();
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        waiting[32 * s + lane] = list.key[s];
    }
    __syncthreads();
    if (warp > 0) {
        return;
    }
#pragma unroll 1
    for (int other = 1; other < BLOCK / 32; other++) {
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            list.merge(of_warp[other][32 * s + lane]);
        }
    }
    write_top(list, values, places, k);
}

/*
 * Radix selection: 8 bits of the ordered values at a time, from the highest. A histogram of the row's elements that
 * share the bits found so far tells the next 8 of the k-th largest. Then all that are above it are collected, and of
 * those that are equal the first; a few, which one warp puts in order. The row is read five times, from L2 after the
 * first.
 */
enum { EQUAL_MOST = 192 }; /* collected at most; where more are equal, the first ones are searched for in order */

template <int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK) top_k_radix(const float *__restrict__ x, float *__restrict__ values,
                                                     int *__restrict__ places, long long cols, int k) {
    typedef typename Word<4 * VEC>::type word_t;
    __shared__ unsigned bins[256];
    __shared__ unsigned found;
    __shared__ unsigned left;
    __shared__ unsigned counts[2];
    __shared__ top_key larger[64];
    __shared__ top_key equal[EQUAL_MOST];
    const word_t *row = reinterpret_cast<const word_t *>(x + blockIdx.x * cols);
    const int words = (int)(cols / VEC), lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        found = 0;
        left = k; /* the rank that is looked for among those that share the bits of `found` */
        counts[0] = counts[1] = 0;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = threadIdx.x; i < 256; i += BLOCK) {
            bins[i] = 0;
        }
        __syncthreads();
        const unsigned known = found, mask = shift == 24 ? 0 : 0xffffffffu << (shift + 8);
#pragma unroll 4
        for (int at = threadIdx.x; at < words; at += BLOCK) {
            Pack<float, VEC> item;
            item.word = row[at];
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                const unsigned bits = (unsigned)(key_of(item.item[i], 0) >> 32);
                if ((bits & mask) == known) {
                    atomicAdd(&bins[bits >> shift & 255], 1u);
                }
            }
        }
        __syncthreads();
        if (threadIdx.x < 32) { /* eight bins a lane, the highest in lane 0 */
            unsigned own = 0;
            for (int i = 0; i < 8; i++) {
                own += bins[255 - lane * 8 - i];
            }
            unsigned above = own;
            for (int apart = 1; apart < 32; apart *= 2) {
                const unsigned other = __shfl_up_sync(0xffffffffu, above, apart);
                above += lane >= apart ? other : 0;
            }
            above -= own;
            const unsigned rank = left;
            __syncwarp();
            for (int i = 0; i < 8; i++) {
                const unsigned bin = 255 - lane * 8 - i, here = bins[bin];
                if (above < rank && rank <= above + here) {
                    found = known | bin << shift;
                    left = rank - above;
                }
                above += here;
            }
        }
        __syncthreads();
    }
    const unsigned least = found; /* the k-th value */
    for (int at = threadIdx.x; at < words; at += BLOCK) {
        Pack<float, VEC> item;
        item.word = row[at];
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const top_key key = key_of(item.item[i], (unsigned)(at * VEC + i));
            if ((unsigned)(key >> 32) > least) {
                larger[atomicAdd(&counts[0], 1u)] = key; /* fewer than k */
            } else if ((unsigned)(key >> 32) == least) {
                const unsigned place = atomicAdd(&counts[1], 1u);
                if (place < EQUAL_MOST) {
                    equal[place] = key;
                }
            }
        }
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        return;
    }
    TopList<2> list;
    const int above = (int)counts[0], same = (int)counts[1];
    for (int i = 0; i < above; i += 32) {
        list.merge(sort_keys(i + lane < above ? larger[i + lane] : 0));
    }
    for (int i = 0; i < same && same <= EQUAL_MOST; i += 32) {
        list.merge(sort_keys(i + lane < same ? equal[i + lane] : 0));
    }
    int taken = same <= EQUAL_MOST ? k : above;
    for (int first = 0; first < words && taken < k; first += 32) {
        Pack<float, VEC> item;
        item.word = row[first + lane < words ? first + lane : 0];
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const top_key key = key_of(item.item[i], (unsigned)((first + lane) * VEC + i));
            const bool is_same = first + lane < words && (unsigned)(key >> 32) == least;
            taken += __popc(__ballot_sync(0xffffffffu, is_same));
            list.merge(sort_keys(is_same ? key : 0));
        }
    }
    write_top(list, values, places, k);
}
