/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_staged.cuh - the operations of rows.cuh on rows that are fetched into shared memory while rows before them are
 * worked on.
 */
#ifndef RFT_KERNELS_ROWS_STAGED_CUH
#define RFT_KERNELS_ROWS_STAGED_CUH

#include "copy_async.cuh"
#include "rows.cuh"

template <int VEC> __device__ __forceinline__ void copy_async(Words<VEC> *to, const Words<VEC> *from) {
#if __CUDA_ARCH__ < 800
    if constexpr (VEC == 1) {
        *to = *from;
    } else {
        copy_at_once<2 * VEC>(shared_place(to), from);
    }
#else
    if constexpr (VEC == 8) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_place(to)), "l"(from) : "memory");
    } else if constexpr (VEC == 1) {
        *to = *from; /* cp.async begins at four bytes */
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_place(to)), "l"(from), "n"(2 * VEC)
                     : "memory");
    }
#endif
}

/* A group's STAGES slots. By cp.async every thread fetches what it will read itself, so none need meet; in bulk the
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
                bulk_load(shared_place(slot(number)), row, (unsigned)vectors * 16, shared_place(ready + number));
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
            copy_async_commit();
        }
    }
    __device__ __forceinline__ void wait() const {
        if constexpr (WHOLE) {
            bulk_wait(shared_place(ready + stage), parity);
        } else {
            copy_async_wait<STAGES - 1>();
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
    __shared__ Places<S, typename OP::State> halves;
    __shared__ unsigned long long ready[S::ROWS][STAGES];
    Exchange<S, typename OP::State> exchange = {halves, 0};
    typedef Stages<S, STAGES, BULK> Pipe;
    Pipe pipe = {reinterpret_cast<Words<S::VEC> *>(staged) + S::group() * STAGES * S::ITEMS * S::THREADS,
                 ready[S::group()], 0, 0};
    const int vectors = (int)(op.cols / S::VEC);
    const long long step = (long long)gridDim.x * S::ROWS, last = rows - 1;
    if constexpr (Pipe::WHOLE) {
        if (S::place() < STAGES) {
            bulk_barrier_open(shared_place(pipe.ready + S::place()));
            bulk_barriers_ready();
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
        op.template finish<StreamHints<STREAM>>(held, state, exists ? base + S::group() : last, exists);
        pipe.next();
    }
}

#endif
