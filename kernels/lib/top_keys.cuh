/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_keys.cuh - a float and its place as one whole number of 64 bits, ordered like the float; of equal ones the first
 * place is the largest. Not for NaN. -0 counts as less than 0. No key of a number is 0.
 */
#ifndef RFT_KERNELS_TOP_KEYS_CUH
#define RFT_KERNELS_TOP_KEYS_CUH

typedef unsigned long long top_key;

__device__ __forceinline__ top_key key_of(float value, unsigned place) {
    const unsigned bits = __float_as_uint(value), ordered = bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
    return (top_key)ordered << 32 | (0xffffffffu - place);
}
__device__ __forceinline__ float value_of(top_key key) {
    const unsigned ordered = (unsigned)(key >> 32);
    return __uint_as_float(ordered ^ ((ordered >> 31) ? 0x80000000u : 0xffffffffu));
}
__device__ __forceinline__ unsigned place_of(top_key key) {
    return 0xffffffffu - (unsigned)key;
}

__device__ __forceinline__ top_key larger_key(top_key a, top_key b) {
    return a > b ? a : b;
}

__device__ __forceinline__ top_key largest_of_warp(top_key mine) {
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) {
        mine = larger_key(mine, __shfl_xor_sync(0xffffffffu, mine, lane));
    }
    return mine;
}

/* All threads get it; the block must meet before the next call. */
template <int BLOCK> __device__ __forceinline__ top_key largest_of_block(top_key mine) {
    __shared__ top_key of_warp[32];
    mine = largest_of_warp(mine);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    return largest_of_warp(threadIdx.x % 32 < BLOCK / 32 ? of_warp[threadIdx.x % 32] : 0);
}

/* The larger key goes to the lower of two lanes that lie `apart`, or the other way round. */
__device__ __forceinline__ top_key exchange_keys(top_key mine, int apart, bool larger_below) {
    const top_key other = __shfl_xor_sync(0xffffffffu, mine, apart);
    const bool is_below = (threadIdx.x & apart) == 0;
    return (mine > other) == (is_below == larger_below) ? mine : other;
}

/* A key a lane, in falling order afterwards (bitonic). */
__device__ __forceinline__ top_key sort_keys(top_key mine) {
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int apart = size / 2; apart > 0; apart /= 2) {
            mine = exchange_keys(mine, apart, (threadIdx.x & size) == 0 || size == 32);
        }
    }
    return mine;
}

/* The largest 32 * SLOTS keys that a warp has met, in falling order: slot s of lane l is the (32 s + l)-th. 0: none. */
template <int SLOTS> struct TopList {
    static_assert(SLOTS == 1 || SLOTS == 2, "up to 64");
    top_key key[SLOTS];

    __device__ __forceinline__ TopList() {
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            key[s] = 0;
        }
    }

    /* 32 more, in falling order, a lane each; 0: none. The smallest of list and these are let go. */
    __device__ __forceinline__ void merge(top_key sorted) {
        const top_key rising = __shfl_sync(0xffffffffu, sorted, 31 - (int)(threadIdx.x % 32));
        key[SLOTS - 1] = larger_key(key[SLOTS - 1], rising); /* all together rise and fall once */
        if (SLOTS == 2) {
            const top_key larger = larger_key(key[0], key[SLOTS - 1]);
            key[SLOTS - 1] = key[0] > key[SLOTS - 1] ? key[SLOTS - 1] : key[0];
            key[0] = larger;
        }
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
#pragma unroll
            for (int apart = 16; apart > 0; apart /= 2) {
                key[s] = exchange_keys(key[s], apart, true);
            }
        }
    }

    /* The k-th, counted from 1; in all lanes. */
    __device__ __forceinline__ top_key of_rank(int k) const {
        top_key found = 0;
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            const top_key there = __shfl_sync(0xffffffffu, key[s], (k - 1) % 32);
            found = (k - 1) / 32 == s ? there : found;
        }
        return found;
    }
};

#endif
