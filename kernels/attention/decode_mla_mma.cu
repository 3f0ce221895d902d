/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) of multi-head latent attention as in decode_mla.cu, by mma.sync on tiles that cp.async brings;
 * before sm_80 by FMA on tiles that threads bring. A block has 16 BANDS heads, and goes over tiles of 32 tokens of a
 * page, of which STAGES have a place: one beside 16 heads in 64 KiB. Eight warps share a tile three times: its scores,
 * 16 heads by 8 tokens at a time; its weights, a head's 32 tokens in the lanes of a warp; and V, of whose 512 elements
 * each warp adds 64, a slab of the tile, for all heads.
 */
#include "decode_mla_join.cuh"
#undef LOWEST /* decode.cuh's; here it is minus infinity */
#include "attention_tiles.cuh"
#include "matmul_operands.cuh"

template <int BANDS_, int STAGES_> struct MlaTiles {
    static constexpr int BANDS = BANDS_, STAGES = STAGES_, HEADS = 16 * BANDS, TOKENS = 32, WARPS = 8;
    static constexpr int WIDE = 576, VALUES = 512, OWN = HEADS / WARPS; /* heads whose weights are a warp's */
    typedef __nv_bfloat16 T;
    typedef SlabTile < T, HEADS, WIDE, HEADS<32 ? 128 : 256> TileQ; /* who brings it */
    typedef SlabTile<T, TOKENS, WIDE, 256> TileKV;
    typedef Pieces<2 * TOKENS, EIGHT_ROWS> Weights; /* rows of a head */
    static constexpr int PITCH = TOKENS + 1;        /* floats, of a head's scores */
    static constexpr int TILES_AT = TileQ::BYTES, SCORES_AT = TILES_AT + STAGES * TileKV::BYTES;
    static constexpr int WEIGHTS_AT = SCORES_AT + HEADS * PITCH * 4, FACTORS_AT = WEIGHTS_AT + HEADS * TOKENS * 2;
    static constexpr int BYTES = FACTORS_AT + HEADS * 8; /* what sums are scaled by; at last tops and weights */
};

/* Scores of all heads and a tile's tokens to memory; two sums each, since an instruction waits for the one before. */
template <class P>
__device__ __forceinline__ void score_tile(float *scores, unsigned q, unsigned tile, int left, float scale) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int unit = warp; unit < P::BANDS * 4; unit += P::WARPS) {
        const int band = unit / 4, token = unit % 4 * 8;
        float s[2][4] = {};
#pragma unroll 3
        for (int piece = 0; piece < P::WIDE / 8; piece += 4) {
            unsigned a[2][4], b[4];
            load_matrices(b, tile + P::TileKV::at(token + lane % 8, piece + lane / 8));
#pragma unroll
            for (int half = 0; half < 2; half++) {
                load_left<typename P::TileQ>(a[half], q, band * 16, piece + half * 2);
                Multiply<typename P::T>::add(s[half], a[half], b + half * 2);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int column = token + lane % 4 * 2 + i % 2;
            scores[(band * 16 + lane / 4 + i / 2 * 8) * P::PITCH + column] =
                column < left ? (s[0][i] + s[1][i]) * scale : MASKED;
        }
    }
}

/* Scores become weights; `top` and `sum` are of this warp's heads. */
template <class P>
__device__ __forceinline__ void weigh_tile(const float *scores, unsigned char *weights, float *factors,
                                           float (&top)[P::OWN], float (&sum)[P::OWN]) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < P::OWN; i++) {
        const int head = warp * P::OWN + i;
        const float score = scores[head * P::PITCH + lane];
        float highest = fmaxf(top[i], score);
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) {
            highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, apart));
        }
        const float factor = exp2_fast(top[i] - highest), weight = exp2_fast(score - highest);
        top[i] = highest;
        sum[i] = sum[i] * factor + weight; /* the lane's */
        *reinterpret_cast<__nv_bfloat16 *>(weights + P::Weights::offset(head, lane / 8) + lane % 8 * 2) =
            __float2bfloat16(weight);
        if (lane == 0) {
            factors[head] = factor;
        }
    }
}

/* sums += weights times this warp's slab of V. */
template <class P>
__device__ __forceinline__ void add_tile(float (&sums)[P::BANDS][32], const float *factors, unsigned weights,
                                         unsigned tile) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int band = 0; band < P::BANDS; band++) {
        const float factor[2] = {factors[band * 16 + lane / 4], factors[band * 16 + lane / 4 + 8]};
        multiply_rows(sums[band], factor);
    }
#pragma unroll
    for (int step = 0; step < P::TOKENS / 16; step++) {
        unsigned a[P::BANDS][4];
#pragma unroll
        for (int band = 0; band < P::BANDS; band++) {
            load_matrices(a[band], weights + P::Weights::offset(band * 16 + lane % 16, step * 2 + lane / 16));
        }
        add_by_columns<typename P::TileKV, typename P::T>(sums, a, tile + warp * P::TileKV::SLAB_BYTES, step * 16);
    }
}

template <int BANDS, int STAGES>
__global__ void __launch_bounds__(256, 1)
    decode_mla_mma(const __nv_bfloat16 *__restrict__ q, const __nv_bfloat16 *__restrict__ cache,
                   const int *__restrict__ tables, const int *__restrict__ lengths, __nv_bfloat16 *__restrict__ out,
                   Parts parts, Decode of) {
    typedef MlaTiles<BANDS, STAGES> P;
    extern __shared__ __align__(128) unsigned char shared[];
    const unsigned begin = shared_address(shared), weights_at = begin + P::WEIGHTS_AT;
    float *scores = reinterpret_cast<float *>(shared + P::SCORES_AT),
          *factors = reinterpret_cast<float *>(shared + P::FACTORS_AT);
    const Share share(of, tables, lengths, P::HEADS);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    launch_next();
    if (share.idle()) {
        return;
    }
    float top[P::OWN], sum[P::OWN] = {}, sums[BANDS][32] = {};
#pragma unroll
    for (int i = 0; i < P::OWN; i++) {
        top[i] = LOWEST;
    }
    if (P::HEADS >= 32 || threadIdx.x < 128) { /* part of the first tile's group */
        P::TileQ::request(begin, q + share.row(of, 0) * P::WIDE, P::WIDE, share.heads);
    }
    pass_tiles<STAGES, P::TileKV::BYTES>(
        begin + P::TILES_AT, (share.end - share.first + P::TOKENS - 1) / P::TOKENS,
        [&](int tile, unsigned to) {
            const int token = share.first + tile * P::TOKENS, in_page = token & ((1 << of.page_shift) - 1);
            const long long page = share.table[token >> of.page_shift];
            P::TileKV::request(to, cache + ((page << of.page_shift) + in_page) * P::WIDE, P::WIDE, share.end - token);
        },
        [&](int tile, unsigned from) {
            score_tile<P>(scores, begin, from, share.end - share.first - tile * P::TOKENS, share.scale);
            __syncthreads();
            weigh_tile<P>(scores, shared + P::WEIGHTS_AT, factors, top, sum);
            __syncthreads();
            add_tile<P>(sums, factors, weights_at, from);
        });
    copy_async_wait<0>(); /* of a sequence without tokens */
    __syncthreads();
    float2 *ends = reinterpret_cast<float2 *>(factors);
#pragma unroll
    for (int i = 0; i < P::OWN; i++) {
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) {
            sum[i] += __shfl_xor_sync(~0u, sum[i], apart);
        }
        if (lane == 0) {
            ends[warp * P::OWN + i] = make_float2(top[i], sum[i]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2 * BANDS; i++) {
        const int head = i * 8 + lane / 4;
        if (head < share.heads) {
            const long long row = share.row(of, head), place = row * gridDim.x + share.part;
            const float2 end = ends[head];
            const float scale = end.y > 0.0f ? share.out_scale / end.y : 0.0f;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const int column = warp * 64 + j * 8 + lane % 4 * 2;
                const float *own = sums[i / 2] + j * 4 + i % 2 * 2;
                if (share.parts == 1) {
                    *reinterpret_cast<unsigned *>(out + row * P::VALUES + column) =
                        pair_of<__nv_bfloat16>(own[0] * scale, own[1] * scale);
                } else {
                    *reinterpret_cast<float2 *>(parts.sums + place * P::VALUES + column) = make_float2(own[0], own[1]);
                }
            }
            if (share.parts > 1 && warp == 0 && lane % 4 == 0) {
                parts.stats[place] = end;
            }
        }
    }
}
