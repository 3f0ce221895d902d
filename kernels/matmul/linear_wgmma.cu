/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x W^T for up to 64 tokens a tile by wgmma (sm_90a); x is m x k and y m x n in T, sums are fp32. An instruction
 * takes 64 rows of W from registers, where they have just been widened, and BLOCK_M tokens from shared memory.
 *
 * One warp asks: the accelerator brings x, swizzled, and the weights of each 64 rows in one bulk copy a stage.
 * CONSUMERS warpgroups widen and multiply 64 rows each; there are IN_TURN such crews, which take stages in turn. Blocks
 * of a cluster: CLUSTER_N tiles of rows, which share what they read of x, times SPLIT parts of k. Sums of crews and
 * parts are added up out of the shared memory of all of them, in their order.
 */
#include "linear_finish.cuh"
#include "weight_formats.cuh"
#include "wgmma_tiles.cuh"

/* By 64 threads: record blockIdx.x of rows 16 blockIdx.y on, as weight_formats.cuh says, but a lane's 8 k's of a turn
 * are the pairs that an A of 16 k's has in its registers, for k in its own order: 2 (l % 4), and 8, 16, 24 further. */
template <class F>
__device__ __forceinline__ void pack_pairs(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
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
        const int neighbour = word % R::WORDS_OF_TURN * EACH + neighbour_at<F>(i % EACH);
        const long long at = first + turn * 32 + neighbour / 2 * 8 + lane % 4 * 2 + neighbour % 2;
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

/* Of a record the four of 64 rows lie together, which are a warp's each; records follow each other along k, as many as
 * are whole steps of 256 k's. */
template <class F>
__global__ void __launch_bounds__(64)
    linear_pack_64(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                   const unsigned char *__restrict__ zeros, unsigned char *__restrict__ packed, long long n,
                   long long k) {
    unsigned char *record =
        packed + (((long long)blockIdx.y / 4 * gridDim.x + blockIdx.x) * 4 + blockIdx.y % 4) * Record<F>::BYTES;
    pack_pairs<F>(w, scales, zeros, record, n, k);
}

#if __CUDA_ARCH_FEAT_SM90_ALL

/* A in registers as wgmma_registers.cuh says, B with k contiguous. */
#define LINEAR_MULTIPLY(N, COUNT, TEXT, SUMS, A, B, ADD)                                                               \
    template <typename T>                                                                                              \
    __device__ __forceinline__ void wgmma_widened(float(&d)[COUNT], const unsigned(&a)[4], unsigned long long b,       \
                                                  int add) {                                                           \
        if constexpr (wgmma_same<T, __nv_bfloat16>) {                                                                  \
            asm volatile(WGMMA_TEXT(N, "k16.f32.bf16.bf16", TEXT, A, B, ADD, ", 1, 1, 0")                              \
                         : SUMS("+f")                                                                                  \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                              \
        } else {                                                                                                       \
            asm volatile(WGMMA_TEXT(N, "k16.f32.f16.f16", TEXT, A, B, ADD, ", 1, 1, 0")                                \
                         : SUMS("+f")                                                                                  \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                              \
        }                                                                                                              \
    }
#define LINEAR_SUMS_4(KIND) KIND(d[0]), KIND(d[1]), KIND(d[2]), KIND(d[3])
LINEAR_MULTIPLY(8, 4, "%0,%1,%2,%3", LINEAR_SUMS_4, "{%4,%5,%6,%7}", "%8", "%9")
LINEAR_MULTIPLY(16, 8, WGMMA_TEXT_1, WGMMA_SUMS_1, "{%8,%9,%10,%11}", "%12", "%13")
LINEAR_MULTIPLY(64, 32, WGMMA_TEXT_4, WGMMA_SUMS_4, "{%32,%33,%34,%35}", "%36", "%37")

/* A stage has BLOCK_K of x, then of each consumer's 64 rows. Consumers widen and multiply UNIT k's at a time. */
template <class FORMAT, typename TYPE, int TOKENS, int DEPTH, int PLACES, int WARPGROUPS, int CREWS, int SHARERS,
          int PARTS>
struct WideLayer {
    typedef FORMAT F;
    typedef TYPE T;
    typedef Record<F> R;
    typedef WgmmaTile<true, TOKENS, DEPTH, SHARERS> X;
    static constexpr int BLOCK_M = TOKENS, BLOCK_K = DEPTH, STAGES = PLACES, CONSUMERS = WARPGROUPS;
    static constexpr int IN_TURN = CREWS, CLUSTER_N = SHARERS, SPLIT = PARTS, CLUSTER = CLUSTER_N * SPLIT;
    static constexpr int MULTIPLIERS = CONSUMERS * IN_TURN * 128, THREADS = MULTIPLIERS + 32;
    static constexpr int ROWS = CONSUMERS * 64, COUNT = BLOCK_M / 2, PITCH = (ROWS + 4) * 4, SUMS = BLOCK_M * PITCH;
    static constexpr int UNIT = F::GROUP == 32 ? 32 : 64, GROUP_UNITS = F::GROUP ? F::GROUP / UNIT : 0;
    static constexpr int W_BYTES = BLOCK_K / R::K * 4 * R::BYTES; /* of 64 rows */
    static constexpr int STAGE_BYTES = X::BYTES + (CONSUMERS * W_BYTES + 1023) / 1024 * 1024;
    static constexpr int FULL_AT = STAGES * STAGE_BYTES, FREE_AT = FULL_AT + STAGES * 8;
    static_assert(BLOCK_K % 128 == 0 && 256 % BLOCK_K == 0, "whole records, as they are packed");
    static_assert(IN_TURN * SUMS <= FULL_AT, "sums lie where the stages were");
    static_assert(STAGES % IN_TURN == 0, "a crew sees every phase of its stages' barriers");
};

/* This block's part in the problem. */
template <class L> struct Place {
    int first_token, first_row, first_step, steps;
    unsigned sharer, part, blocks; /* `blocks`: those that share x, a bit each */

    __device__ __forceinline__ Place(int k) {
        const unsigned rank = blockIdx.x % L::CLUSTER;
        const int all = (k + L::BLOCK_K - 1) / L::BLOCK_K;
        sharer = rank % L::CLUSTER_N;
        part = rank / L::CLUSTER_N;
        blocks = ((1u << L::CLUSTER_N) - 1) << part * L::CLUSTER_N;
        first_token = blockIdx.y * L::BLOCK_M;
        first_row = (blockIdx.x / L::CLUSTER * L::CLUSTER_N + sharer) * L::ROWS;
        first_step = (int)((long long)all * part / L::SPLIT);
        steps = (int)((long long)all * (part + 1) / L::SPLIT) - first_step;
    }
};

/* One thread of a block. Rows that do not exist are the last 64 again. */
template <class L>
__device__ __forceinline__ void bring(const Place<L> &place, unsigned stages, const unsigned char *packed,
                                      const CUtensorMap *x, int n, int k) {
    const long long of_64 = (k + 255) / 256 * (256 / L::BLOCK_K) * (long long)L::W_BYTES;
    const int last = (n + 63) / 64 - 1;
    RingPlace<L::STAGES> ring;
    for (int step = place.first_step; step < place.first_step + place.steps; step++) {
        const unsigned to = stages + ring.stage * L::STAGE_BYTES, full = stages + L::FULL_AT + ring.stage * 8;
        bulk_wait(stages + L::FREE_AT + ring.stage * 8, ring.parity ^ 1);
        bulk_expect(full, L::X::BYTES + L::CONSUMERS * L::W_BYTES);
        for (int group = 0; group < L::CONSUMERS; group++) {
            const int row = place.first_row / 64 + group;
            bulk_load(to + L::X::BYTES + group * L::W_BYTES,
                      packed + (row < last ? row : last) * of_64 + step * (long long)L::W_BYTES, L::W_BYTES, full);
        }
        L::X::load(to, x, place.first_token, step * L::BLOCK_K, place.sharer, place.blocks, full);
        ring.next();
    }
}

/* What a warp has of a record of its 16 rows, rows r and r + 8 of a lane. */
template <class F> struct Held {
    uint4 words[2];
    const unsigned char *from;

    __device__ __forceinline__ void read(const unsigned char *record) {
        const int lane = threadIdx.x % 32;
        from = record;
        words[0] = reinterpret_cast<const uint4 *>(record)[lane];
        words[1] = reinterpret_cast<const uint4 *>(record)[32 + lane];
    }
    __device__ __forceinline__ unsigned scales(int group) const {
        return reinterpret_cast<const unsigned *>(from + 1024 + group * 32)[threadIdx.x % 32 / 4];
    }
    __device__ __forceinline__ unsigned zeros(int group) const {
        const unsigned char *at = from + 1024 + Record<F>::GROUPS * 32 + group * 16;
        return F::ZEROS ? reinterpret_cast<const unsigned short *>(at)[threadIdx.x % 32 / 4] : 0x0808;
    }
    /* 32 k's as two A's. */
    template <typename T> __device__ __forceinline__ void widen(unsigned (*a)[4], int turn, unsigned of_group) const {
        unsigned upper[4], lower[4];
        Pairs<T, F>::of(&words[0].x + turn * Record<F>::WORDS_OF_TURN, of_group & 255, upper);
        Pairs<T, F>::of(&words[1].x + turn * Record<F>::WORDS_OF_TURN, of_group >> 8, lower);
#pragma unroll
        for (int step = 0; step < 2; step++) {
            a[step][0] = upper[2 * step];
            a[step][1] = lower[2 * step];
            a[step][2] = upper[2 * step + 1];
            a[step][3] = lower[2 * step + 1];
        }
    }
};

template <int COUNT> __device__ __forceinline__ void hold(float (&sums)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        wgmma_hold_one(sums[i]);
    }
}

/* The compiler keeps an A where it is until here. */
template <int STEPS> __device__ __forceinline__ void keep(unsigned (&a)[STEPS][4]) {
#pragma unroll
    for (int i = 0; i < STEPS * 4; i++) {
        asm volatile("" : "+r"(a[i / 4][i % 4])::"memory");
    }
}

/* A consumer's sums. Two A's take turns: one is multiplied while the other is widened. Groups of int4 are summed alone
 * and scaled then. Behind a stage its multiplications may still be at work; they are done a unit later, which frees it.
 */
template <class L> struct Consumer {
    typedef typename L::F F;
    typedef typename L::R R;
    static constexpr int UNITS = L::BLOCK_K / L::UNIT, STEPS = L::UNIT / 16;
    static_assert(UNITS % 2 == 0, "two A's take turns");
    float sums[L::COUNT], of_group[L::COUNT];
    unsigned a[2][STEPS][4];
    unsigned free; /* free[0] of the block that this lane tells */
    bool tells;

    __device__ __forceinline__ Consumer(const Place<L> &place, unsigned stages) {
        const unsigned lane = threadIdx.x % 32;
        tells = lane < L::CLUSTER_N;
        free = stages + L::FREE_AT;
        if (L::CLUSTER_N > 1) {
            free = bulk_place_in(free, tells ? place.part * L::CLUSTER_N + lane : 0);
        }
#pragma unroll
        for (int i = 0; i < L::COUNT; i++) {
            sums[i] = 0.0f;
        }
    }

    __device__ __forceinline__ void tell(int stage) const {
        if (tells) {
            if (L::CLUSTER_N > 1) {
                bulk_arrive_at(free + stage * 8);
            } else {
                bulk_arrive(free + stage * 8);
            }
        }
        __syncwarp();
    }

    /* Unit `unit` of a stage, whose x is at `x`. */
    template <int WHICH>
    __device__ __forceinline__ void multiply(float (&to)[L::COUNT], unsigned long long x, int unit, bool add) {
        keep(a[WHICH]);
        hold(to);
        wgmma_begin();
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            wgmma_widened<typename L::T>(to, a[WHICH][step], x + L::X::at_step(unit * STEPS + step), add || step > 0);
        }
        wgmma_commit();
        hold(to);
    }

    template <int WHICH>
    __device__ __forceinline__ void take(Held<F> &held, const unsigned char *records, unsigned long long x, int unit) {
        const int first = unit * L::UNIT, in_record = first % R::K;
        const int group = F::GROUP ? in_record / (F::GROUP ? F::GROUP : 1) : 0;
        unsigned zeros = 0;
#pragma unroll
        for (int turn = 0; turn < L::UNIT / 32; turn++) {
            if ((first + turn * 32) % R::K == 0) {
                held.read(records + (first + turn * 32) / R::K * (4 * R::BYTES));
            }
            if (turn == 0 && F::GROUP) {
                zeros = held.zeros(group);
            }
            held.template widen<typename L::T>(&a[WHICH][turn * 2], (first + turn * 32) % R::K / 32, zeros);
        }
        if (F::GROUP == 0) {
            multiply<WHICH>(sums, x, unit, true);
            return;
        }
        multiply<WHICH>(of_group, x, unit, unit % (L::GROUP_UNITS ? L::GROUP_UNITS : 1) != 0);
        if ((unit + 1) % (L::GROUP_UNITS ? L::GROUP_UNITS : 1) == 0) {
            const unsigned scales = held.scales(group);
            const float upper = float_at<__half>(scales, 0), lower = float_at<__half>(scales, 1);
            wgmma_wait<0>();
            hold(of_group);
#pragma unroll
            for (int i = 0; i < L::COUNT; i++) {
                sums[i] = fmaf(of_group[i], i % 4 < 2 ? upper : lower, sums[i]);
            }
        }
    }

    __device__ __forceinline__ void run(const Place<L> &place, unsigned stages, const unsigned char *shared) {
        const int warpgroup = threadIdx.x / 128, crew = warpgroup / L::CONSUMERS;
        const int own = warpgroup % L::CONSUMERS * L::W_BYTES + threadIdx.x / 32 % 4 * R::BYTES;
        RingPlace<L::STAGES> ring;
        ring.skip(crew);
        Held<F> held;
        int before = -1;
#pragma unroll 1
        for (int step = crew; step < place.steps; step += L::IN_TURN) {
            const unsigned at = ring.stage * L::STAGE_BYTES;
            const unsigned char *records = shared + at + L::X::BYTES + own;
            const unsigned long long x = L::X::operand(stages + at);
            bulk_wait(stages + L::FULL_AT + ring.stage * 8, ring.parity);
#pragma unroll
            for (int unit = 0; unit < UNITS; unit += 2) {
                take<0>(held, records, x, unit);
                if (F::GROUP == 0) {
                    wgmma_wait<1>();
                    keep(a[1]);
                    if (unit == 0 && before >= 0) {
                        tell(before);
                    }
                }
                take<1>(held, records, x, unit + 1);
                if (F::GROUP == 0) {
                    wgmma_wait<1>();
                    keep(a[0]);
                }
            }
            if (F::GROUP) {
                tell(ring.stage);
            }
            before = ring.stage;
            ring.skip(L::IN_TURN);
        }
        wgmma_wait<0>();
        hold(sums);
        if (F::GROUP == 0 && before >= 0) {
            tell(before);
        }
    }

    /* A token's line holds the block's rows; four lines further begin 16 banks further. */
    __device__ __forceinline__ void leave(unsigned char *shared) const {
        const int thread = threadIdx.x % 128, warpgroup = threadIdx.x / 128;
        const int row = warpgroup % L::CONSUMERS * 64 + thread / 32 * 16 + thread % 32 / 4;
        unsigned char *own = shared + warpgroup / L::CONSUMERS * L::SUMS;
#pragma unroll
        for (int i = 0; i < L::COUNT; i++) {
            const int token = i / 4 * 8 + thread % 4 * 2 + i % 2;
            reinterpret_cast<float *>(own + token * L::PITCH)[row + i / 2 % 2 * 8] = sums[i];
        }
    }
};

/* Of the tile this block's share to y. */
template <class L>
__device__ __forceinline__ void finish_parts(const Place<L> &place, unsigned stages, const __half *scales,
                                             typename L::T *y, int m, int n) {
    const int pieces = left_of(m, place.first_token, L::BLOCK_M) * (L::ROWS / 8);
    for (int i = place.part * L::THREADS + threadIdx.x; i < pieces; i += L::SPLIT * L::THREADS) {
        const int token = i / (L::ROWS / 8), first = i % (L::ROWS / 8) * 8;
        const long long row = place.first_row + first;
        float sums[8] = {};
#pragma unroll
        for (int part = 0; part < L::SPLIT * L::IN_TURN; part++) {
            const unsigned there = bulk_place_in(stages + part % L::IN_TURN * L::SUMS + token * L::PITCH + first * 4,
                                                 place.sharer + part / L::IN_TURN * L::CLUSTER_N);
            add_eight(sums, there);
        }
        unsigned words[4];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            if (L::F::BITS == 8) {
                sums[j] *=
                    row + j < n ? Pairs<typename L::T, typename L::F>::FACTOR * __half2float(scales[row + j]) : 0;
            }
            if (j % 2) {
                words[j / 2] = rounded_pair<typename L::T>(sums[j - 1], sums[j]);
            }
        }
        store_eight(y + (long long)(place.first_token + token) * n + row,
                    make_uint4(words[0], words[1], words[2], words[3]), left_of(n, row, 8), n % 8 == 0);
    }
}

#endif

template <class F, typename T, int BLOCK_M, int BLOCK_K, int STAGES, int CONSUMERS, int IN_TURN, int CLUSTER_N,
          int SPLIT, int RESIDENT>
__global__ void __launch_bounds__(CONSUMERS *IN_TURN * 128 + 32, RESIDENT)
    linear_wgmma(const unsigned char *__restrict__ packed, const __half *__restrict__ scales,
                 const __grid_constant__ CUtensorMap x, T *__restrict__ y, int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef WideLayer<F, T, BLOCK_M, BLOCK_K, STAGES, CONSUMERS, IN_TURN, CLUSTER_N, SPLIT> L;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    const Place<L> place(k);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(stages + L::FULL_AT + stage * 8);
            bulk_barrier_init(stages + L::FREE_AT + stage * 8, CLUSTER_N * CONSUMERS * 4);
        }
        bulk_barrier_publish();
    }
    if (CLUSTER_N > 1) { /* others send here and are told; parts of k meet behind them */
        cluster_meet();
    } else {
        __syncthreads();
    }
    if (__shfl_sync(~0u, threadIdx.x / 128, 0) == CONSUMERS * IN_TURN) {
        if (threadIdx.x == L::MULTIPLIERS) {
            bring<L>(place, stages, packed, &x, n, k);
        }
        __syncwarp();
    } else {
        Consumer<L> consumer(place, stages);
        consumer.run(place, stages, shared);
        asm volatile("bar.sync 1, %0;" ::"r"(L::MULTIPLIERS) : "memory"); /* the stages are read no more */
        consumer.leave(shared);
    }
    if (L::CLUSTER > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
    finish_parts<L>(place, stages, scales, y, m, n);
    if (L::CLUSTER > 1) { /* no block leaves while others may still read its sums */
        cluster_meet();
    }
#endif
}
