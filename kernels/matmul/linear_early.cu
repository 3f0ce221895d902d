/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x W^T for few tokens, by launches that overlap (PDL, sm_90 and newer): a block asks for weights before the launch
 * in front of it has ended, and for x, which that launch may have written, behind it. Two launches share an SM, so that
 * memory is busy while one of them ends and the next begins. The records and instructions of linear_packed.cu, of
 * weights of 4 and 8 bits; the SPLIT blocks of a cluster share k. Each warp has a ring of pieces of W, those with the
 * same k one of x.
 */
#include "bulk_tiles.cuh"
#include "linear_packed.cu"

/* Records as linear_pack makes them, but those of DOWN times 16 rows lie together: a piece, which is a warp's step. The
 * pieces of all rows follow each other, then come those of the next k's. */
template <class F, int DOWN, bool TINY>
__global__ void __launch_bounds__(64)
    linear_pack_pieces(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                       const unsigned char *__restrict__ zeros, unsigned char *__restrict__ packed, long long n,
                       long long k) {
    const long long record = (long long)blockIdx.x * gridDim.y + blockIdx.y;
    pack_record<F, TINY>(w, scales, zeros, packed + record * Record<F>::BYTES, n, k);
}

#if __CUDA_ARCH__ >= 900

/* x of a record in shared memory: slabs of 64 k's as the accelerator swizzles them, a line of 128 bytes a token.
 * Columns of an instruction are tokens in another order, so that the eight lanes that read at once meet each bank once.
 */
template <class L> struct Slabs {
    static constexpr int COUNT = L::R::K / 64, SLAB_BYTES = L::BLOCK_M * 128, BYTES = COUNT * SLAB_BYTES;
    static constexpr int PITCH = L::ROWS + 8; /* of sums: a warp's stores meet each bank once */

    __device__ __forceinline__ static int token_of(int column) {
        return column / 2 + column % 2 * 4;
    }
    __device__ __forceinline__ static void ask(unsigned to, const CUtensorMap *x, int k, int first_token,
                                               unsigned barrier) {
        bulk_expect(barrier, BYTES);
#pragma unroll
        for (int slab = 0; slab < COUNT; slab++) {
            bulk_load_box(to + slab * SLAB_BYTES, x, k + slab * 64, first_token, barrier);
        }
    }
    __device__ __forceinline__ static void read(Tokens<L> &to, unsigned from) {
        const int lane = threadIdx.x % 32, token = token_of(lane / 4);
        const unsigned own = token * 128 + ((lane % 4) ^ token) * 16;
#pragma unroll
        for (int turn = 0; turn < L::R::TURNS; turn++) {
#pragma unroll
            for (int j = 0; j < L::RIGHT; j++) {
                uint4 &word = to.x[turn][j];
                asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                             : "r"(from + turn / 2 * SLAB_BYTES + j * 1024 + (own ^ turn % 2 * 64)));
            }
        }
    }
};

/* sums = a b + from. */
__device__ __forceinline__ void multiply_onto(float (&sums)[4], const unsigned (&a)[4], const unsigned *b,
                                              const float (&from)[4]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%10, %11, %12, %13};"
                 : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(from[0]), "f"(from[1]),
                   "f"(from[2]), "f"(from[3]));
}

/* A piece times x, of int4 and halves without a conversion: q in the last bits of a half is the subnormal number q
 * 2^-24, in the next four bits q 2^-20, so each of these has sums of its own. The zero point's share, -8 times the sum
 * of x, is the same for all rows. Sums are too small by 2^24. */
template <class L>
__device__ __forceinline__ void multiply_piece_tiny(float (&sums)[L::DOWN][L::RIGHT][4], const unsigned char *piece,
                                                    const Tokens<L> &tokens) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int group = 0; group < L::R::GROUPS; group++) {
        const unsigned eights[4] = {0x80088008u, 0x80088008u, 0x80088008u, 0x80088008u};
        float base[L::RIGHT][4] = {};
#pragma unroll
        for (int i = 0; i < L::R::TURNS_OF_GROUP; i++) {
#pragma unroll
            for (int j = 0; j < L::RIGHT; j++) {
                const uint4 &x = tokens.x[group * L::R::TURNS_OF_GROUP + i][j];
                Multiply<__half>::add(base[j], eights, &x.x);
                Multiply<__half>::add(base[j], eights, &x.z);
            }
        }
#pragma unroll
        for (int down = 0; down < L::DOWN; down++) {
            const unsigned char *record = piece + down * L::R::BYTES;
            const uint4 words[2] = {reinterpret_cast<const uint4 *>(record)[lane],
                                    reinterpret_cast<const uint4 *>(record)[32 + lane]};
            float low[L::RIGHT][4], high[L::RIGHT][4] = {};
#pragma unroll
            for (int i = 0; i < L::R::TURNS_OF_GROUP; i++) {
                const int turn = group * L::R::TURNS_OF_GROUP + i;
                const unsigned upper = (&words[0].x)[turn], lower = (&words[1].x)[turn];
                const unsigned lows[4] = {upper & 0x000f000fu, lower & 0x000f000fu, upper >> 8 & 0x000f000fu,
                                          lower >> 8 & 0x000f000fu};
                const unsigned highs[4] = {upper & 0x00f000f0u, lower & 0x00f000f0u, upper >> 8 & 0x00f000f0u,
                                           lower >> 8 & 0x00f000f0u};
#pragma unroll
                for (int j = 0; j < L::RIGHT; j++) {
                    const uint4 &x = tokens.x[turn][j];
                    if (i == 0) {
                        multiply_onto(low[j], lows, &x.x, base[j]);
                    } else {
                        Multiply<__half>::add(low[j], lows, &x.x);
                    }
                    Multiply<__half>::add(high[j], highs, &x.z);
                }
            }
            const unsigned scales = reinterpret_cast<const unsigned *>(record + 1024 + group * 32)[lane / 4];
            const float scale[2] = {float_at<__half>(scales, 0), float_at<__half>(scales, 1)};
            const float less[2] = {scale[0] * 0.0625f, scale[1] * 0.0625f};
#pragma unroll
            for (int j = 0; j < L::RIGHT * 4; j++) {
                float &sum = sums[down][j / 4][j % 4];
                sum = fmaf(low[j / 4][j % 4], scale[j % 4 / 2], fmaf(high[j / 4][j % 4], less[j % 4 / 2], sum));
            }
        }
    }
}

/* A piece times x: AT_ONCE of its DOWN records by turns, so that products of one wait for those of another. */
template <class L>
__device__ __forceinline__ void multiply_piece(float (&sums)[L::DOWN][L::RIGHT][4], const unsigned char *piece,
                                               const Tokens<L> &tokens) {
    constexpr int AT_ONCE = L::RIGHT == 1 && L::DOWN % 4 == 0 ? 4 : 2;
    static_assert(L::DOWN % AT_ONCE == 0, "whole steps");
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int down = 0; down < L::DOWN; down += AT_ONCE) {
        uint4 words[AT_ONCE][2];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const uint4 *at = reinterpret_cast<const uint4 *>(piece + (down + i) * L::R::BYTES);
            words[i][0] = at[lane];
            words[i][1] = at[32 + lane];
        }
        if (L::R::GROUPS == 0) {
#pragma unroll
            for (int turn = 0; turn < L::R::TURNS; turn++) {
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    multiply_turn<L>(sums[down + i], words[i], 0, turn, tokens.x[turn]);
                }
            }
        }
#pragma unroll
        for (int group = 0; group < L::R::GROUPS; group++) {
            float of_group[AT_ONCE][L::RIGHT][4] = {};
            unsigned scales[AT_ONCE], zeros[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const unsigned char *at = piece + (down + i) * L::R::BYTES + 1024;
                scales[i] = reinterpret_cast<const unsigned *>(at + group * 32)[lane / 4];
                zeros[i] = L::F::ZEROS
                               ? reinterpret_cast<const unsigned short *>(at + L::R::GROUPS * 32 + group * 16)[lane / 4]
                               : 0x0808;
            }
#pragma unroll
            for (int in_group = 0; in_group < L::R::TURNS_OF_GROUP; in_group++) {
                const int turn = group * L::R::TURNS_OF_GROUP + in_group;
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    multiply_turn<L>(of_group[i], words[i], zeros[i], turn, tokens.x[turn]);
                }
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const float upper = float_at<__half>(scales[i], 0), lower = float_at<__half>(scales[i], 1);
#pragma unroll
                for (int j = 0; j < L::RIGHT * 4; j++) {
                    float &sum = sums[down + i][j / 4][j % 4];
                    sum = fmaf(of_group[i][j / 4][j % 4], j % 4 < 2 ? upper : lower, sum);
                }
            }
        }
    }
}

/* Of the tile this block's share to y: eight rows at a time, of all warps and blocks that share k, in their order. */
template <class L, bool TINY>
__device__ __forceinline__ void store_share(const TileOfY<L::BLOCK_M, L::ROWS> &part, int split, unsigned parts,
                                            const __half *scales, typename L::T *y, long long n) {
    for (int i = split * L::THREADS + threadIdx.x; i < part.tokens * (L::ROWS / 8); i += L::SPLIT * L::THREADS) {
        const int token = i / (L::ROWS / 8), first = i % (L::ROWS / 8) * 8;
        const long long row = part.first_row + first;
        float sums[8] = {};
#pragma unroll
        for (int of = 0; of < L::SPLIT * L::WARPS_K; of++) {
            const unsigned own = parts + ((of % L::WARPS_K * L::BLOCK_M + token) * Slabs<L>::PITCH + first) * 4;
            const unsigned there = L::SPLIT > 1 ? bulk_place_in(own, of / L::WARPS_K) : own;
            add_eight(sums, there);
        }
        unsigned words[4];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            if (TINY) {
                sums[j] *= 16777216.0f;
            } else if (L::F::BITS == 8) {
                sums[j] *=
                    row + j < n ? Pairs<typename L::T, typename L::F>::FACTOR * __half2float(scales[row + j]) : 0;
            }
            if (j % 2) {
                words[j / 2] = rounded_pair<typename L::T>(sums[j - 1], sums[j]);
            }
        }
        store_eight(y + (part.first_token + token) * n + row, make_uint4(words[0], words[1], words[2], words[3]),
                    left_of(n, row, 8), n % 8 == 0);
    }
}

/* FETCH: x is in L2 before it is asked for; else it may come from device memory, behind the weights. */
template <class L, int STAGES, int X_STAGES, int AHEAD, bool TINY, bool FETCH>
__device__ __forceinline__ void early_layer(const unsigned char *packed, const __half *scales, const CUtensorMap *x,
                                            typename L::T *y, long long m, long long n, long long k) {
    typedef Slabs<L> X;
    constexpr int DOWN = L::DOWN, WARPS_N = L::WARPS_N, WARPS_K = L::WARPS_K, SPLIT = L::SPLIT, BLOCK_M = L::BLOCK_M;
    constexpr int WARPS = WARPS_N * WARPS_K, PIECE = DOWN * L::R::BYTES, RINGS_AT = WARPS_K * X_STAGES * X::BYTES;
    extern __shared__ __align__(1024) unsigned char shared[];
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32, split = blockIdx.x % SPLIT;
    const int begin = warp / WARPS_N, member = warp % WARPS_N; /* of those with the same k the first asks for x */
    const TileOfY<BLOCK_M, L::ROWS> part(blockIdx.x / SPLIT, blockIdx.y, m, n);
    const long long rows = (n + DOWN * 16 - 1) / (DOWN * 16);
    const Share share((k + L::R::K - 1) / L::R::K, split, SPLIT);
    const int records = (int)(share.end - share.begin);
    const unsigned places = shared_address(shared), x_ring = places + begin * X_STAGES * X::BYTES;
    unsigned char *const ring = shared + RINGS_AT + warp * STAGES * PIECE;
    const unsigned barriers = places + RINGS_AT + WARPS * STAGES * PIECE, full = barriers + warp * STAGES * 8;
    const unsigned x_full = barriers + WARPS * STAGES * 8 + begin * X_STAGES * 16, x_free = x_full + X_STAGES * 8;

    /* This warp's pieces are every WARPS_K-th of the block's, of its own rows; those that do not exist are the last. */
    const long long own_row = part.first_row / (DOWN * 16) + member, row = own_row < rows ? own_row : rows - 1;
    auto ask = [&](int record, int stage) {
        bulk_expect(full + stage * 8, PIECE);
        bulk_load(places + RINGS_AT + (warp * STAGES + stage) * PIECE,
                  packed + ((share.begin + record) * rows + row) * PIECE, PIECE, full + stage * 8);
    };
    auto ask_x = [&](int record, int stage) {
        X::ask(x_ring + stage * X::BYTES, x, (int)(share.begin + record) * L::R::K, (int)part.first_token,
               x_full + stage * 8);
    };
    if (threadIdx.x == 0) {
        bulk_fetch_map(x);
    }
    if (lane == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        for (int stage = 0; stage < X_STAGES && member == 0; stage++) {
            bulk_barrier_init(x_full + stage * 8);
            bulk_barrier_init(x_free + stage * 8, WARPS_N);
        }
        bulk_barrier_publish();
        for (int stage = 0; stage < STAGES && begin + stage * WARPS_K < records; stage++) {
            ask(begin + stage * WARPS_K, stage);
        }
        if (begin + (STAGES + AHEAD) * WARPS_K >= records) {
            launch_next();
        }
    }
    if (FETCH && threadIdx.x == 32) {
        for (int box = blockIdx.x; box * 64 < k; box += gridDim.x) { /* each block its share */
            bulk_prefetch_box(x, box * 64, (int)part.first_token);
        }
    }
    __syncthreads();
    await_launch(); /* by all threads: they wait without a loop */
    if (lane == 0 && member == 0) {
        for (int stage = 0; stage < X_STAGES && begin + stage * WARPS_K < records; stage++) {
            ask_x(begin + stage * WARPS_K, stage);
        }
    }

    float sums[DOWN][L::RIGHT][4] = {};
    int stage = 0, x_stage = 0;
    unsigned parity = 0, x_parity = 0;
#pragma unroll 1
    for (int record = begin; record < records; record += WARPS_K) {
        Tokens<L> tokens;
        bulk_wait(x_full + x_stage * 8, x_parity);
        X::read(tokens, x_ring + x_stage * X::BYTES);
        __syncwarp();
        if (lane == 0) {
            if (WARPS_N > 1) {
                bulk_arrive(x_free + x_stage * 8);
            } else if (record + X_STAGES * WARPS_K < records) {
                ask_x(record + X_STAGES * WARPS_K, x_stage);
            }
        }
        bulk_wait(full + stage * 8, parity);
        if constexpr (TINY) {
            multiply_piece_tiny<L>(sums, ring + stage * PIECE, tokens);
        } else {
            multiply_piece<L>(sums, ring + stage * PIECE, tokens);
        }
        __syncwarp(); /* the place is free when all lanes have read it */
        if (lane == 0) {
            if (record + STAGES * WARPS_K < records) {
                ask(record + STAGES * WARPS_K, stage);
            }
            if (record + (STAGES + 1 + AHEAD) * WARPS_K >= records) {
                launch_next();
            }
            if (WARPS_N > 1 && member == 0 && record + X_STAGES * WARPS_K < records) {
                bulk_wait(x_free + x_stage * 8, x_parity);
                ask_x(record + X_STAGES * WARPS_K, x_stage);
            }
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
        if (++x_stage == X_STAGES) {
            x_stage = 0;
            x_parity ^= 1;
        }
    }

    __syncthreads(); /* sums take the rings' place: every warp has waited for all of its pieces */
    float *own = reinterpret_cast<float *>(shared) + begin * (BLOCK_M * X::PITCH) + member * (DOWN * 16) + lane / 4;
#pragma unroll
    for (int i = 0; i < DOWN * L::RIGHT * 4; i++) {
        const int down = i / (L::RIGHT * 4), right = i / 4 % L::RIGHT;
        own[(right * 8 + X::token_of(lane % 4 * 2 + i % 2)) * X::PITCH + down * 16 + i / 2 % 2 * 8] =
            sums[down][right][i % 4];
    }
    if (SPLIT > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
    store_share<L, TINY>(part, split, places, scales, y, n);
    if (SPLIT > 1) { /* no block leaves while others may still read its sums */
        cluster_meet();
    }
}

#endif

/* The next launch may begin when a warp has AHEAD pieces left to ask for, or, below 0, so many steps behind the last:
 * what it asks for comes while this one adds up and ends, when memory has nothing else to do; earlier it would be in
 * the way. TINY: multiply_piece_tiny. */
template <class F, typename T, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int STAGES, int X_STAGES, int SPLIT,
          int AHEAD, bool TINY>
__global__ void __launch_bounds__(WARPS_N *WARPS_K * 32, 2)
    linear_early(const unsigned char *__restrict__ packed, const __half *__restrict__ scales,
                 const __grid_constant__ CUtensorMap x, T *y, long long m, long long n, long long k) {
#if __CUDA_ARCH__ >= 900
    early_layer<Layer<F, T, true, BLOCK_M, DOWN, WARPS_N, WARPS_K, SPLIT, true>, STAGES, X_STAGES, AHEAD, TINY, false>(
        packed, scales, &x, y, m, n, k);
#endif
}

/* The same with x fetched into L2 by all blocks before the launch in front ends, which may still write it there. */
template <class F, typename T, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int STAGES, int X_STAGES, int SPLIT,
          int AHEAD, bool TINY>
__global__ void __launch_bounds__(WARPS_N *WARPS_K * 32, 2)
    linear_early_fetched(const unsigned char *__restrict__ packed, const __half *__restrict__ scales,
                         const __grid_constant__ CUtensorMap x, T *y, long long m, long long n, long long k) {
#if __CUDA_ARCH__ >= 900
    early_layer<Layer<F, T, true, BLOCK_M, DOWN, WARPS_N, WARPS_K, SPLIT, true>, STAGES, X_STAGES, AHEAD, TINY, true>(
        packed, scales, &x, y, m, n, k);
#endif
}
