/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) for groups of many heads by wgmma (sm_90a): a block has up to 64 query heads of a KV head in the
 * 64 rows of an instruction. CONSUMERS warpgroups take 64 tokens each in turn, for themselves, and their sums become
 * one at the end; one more warp brings tokens by TMA, STAGES x 64 ahead. A warpgroup's weights pass shared memory.
 */
#include "decode.cuh"
#include "wgmma_tiles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

template <int D, int STAGES, int CONSUMERS> struct Group {
    enum {
        TOKENS = 64,
        SLABS = D / 64,
        SLAB = TOKENS * 128,
        V_AT = SLABS * SLAB, /* in a stage */
        STAGE = 2 * V_AT,
        WEIGHTS_AT = STAGES * STAGE, /* 64 heads by 64 tokens of each warpgroup */
        Q_AT = WEIGHTS_AT + CONSUMERS * 8192,
        BARRIERS_AT = Q_AT + SLABS * 8192, /* q; full of each stage, empty of each */
        PITCH = D + 4
    };
};

__device__ __forceinline__ void meet_group(int barrier) {
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

/* What a warpgroup keeps. Of register 4 j + 2 h + e: head 16 warp + lane / 4 + 8 h, element 8 j + 2 (lane % 4) + e. */
template <typename T, int D> struct GroupSums {
    float sums[1][D / 2] = {}, top[2] = {LOWEST, LOWEST}, weight[2] = {};
    const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;

    /* As in decode_mma.cuh: sums are scaled anew where a score exceeds what they are relative to by 2^8. */
    __device__ __forceinline__ void weigh(float (&scores)[1][32], float scale, int left) {
        float highest[2] = {MASKED, MASKED};
#pragma unroll
        for (int i = 0; i < 32; i++) {
            float &score = scores[0][i];
            score = i / 4 * 8 + lane % 4 * 2 + i % 2 < left ? score * scale : MASKED;
            highest[i / 2 % 2] = fmaxf(highest[i / 2 % 2], score);
        }
        if (__any_sync(~0u, highest[0] > top[0] + 8.0f || highest[1] > top[1] + 8.0f)) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float most = fmaxf(top[h], highest[h]);
                most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
                most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
                const float factor = exp2_fast(top[h] - most);
                top[h] = most;
                weight[h] *= factor;
#pragma unroll
                for (int i = 0; i < D / 2; i += 4) {
                    sums[0][i + 2 * h] *= factor;
                    sums[0][i + 2 * h + 1] *= factor;
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 32; i++) {
            scores[0][i] = exp2_fast(scores[0][i] - top[i / 2 % 2]);
            weight[i / 2 % 2] += scores[0][i];
        }
    }

    /* Rows are heads, 128 bytes of 64 tokens, swizzled. */
    __device__ __forceinline__ void store_weights(const float (&scores)[1][32], unsigned to) const {
        const int line = warp * 16 + lane % 16, beside = lane / 16;
#pragma unroll
        for (int right = 0; right < 8; right += 2) {
            const float *own = scores[0] + right * 4;
            store_tiles(to + line * 128 + ((right + beside) ^ line % 8) * 16, pair_of<T>(own[0], own[1]),
                        pair_of<T>(own[2], own[3]), pair_of<T>(own[4], own[5]), pair_of<T>(own[6], own[7]));
        }
    }

    /* sums += weights by V. */
    __device__ __forceinline__ void add(unsigned weights, unsigned values) {
        const unsigned long long a = wgmma_operand<true>(weights), b = wgmma_operand<false>(values);
        wgmma_hold(sums);
        wgmma_begin();
#pragma unroll
        for (int step = 0; step < 4; step++) {
            wgmma<T, true, false>(sums[0], a + step * wgmma_step<true>(), b + step * wgmma_step<false>(), 1);
        }
        wgmma_commit();
        wgmma_wait<0>();
        wgmma_hold(sums);
    }

    /* For end_block(): to [64][D + 4]. */
    __device__ __forceinline__ void leave(float *space) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float *own = space + (warp * 16 + lane / 4 + 8 * h) * (D + 4);
            weight[h] += __shfl_xor_sync(~0u, weight[h], 1);
            weight[h] += __shfl_xor_sync(~0u, weight[h], 2);
#pragma unroll
            for (int i = 0; i < D / 2; i += 4) {
                own[i * 2 + lane % 4 * 2] = sums[0][i + 2 * h];
                own[i * 2 + lane % 4 * 2 + 1] = sums[0][i + 2 * h + 1];
            }
            if (lane % 4 == 0) {
                own[D] = top[h];
                own[D + 1] = weight[h];
            }
        }
    }
};

/* Zeros in place of V of tokens from `left` on: a weight of 0 does not make up for a NaN. */
template <class G> __device__ __forceinline__ void clear_values(unsigned values, int left) {
    for (int i = threadIdx.x % 128; i < (G::TOKENS - left) * 16 * G::SLABS; i += 128) {
        store_pair(values + i % G::SLABS * G::SLAB + left * 128 + i / G::SLABS * 8, 0, 0);
    }
}
#endif

template <typename T, int D, int BOX, int STAGES, int CONSUMERS, bool LAST>
__global__ void __launch_bounds__(CONSUMERS * 128 + 32, 1)
    decode_wgmma(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                 const __grid_constant__ CUtensorMap v, const int *__restrict__ tables, const int *__restrict__ lengths,
                 T *__restrict__ out, Parts parts, unsigned *arrived, Decode of) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Group<D, STAGES, CONSUMERS> G;
    static_assert(STAGES % CONSUMERS == 0, "a warpgroup sees every phase of the stages that are its own");
    static_assert(G::TOKENS % BOX == 0 && BOX % 8 == 0, "whole pages");
    extern __shared__ __align__(1024) unsigned char ring[];
    const unsigned shared = shared_address(ring), barriers = shared + G::BARRIERS_AT, full = barriers + 8,
                   empty = full + STAGES * 8;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    const Share share(of, tables, lengths, 64);
    launch_next();
    if (share.idle()) {
        return;
    }
    if (threadIdx.x == 0) {
        bulk_barrier_init(barriers);
        for (int i = 0; i < STAGES; i++) {
            bulk_barrier_init(full + i * 8);
            bulk_barrier_init(empty + i * 8, 4); /* warps of the one warpgroup that has it */
        }
        bulk_barrier_publish();
    }
    __syncthreads();

    RingPlace<STAGES> place;
    float *space = reinterpret_cast<float *>(ring); /* behind the last stage */
    if (group == CONSUMERS) {
        const int in_page = (1 << of.page_shift) - 1, offset = lane * BOX;
        if (lane == 0) {
            bulk_expect(barriers, G::SLABS * 8192);
            for (int slab = 0; slab < G::SLABS; slab++) {
                bulk_load_box(shared + G::Q_AT + slab * 8192, &q, slab * 64, (int)share.row(of, 0), barriers);
            }
        }
        auto page_of = [&](int token) {
            return offset < G::TOKENS && token < share.end ? share.table[token >> of.page_shift] : 0;
        };
        int page = page_of(share.first + offset);
        for (int at = share.first; at < share.end; at += G::TOKENS) {
            const int token = at + offset;
            const int row =
                (int)((((long long)page * of.kv_heads + share.kv_head) << of.page_shift) + (token & in_page));
            const unsigned barrier = full + place.stage * 8, to = shared + place.stage * G::STAGE + offset * 128;
            page = page_of(token + G::TOKENS);
            if (lane == 0) {
                const int boxes = min(G::TOKENS / BOX, (share.end - at + BOX - 1) / BOX);
                bulk_wait(empty + place.stage * 8, place.parity ^ 1);
                bulk_expect(barrier, boxes * (2 * G::SLABS * BOX * 128));
            }
            __syncwarp();
            if (offset < G::TOKENS && token < share.end) {
#pragma unroll
                for (int slab = 0; slab < G::SLABS; slab++) {
                    bulk_load_box(to + slab * G::SLAB, &k, slab * 64, row, barrier);
                    bulk_load_box(to + G::V_AT + slab * G::SLAB, &v, slab * 64, row, barrier);
                }
            }
            place.next();
        }
    } else {
        typedef WgmmaTile<true, 64, D> Rows;
        GroupSums<T, D> own;
        const unsigned weights = shared + G::WEIGHTS_AT + group * 8192;
        bulk_wait(barriers, 0);
        place.skip(group);
        for (int at = share.first + group * G::TOKENS; at < share.end; at += CONSUMERS * G::TOKENS) {
            const int left = min((int)G::TOKENS, share.end - at);
            const unsigned keys = shared + place.stage * G::STAGE;
            float scores[1][32];
            bulk_wait(full + place.stage * 8, place.parity);
            wgmma_tiles<T, Rows, Rows, D>(scores, Rows::operand(shared + G::Q_AT), Rows::operand(keys), false);
            wgmma_wait<0>();
            wgmma_hold(scores);
            own.weigh(scores, share.scale, left);
            meet_group(1 + group); /* all have multiplied by the weights before */
            own.store_weights(scores, weights);
            if (left < G::TOKENS) {
                clear_values<G>(keys + G::V_AT, left);
            }
            bulk_fence_writes();
            meet_group(1 + group);
            own.add(weights, keys + G::V_AT);
            if (lane == 0) {
                bulk_arrive(empty + place.stage * 8);
            }
            place.skip(CONSUMERS);
        }
        /* All of the ring has been read, and all copies have arrived, when all warpgroups are here. */
        asm volatile("bar.sync 7, %0;" ::"n"(CONSUMERS * 128) : "memory");
        own.leave(space + group * (64 * G::PITCH));
    }
    __syncthreads();
    end_block<T, D, 64, CONSUMERS, LAST>(of, share, space, parts, arrived, out);
#endif
}
