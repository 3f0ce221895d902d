/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) of multi-head latent attention by wgmma (sm_90a): one row of 576 bf16 a token is K of all heads,
 * and its first 512 elements are V. q is [batch][heads][576], out [batch][heads][512]; the cache [pages][page][576].
 *
 * A block has 64 heads, and goes over tiles of 64 tokens, two of which have a place. Two warpgroups score tiles in
 * turn; each adds V of all of them to its half of the 512 sums: of the tiles that it has scored with its own weights,
 * of the others with those that its neighbour has left. So one's weights are computed while the tensor cores work for
 * the other. A third brings tiles by TMA, in pairs of slabs of 64 elements that become free one by one.
 *
 * Each warpgroup has code of its own, so that places are constants: the next operand is an addition for the whole warp.
 * Made by every thread it takes longer than multiplying by 64 tokens, which then waits.
 *
 * SPREAD: a tile's scores and the values of the one before by the other's weights take turns, and the last of these are
 * added while tops are found. Tensor cores wait less, memory is read less evenly: for blocks that do not wait for it.
 *
 * PAIR 2: neighbouring blocks have the same tokens and the next 64 heads; each brings half of a tile, to both.
 * CLUSTER blocks (pairs) with neighbouring tokens of a sequence join their sums over the cluster's shared memory.
 */
#include "decode_mla_join.cuh"
#include "wgmma_registers.cuh"
#include "wgmma_tiles.cuh"

#ifndef SPREAD
#define SPREAD false
#endif

#if __CUDA_ARCH_FEAT_SM90_ALL

template <int BOX_, int CLUSTER_, int PAIR_> struct Mla {
    static constexpr int BOX = BOX_, CLUSTER = CLUSTER_, PAIR = PAIR_, BLOCKS = CLUSTER * PAIR;
    static constexpr int WIDE = 576, VALUES = 512, SLABS = WIDE / 64, TOKENS = 64, STAGES = 2;
    static constexpr int SLAB = TOKENS * 128, HALF = 4 * SLAB, TILE = SLABS * SLAB; /* bytes */
    static constexpr int Q_SLAB = 64 * 128, Q = SLABS * Q_SLAB;
    static constexpr int PITCH = VALUES + 8;           /* floats, of a head's sums where q and the tiles were */
    static constexpr int WEIGHTS_AT = 3 * Q;           /* of the newest tile, for the other warpgroup */
    static constexpr int STATS_AT = WEIGHTS_AT + SLAB; /* their heads' tops; at last tops, and weights of each half */
    static constexpr int BARRIERS_AT = STATS_AT + 4 * 64 * 4;
    static constexpr int GROUPS = 5; /* of slabs that are waited for: four pairs and the last */
    static constexpr int BARRIERS = 1 + STAGES * (2 * GROUPS + 1); /* q; full, free, weights */
    static constexpr int BYTES = BARRIERS_AT + BARRIERS * 8;
    static_assert(TOKENS % BOX == 0 && BOX % 8 == 0, "whole pages");
    static_assert(64 * PITCH * 4 <= STATS_AT, "sums lie where q and the tiles were");
};

/* Where things of a block lie, by the number of a tile. */
template <class P> struct MlaPlaces {
    unsigned shared, barriers;

    __device__ __forceinline__ explicit MlaPlaces(unsigned of_block)
        : shared(of_block), barriers(of_block + P::BARRIERS_AT) {
    }
    __device__ __forceinline__ static unsigned parity(int tile) {
        return tile / P::STAGES & 1;
    }
    __device__ __forceinline__ unsigned tile(int tile) const {
        return shared + P::Q + tile % P::STAGES * P::TILE;
    }
    __device__ __forceinline__ unsigned full(int tile, int group) const {
        return barriers + 8 * (1 + tile % P::STAGES * P::GROUPS + group);
    }
    __device__ __forceinline__ unsigned free(int tile, int group) const {
        return barriers + 8 * (1 + (P::STAGES + tile % P::STAGES) * P::GROUPS + group);
    }
    __device__ __forceinline__ unsigned weighed(int tile) const {
        return barriers + 8 * (1 + P::STAGES * (2 * P::GROUPS) + tile % P::STAGES);
    }
};

/* What a block does. Along x: parts of the tokens, of each its pair of blocks; along y: pairs of 64 heads. */
template <class P> struct MlaShare : Share {
    int member, rank, tiles; /* of the pair; of the cluster's parts */

    __device__ __forceinline__ MlaShare(const Decode &of, const int *tables, const int *lengths)
        : Share(of, tables, lengths, 64), member(blockIdx.x % P::PAIR), rank(blockIdx.x / P::PAIR % P::CLUSTER) {
        part = blockIdx.x / P::PAIR;
        first = part * of.chunk;
        end = min(lengths[sequence], first + of.chunk);
        tiles = end > first ? (end - first + P::TOKENS - 1) / P::TOKENS : 0;
        first_head = (blockIdx.y * P::PAIR + member) * 64;
        heads = min(64, of.group - first_head);
    }
    /* The whole cluster has no tokens; the first of an empty sequence stays, to write zeros. */
    __device__ __forceinline__ bool all_idle() const {
        return part - rank >= parts;
    }
    /* Tokens of a tile. */
    __device__ __forceinline__ int left(int tile) const {
        return min(P::TOKENS, end - first - tile * P::TOKENS);
    }
};

__device__ __forceinline__ void both_warpgroups() {
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* Numbers of a block of the cluster, at a place that bulk_place_in() named. */
__device__ __forceinline__ float number_there(unsigned there) {
    float number;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(number) : "r"(there) : "memory");
    return number;
}
__device__ __forceinline__ float4 numbers_there(unsigned there) {
    float4 numbers;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(numbers.x), "=f"(numbers.y), "=f"(numbers.z), "=f"(numbers.w)
                 : "r"(there)
                 : "memory");
    return numbers;
}

/* Four words of shared memory. */
__device__ __forceinline__ void store_words(unsigned to, const unsigned *words) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]),
                 "r"(words[3])
                 : "memory");
}
__device__ __forceinline__ void load_words(unsigned *words, unsigned from) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(from)
                 : "memory");
}

/* What warpgroup HALF keeps, which scores tiles HALF, HALF + 2, ...: all places are constants. Of register
 * 4 j + 2 h + e: head 16 warp + lane / 4 + 8 h. */
template <class P, int HALF> struct Latent {

    const MlaPlaces<P> at;
    const MlaShare<P> &share;
    const int warp, lane;
    float *const stats;
    float sums[2][64], scores[1][P::TOKENS / 2], top[2], weight[2];
    unsigned weights[P::TOKENS / 4]; /* of a tile, as an A (wgmma_registers.cuh) */

    __device__ __forceinline__ int head(int h) const {
        return warp * 16 + lane / 4 + 8 * h;
    }
    __device__ __forceinline__ Latent(const MlaShare<P> &of_block, unsigned shared, float *stats_of_block)
        : at(shared), share(of_block), warp(threadIdx.x % 128 / 32), lane(threadIdx.x % 32), stats(stats_of_block) {
#pragma unroll
        for (int i = 0; i < 128; i++) {
            sums[i / 64][i % 64] = 0.0f;
        }
        top[0] = top[1] = LOWEST;
        weight[0] = weight[1] = 0.0f;
    }

    /* The beginning of shared memory, to which an operand's distance is added. */
    __device__ __forceinline__ unsigned base() const {
        unsigned units = (at.shared & 0x3ffff) >> 4; /* the rest says which block of the cluster it is */
        asm volatile("" : "+r"(units));              /* else the compiler keeps every step's operand in registers */
        return units;
    }
    template <unsigned CHUNK>
    __device__ __forceinline__ static unsigned long long operand(unsigned from, unsigned bytes) {
        constexpr unsigned long long EIGHT_LINES = 1024 >> 4, SWIZZLE_128 = 1;
        return SWIZZLE_128 << 62 | EIGHT_LINES << 32 | (from + (CHUNK >> 4 << 16) + (bytes >> 4));
    }
    static constexpr unsigned OWN_AT = P::Q + HALF * P::TILE, OTHERS_AT = P::Q + (1 - HALF) * P::TILE;

    template <int GROUP> __device__ __forceinline__ void score_group(int tile, unsigned from, bool add) {
        bulk_wait(at.full(HALF, GROUP), at.parity(tile));
        wgmma_begin();
#pragma unroll
        for (int step = 0; step < (GROUP < 4 ? 8 : 4); step++) {
            const unsigned slab = GROUP * 2 + step / 4, skip = step % 4 * 32;
            const unsigned long long keys = operand<16>(from, OWN_AT + slab * P::SLAB + skip);
            wgmma<__nv_bfloat16, true, true>(scores[0], operand<16>(from, slab * P::Q_SLAB + skip), keys,
                                             add || step > 0);
        }
    }
    /* Scores of a tile: what its last slab, which comes first, and slabs of its own half of V say; or the others. */
    __device__ __forceinline__ void score_own(int tile) {
        const unsigned from = base();
        score_group<4>(tile, from, false);
        score_group<HALF * 2>(tile, from, true);
        score_group<HALF * 2 + 1>(tile, from, true);
        wgmma_commit();
    }
    __device__ __forceinline__ void score_others(int tile) {
        const unsigned from = base();
        score_group<(1 - HALF) * 2>(tile, from, true);
        score_group<(1 - HALF) * 2 + 1>(tile, from, true);
        wgmma_commit();
    }

    /* Nobody reads these slabs any more: their place is free, in the block that brings them. */
    __device__ __forceinline__ void release(int tile, int group, int bringer) const {
        if (lane == 0) {
            if (P::PAIR > 1) {
                bulk_arrive_at(bulk_place_in(at.free(tile, group), share.rank * P::PAIR + bringer));
            } else {
                bulk_arrive(at.free(tile, group));
            }
        }
        __syncwarp();
    }

    /* What the other has left of a tile that it has scored: its weights, and what they are relative to. */
    __device__ __forceinline__ void take_weights(int tile) {
        bulk_wait(at.weighed(1 - HALF), at.parity(tile));
        bulk_wait(at.full(1 - HALF, HALF * 2), at.parity(tile)); /* the neighbour waited for it, this one did not */
        bulk_wait(at.full(1 - HALF, HALF * 2 + 1), at.parity(tile));
        const float to[2] = {stats[head(0)], stats[head(1)]};
        rise(to);
#pragma unroll
        for (int step = 0; step < P::TOKENS / 16; step++) {
            load_words(weights + 4 * step, at.shared + P::WEIGHTS_AT + step * 2048 + threadIdx.x % 128 * 16);
        }
    }
    /* sums += weights by V of a tile. Behind it nothing is at work, and the place is free, of the first half of the
     * columns while the others are added. */
    template <bool OWN> __device__ __forceinline__ void add(const unsigned *by) {
        constexpr int STAGE = OWN ? HALF : 1 - HALF;
        constexpr unsigned AT = (OWN ? OWN_AT : OTHERS_AT) + HALF * P::HALF;
        const unsigned from = base();
        wgmma_hold(sums);
        wgmma_begin();
#pragma unroll
        for (int piece = 0; piece < 2; piece++) {
            add_half(piece, by, from, AT);
        }
        wgmma_wait<1>();
        release(STAGE, HALF * 2, HALF);
        wgmma_wait<0>();
        wgmma_hold(sums);
        release(STAGE, HALF * 2 + 1, HALF);
    }
    __device__ __forceinline__ void add_half(int piece, const unsigned *by, unsigned from, unsigned at_values) {
#pragma unroll
        for (int step = 0; step < P::TOKENS / 16; step++) {
            wgmma_registers<__nv_bfloat16>(sums[piece], by + 4 * step,
                                           operand<P::SLAB>(from, at_values + piece * 2 * P::SLAB + step * 2048), 1);
        }
        wgmma_commit();
    }
    __device__ __forceinline__ void add_other(int tile) {
        take_weights(tile);
        add<false>(weights);
    }

    /* Sums and weights become relative to these scores. */
    __device__ __forceinline__ void rise(const float (&to)[2]) {
        if (__any_sync(~0u, to[0] != top[0] || to[1] != top[1])) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const float factor = exp2_fast(top[h] - to[h]);
                top[h] = to[h];
                weight[h] *= factor;
#pragma unroll
                for (int i = 0; i < 128; i += 4) {
                    sums[i / 64][i % 64 + 2 * h] *= factor;
                    sums[i / 64][i % 64 + 2 * h + 1] *= factor;
                }
            }
        }
    }

    /* Scores are scaled. `to`: what they shall be relative to, the same as before until one exceeds that by 2^8. */
    __device__ __forceinline__ void find_tops(float (&to)[2], int tile) {
        const int left = share.left(tile);
        float highest[2] = {MASKED, MASKED};
        if (left < P::TOKENS) {
#pragma unroll
            for (int i = 0; i < P::TOKENS / 2; i++) {
                scores[0][i] = i / 4 * 8 + lane % 4 * 2 + i % 2 < left ? scores[0][i] : MASKED;
            }
        }
#pragma unroll
        for (int i = 0; i < P::TOKENS / 2; i++) {
            highest[i / 2 % 2] = fmaxf(highest[i / 2 % 2], scores[0][i]);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            highest[h] = fmaxf(highest[h], __shfl_xor_sync(~0u, highest[h], 1));
            highest[h] = fmaxf(highest[h], __shfl_xor_sync(~0u, highest[h], 2)) * share.scale;
            to[h] = highest[h] > top[h] + 8.0f ? highest[h] : top[h];
        }
    }

    /* Scores become weights. */
    __device__ __forceinline__ void weigh(const float (&to)[2], float (&more)[2]) {
        more[0] = more[1] = 0.0f;
#pragma unroll
        for (int i = 0; i < P::TOKENS / 2; i += 2) {
            float *pair = scores[0] + i;
            pair[0] = exp2_fast(fmaf(pair[0], share.scale, -to[i / 2 % 2]));
            pair[1] = exp2_fast(fmaf(pair[1], share.scale, -to[i / 2 % 2]));
            more[i / 2 % 2] += pair[0] + pair[1];
        }
#pragma unroll
        for (int i = 0; i < P::TOKENS / 4; i++) {
            weights[i] = pair_of<__nv_bfloat16>(scores[0][2 * i], scores[0][2 * i + 1]);
        }
    }

    /* Weights and tops to the other one, to each thread what this one has: it has read what was there before itself. */
    __device__ __forceinline__ void tell_weights(const float (&to)[2]) const {
#pragma unroll
        for (int step = 0; step < P::TOKENS / 16; step++) {
            store_words(at.shared + P::WEIGHTS_AT + step * 2048 + threadIdx.x % 128 * 16, weights + 4 * step);
        }
        if (lane % 4 == 0) {
            stats[head(0)] = to[0];
            stats[head(1)] = to[1];
        }
        __syncwarp();
        if (lane == 0) {
            bulk_arrive(at.weighed(HALF));
        }
        __syncwarp();
    }

    /* The other warps of this warpgroup have come here, too. */
    __device__ __forceinline__ static void meet() {
        asm volatile("bar.sync %0, 128;" ::"n"(2 + HALF) : "memory");
    }

    /* Zeros in place of V of tokens that are not there: a weight of 0 does not make up for a NaN. */
    __device__ __forceinline__ void clear_rest(int tile) const {
        const int left = share.left(tile);
        if (left < P::TOKENS) {
            meet(); /* all have scored */
            for (int i = threadIdx.x % 128; i < (P::TOKENS - left) * 128; i += 128) {
                store_pair(at.shared + OWN_AT + i % 8 * P::SLAB + (left + i / 128) * 128 + i / 8 % 16 * 8, 0, 0);
            }
            bulk_fence_writes();
            meet();
        }
    }

    /* The values of a tile by its scores, which are at work; BETWEEN: so are the last values of the one before. */
    template <bool BETWEEN = false> __device__ __forceinline__ void weigh_and_add(int tile) {
        float to[2], more[2];
        wgmma_wait<BETWEEN ? 1 : 0>();
        wgmma_hold(scores);
        release(HALF, 4, 1 - HALF);
        find_tops(to, tile);
        if constexpr (BETWEEN) {
            apart(to[0]);
            added_other_half<1, 0>();
            wgmma_hold(sums);
        }
        weigh(to, more);
        clear_rest(tile);
        tell_weights(to);
        rise(to);
        weight[0] += more[0];
        weight[1] += more[1];
        add<true>(weights);
    }

    /* No wait that follows comes to stand in front of what makes `known`, which is a number. */
    __device__ __forceinline__ static void apart(float known) {
        if (!(known == known)) {
            asm volatile("trap;");
        }
    }
    template <int GROUP> __device__ __forceinline__ void score_more(int tile) {
        score_group<GROUP>(tile, base(), GROUP != HALF * 2);
        wgmma_commit();
    }
    template <int PIECE> __device__ __forceinline__ void add_other_half() {
        wgmma_hold(reinterpret_cast<float(&)[1][64]>(sums[PIECE])); /* the other half may be at work */
        wgmma_begin();
        add_half(PIECE, weights, base(), OTHERS_AT + HALF * P::HALF);
    }
    template <int PIECE, int LATER> __device__ __forceinline__ void added_other_half() {
        wgmma_wait<LATER>();
        release(1 - HALF, HALF * 2 + PIECE, HALF);
    }
    /* A tile with the values of the one before in between. */
    __device__ __forceinline__ void turn(int tile) {
        score_more<HALF * 2>(tile);
        score_more<4>(tile);
        take_weights(tile - 1);
        score_more<HALF * 2 + 1>(tile);
        add_other_half<0>();
        score_more<(1 - HALF) * 2>(tile);
        score_more<(1 - HALF) * 2 + 1>(tile);
        add_other_half<1>();
        added_other_half<0, 3>();
        weigh_and_add<true>(tile);
    }

    __device__ __forceinline__ void attend() {
        if (share.tiles == 0) {
            return;
        }
        bulk_wait(at.barriers, 0);
        int tile = HALF;
        if (HALF == 0) {
            score_own(0);
            score_others(0);
            weigh_and_add(0);
            tile = 2;
        }
        for (; tile < share.tiles; tile += 2) {
            if constexpr (SPREAD) {
                turn(tile);
                continue;
            }
            score_own(tile); /* while the other computes weights */
            add_other(tile - 1);
            score_others(tile);
            weigh_and_add(tile);
        }
        if (tile == share.tiles) {
            add_other(tile - 1);
        }
    }

    /* What it has, for the cluster: q and tiles are used up. */
    __device__ __forceinline__ void leave(float *space) {
        both_warpgroups();
#pragma unroll
        for (int h = 0; h < 2; h++) {
            weight[h] += __shfl_xor_sync(~0u, weight[h], 1);
            weight[h] += __shfl_xor_sync(~0u, weight[h], 2);
            if (lane % 4 == 0) {
                stats[head(h)] = top[h];
                stats[(2 + HALF) * 64 + head(h)] = weight[h];
            }
            float *row = space + head(h) * P::PITCH + HALF * 256 + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < 128; i += 4) {
                *reinterpret_cast<float2 *>(row + i * 2) =
                    make_float2(sums[i / 64][i % 64 + 2 * h], sums[i / 64][i % 64 + 2 * h + 1]);
            }
        }
    }
};

/* What the blocks of a cluster have of a head, four columns of it. */
template <class P> struct MlaLeft {
    float tops[P::CLUSTER], weights[P::CLUSTER][2];
    float4 sums[P::CLUSTER];

    __device__ __forceinline__ void load(const MlaShare<P> &share, unsigned shared, int line, int column) {
#pragma unroll
        for (int i = 0; i < P::CLUSTER; i++) {
            const unsigned there = bulk_place_in(shared, i * P::PAIR + share.member), stats = there + P::STATS_AT;
            tops[i] = number_there(stats + line * 4);
            weights[i][0] = number_there(stats + (128 + line) * 4);
            weights[i][1] = number_there(stats + (192 + line) * 4);
            sums[i] = numbers_there(there + (line * P::PITCH + column) * 4);
        }
    }
    /* To the result, or to the parts. */
    __device__ __forceinline__ void join(const MlaShare<P> &share, const Decode &of, const Parts &parts,
                                         __nv_bfloat16 *out, int line, int column) const {
        float top = LOWEST, weight = 0.0f, own[4] = {};
#pragma unroll
        for (int i = 0; i < P::CLUSTER; i++) {
            top = fmaxf(top, tops[i]);
        }
#pragma unroll
        for (int i = 0; i < P::CLUSTER; i++) {
            const float factor = exp2_fast(tops[i] - top);
            weight += factor * (weights[i][0] + weights[i][1]);
            own[0] += factor * sums[i].x;
            own[1] += factor * sums[i].y;
            own[2] += factor * sums[i].z;
            own[3] += factor * sums[i].w;
        }
        const long long row = share.row(of, line);
        if (share.parts <= P::CLUSTER) {
            const float scale = weight > 0.0f ? share.out_scale / weight : 0.0f;
            *reinterpret_cast<uint2 *>(out + row * P::VALUES + column) =
                make_uint2(pair_of<__nv_bfloat16>(own[0] * scale, own[1] * scale),
                           pair_of<__nv_bfloat16>(own[2] * scale, own[3] * scale));
            return;
        }
        const long long place = row * (gridDim.x / P::BLOCKS) + blockIdx.x / P::BLOCKS;
        *reinterpret_cast<float4 *>(parts.sums + place * P::VALUES + column) =
            make_float4(own[0], own[1], own[2], own[3]);
        if (column == 0) {
            parts.stats[place] = make_float2(top, weight);
        }
    }
};

/* Every so manyth head of the block's, so many at once that other blocks' memory is waited for seldom. */
template <class P>
__device__ __forceinline__ void mla_join_cluster(const MlaShare<P> &share, unsigned shared, const Decode &of,
                                                 const Parts &parts, __nv_bfloat16 *out) {
    constexpr int ONCE = P::CLUSTER > 2 ? 4 : 8, APART = 2 * P::CLUSTER;
    const int column = threadIdx.x % 128 * 4;
    for (int first = share.rank + P::CLUSTER * (threadIdx.x / 128); first < share.heads; first += ONCE * APART) {
        MlaLeft<P> left[ONCE];
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            left[i].load(share, shared, min(first + i * APART, share.heads - 1), column);
        }
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            if (first + i * APART < share.heads) {
                left[i].join(share, of, parts, out, first + i * APART, column);
            }
        }
    }
}

/* By the one warp: q, then tiles of tokens. A lane has BOX tokens, at most a page. */
template <class P> struct MlaProducer {
    const MlaPlaces<P> at;
    const MlaShare<P> &share;
    const CUtensorMap *cache;
    const int page_shift, lane, offset;

    __device__ __forceinline__ MlaProducer(const MlaShare<P> &of_block, unsigned shared, const CUtensorMap *of_cache,
                                           int shift)
        : at(shared), share(of_block), cache(of_cache), page_shift(shift), lane(threadIdx.x % 32),
          offset(lane * P::BOX) {
    }
    __device__ __forceinline__ int page_of(int token) const {
        return offset < P::TOKENS && token < share.end ? share.table[token >> page_shift] : 0;
    }
    __device__ __forceinline__ void bring_q(const CUtensorMap *q, int row) const {
        if (lane == 0 && share.tiles > 0) {
            bulk_expect(at.barriers, P::Q);
            for (int slab = 0; slab < P::SLABS; slab++) {
                bulk_load_box(at.shared + slab * P::Q_SLAB, q, slab * 64, row, at.barriers);
            }
        }
    }
    /* Slabs of a group of a tile, whose row this lane brings is `row`; boxes: of all lanes. */
    __device__ __forceinline__ void bring(int tile, int group, bool brings, bool mine, int boxes, int row) const {
        const unsigned full = at.full(tile, group);
        const int slabs = group < 4 ? 2 : 1;
        if (lane == 0) {
            if (P::PAIR > 1) { /* what the other block brought before has arrived */
                bulk_wait(full, at.parity(tile) ^ 1);
            }
            bulk_expect(full, slabs * boxes * (P::BOX * 128));
        }
        __syncwarp();
        if (brings && mine) {
#pragma unroll 1
            for (int slab = group * 2; slab < group * 2 + slabs; slab++) {
                const unsigned to = at.tile(tile) + slab * P::SLAB + offset * 128;
                if (P::PAIR > 1) {
                    bulk_load_box_to(3u << share.rank * P::PAIR, to, cache, slab * 64, row, full);
                } else {
                    bulk_load_box(to, cache, slab * 64, row, full);
                }
            }
        }
    }
    __device__ __forceinline__ void bring_all(const CUtensorMap *q, int first_row) const {
        int page = page_of(share.first + offset); /* is on its way while q is asked for */
        bring_q(q, first_row);
        for (int tile = 0; tile < share.tiles; tile++) {
            const int token = share.first + tile * P::TOKENS + offset;
            const int row = (page << page_shift) + (token & ((1 << page_shift) - 1));
            const int boxes = (share.left(tile) + P::BOX - 1) / P::BOX;
            const bool mine = offset < P::TOKENS && token < share.end;
            page = page_of(token + P::TOKENS);
            const int half = tile % 2; /* in the order in which places become free */
#pragma unroll 1
            for (int i = 0; i < P::GROUPS; i++) {
                const int last_first = i == 0 ? 4 : (i - 1) ^ half * 2;
                const int group = SPREAD && i < 2 ? (i == 0 ? half * 2 : 4) : last_first;
                const bool brings = P::PAIR == 1 || (group == 4 ? 1 - half : group / 2) == share.member;
                if (brings && lane == 0) {
                    bulk_wait(at.free(tile, group), at.parity(tile) ^ 1);
                }
                bring(tile, group, brings, mine, boxes, row);
            }
        }
    }
};

template <class P> __device__ __forceinline__ void mla_barriers(unsigned shared) {
    const MlaPlaces<P> at(shared);
    if (threadIdx.x == 0) {
        bulk_barrier_init(at.barriers);
        for (int i = 0; i < P::STAGES; i++) {
            for (int group = 0; group < P::GROUPS; group++) {
                bulk_barrier_init(at.full(i, group));
                bulk_barrier_init(at.free(i, group), 4 * P::PAIR); /* warps */
            }
            bulk_barrier_init(at.weighed(i), 4);
        }
        bulk_barrier_publish();
    }
}
template <class P> __device__ __forceinline__ void mla_meet() {
    if (P::BLOCKS > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
}

template <class P, int HALF>
__device__ __forceinline__ void mla_attend(const MlaShare<P> &share, unsigned shared, float *space) {
    Latent<P, HALF> own(share, shared, space + P::STATS_AT / 4);
    own.attend();
    own.leave(space);
}
#endif

template <int BOX, int CLUSTER, int PAIR>
__global__ void __launch_bounds__(384, 1)
    decode_mla(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap cache,
               const int *__restrict__ tables, const int *__restrict__ lengths, __nv_bfloat16 *__restrict__ out,
               Parts parts, Decode of) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Mla<BOX, CLUSTER, PAIR> P;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned shared = shared_address(memory);
    const MlaShare<P> share(of, tables, lengths);
    launch_next();
    if (share.all_idle()) {
        return;
    }
    mla_barriers<P>(shared);
    mla_meet<P>();
    if (threadIdx.x >= 256) {
        warpgroup_give_registers<40>();
        if (threadIdx.x < 288) {
            const MlaProducer<P> producer(share, shared, &cache, of.page_shift);
            producer.bring_all(&q, (int)share.row(of, 0));
        }
        mla_meet<P>();
    } else {
        warpgroup_take_registers<232>();
        if (threadIdx.x < 128) {
            mla_attend<P, 0>(share, shared, reinterpret_cast<float *>(memory));
        } else {
            mla_attend<P, 1>(share, shared, reinterpret_cast<float *>(memory));
        }
        mla_meet<P>();
        int again = 0;
        asm volatile("" : "+r"(again)); /* what the block does is found anew: registers are few */
        mla_join_cluster<P>(MlaShare<P>(of, tables, lengths + again), shared, of, parts, out);
    }
    if (P::BLOCKS > 1) { /* a block that has ended could not be read */
        cluster_meet();
    }
#endif
}
