/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RMSNorm of the rows of a table: out[i] = x / sqrt(mean(x^2) + eps) * weight with x = table[ids[i]], or, where the
 * rows were gathered before (GATHER false), x = table[i]. Halves in memory, fp32 in registers. VEC halves a word: rows
 * must be multiples of VEC; VEC = 1 takes any d.
 */
#include "embedding_rows.cuh"
#include "row_bulk.cuh"

template <int VEC> __device__ __forceinline__ float sum_of_squares(const Pack<__half, VEC> &pack) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        const float x = __half2float(pack.item[i]);
        sum = fmaf(x, x, sum);
    }
    return sum;
}

template <int VEC>
__device__ __forceinline__ void normalise(Pack<__half, VEC> &pack, const Pack<__half, VEC> &weight, float scale) {
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        pack.item[i] = __float2half(__half2float(pack.item[i]) * scale * __half2float(weight.item[i]));
    }
}

/* The sum over the TEAM threads of a row, in each of them. All threads of the block take part; two calls in a row need
 * different places in `partial` (one float a warp). */
template <int TEAM> __device__ __forceinline__ float team_sum(float value, float *partial) {
#pragma unroll
    for (int lane = (TEAM < 32 ? TEAM : 32) / 2; lane > 0; lane /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    }
    if (TEAM > 32) {
        const int warp = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0) {
            partial[warp] = value;
        }
        __syncthreads();
        value = 0.0f;
#pragma unroll
        for (int i = 0; i < TEAM / 32; i++) {
            value += partial[warp / (TEAM / 32) * (TEAM / 32) + i];
        }
    }
    return value;
}

template <bool GATHER> __device__ __forceinline__ long long row_of(const int *ids, long long token) {
    return GATHER ? ids[token] : token;
}

/*
 * The row stays in registers, ITEMS words in each of the TEAM threads that share it: ITEMS * TEAM * VEC >= d. A team
 * takes ROWS rows one after the other, with the weights in registers and the next row on its way while this one is
 * summed.
 */
template <int VEC, int BLOCK, int TEAM, int ITEMS, int ROWS, class READ, class WRITE, bool GATHER>
__global__ void __launch_bounds__(BLOCK, 1)
    norm_registers(const int *__restrict__ ids, const __half *__restrict__ table, const __half *__restrict__ weight,
                   __half *__restrict__ out, float eps, long long t, long long d) {
    typedef Pack<__half, VEC> pack_t;
    typedef typename Word<2 * VEC>::type word_t;
    constexpr int TEAMS = BLOCK / TEAM;
    __shared__ float partial[2][BLOCK / 32];
    const int words = (int)(d / VEC), lane = threadIdx.x % TEAM;
    long long token = (long long)blockIdx.x * (TEAMS * ROWS) + threadIdx.x / TEAM;
    pack_t row[ITEMS], weights[ITEMS];
    int id[ROWS]; /* all at once: only the first is waited for */
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        id[r] = token + r * TEAMS < t ? (int)row_of<GATHER>(ids, token + r * TEAMS) : -1;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        row[i].word = word_t();
        weights[i].word = word_t();
        if (id[0] >= 0 && lane + i * TEAM < words) {
            row[i].word = load_as(READ(), reinterpret_cast<const word_t *>(table + id[0] * d) + lane + i * TEAM);
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (lane + i * TEAM < words) {
            weights[i].word = reinterpret_cast<const word_t *>(weight)[lane + i * TEAM];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        pack_t next[ITEMS];
        const int next_id = r + 1 < ROWS ? id[r + 1 < ROWS ? r + 1 : r] : -1;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            next[i].word = word_t();
            if (next_id >= 0 && lane + i * TEAM < words) {
                next[i].word = load_as(READ(), reinterpret_cast<const word_t *>(table + next_id * d) + lane + i * TEAM);
            }
        }
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            sum += sum_of_squares<VEC>(row[i]);
        }
        const float scale = rsqrtf(team_sum<TEAM>(sum, partial[r % 2]) / (float)d + eps);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (id[r] >= 0 && lane + i * TEAM < words) {
                normalise<VEC>(row[i], weights[i], scale);
                store_as(WRITE(), reinterpret_cast<word_t *>(out + token * d) + lane + i * TEAM, row[i].word);
            }
            row[i] = next[i];
        }
        token += TEAMS;
    }
}

/* A block a row. KEEP: the row waits in shared memory (d halves) for its second use; else it is read again, as AGAIN
 * says. */
template <int VEC, int BLOCK, bool KEEP, class READ, class AGAIN, class WRITE, bool GATHER>
__global__ void __launch_bounds__(BLOCK)
    norm_block(const int *__restrict__ ids, const __half *__restrict__ table, const __half *__restrict__ weight,
               __half *__restrict__ out, float eps, long long t, long long d) {
    typedef typename Word<2 * VEC>::type word_t;
    extern __shared__ __align__(16) unsigned char staged[];
    __shared__ float partial[BLOCK / 32];
    word_t *kept = reinterpret_cast<word_t *>(staged);
    const int words = (int)(d / VEC);
    const long long token = blockIdx.x;
    const word_t *from = reinterpret_cast<const word_t *>(table + row_of<GATHER>(ids, token) * d);
    word_t *to = reinterpret_cast<word_t *>(out + token * d);
    float sum = 0.0f;
#pragma unroll 4
    for (int at = threadIdx.x; at < words; at += BLOCK) {
        Pack<__half, VEC> pack;
        pack.word = load_as(READ(), from + at);
        if (KEEP) { /* each thread reads back what it wrote itself: no barrier beyond that of the sum */
            kept[at] = pack.word;
        }
        sum += sum_of_squares<VEC>(pack);
    }
    const float scale = rsqrtf(team_sum<BLOCK>(sum, partial) / (float)d + eps);
#pragma unroll 4
    for (int at = threadIdx.x; at < words; at += BLOCK) {
        Pack<__half, VEC> pack, factor;
        pack.word = KEEP ? kept[at] : load_as(AGAIN(), from + at);
        factor.word = reinterpret_cast<const word_t *>(weight)[at];
        normalise<VEC>(pack, factor, scale);
        store_as(WRITE(), to + at, pack.word);
    }
}

/*
 * Rows come to shared memory by the copy engine, STAGES of them on their way to a block while it has one in its
 * registers: what is in flight does not depend on where in a row the threads are. Block b takes rows b, b + gridDim.x,
 * ...; the barrier inside team_sum is also where all have read the row, so that its slot can be filled again. sm_90; d
 * must be a multiple of 8, and at most 8 BLOCK ITEMS.
 */
template <int BLOCK, int ITEMS, int STAGES, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1)
    norm_bulk(const int *__restrict__ ids, const __half *__restrict__ table, const __half *__restrict__ weight,
              __half *__restrict__ out, float eps, long long t, long long d) {
    typedef Pack<__half, 8> pack_t;
    static_assert(BLOCK >= 64, "team_sum meets at a barrier");
    extern __shared__ __align__(128) unsigned char staged[];
    __shared__ __align__(8) unsigned long long barriers[STAGES];
    __shared__ float partial[2][BLOCK / 32];
    const unsigned int slots = shared_place(staged), gates = shared_place(barriers), bytes = (unsigned int)d * 2;
    const int words = (int)(d / 8), lane = threadIdx.x;
    const long long step = gridDim.x;
    long long ahead = blockIdx.x; /* the next token to be fetched; only thread 0 fetches */
    int id = 0;
    if (lane == 0) {
        for (int s = 0; s < STAGES; s++) {
            bulk_barrier_open(gates + 8 * s);
        }
        bulk_barriers_ready();
        for (int s = 0; s < STAGES && ahead < t; s++, ahead += step) {
            bulk_load(slots + s * bytes, table + ids[ahead] * d, bytes, gates + 8 * s);
        }
        id = ahead < t ? ids[ahead] : 0;
    }
    pack_t weights[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        weights[i].word = uint4();
        if (lane + i * BLOCK < words) {
            weights[i].word = reinterpret_cast<const uint4 *>(weight)[lane + i * BLOCK];
        }
    }
    __syncthreads();
    unsigned int slot = 0, parity = 0, turn = 0;
#pragma unroll 1
    for (long long token = blockIdx.x; token < t; token += step) {
        const uint4 *from = reinterpret_cast<const uint4 *>(staged + slot * bytes);
        pack_t row[ITEMS];
        float sum = 0.0f;
        bulk_wait(gates + 8 * slot, parity);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            row[i].word = lane + i * BLOCK < words ? from[lane + i * BLOCK] : uint4();
            sum += sum_of_squares<8>(row[i]);
        }
        const float scale = rsqrtf(team_sum<BLOCK>(sum, partial[turn]) / (float)d + eps);
        turn ^= 1;
        if (lane == 0 && ahead < t) {
            bulk_load(slots + slot * bytes, table + id * d, bytes, gates + 8 * slot);
            ahead += step;
            id = ahead < t ? ids[ahead] : 0;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (lane + i * BLOCK < words) {
                normalise<8>(row[i], weights[i], scale);
                store_as(WRITE(), reinterpret_cast<uint4 *>(out + token * d) + lane + i * BLOCK, row[i].word);
            }
        }
        if (++slot == STAGES) {
            slot = 0;
            parity ^= 1;
        }
    }
}
