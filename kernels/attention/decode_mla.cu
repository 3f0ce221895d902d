/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) of multi-head latent attention by wgmma (sm_90a): one row of 576 bf16 a token is K of all heads,
 * and its first 512 elements are V. q is [batch][heads][576], out [batch][heads][512]; the cache [pages][page][576].
 *
 * A block has 64 heads. Two warpgroups take 32 tokens each in turn: each scores its own, they agree on the heads'
 * highest scores, and each adds V of all 64 tokens to its half of the 512 sums. A third brings tokens by TMA, two turns
 * ahead.
 */
#include "decode.cuh"
#include "wgmma_tiles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

struct Mla {
    enum {
        WIDE = 576,
        VALUES = 512,
        SLABS = WIDE / 64,
        Q = SLABS * 64 * 128, /* bytes */
        TOKENS = 32,
        SLAB = TOKENS * 128,
        TILE = SLABS * SLAB,
        STAGES = 4, /* places for tiles, behind q */
        WEIGHTS_AT = Q + STAGES * TILE,
        SHARED_AT = WEIGHTS_AT + 64 * 128,    /* a number of each warpgroup for each head */
        BARRIERS_AT = SHARED_AT + 2 * 64 * 4, /* q; full of each stage, empty of each */
        BYTES = BARRIERS_AT + 8 + 16 * STAGES
    };
    __device__ __forceinline__ static unsigned full(unsigned barriers, int stage) {
        return barriers + 8 + stage * 8;
    }
    __device__ __forceinline__ static unsigned empty(unsigned barriers, int stage) {
        return full(barriers, STAGES + stage);
    }
    __device__ __forceinline__ static unsigned tile(unsigned shared, int stage) {
        return shared + Q + stage * TILE;
    }
};

__device__ __forceinline__ void both_warpgroups() {
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* Scores of 64 heads and the tokens of a tile. */
__device__ __forceinline__ void score_tile(float (&scores)[1][16], unsigned q, unsigned tile) {
    typedef WgmmaTile<true, 64, Mla::WIDE> Heads;
    typedef WgmmaTile<true, Mla::TOKENS, Mla::WIDE> Rows;
    wgmma_tiles<__nv_bfloat16, Heads, Rows, Mla::WIDE>(scores, Heads::operand(q), Rows::operand(tile), false);
    wgmma_wait<0>();
    wgmma_hold(scores);
}

/* sums (64 heads, 256 elements) += weights by V of tile 0 or 1 of a turn. From 64 elements of V to the next it is a
 * slab, shorter than wgmma_operand() has it. */
__device__ __forceinline__ void add_values(float (&sums)[1][128], unsigned weights, unsigned tile, int which,
                                           int half) {
    constexpr unsigned long long CHUNK = 0x3fffull << 16;
    const unsigned long long a = wgmma_operand<true>(weights) + which * 2 * wgmma_step<true>();
    const unsigned long long b = (wgmma_operand<false>(tile + half * 4 * Mla::SLAB) & ~CHUNK) | (Mla::SLAB >> 4) << 16;
    wgmma_hold(sums);
    wgmma_begin();
#pragma unroll
    for (int step = 0; step < Mla::TOKENS / 16; step++) {
        wgmma<__nv_bfloat16, true, false>(sums[0], a + step * wgmma_step<true>(), b + step * wgmma_step<false>(), 1);
    }
    wgmma_commit();
    wgmma_hold(sums);
}

/* Zeros in place of V of tokens from `left` on: a weight of 0 does not make up for a NaN. */
__device__ __forceinline__ void clear_rest(unsigned tile, int left) {
    for (int i = threadIdx.x % 128; i < (Mla::TOKENS - left) * 128; i += 128) {
        store_pair(tile + i % 8 * Mla::SLAB + (left + i / 128) * 128 + i / 8 % 16 * 8, 0, 0);
    }
}

/* What a warpgroup keeps. Of register 4 j + 2 h + e: head 16 warp + lane / 4 + 8 h. */
struct Latent {
    float sums[1][128], top[2], weight[2];
    int warp, lane, half;
    float *shared; /* [2][64] */

    __device__ __forceinline__ int head(int h) const {
        return warp * 16 + lane / 4 + 8 * h;
    }
    __device__ __forceinline__ Latent(float *of_block)
        : warp(threadIdx.x % 128 / 32), lane(threadIdx.x % 32), half(threadIdx.x / 128), shared(of_block) {
#pragma unroll
        for (int i = 0; i < 128; i++) {
            sums[0][i] = 0.0f;
        }
        top[0] = top[1] = LOWEST;
        weight[0] = weight[1] = 0.0f;
    }

    /* What the other warpgroup has for the same heads. */
    __device__ __forceinline__ void exchange(float (&own)[2]) {
        if (lane % 4 == 0) {
            shared[half * 64 + head(0)] = own[0];
            shared[half * 64 + head(1)] = own[1];
        }
        both_warpgroups();
        own[0] = shared[(half ^ 1) * 64 + head(0)];
        own[1] = shared[(half ^ 1) * 64 + head(1)];
    }

    /* Scores become weights. Sums are scaled anew where a score exceeds what they are relative to by 2^8. */
    __device__ __forceinline__ void weigh(float (&scores)[1][16], float scale, int left) {
        float highest[2] = {MASKED, MASKED}, most[2];
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float &score = scores[0][i];
            score = i / 4 * 8 + lane % 4 * 2 + i % 2 < left ? score * scale : MASKED;
            highest[i / 2 % 2] = fmaxf(highest[i / 2 % 2], score);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            highest[h] = fmaxf(highest[h], __shfl_xor_sync(~0u, highest[h], 1));
            highest[h] = fmaxf(highest[h], __shfl_xor_sync(~0u, highest[h], 2));
            most[h] = highest[h];
        }
        exchange(most);
        bool grown = false;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            most[h] = fmaxf(most[h], highest[h]);
            grown |= most[h] > top[h] + 8.0f;
        }
        if (__any_sync(~0u, grown)) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const float to = most[h] > top[h] + 8.0f ? most[h] : top[h], factor = exp2_fast(top[h] - to);
                top[h] = to;
                weight[h] *= factor;
#pragma unroll
                for (int i = 0; i < 128; i += 4) {
                    sums[0][i + 2 * h] *= factor;
                    sums[0][i + 2 * h + 1] *= factor;
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 16; i++) {
            scores[0][i] = exp2_fast(scores[0][i] - top[i / 2 % 2]);
            weight[i / 2 % 2] += scores[0][i];
        }
    }

    /* Rows are heads, 128 bytes of the 64 tokens of a turn, swizzled. */
    __device__ __forceinline__ void store_weights(const float (&scores)[1][16], unsigned to) const {
        const int line = warp * 16 + lane % 16, beside = lane / 16;
#pragma unroll
        for (int right = 0; right < 4; right += 2) {
            const float *own = scores[0] + right * 4;
            store_tiles(to + line * 128 + ((half * 4 + right + beside) ^ line % 8) * 16,
                        pair_of<__nv_bfloat16>(own[0], own[1]), pair_of<__nv_bfloat16>(own[2], own[3]),
                        pair_of<__nv_bfloat16>(own[4], own[5]), pair_of<__nv_bfloat16>(own[6], own[7]));
        }
    }

    /* To the result, or to the parts. */
    __device__ __forceinline__ void store(const Decode &of, const Share &share, const Parts &parts,
                                          __nv_bfloat16 *out) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            weight[h] += __shfl_xor_sync(~0u, weight[h], 1);
            weight[h] += __shfl_xor_sync(~0u, weight[h], 2);
        }
        float other[2] = {weight[0], weight[1]};
        exchange(other);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            if (head(h) >= share.heads) {
                continue;
            }
            const long long row = share.row(of, head(h)), place = row * gridDim.x + share.part;
            const float all = weight[h] + other[h];
            const float scale = all > 0.0f ? share.out_scale / all : 0.0f;
            if (share.parts > 1 && half == 0 && lane % 4 == 0) {
                parts.stats[place] = make_float2(top[h], all);
            }
#pragma unroll
            for (int i = 0; i < 128; i += 4) {
                const int column = half * 256 + i * 2 + lane % 4 * 2;
                const float first = sums[0][i + 2 * h], second = sums[0][i + 2 * h + 1];
                if (share.parts > 1) {
                    *reinterpret_cast<float2 *>(parts.sums + place * Mla::VALUES + column) = make_float2(first, second);
                } else {
                    *reinterpret_cast<unsigned *>(out + row * Mla::VALUES + column) =
                        pair_of<__nv_bfloat16>(first * scale, second * scale);
                }
            }
        }
    }
};

/* By the one warp: q, then tiles of tokens, in turn to all places. A lane has BOX tokens, at most a page. */
template <int BOX>
__device__ __forceinline__ void bring_tokens(const CUtensorMap *q, const CUtensorMap *cache, const Decode &of,
                                             const Share &share, unsigned shared, unsigned barriers) {
    const int lane = threadIdx.x % 32, in_page = (1 << of.page_shift) - 1, offset = lane * BOX;
    if (lane == 0) {
        bulk_expect(barriers, Mla::Q);
        for (int slab = 0; slab < Mla::SLABS; slab++) {
            bulk_load_box(shared + slab * (64 * 128), q, slab * 64, (int)share.row(of, 0), barriers);
        }
    }
    auto page_of = [&](int token) {
        return offset < Mla::TOKENS && token < share.end ? share.table[token >> of.page_shift] : 0;
    };
    int page = page_of(share.first + offset);
    RingPlace<Mla::STAGES> place;
    for (int at = share.first; at < share.end; at += Mla::TOKENS) {
        const int token = at + offset, row = (page << of.page_shift) + (token & in_page);
        page = page_of(token + Mla::TOKENS);
        const unsigned full = Mla::full(barriers, place.stage);
        if (lane == 0) {
            const int boxes = min(Mla::TOKENS / BOX, (share.end - at + BOX - 1) / BOX);
            bulk_wait(Mla::empty(barriers, place.stage), place.parity ^ 1);
            bulk_expect(full, boxes * (Mla::SLABS * BOX * 128));
        }
        __syncwarp();
        if (offset < Mla::TOKENS && token < share.end) {
            const unsigned to = Mla::tile(shared, place.stage) + offset * 128;
            for (int slab = 0; slab < Mla::SLABS; slab++) {
                bulk_load_box(to + slab * Mla::SLAB, cache, slab * 64, row, full);
            }
        }
        place.next();
    }
}
#endif

template <int BOX>
__global__ void __launch_bounds__(384, 1)
    decode_mla(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap cache,
               const int *__restrict__ tables, const int *__restrict__ lengths, __nv_bfloat16 *__restrict__ out,
               Parts parts, Decode of) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    static_assert(Mla::TOKENS % BOX == 0 && BOX % 8 == 0, "whole pages");
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned shared = shared_address(memory), barriers = shared + Mla::BARRIERS_AT;
    const Share share(of, tables, lengths, 64);
    let_next_launch_start();
    if (share.idle()) {
        return;
    }
    if (threadIdx.x == 0) {
        bulk_barrier_init(barriers);
        for (int i = 0; i < Mla::STAGES; i++) {
            bulk_barrier_init(Mla::full(barriers, i));
            bulk_barrier_init(Mla::empty(barriers, i), 8); /* warps that multiply */
        }
        bulk_barrier_publish();
    }
    __syncthreads();
    if (threadIdx.x >= 256) {
        warpgroup_give_registers<24>();
        if (threadIdx.x < 288) {
            bring_tokens<BOX>(&q, &cache, of, share, shared, barriers);
        }
        return;
    }
    warpgroup_take_registers<240>();

    Latent own(reinterpret_cast<float *>(memory + Mla::SHARED_AT));
    const unsigned weights = shared + Mla::WEIGHTS_AT;
    RingPlace<Mla::STAGES> place; /* of the first of two tiles; the second is in the same phase */
    bulk_wait(barriers, 0);
    for (int at = share.first; at < share.end; at += 2 * Mla::TOKENS) {
        const int left = min((int)Mla::TOKENS, share.end - at - own.half * Mla::TOKENS);
        const unsigned tile = Mla::tile(shared, place.stage + own.half);
        float scores[1][16] = {};
        if (left > 0) {
            bulk_wait(Mla::full(barriers, place.stage + own.half), place.parity);
            score_tile(scores, shared, tile);
        }
        own.weigh(scores, share.scale, left);
        own.store_weights(scores, weights);
        if (left > 0 && left < Mla::TOKENS) {
            clear_rest(tile, left);
        }
        bulk_fence_writes();
        both_warpgroups();
        const int tiles = at + Mla::TOKENS < share.end ? 2 : 1;
        for (int i = 0; i < tiles; i++) {
            bulk_wait(Mla::full(barriers, place.stage + i), place.parity);
            add_values(own.sums, weights, Mla::tile(shared, place.stage + i), i, own.half);
        }
        wgmma_wait<0>();
        wgmma_hold(own.sums);
        if (own.lane < tiles) {
            bulk_arrive(Mla::empty(barriers, place.stage + own.lane));
        }
        place.skip(2);
    }
    own.store(of, share, parts, out);
#endif
}
