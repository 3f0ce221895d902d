/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x W^T for few tokens by wgmma, by launches that overlap (sm_90a): the launches of linear_early.cu, the
 * instructions of linear_wgmma.cu. CREWS warpgroups take steps of BLOCK_K k's in turn, each for all 64 rows of the
 * block. Two warps bring, since one is too slow for it: weights, before the launch in front has ended, and x behind it.
 */
#include "linear_wgmma.cu"

/* Records as linear_pack_64 makes them; those of 64 rows and BLOCK_K k's lie together, a piece. The pieces of all rows
 * follow each other, then come those of the next k's. */
template <class F, int BLOCK_K>
__global__ void __launch_bounds__(64)
    linear_pack_wide(const unsigned char *__restrict__ w, const __half *__restrict__ scales,
                     const unsigned char *__restrict__ zeros, unsigned char *__restrict__ packed, long long n,
                     long long k) {
    constexpr int DEEP = BLOCK_K / Record<F>::K; /* records of a piece along k */
    const long long piece = blockIdx.x / DEEP * (long long)(gridDim.y / 4) + blockIdx.y / 4;
    pack_pairs<F>(w, scales, zeros,
                  packed + ((piece * DEEP + blockIdx.x % DEEP) * 4 + blockIdx.y % 4) * Record<F>::BYTES, n, k);
}

#if __CUDA_ARCH_FEAT_SM90_ALL

/* 32 k's as two A's, as Held has them; of int4 and halves too small by 2^24, without an exponent: q in the last bits of
 * a half is the number q 2^-24. */
template <typename T, class F> struct Widened {
    static constexpr float FACTOR = 1.0f;
    static __device__ __forceinline__ void of(unsigned (&a)[2][4], const Held<F> &held, int turn, unsigned zeros) {
        held.template widen<T>(a, turn, zeros);
    }
};
template <int GROUP, bool ZEROS> struct Widened<__half, Int4<GROUP, ZEROS>> {
    static constexpr float FACTOR = 16777216.0f;
    static __device__ __forceinline__ void of(unsigned (&a)[2][4], const Held<Int4<GROUP, ZEROS>> &held, int turn,
                                              unsigned zeros) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const unsigned zero = (half ? zeros >> 8 : zeros & 255) * 0x00010001u;
#pragma unroll
            for (int step = 0; step < 2; step++) {
                const unsigned word = (&held.words[half].x)[turn] >> 8 * step;
                a[step][half] = subtract_halves(word & 0x000f000fu, zero);
                a[step][2 + half] = fma_halves(word & 0x00f000f0u, 0x2c002c00u, 0x80008000u | zero);
            }
        }
    }
};

/* A stage for a warp: AT_ONCE times 32 k's are widened while those in front of them are multiplied. Two A's take turns,
 * and the sums of two groups, which are scaled behind the next group's first multiplication. */
template <class L, int TURNS_AT_ONCE> struct Stage {
    typedef typename L::F F;
    typedef typename L::R R;
    typedef Widened<typename L::T, F> Wide;
    static constexpr int OF_GROUP = F::GROUP ? R::TURNS_OF_GROUP : R::TURNS;
    static constexpr int AT_ONCE = OF_GROUP < TURNS_AT_ONCE ? OF_GROUP : TURNS_AT_ONCE;
    static constexpr int UNITS = L::BLOCK_K / 32 / AT_ONCE, UNITS_OF_GROUP = OF_GROUP / AT_ONCE;
    static constexpr int UNITS_OF_RECORD = R::TURNS / AT_ONCE;
    float of_group[2][L::COUNT];
    unsigned a[2][AT_ONCE][2][4], scales[2], zeros;

    /* Of what unit `unit` was multiplied to, where it ends a group. */
    template <int PENDING> __device__ __forceinline__ void end(float (&sums)[L::COUNT], int unit) {
        const int which = unit / UNITS_OF_GROUP % 2;
        wgmma_wait<PENDING>();
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            keep(a[unit % 2][i]);
        }
        if (unit % UNITS_OF_GROUP == UNITS_OF_GROUP - 1) {
            hold(of_group[which]);
            const float upper = F::GROUP ? float_at<__half>(scales[which], 0) : 1.0f;
            const float lower = F::GROUP ? float_at<__half>(scales[which], 1) : 1.0f;
#pragma unroll
            for (int i = 0; i < L::COUNT; i++) {
                sums[i] = fmaf(of_group[which][i], i % 4 < 2 ? upper : lower, sums[i]);
            }
        }
    }

    __device__ __forceinline__ void multiply(float (&sums)[L::COUNT], const unsigned char *piece,
                                             unsigned long long x) {
        Held<F> held;
#pragma unroll
        for (int unit = 0; unit < UNITS; unit++) {
            const int which = unit / UNITS_OF_GROUP % 2;
            if (unit % UNITS_OF_RECORD == 0) {
                held.read(piece + unit / UNITS_OF_RECORD * (4 * R::BYTES));
            }
            if (F::GROUP && unit % UNITS_OF_GROUP == 0) {
                const int group = unit % UNITS_OF_RECORD / UNITS_OF_GROUP;
                zeros = held.zeros(group);
                scales[which] = held.scales(group);
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                Wide::of(a[unit % 2][i], held, (unit * AT_ONCE + i) % R::TURNS, zeros);
                keep(a[unit % 2][i]);
            }
            hold(of_group[which]);
            wgmma_begin();
#pragma unroll
            for (int i = 0; i < AT_ONCE * 2; i++) {
                wgmma_widened<typename L::T>(of_group[which], a[unit % 2][i / 2][i % 2],
                                             x + L::X::at_step(unit * AT_ONCE * 2 + i),
                                             unit % UNITS_OF_GROUP > 0 || i > 0);
            }
            wgmma_commit();
            hold(of_group[which]);
            if (unit > 0) {
                end<1>(sums, unit - 1);
            }
        }
        end<0>(sums, UNITS - 1);
    }
};

/* Rings of x and of weights, and barriers: places that are full, and places of weights that are free, which x's of the
 * same step are then, too. */
template <class L, int STAGES, int X_STAGES> struct Rings {
    static constexpr int PIECE = L::W_BYTES, PIECES_AT = X_STAGES * L::X::BYTES;
    static constexpr int FULL_AT = PIECES_AT + STAGES * PIECE, X_FULL_AT = FULL_AT + STAGES * 8;
    static constexpr int FREE_AT = X_FULL_AT + X_STAGES * 8;
    static_assert(L::IN_TURN * L::SUMS <= FULL_AT && X_STAGES <= STAGES, "sums lie where the rings were");
    static_assert(STAGES % L::IN_TURN == 0 && X_STAGES % L::IN_TURN == 0, "a crew sees every phase of its barriers");
};

#endif

/* TURNS: of 32 k's, how many are multiplied at once. AHEAD: as of linear_early. */
template <class F, typename T, int BLOCK_M, int BLOCK_K, int CREWS, int STAGES, int X_STAGES, int TURNS, int AHEAD>
__global__ void __launch_bounds__(CREWS * 128 + 64, 2)
    linear_early_wide(const unsigned char *__restrict__ packed, const __half *__restrict__ scales,
                      const __grid_constant__ CUtensorMap x, T *y, int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef WideLayer<F, T, BLOCK_M, BLOCK_K, CREWS, 1, CREWS, 1, 1> L;
    typedef Rings<L, STAGES, X_STAGES> At;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned places = shared_address(shared);
    const Place<L> place(k);
    const int crew = __shfl_sync(~0u, threadIdx.x / 128, 0), lane = threadIdx.x % 32;
    const int rows = (n + 63) / 64, row = place.first_row / 64, steps = place.steps;
    auto ask = [&](int step, int stage) {
        bulk_expect(places + At::FULL_AT + stage * 8, At::PIECE);
        bulk_load(places + At::PIECES_AT + stage * At::PIECE, packed + ((long long)step * rows + row) * At::PIECE,
                  At::PIECE, places + At::FULL_AT + stage * 8);
    };
    auto ask_x = [&](int step, int stage) {
        const unsigned full = places + At::X_FULL_AT + stage * 8;
        bulk_expect(full, L::X::BYTES);
        L::X::load(places + stage * L::X::BYTES, &x, place.first_token, step * BLOCK_K, 0, 0, full);
    };
    if (threadIdx.x == L::MULTIPLIERS) {
        bulk_fetch_map(&x);
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(places + At::FULL_AT + stage * 8);
            bulk_barrier_init(places + At::FREE_AT + stage * 8, 4);
        }
        for (int stage = 0; stage < X_STAGES; stage++) {
            bulk_barrier_init(places + At::X_FULL_AT + stage * 8);
        }
        bulk_barrier_publish();
        for (int step = 0; step < STAGES && step < steps; step++) {
            ask(step, step);
        }
        if (STAGES + AHEAD >= steps) {
            launch_next();
        }
    }
    if (threadIdx.x == 32) { /* x comes to L2, each block's share */
        for (int box = blockIdx.x; box * 64 < k; box += gridDim.x) {
            bulk_prefetch_box(&x, box * 64, place.first_token);
        }
    }
    __syncthreads();
    await_launch();
    if (crew == CREWS) {
        const bool brings_x = __shfl_sync(~0u, threadIdx.x / 32, 0) == CREWS * 4 + 1;
        RingPlace<STAGES> ring;
        if (lane == 0 && brings_x) {
            for (int step = 0; step < X_STAGES && step < steps; step++) {
                ask_x(step, step);
            }
            int x_stage = 0;
            for (int step = 0; step + X_STAGES < steps; step++) {
                bulk_wait(places + At::FREE_AT + ring.stage * 8, ring.parity);
                ask_x(step + X_STAGES, x_stage);
                x_stage = x_stage + 1 < X_STAGES ? x_stage + 1 : 0;
                ring.next();
            }
        } else if (lane == 0) {
            for (int step = 0; step + STAGES < steps; step++) {
                bulk_wait(places + At::FREE_AT + ring.stage * 8, ring.parity);
                ask(step + STAGES, ring.stage);
                if (step + 1 + STAGES + AHEAD >= steps) {
                    launch_next();
                }
                ring.next();
            }
        }
        __syncwarp();
    } else {
        float sums[L::COUNT] = {};
        int stage = crew, x_stage = crew;
        unsigned parity = 0, x_parity = 0;
        const unsigned char *own = shared + At::PIECES_AT + threadIdx.x / 32 % 4 * L::R::BYTES;
#pragma unroll 1
        for (int step = crew; step < steps; step += CREWS) {
            bulk_wait(places + At::FULL_AT + stage * 8, parity);
            bulk_wait(places + At::X_FULL_AT + x_stage * 8, x_parity);
            Stage<L, TURNS> now;
            now.multiply(sums, own + stage * At::PIECE, L::X::operand(places + x_stage * L::X::BYTES));
            __syncwarp();
            if (lane == 0) {
                bulk_arrive(places + At::FREE_AT + stage * 8);
            }
            stage += CREWS;
            if (stage >= STAGES) {
                stage -= STAGES;
                parity ^= 1;
            }
            x_stage += CREWS;
            if (x_stage >= X_STAGES) {
                x_stage -= X_STAGES;
                x_parity ^= 1;
            }
        }
        asm volatile("bar.sync 1, %0;" ::"r"(L::MULTIPLIERS) : "memory"); /* the rings are read no more */
        const int thread = threadIdx.x % 128, first = thread / 32 * 16 + thread % 32 / 4;
        unsigned char *to = shared + crew * L::SUMS;
#pragma unroll
        for (int i = 0; i < L::COUNT; i++) {
            const int token = i / 4 * 8 + thread % 4 * 2 + i % 2;
            reinterpret_cast<float *>(to + token * L::PITCH)[first + i / 2 % 2 * 8] = sums[i] * Widened<T, F>::FACTOR;
        }
    }
    __syncthreads();
    if (threadIdx.x < L::THREADS) {
        finish_parts<L>(place, places, scales, y, m, n);
    }
#endif
}
