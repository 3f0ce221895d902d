/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rotary position embedding of q (t tokens of q_heads heads) and k (of k_heads), heads of d bfloat16, d even: elements
 * i and i + d / 2 of a head (the halves' layout of NeoX and Llama) turn by the angle of their token, low' = low cos -
 * high sin,   high' = high cos + low sin, with cos and sin as tables of t rows of d / 2. Products and sums are fp32.
 */
#include "row_bulk.cuh"
#include "vectors.cuh"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16_t;

__device__ __forceinline__ float as_float(float value) {
    return value;
}
__device__ __forceinline__ float as_float(bf16_t value) {
    return __bfloat162float(value);
}

/* VEC entries of a table, by loads of at most 16 bytes. */
template <typename TABLE, int VEC> struct Entries {
    static constexpr int PART = sizeof(TABLE) * VEC > 16 ? 16 / (int)sizeof(TABLE) : VEC;
    Pack<TABLE, PART> part[VEC / PART];
    __device__ __forceinline__ void load(const TABLE *from) {
#pragma unroll
        for (int i = 0; i < VEC / PART; i++) {
            part[i].word = reinterpret_cast<const typename Word<sizeof(TABLE) * PART>::type *>(from)[i];
        }
    }
    __device__ __forceinline__ float at(int i) const {
        return as_float(part[i / PART].item[i % PART]);
    }
};

template <typename TABLE, int VEC>
__device__ __forceinline__ void rotate(Pack<bf16_t, VEC> &low, Pack<bf16_t, VEC> &high, const Entries<TABLE, VEC> &cos,
                                       const Entries<TABLE, VEC> &sin) {
    float turned[2][VEC];
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        const float a = as_float(low.item[i]), b = as_float(high.item[i]);
        turned[0][i] = a * cos.at(i) - b * sin.at(i);
        turned[1][i] = b * cos.at(i) + a * sin.at(i);
    }
    if (VEC == 1) {
        low.item[0] = __float2bfloat16(turned[0][0]);
        high.item[0] = __float2bfloat16(turned[1][0]);
    }
#pragma unroll
    for (int i = 0; i + 1 < VEC; i += 2) { /* two roundings an instruction */
        const __nv_bfloat162 a = __floats2bfloat162_rn(turned[0][i], turned[0][i + 1]);
        const __nv_bfloat162 b = __floats2bfloat162_rn(turned[1][i], turned[1][i + 1]);
        low.item[i] = a.x;
        low.item[i + 1] = a.y;
        high.item[i] = b.x;
        high.item[i + 1] = b.y;
    }
}

/* One tensor, an element a thread: each is read twice, as itself and as its partner, and so are the tables. */
template <typename TABLE, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    rope_element(const bf16_t *__restrict__ x, const TABLE *__restrict__ cos, const TABLE *__restrict__ sin,
                 bf16_t *__restrict__ out, int heads, int d) {
    const unsigned int parts = (heads * d + BLOCK - 1) / BLOCK;
    const long long token = blockIdx.x / parts;
    const int in_token = (int)(blockIdx.x % parts) * BLOCK + threadIdx.x, half = d / 2;
    if (in_token >= heads * d) {
        return;
    }
    const int i = in_token % d, pair = i < half ? i : i - half;
    const long long at = token * heads * d + in_token;
    const float turned = as_float(x[i < half ? at + half : at - half]) * as_float(sin[token * half + pair]);
    const float kept = as_float(x[at]) * as_float(cos[token * half + pair]);
    out[at] = __float2bfloat16(i < half ? kept - turned : kept + turned);
}

/*
 * q and k in one launch. A thread has VEC pairs of HEADS heads of a token: their loads are in flight together, and
 * their cosines and sines are loaded once. The heads of a thread lie `groups` apart, so that a warp's loads are of
 * neighbouring heads. d / 2 must be a multiple of VEC; t * groups * lanes must be less than 2^32. In place (q_out = q)
 * is fine: the thread that writes an element alone reads it, and has done so.
 */
template <typename TABLE, int VEC, int BLOCK, int HEADS, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    rope_heads(const bf16_t *q, const bf16_t *k, const TABLE *__restrict__ cos, const TABLE *__restrict__ sin,
               bf16_t *q_out, bf16_t *k_out, int t, int q_heads, int k_heads, int d) {
    typedef Pack<bf16_t, VEC> pack_t;
    typedef typename Word<sizeof(bf16_t) * VEC>::type word_t;
    const unsigned int half = d / 2, lanes = half / VEC, heads = q_heads + k_heads;
    const unsigned int groups = (heads + HEADS - 1) / HEADS;
    const unsigned int index = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned int at = index % lanes * VEC, group = index / lanes % groups, token = index / lanes / groups;
    if (token >= (unsigned int)t) {
        return;
    }
    pack_t low[HEADS], high[HEADS];
    bf16_t *to[HEADS];
#pragma unroll
    for (int i = 0; i < HEADS; i++) {
        const unsigned int head = group + i * groups;
        const bool of_q = head < (unsigned int)q_heads;
        const long long row = of_q ? (long long)token * q_heads + head : (long long)token * k_heads + (head - q_heads);
        to[i] = head < heads ? (of_q ? q_out : k_out) + row * d + at : nullptr;
        if (head < heads) {
            const bf16_t *from = (of_q ? q : k) + row * d + at;
            low[i].word = load_word<STREAM>(reinterpret_cast<const word_t *>(from));
            high[i].word = load_word<STREAM>(reinterpret_cast<const word_t *>(from + half));
        }
    }
    Entries<TABLE, VEC> cosines, sines;
    cosines.load(cos + (long long)token * half + at);
    sines.load(sin + (long long)token * half + at);
#pragma unroll
    for (int i = 0; i < HEADS; i++) {
        if (to[i]) {
            rotate<TABLE, VEC>(low[i], high[i], cosines, sines);
            store_word<STREAM>(reinterpret_cast<word_t *>(to[i]), low[i].word);
            store_word<STREAM>(reinterpret_cast<word_t *>(to[i] + half), high[i].word);
        }
    }
}

/* Where tokens come from, and the bytes that each has there: multiples of 16. In shared memory the four parts of a
 * token lie one behind the other. */
struct Tokens {
    const char *q, *k, *cos, *sin;
    unsigned int q_bytes, k_bytes, table_bytes;
    __device__ __forceinline__ unsigned int bytes() const {
        return q_bytes + k_bytes + 2 * table_bytes;
    }
    __device__ __forceinline__ void fetch(long long token, unsigned int slot, unsigned int gate) const {
        bulk_expect(bytes(), gate);
        bulk_copy(slot, q + token * q_bytes, q_bytes, gate);
        slot += q_bytes;
        if (k_bytes > 0) {
            bulk_copy(slot, k + token * k_bytes, k_bytes, gate);
        }
        slot += k_bytes;
        bulk_copy(slot, cos + token * table_bytes, table_bytes, gate);
        bulk_copy(slot + table_bytes, sin + token * table_bytes, table_bytes, gate);
    }
};

/*
 * Whole tokens by the copy engine, STAGES of them on their way to a block while it turns the one before. Block b takes
 * tokens b, b + gridDim.x, ... In place is fine: a token is in shared memory before any of it is written.
 * sm_90; d must be a multiple of 16.
 */
template <typename TABLE, int BLOCK, int STAGES>
__global__ void __launch_bounds__(BLOCK, 1)
    rope_bulk(const bf16_t *q, const bf16_t *k, const TABLE *__restrict__ cos, const TABLE *__restrict__ sin,
              bf16_t *q_out, bf16_t *k_out, int t, int q_heads, int k_heads, int d) {
    typedef Pack<bf16_t, 8> pack_t;
    extern __shared__ __align__(128) unsigned char staged[];
    __shared__ __align__(8) unsigned long long barriers[STAGES];
    const unsigned int half = d / 2, lanes = half / 8, units = (q_heads + k_heads) * lanes;
    const Tokens tokens = {(const char *)q,
                           (const char *)k,
                           (const char *)cos,
                           (const char *)sin,
                           (unsigned int)(q_heads * d) * 2,
                           (unsigned int)(k_heads * d) * 2,
                           half * (unsigned int)sizeof(TABLE)};
    const unsigned int size = tokens.bytes();
    const unsigned int slots = shared_place(staged), gates = shared_place(barriers);
    long long ahead = blockIdx.x;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bulk_barrier_open(gates + 8 * s);
        }
        bulk_barriers_ready();
        for (int s = 0; s < STAGES && ahead < t; s++, ahead += gridDim.x) {
            tokens.fetch(ahead, slots + s * size, gates + 8 * s);
        }
    }
    __syncthreads();
    unsigned int slot = 0, parity = 0;
#pragma unroll 1
    for (long long token = blockIdx.x; token < t; token += gridDim.x) {
        const bf16_t *heads = reinterpret_cast<const bf16_t *>(staged + slot * size);
        const TABLE *tables = reinterpret_cast<const TABLE *>(staged + slot * size + tokens.q_bytes + tokens.k_bytes);
        bulk_wait(gates + 8 * slot, parity);
#pragma unroll 2
        for (unsigned int unit = threadIdx.x; unit < units; unit += BLOCK) {
            const unsigned int head = unit / lanes, at = unit % lanes * 8;
            Entries<TABLE, 8> cosines, sines;
            pack_t low, high;
            low.word = *reinterpret_cast<const uint4 *>(heads + head * d + at);
            high.word = *reinterpret_cast<const uint4 *>(heads + head * d + at + half);
            cosines.load(tables + at);
            sines.load(tables + half + at);
            rotate<TABLE, 8>(low, high, cosines, sines);
            bf16_t *to = head < (unsigned int)q_heads ? q_out + (token * q_heads + head) * d
                                                      : k_out + (token * k_heads + (head - q_heads)) * d;
            *reinterpret_cast<uint4 *>(to + at) = low.word;
            *reinterpret_cast<uint4 *>(to + at + half) = high.word;
        }
        __syncthreads(); /* all have read the slot */
        if (threadIdx.x == 0 && ahead < t) {
            tokens.fetch(ahead, slots + slot * size, gates + 8 * slot);
            ahead += gridDim.x;
        }
        if (++slot == STAGES) {
            slot = 0;
            parity ^= 1;
        }
    }
}
