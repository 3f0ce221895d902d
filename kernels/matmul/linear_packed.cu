/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x W^T for few tokens by mma.sync m16n8k16 (sm_80 and newer), with weights in records of weight_formats.cuh. x is
 * m x k and y m x n in T; sums are fp32. Weights stand where an instruction has its 16 rows, and are widened in the
 * registers that it reads; tokens stand where it has 8 columns. Which k stands where is the record's matter: a lane's
 * 16 bytes of x are its 8 k's of a turn.
 */
#include "linear_finish.cuh"
#include "matmul_fragments.cuh"
#include "stream_bulk.cuh"
#include "striped.cuh"
#include "weight_formats.cuh"

/* By 64 threads, a 16-byte piece each: record blockIdx.x of rows 16 blockIdx.y on. What lies outside of W is 0. FOURS:
 * of eight int4 the first four neighbours stand in the lower halves of bytes, the others in the upper. */
template <class F, bool FOURS = false>
__device__ __forceinline__ void pack_record(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                                            const unsigned char *__restrict__ zeros, unsigned char *record, long long n,
                                            long long k) {
    typedef Record<F> R;
    constexpr int EACH = 32 / F::BITS; /* weights of a word */
    const int half = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long long first = (long long)blockIdx.x * R::K, top = (long long)blockIdx.y * 16;
    const long long row = top + half * 8 + lane / 4;
    unsigned words[4] = {};
    for (int i = 0; i < 4 * EACH; i++) {
        const int word = i / EACH, turn = word / R::WORDS_OF_TURN;
        const int place = FOURS && i % 4 % 3 ? i ^ 3 : i;
        const int neighbour = word % R::WORDS_OF_TURN * EACH + neighbour_at<F>(place % EACH);
        const long long at = first + turn * 32 + lane % 4 * 8 + neighbour;
        if (row < n && at < k) {
            words[word] |= code_at<F>(w, row, at, k) << i % EACH * F::BITS;
        }
    }
    reinterpret_cast<uint4 *>(record)[threadIdx.x] = make_uint4(words[0], words[1], words[2], words[3]);
    const long long groups = groups_of<F>(k);
    for (int i = threadIdx.x; i < R::GROUPS * 16; i += 64) {
        const long long of = top + i % 2 * 8 + i % 16 / 2, group = blockIdx.x * (long long)R::GROUPS + i / 16;
        const bool inside = of < n && group < groups;
        reinterpret_cast<__half *>(record + 1024)[i] = inside ? scales[of * groups + group] : __float2half(0.0f);
        if (F::ZEROS) {
            record[1024 + R::GROUPS * 32 + i] = inside ? zeros[of * groups + group] : 0;
        }
    }
}

/* Records of weight_formats.cuh, one a block. */
template <class F>
__global__ void __launch_bounds__(64)
    linear_pack(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                const unsigned char *__restrict__ zeros, unsigned char *__restrict__ packed, long long n, long long k) {
    pack_record<F>(w, scales, zeros, packed + ((long long)blockIdx.y * gridDim.x + blockIdx.x) * Record<F>::BYTES, n,
                   k);
}

/* A block has WARPS_N x DOWN x 16 rows for BLOCK_M tokens. WARPS_K warps of each of SPLIT blocks share k, record by
 * record. */
template <class FORMAT, typename TYPE, bool X_ALIGNED, int TOKENS, int TILES, int ALONG_N, int ALONG_K, int PARTS,
          bool LAST>
struct Layer {
    typedef FORMAT F;
    typedef TYPE T;
    typedef Record<F> R;
    static constexpr bool ALIGNED = X_ALIGNED, LAST_BLOCK = LAST;
    static constexpr int BLOCK_M = TOKENS, DOWN = TILES, WARPS_N = ALONG_N, WARPS_K = ALONG_K, SPLIT = PARTS;
    static constexpr int RIGHT = BLOCK_M / 8, ROWS = WARPS_N * DOWN * 16, THREADS = WARPS_N * WARPS_K * 32;
    static constexpr int PITCH = ROWS + 4; /* so that a warp's stores meet each bank once */
    static constexpr int GROUPS = R::GROUPS ? R::GROUPS : 1;
    static_assert(BLOCK_M % 8 == 0, "whole instructions");
};

/* The records of a warp. */
struct Share {
    long long begin, end;
    __device__ __forceinline__ Share(long long records, int index, int count) {
        begin = records * index / count;
        end = records * (index + 1) / count;
    }
};

/* One record of DOWN times 16 rows: its weights, and scales (of rows r and r + 8) and zero points of its groups. */
template <class L> struct Weights {
    uint4 words[L::DOWN][2];
    unsigned scales[L::DOWN][L::GROUPS], zeros[L::DOWN][L::GROUPS];
};

template <class L> struct Tokens {
    uint4 x[L::R::TURNS][L::RIGHT];

    /* `x_line`: of this lane's first token, from its first k's on; tokens beyond the last one are zeros. */
    __device__ __forceinline__ void load(const typename L::T *x_line, long long record, int tokens, long long k) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int turn = 0; turn < L::R::TURNS; turn++) {
            const long long at = record * L::R::K + turn * 32;
            const int left = left_of(k, at + lane % 4 * 8, 8);
#pragma unroll
            for (int j = 0; j < L::RIGHT; j++) {
                x[turn][j] = load_piece<L::ALIGNED>(x_line + j * 8 * k + at, j * 8 + lane / 4 < tokens ? left : 0);
            }
        }
    }
};

template <class L>
__device__ __forceinline__ void multiply_turn(float (&sums)[L::RIGHT][4], const uint4 (&words)[2], unsigned zeros,
                                              int turn, const uint4 (&x)[L::RIGHT]) {
    unsigned upper[4], lower[4];
    const int first = turn * L::R::WORDS_OF_TURN;
    Pairs<typename L::T, typename L::F>::of(&words[0].x + first, zeros & 255, upper);
    Pairs<typename L::T, typename L::F>::of(&words[1].x + first, zeros >> 8, lower);
#pragma unroll
    for (int step = 0; step < 2; step++) {
        const unsigned fragment[4] = {upper[2 * step], lower[2 * step], upper[2 * step + 1], lower[2 * step + 1]};
#pragma unroll
        for (int j = 0; j < L::RIGHT; j++) {
            Multiply<typename L::T>::add(sums[j], fragment, &x[j].x + 2 * step);
        }
    }
}

template <class L>
__device__ __forceinline__ void multiply_record(float (&sums)[L::DOWN][L::RIGHT][4], const Weights<L> &weights,
                                                const Tokens<L> &tokens) {
#pragma unroll
    for (int down = 0; down < L::DOWN; down++) {
        if (L::R::GROUPS == 0) {
#pragma unroll
            for (int turn = 0; turn < L::R::TURNS; turn++) {
                multiply_turn<L>(sums[down], weights.words[down], 0, turn, tokens.x[turn]);
            }
        }
#pragma unroll
        for (int group = 0; group < L::R::GROUPS; group++) {
            float of_group[L::RIGHT][4] = {};
#pragma unroll
            for (int i = 0; i < L::R::TURNS_OF_GROUP; i++) {
                const int turn = group * L::R::TURNS_OF_GROUP + i;
                multiply_turn<L>(of_group, weights.words[down], weights.zeros[down][group], turn, tokens.x[turn]);
            }
            const float upper = float_at<__half>(weights.scales[down][group], 0);
            const float lower = float_at<__half>(weights.scales[down][group], 1);
#pragma unroll
            for (int i = 0; i < L::RIGHT * 4; i++) {
                sums[down][i / 4][i % 4] =
                    fmaf(of_group[i / 4][i % 4], i % 4 < 2 ? upper : lower, sums[down][i / 4][i % 4]);
            }
        }
    }
}

/* The block's sums by way of `shared` (WARPS_K x BLOCK_M x PITCH floats), then to y. */
template <class L>
__device__ __forceinline__ void finish_layer(const float (&sums)[L::DOWN][L::RIGHT][4], float *shared,
                                             const TileOfY<L::BLOCK_M, L::ROWS> &part, int split, const __half *scales,
                                             typename L::T *y, float *parts, unsigned *counters, long long n) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *own = shared + warp / L::WARPS_N * (L::BLOCK_M * L::PITCH) + warp % L::WARPS_N * (L::DOWN * 16) + lane / 4;
#pragma unroll
    for (int i = 0; i < L::DOWN * L::RIGHT * 4; i++) {
        const int down = i / (L::RIGHT * 4), right = i / 4 % L::RIGHT;
        own[(right * 8 + lane % 4 * 2 + i % 2) * L::PITCH + down * 16 + i / 2 % 2 * 8] = sums[down][right][i % 4];
    }
    __syncthreads();
    finish<typename L::T, L::BLOCK_M, L::ROWS, L::SPLIT, L::LAST_BLOCK>(
        part, split, y, parts, counters, reinterpret_cast<unsigned *>(shared), n, L::THREADS, [&](int i) {
            const int token = i / L::ROWS, row = i % L::ROWS;
            float total = 0.0f;
#pragma unroll
            for (int of = 0; of < L::WARPS_K; of++) {
                total += shared[(of * L::BLOCK_M + token) * L::PITCH + row];
            }
            if (L::F::BITS == 8 && row < part.rows) {
                total *= Pairs<typename L::T, typename L::F>::FACTOR * __half2float(scales[part.first_row + row]);
            }
            return total;
        });
}

/* Where the records of this warp's tile `down` begin. Rows that do not exist read the last ones again. */
template <class L>
__device__ __forceinline__ const unsigned char *records_of(const unsigned char *packed, long long first_row, int down,
                                                           long long n, long long records) {
    const long long last = (n + 15) / 16 - 1;
    const long long block = first_row / 16 + threadIdx.x / 32 % L::WARPS_N * L::DOWN + down;
    return packed + (block < last ? block : last) * records * L::R::BYTES;
}

/* A lane's part of a record out of device memory, past L1. */
template <class L>
__device__ __forceinline__ void load_weights(Weights<L> &to, const unsigned char *const (&from)[L::DOWN],
                                             long long record) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int down = 0; down < L::DOWN; down++) {
        const unsigned char *at = from[down] + record * L::R::BYTES;
        to.words[down][0] = load_no_allocate(reinterpret_cast<const uint4 *>(at) + lane);
        to.words[down][1] = load_no_allocate(reinterpret_cast<const uint4 *>(at) + 32 + lane);
#pragma unroll
        for (int group = 0; group < L::R::GROUPS; group++) {
            to.scales[down][group] = __ldg(reinterpret_cast<const unsigned *>(at + 1024 + group * 32) + lane / 4);
            const unsigned char *zeros = at + 1024 + L::R::GROUPS * 32 + group * 16;
            to.zeros[down][group] =
                L::F::ZEROS ? __ldg(reinterpret_cast<const unsigned short *>(zeros) + lane / 4) : 0x0808;
        }
    }
}

/* Weights go from memory to the registers that multiply them: a warp has AHEAD records on their way, and asks for the
 * next as soon as it has multiplied one. */
template <class F, typename T, bool ALIGNED, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int AHEAD, int SPLIT,
          bool LAST_BLOCK>
__global__ void __launch_bounds__(WARPS_N *WARPS_K * 32, 1)
    linear_registers(const unsigned char *__restrict__ packed, const __half *__restrict__ scales,
                     const T *__restrict__ x, T *__restrict__ y, float *__restrict__ parts,
                     unsigned *__restrict__ counters, long long m, long long n, long long k) {
    typedef Layer<F, T, ALIGNED, BLOCK_M, DOWN, WARPS_N, WARPS_K, SPLIT, LAST_BLOCK> L;
    extern __shared__ __align__(16) float shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, split = blockIdx.x % SPLIT;
    const TileOfY<BLOCK_M, L::ROWS> part(blockIdx.x / SPLIT, blockIdx.y, m, n);
    const long long records = (k + L::R::K - 1) / L::R::K;
    const Share share(records, split * WARPS_K + warp / WARPS_N, SPLIT * WARPS_K);
    const T *x_line = x + (part.first_token + lane / 4) * k + lane % 4 * 8;
    const unsigned char *from[DOWN];
#pragma unroll
    for (int down = 0; down < DOWN; down++) {
        from[down] = records_of<L>(packed, part.first_row, down, n, records);
    }
    float sums[DOWN][L::RIGHT][4] = {};
    Weights<L> weights[AHEAD];
    Tokens<L> tokens[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        if (share.begin + i < share.end) {
            load_weights<L>(weights[i], from, share.begin + i);
            tokens[i].load(x_line, share.begin + i, part.tokens, k);
        }
    }
#pragma unroll 1
    for (long long record = share.begin; record < share.end; record += AHEAD) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (record + i < share.end) {
                multiply_record<L>(sums, weights[i], tokens[i]);
            }
            if (record + i + AHEAD < share.end) {
                load_weights<L>(weights[i], from, record + i + AHEAD);
                tokens[i].load(x_line, record + i + AHEAD, part.tokens, k);
            }
        }
    }
    finish_layer<L>(sums, shared, part, split, scales, y, parts, counters, n);
}

/* A warp's places for records in shared memory, which it fills itself by bulk copies: STAGES times CHUNK records of
 * each of its DOWN tiles. */
template <class L, int STAGES, int CHUNK> struct Ring {
    static constexpr int PLACE = CHUNK * L::R::BYTES, BYTES = STAGES * L::DOWN * PLACE;
    unsigned char *places;
    unsigned long long *full; /* STAGES barriers */

    /* By one lane: chunk `index` of the share, into place index % STAGES. */
    __device__ __forceinline__ void ask(const unsigned char *const (&from)[L::DOWN], const Share &share,
                                        long long index) const {
        const int stage = (int)(index % STAGES);
        const long long first = share.begin + index * CHUNK;
        const unsigned bytes = (unsigned)left_of(share.end, first, CHUNK) * L::R::BYTES;
        bulk_expect(full + stage, bytes * L::DOWN);
#pragma unroll
        for (int down = 0; down < L::DOWN; down++) {
            bulk_load<false>(places + (stage * L::DOWN + down) * PLACE, from[down] + first * L::R::BYTES, bytes,
                             full + stage, 0);
        }
    }

    /* A lane's part of a record of a place. */
    __device__ __forceinline__ void read(Weights<L> &to, int stage, int record) const {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int down = 0; down < L::DOWN; down++) {
            const unsigned char *at = places + (stage * L::DOWN + down) * PLACE + record * L::R::BYTES;
            to.words[down][0] = reinterpret_cast<const uint4 *>(at)[lane];
            to.words[down][1] = reinterpret_cast<const uint4 *>(at)[32 + lane];
#pragma unroll
            for (int group = 0; group < L::R::GROUPS; group++) {
                to.scales[down][group] = reinterpret_cast<const unsigned *>(at + 1024 + group * 32)[lane / 4];
                const unsigned char *zeros = at + 1024 + L::R::GROUPS * 32 + group * 16;
                to.zeros[down][group] =
                    L::F::ZEROS ? reinterpret_cast<const unsigned short *>(zeros)[lane / 4] : 0x0808;
            }
        }
    }
};

/* The same with weights on their way in shared memory, where they take no registers. Each warp has a ring of its own
 * and waits for no other. */
template <class F, typename T, bool ALIGNED, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int CHUNK, int STAGES,
          int SPLIT, bool LAST_BLOCK>
__global__ void __launch_bounds__(WARPS_N *WARPS_K * 32, 1)
    linear_bulk(const unsigned char *__restrict__ packed, const __half *__restrict__ scales, const T *__restrict__ x,
                T *__restrict__ y, float *__restrict__ parts, unsigned *__restrict__ counters, long long m, long long n,
                long long k) {
#if __CUDA_ARCH__ >= 900
    typedef Layer<F, T, ALIGNED, BLOCK_M, DOWN, WARPS_N, WARPS_K, SPLIT, LAST_BLOCK> L;
    typedef Ring<L, STAGES, CHUNK> Own;
    extern __shared__ __align__(128) unsigned char rings[];
    constexpr int WARPS = WARPS_N * WARPS_K;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, split = blockIdx.x % SPLIT;
    const TileOfY<BLOCK_M, L::ROWS> part(blockIdx.x / SPLIT, blockIdx.y, m, n);
    const long long records = (k + L::R::K - 1) / L::R::K;
    const Share share(records, split * WARPS_K + warp / WARPS_N, SPLIT * WARPS_K);
    const T *x_line = x + (part.first_token + lane / 4) * k + lane % 4 * 8;
    const unsigned char *from[DOWN];
#pragma unroll
    for (int down = 0; down < DOWN; down++) {
        from[down] = records_of<L>(packed, part.first_row, down, n, records);
    }
    const Own ring = {rings + warp * Own::BYTES,
                      reinterpret_cast<unsigned long long *>(rings + WARPS * Own::BYTES) + warp * STAGES};
    const long long chunks = (share.end - share.begin + CHUNK - 1) / CHUNK;
    if (lane == 0) {
        bulk_barriers_init(ring.full, STAGES);
        for (int i = 0; i < STAGES && i < chunks; i++) {
            ring.ask(from, share, i);
        }
    }
    __syncwarp();

    /* x of the next record is on its way while one is multiplied, where it leaves registers for that. */
    constexpr bool X_AHEAD = L::R::TURNS * L::RIGHT <= 8;
    float sums[DOWN][L::RIGHT][4] = {};
    Tokens<L> tokens;
    if (X_AHEAD && chunks > 0) {
        tokens.load(x_line, share.begin, part.tokens, k);
    }
    int stage = 0;
    unsigned parity = 0;
#pragma unroll 1
    for (long long chunk = 0; chunk < chunks; chunk++) {
        const long long first = share.begin + chunk * CHUNK;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            if (CHUNK > 1 && first + i >= share.end) {
                break;
            }
            if (!X_AHEAD) {
                tokens.load(x_line, first + i, part.tokens, k);
            }
            if (i == 0) {
                bulk_wait(ring.full + stage, parity);
            }
            Weights<L> weights;
            ring.read(weights, stage, i);
            if (i == CHUNK - 1 && chunk + STAGES < chunks) { /* the place is free when all lanes have read it */
                __syncwarp();
                if (lane == 0) {
                    ring.ask(from, share, chunk + STAGES);
                }
            }
            Tokens<L> next;
            if (X_AHEAD && first + i + 1 < share.end) {
                next.load(x_line, first + i + 1, part.tokens, k);
            }
            multiply_record<L>(sums, weights, tokens);
            if (X_AHEAD) {
                tokens = next;
            }
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    __syncthreads(); /* sums take the rings' place: every warp has waited for all of its copies */
    finish_layer<L>(sums, reinterpret_cast<float *>(rings), part, split, scales, y, parts, counters, n);
#endif
}
