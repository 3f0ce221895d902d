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
 *   load<STREAM>(held, row)    from global memory
 *   begin(held)                this thread's part
 *   reduce(held, state, exchange)   of all threads of the row
 *   finish<STREAM>(held, state, row, exists)   stores, where the row exists
 */
#ifndef RFT_KERNELS_ROWS_CUH
#define RFT_KERNELS_ROWS_CUH

#include "vectors.cuh"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

template <int VEC> using Words = typename Word<2 * VEC>::type;

/* A bf16 is the upper half of a float. */
template <int VEC> __device__ __forceinline__ void unpack(float (&to)[VEC], const Words<VEC> &from) {
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
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pairs[i]) : "f"(from[2 * i + 1]), "f"(from[2 * i]));
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

/* `use(values)` for the vectors place, place + STEP, ...: UNROLL of them are on their way before the first is used. */
template <int VEC, int STEP, int UNROLL, bool STREAM, class USE>
__device__ __forceinline__ void each_vector(const Words<VEC> *from, int vectors, int place, USE use) {
    float values[VEC];
    int v = place;
#pragma unroll 1
    for (; v + (UNROLL - 1) * STEP < vectors; v += UNROLL * STEP) {
        Words<VEC> words[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            words[u] = load_word<STREAM>(from + v + u * STEP);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            unpack<VEC>(values, words[u]);
            use(values);
        }
    }
#pragma unroll 1
    for (; v < vectors; v += STEP) { /* what fills no batch of UNROLL */
        unpack<VEC>(values, load_word<STREAM>(from + v));
        use(values);
    }
}

template <int VEC_, int THREADS_, int BLOCK_, int ITEMS_, bool EXACT_> struct Shape {
    static constexpr int VEC = VEC_, THREADS = THREADS_, BLOCK = BLOCK_, ITEMS = ITEMS_, ROWS = BLOCK / THREADS;
    static constexpr bool EXACT = EXACT_;
    static_assert(BLOCK % THREADS == 0 && BLOCK % 32 == 0, "whole rows, whole warps");
    static_assert((THREADS & (THREADS - 1)) == 0, "shuffles halve");
    __device__ static int place() {
        return THREADS == BLOCK ? threadIdx.x : threadIdx.x % THREADS;
    }
    __device__ static int group() {
        return THREADS == BLOCK ? 0 : threadIdx.x / THREADS;
    }
};

template <class S> struct Row {
    Words<S::VEC> words[S::ITEMS];
    int vectors; /* of the whole row */

    __device__ __forceinline__ int index(int i) const {
        return S::place() + i * S::THREADS;
    }
    __device__ __forceinline__ bool has(int i) const {
        return S::EXACT || index(i) < vectors;
    }
    template <bool STREAM> __device__ __forceinline__ void load(const bf16 *row, unsigned filler) {
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            words[i] = filled<S::VEC>(filler);
            if (has(i)) {
                words[i] = load_word<STREAM>(words_of<S::VEC>(row) + index(i));
            }
        }
    }
    /* Nothing is known of the words from here on: else the compiler keeps what begin() unpacked, twice the registers.
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
    template <bool STREAM>
    __device__ __forceinline__ void store(bf16 *row, int i, const float (&values)[S::VEC]) const {
        if (has(i)) {
            store_word<STREAM>(words_of<S::VEC>(row) + index(i), packed<S::VEC>(values));
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

/* Reductions over the threads of a row, in all of them. The two halves take turns: who writes the first again has met
 * the others at the second, so one barrier a reduction is enough. */
template <class S, class STATE> struct Exchange {
    STATE (*halves)[S::BLOCK / 32];
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
        }
        return mine;
    }
};

/* For kernels with a block a row. Two of the same STATE need a barrier between them: they share their places. */
template <int BLOCK, class STATE> __device__ __forceinline__ STATE reduce_block(STATE mine) {
    __shared__ STATE halves[2][BLOCK / 32];
    Exchange<Shape<1, BLOCK, BLOCK, 1, false>, STATE> exchange = {halves, 0};
    return exchange.reduce(mine);
}

/* Each row by its group of threads, out of registers. Groups without a row do the last one again and store nothing, so
 * that whole warps meet. */
template <class S, bool STREAM, class OP> __device__ __forceinline__ void pass_row(const OP &op, long long rows) {
    __shared__ typename OP::State halves[2][S::BLOCK / 32];
    Exchange<S, typename OP::State> exchange = {halves, 0};
    const long long wanted = (long long)blockIdx.x * S::ROWS + S::group();
    const bool exists = wanted < rows;
    const long long row = exists ? wanted : rows - 1;
    typename OP::template Held<S> held;
    held.vectors = (int)(op.cols / S::VEC);
    op.template load<STREAM>(held, row, exists);
    typename OP::State state = op.begin(held);
    state = op.reduce(held, state, exchange);
    held.forget();
    op.template finish<STREAM>(held, state, row, exists);
}

/* ---- rows on their way into shared memory while another one is worked on ---- */

__device__ __forceinline__ unsigned shared_address(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

template <int VEC> __device__ __forceinline__ void copy_async(Words<VEC> *to, const Words<VEC> *from) {
    if constexpr (VEC == 8) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
    } else if constexpr (VEC == 1) {
        *to = *from; /* cp.async begins at four bytes */
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(2 * VEC)
                     : "memory");
    }
}

/* sm_90 and newer (PTX ISA: mbarrier, cp.async.bulk). */
__device__ __forceinline__ void barrier_init(unsigned long long *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    const unsigned at = shared_address(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(at)
                 : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    }
}

/* A group's STAGES slots. By cp.async every thread fetches what it will read itself, so nobody need meet; in bulk the
 * group's first thread fetches the row, and slots are free when the group has met. */
template <class S, int STAGES, bool BULK> struct Stages {
    static constexpr bool WHOLE = BULK && S::VEC == 8; /* bulk copies are multiples of 16 bytes */
    Words<S::VEC> *slots;
    unsigned long long *ready;
    int stage;
    unsigned parity;

    __device__ __forceinline__ Words<S::VEC> *slot(int number) const {
        return slots + number * S::ITEMS * S::THREADS;
    }
    __device__ __forceinline__ void fetch(const bf16 *row, int vectors, int number) const {
        if constexpr (WHOLE) {
            if (S::place() == 0) {
                copy_bulk(slot(number), row, (unsigned)vectors * 16, ready + number);
            }
        } else {
#pragma unroll
            for (int i = 0; i < S::ITEMS; i++) {
                const int v = S::place() + i * S::THREADS;
                if (S::EXACT || v < vectors) {
                    copy_async<S::VEC>(slot(number) + v, words_of<S::VEC>(row) + v);
                }
            }
        }
    }
    /* One a stage, fetched or not: the wait counts them. */
    __device__ __forceinline__ void commit() const {
        if constexpr (!WHOLE) {
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
    }
    __device__ __forceinline__ void wait() const {
        if constexpr (WHOLE) {
            barrier_wait(ready + stage, parity);
        } else {
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        }
    }
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* A grid of as many blocks as fit, each going through rows with STAGES of them on their way. */
template <class S, int STAGES, bool BULK, bool STREAM, class OP>
__device__ __forceinline__ void stream_rows(const OP &op, long long rows) {
    extern __shared__ __align__(128) unsigned char staged[];
    __shared__ typename OP::State halves[2][S::BLOCK / 32];
    __shared__ unsigned long long ready[S::ROWS][STAGES];
    Exchange<S, typename OP::State> exchange = {halves, 0};
    typedef Stages<S, STAGES, BULK> Pipe;
    Pipe pipe = {reinterpret_cast<Words<S::VEC> *>(staged) + S::group() * STAGES * S::ITEMS * S::THREADS,
                 ready[S::group()], 0, 0};
    const int vectors = (int)(op.cols / S::VEC);
    const long long step = (long long)gridDim.x * S::ROWS, last = rows - 1;
    if constexpr (Pipe::WHOLE) {
        if (S::place() < STAGES) {
            barrier_init(pipe.ready + S::place());
        }
        __syncthreads();
    }
    static_assert(STAGES <= S::THREADS, "a thread a barrier");

    long long ahead = (long long)blockIdx.x * S::ROWS; /* the first row of the block that is fetched next */
#pragma unroll
    for (int i = 0; i < STAGES; i++, ahead += step) {
        if (ahead < rows) {
            pipe.fetch(op.x + (ahead + S::group() < rows ? ahead + S::group() : last) * op.cols, vectors, i);
        }
        pipe.commit();
    }
#pragma unroll 1
    for (long long base = (long long)blockIdx.x * S::ROWS; base < rows; base += step, ahead += step) {
        const bool exists = base + S::group() < rows;
        typename OP::template Held<S> held;
        held.vectors = vectors;
        pipe.wait();
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            held.words[i] = held.has(i) ? pipe.slot(pipe.stage)[held.index(i)] : filled<S::VEC>(OP::FILLER);
        }
        typename OP::State state = op.begin(held);
        const bool more = ahead < rows;
        const bf16 *following = op.x + (ahead + S::group() < rows ? ahead + S::group() : last) * op.cols;
        if constexpr (!Pipe::WHOLE) { /* this thread has used its words: begin() is done */
            if (more) {
                pipe.fetch(following, vectors, pipe.stage);
            }
            pipe.commit();
        }
        state = op.reduce(held, state, exchange);
        if constexpr (Pipe::WHOLE) {
            if (S::THREADS <= 32) {
                __syncwarp();
            }
            if (more) {
                pipe.fetch(following, vectors, pipe.stage);
            }
        }
        held.forget();
        op.template finish<STREAM>(held, state, exists ? base + S::group() : last, exists);
        pipe.next();
    }
}

#endif
