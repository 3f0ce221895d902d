/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.cuh - rows of bf16 that are read once and kept on chip: norms, softmax, cross-entropy.
 *
 * THREADS threads share a row, BLOCK / THREADS rows a block. A thread holds ITEMS vectors of VEC elements, THREADS
 * vectors apart, so that every load of a warp is one contiguous piece. VEC divides the columns (rows then begin at
 * multiples of its bytes: 8 = 16 bytes, 1 takes any number); ITEMS * THREADS * VEC covers them, EXACT says exactly.
 *
 * An operation OP is
 *   State                      what threads exchange: a trivial struct with `merge(other)` and `from_lane(lane)`
 *   Held<S>                    the row of a thread: Row<S>, or derived from it
 *   FILLER                     two bf16 that change nothing: what a place beyond the row's end holds
 *   load<HINTS>(held, row)     from global memory, as HINTS (l2_policy.cuh) say
 *   begin(held)                this thread's part
 *   reduce(held, state, exchange)   of all threads of the row
 *   finish<HINTS>(held, state, row, exists)    stores, where the row exists
 */
#ifndef RFT_KERNELS_ROWS_CUH
#define RFT_KERNELS_ROWS_CUH

#include "l2_policy.cuh"
#include "row_bulk.cuh"
#include "vectors.cuh"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

template <int VEC> using Words = typename Word<2 * VEC>::type;

/* Read-only data, in one load: one written as *from may become one of four bytes for every pair. */
template <bool STREAM, typename W> __device__ __forceinline__ W load_once(const W *from) {
    return STREAM ? __ldcs(from) : __ldg(from);
}

/* A bf16 is the upper half of a float. */
template <int VEC> __device__ __forceinline__ void unpack(float (&to)[VEC], Words<VEC> from) {
    if constexpr (VEC == 1) {
        to[0] = __uint_as_float((unsigned)from << 16);
    } else {
        const unsigned *pairs = reinterpret_cast<const unsigned *>(&from);
#pragma unroll
        for (int i = 0; i < VEC / 2; i++) {
            to[2 * i] = __uint_as_float(pairs[i] << 16);
            to[2 * i + 1] = __uint_as_float(pairs[i] & 0xffff0000u);
        }
    }
}

/* Rounded to nearest, two in one instruction. */
template <int VEC> __device__ __forceinline__ Words<VEC> packed(const float (&from)[VEC]) {
    Words<VEC> word;
    if constexpr (VEC == 1) {
        word = __bfloat16_as_ushort(__float2bfloat16_rn(from[0]));
    } else {
        unsigned *pairs = reinterpret_cast<unsigned *>(&word);
#pragma unroll
        for (int i = 0; i < VEC / 2; i++) {
#if __CUDA_ARCH__ >= 800
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pairs[i]) : "f"(from[2 * i + 1]), "f"(from[2 * i]));
#else
            const unsigned high = __bfloat16_as_ushort(__float2bfloat16_rn(from[2 * i + 1]));
            pairs[i] = high << 16 | __bfloat16_as_ushort(__float2bfloat16_rn(from[2 * i]));
#endif
        }
    }
    return word;
}

template <int VEC> __device__ __forceinline__ Words<VEC> filled(unsigned filler) {
    Words<VEC> word;
    if constexpr (VEC == 1) {
        word = (unsigned short)filler;
    } else {
#pragma unroll
        for (int i = 0; i < VEC / 2; i++) {
            reinterpret_cast<unsigned *>(&word)[i] = filler;
        }
    }
    return word;
}

template <int VEC> __device__ __forceinline__ const Words<VEC> *words_of(const bf16 *from) {
    return reinterpret_cast<const Words<VEC> *>(from);
}
template <int VEC> __device__ __forceinline__ Words<VEC> *words_of(bf16 *to) {
    return reinterpret_cast<Words<VEC> *>(to);
}

/* `use(values, v)` for v = place, place + STEP, ...: UNROLL vectors are on their way before the first is used. */
template <int VEC, int STEP, int UNROLL, class READ, class USE>
__device__ __forceinline__ void each_place(const Words<VEC> *from, int vectors, int place, USE use) {
    float values[VEC];
    int v = place;
#pragma unroll 1
    for (; v + (UNROLL - 1) * STEP < vectors; v += UNROLL * STEP) {
        Words<VEC> words[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            words[u] = load_as(READ(), from + v + u * STEP);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            unpack<VEC>(values, words[u]);
            use(values, v + u * STEP);
        }
    }
#pragma unroll 1
    for (; v < vectors; v += STEP) { /* what fills no batch of UNROLL */
        unpack<VEC>(values, load_as(READ(), from + v));
        use(values, v);
    }
}

/* `use(values)`: where it does not matter which. */
template <int VEC, int STEP, int UNROLL, class READ, class USE>
__device__ __forceinline__ void each_vector(const Words<VEC> *from, int vectors, int place, USE use) {
    each_place<VEC, STEP, UNROLL, READ>(from, vectors, place, [&](const float(&values)[VEC], int) { use(values); });
}

template <int VEC_, int THREADS_, int BLOCK_, int ITEMS_, bool EXACT_, int CLUSTER_ = 1> struct Shape {
    static constexpr int VEC = VEC_, THREADS = THREADS_, BLOCK = BLOCK_, ITEMS = ITEMS_, ROWS = BLOCK / THREADS;
    static constexpr int CLUSTER = CLUSTER_; /* blocks that share a row; sm_90 and newer */
    static constexpr bool EXACT = EXACT_;
    static_assert(CLUSTER == 1 || THREADS == BLOCK, "a cluster has one row");
    static_assert(BLOCK % THREADS == 0 && BLOCK % 32 == 0, "whole rows, whole warps");
    static_assert((THREADS & (THREADS - 1)) == 0, "shuffles halve");
    __device__ static int place() {
        return THREADS == BLOCK ? threadIdx.x : threadIdx.x % THREADS;
    }
    __device__ static int group() {
        return THREADS == BLOCK ? 0 : threadIdx.x / THREADS;
    }
    __device__ static int rank() {
        int rank = 0;
        if constexpr (CLUSTER > 1) {
            asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        }
        return rank;
    }
    /* One thread a row. */
    __device__ static bool is_first() {
        return place() == 0 && rank() == 0;
    }
};

template <class S> struct Row {
    Words<S::VEC> words[S::ITEMS];
    int vectors; /* of the whole row */

    __device__ __forceinline__ int index(int i) const {
        return S::place() + (i * S::CLUSTER + S::rank()) * S::THREADS;
    }
    __device__ __forceinline__ bool has(int i) const {
        return S::EXACT || index(i) < vectors;
    }
    template <class READ> __device__ __forceinline__ void load(const bf16 *row, unsigned filler) {
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            words[i] = filled<S::VEC>(filler);
            if (has(i)) {
                words[i] = load_as(READ(), words_of<S::VEC>(row) + index(i));
            }
        }
    }
    /* From here on the compiler knows nothing of the words: else it keeps what begin() unpacked, twice the registers.
     */
    __device__ __forceinline__ void forget() {
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            if constexpr (S::VEC == 1) {
                asm("" : "+h"(words[i]));
            } else {
#pragma unroll
                for (int j = 0; j < S::VEC / 2; j++) {
                    asm("" : "+r"(reinterpret_cast<unsigned *>(&words[i])[j]));
                }
            }
        }
    }
    template <class WRITE>
    __device__ __forceinline__ void store(bf16 *row, int i, const float (&values)[S::VEC]) const {
        if (has(i)) {
            store_as(WRITE(), words_of<S::VEC>(row) + index(i), packed<S::VEC>(values));
        }
    }
};

struct Sum {
    float value;
    __device__ __forceinline__ Sum from_lane(int lane) const {
        return {__shfl_xor_sync(0xffffffffu, value, lane)};
    }
    __device__ __forceinline__ void merge(const Sum &other) {
        value += other.value;
    }
};

__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* `state` as block `rank` of the cluster has it in its shared memory. */
template <class STATE> __device__ __forceinline__ STATE from_block(const STATE *state, int rank) {
    STATE there;
    unsigned at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_place(state)), "r"(rank));
#pragma unroll
    for (int i = 0; i < (int)(sizeof(STATE) / 4); i++) {
        asm volatile("ld.shared::cluster.f32 %0, [%1];"
                     : "=f"(reinterpret_cast<float *>(&there)[i])
                     : "r"(at + 4 * i)
                     : "memory");
    }
    return there;
}

/* The threads of a row meet. */
template <class S> __device__ __forceinline__ void meet() {
    if (S::THREADS <= 32) {
        __syncwarp();
    } else if (S::ROWS == 1) {
        __syncthreads();
    } else {
        asm volatile("bar.sync %0, %1;" ::"r"(S::group()), "n"(S::THREADS) : "memory");
    }
}

/* Where warps leave their states: two halves of one a warp, and the block's for its cluster. */
template <class S, class STATE> using Places = STATE[2][S::BLOCK / 32 + 1];

/* Reductions over the threads of a row, in all of them. The two halves take turns: who writes the first again has met
 * the others at the second, so one barrier a reduction is enough. */
template <class S, class STATE> struct Exchange {
    Places<S, STATE> &halves;
    int turn;

    template <class T> __device__ __forceinline__ T reduce(T mine) {
        static_assert(sizeof(T) <= sizeof(STATE), "places for states");
        constexpr int LANES = S::THREADS < 32 ? S::THREADS : 32;
#pragma unroll
        for (int lane = LANES / 2; lane > 0; lane /= 2) {
            mine.merge(mine.from_lane(lane));
        }
        if constexpr (S::THREADS > 32) {
            constexpr int WARPS = S::THREADS / 32;
            const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
            T *half = reinterpret_cast<T *>(halves[turn]);
            turn ^= 1;
            if (lane == 0) {
                half[warp] = mine;
            }
            meet<S>();
            mine = half[warp / WARPS * WARPS + lane % WARPS];
#pragma unroll
            for (int step = WARPS / 2; step > 0; step /= 2) {
                mine.merge(mine.from_lane(step));
            }
            if constexpr (S::CLUSTER > 1) {
                if (threadIdx.x == 0) {
                    half[WARPS] = mine;
                }
                meet_cluster();
                mine = from_block(half + WARPS, lane % S::CLUSTER);
#pragma unroll
                for (int step = S::CLUSTER / 2; step > 0; step /= 2) {
                    mine.merge(mine.from_lane(step));
                }
            }
        }
        return mine;
    }
};

/* For kernels with a block a row. Two of the same STATE need a barrier between them: they share their places. */
template <int BLOCK, class STATE> __device__ __forceinline__ STATE reduce_block(STATE mine) {
    typedef Shape<1, BLOCK, BLOCK, 1, false> S;
    __shared__ Places<S, STATE> halves;
    Exchange<S, STATE> exchange = {halves, 0};
    return exchange.reduce(mine);
}

/* Each row by its group of threads, out of registers. Groups without a row do the last one again and store nothing, so
 * that whole warps meet. With CLUSTER > 1 the threads of that many blocks are one group. */
template <class S, class HINTS, class OP> __device__ __forceinline__ void pass_row(const OP &op, long long rows) {
    __shared__ Places<S, typename OP::State> halves;
    Exchange<S, typename OP::State> exchange = {halves, 0};
    const long long wanted = (long long)(blockIdx.x / S::CLUSTER) * S::ROWS + S::group();
    const bool exists = wanted < rows;
    const long long row = exists ? wanted : rows - 1;
    typename OP::template Held<S> held;
    held.vectors = (int)(op.cols / S::VEC);
    op.template load<HINTS>(held, row, exists);
    typename OP::State state = op.begin(held);
    state = op.reduce(held, state, exchange);
    held.forget();
    op.template finish<HINTS>(held, state, row, exists);
    if constexpr (S::CLUSTER > 1) {
        meet_cluster(); /* no block leaves while its part is read */
    }
}

#endif
