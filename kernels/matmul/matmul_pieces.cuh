/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_pieces.cuh - the sums of matmul_roles.cuh's consumers to C, after an epilogue (matmul_epilogue.cuh). */
#ifndef RFT_KERNELS_MATMUL_PIECES_CUH
#define RFT_KERNELS_MATMUL_PIECES_CUH

#include "matmul_roles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* The sums of 64 rows and PIECE_N columns from `first` on to shared memory, swizzled. */
template <class P>
__device__ __forceinline__ void write_piece(const typename P::Sum (&sums)[P::COUNT], int first, unsigned to) {
    write_lines<typename P::C, P::PIECE_N>(sums + first / 2, threadIdx.x % 128 / 32 * 16, to);
}

struct NoEpilogue {
    enum { NONE = true };
    template <typename SUM, int COUNT> __device__ __forceinline__ void apply(SUM (&)[COUNT], int, int) {
    }
};

/* Sums to C by way of shared memory, in pieces: threads write one while the accelerator takes others away. `piece` is
 * the next of the consumer's STORES places for them. */
template <class P, class E>
__device__ __forceinline__ void store_pieces(typename P::Sum (&sums)[P::WAVES][P::COUNT], const CUtensorMap *c,
                                             Corner corner, unsigned pieces, int &piece, int consumer, E &epilogue) {
    const int thread = threadIdx.x % 128;
#pragma unroll
    for (int wave = 0; wave < P::WAVES; wave++) {
#pragma unroll
        for (int first = 0; first < P::BLOCK_N; first += P::PIECE_N) {
            epilogue.apply(sums[wave], wave, first);
            if (P::STORES == 1) {
                if (thread == 0) {
                    bulk_stores_wait<0>();
                }
                named_wait(own_barrier(consumer), 128);
            }
            write_piece<P>(sums[wave], first, pieces + piece * P::PIECE_BYTES);
            bulk_fence_writes();
            if (P::STORES > 1 &&
                thread == 0) { /* then the place of the next piece is free, for all behind the barrier */
                bulk_stores_wait<(P::STORES > 1 ? P::STORES - 2 : 0)>();
            }
            named_wait(own_barrier(consumer), 128);
            if (thread == 0) {
                bulk_store_box(c, corner.column + first, corner.row + wave * 64, pieces + piece * P::PIECE_BYTES);
                bulk_stores_end();
            }
            piece = piece + 1 == P::STORES ? 0 : piece + 1;
        }
    }
}

/* store() for consume(): C by TMA where it has places for pieces and `boxes` says that its rows allow it. */
template <class P, class E = NoEpilogue> struct StoreTile {
    const Task &task;
    const CUtensorMap *map;
    typename P::C *c;
    bool boxes;
    int consumer;
    unsigned pieces; /* this consumer's places */
    int piece = 0;
    E epilogue;

    __device__ __forceinline__ StoreTile(const Task &task_, const CUtensorMap *map_, typename P::C *c_, bool boxes_,
                                         unsigned stages, int consumer_, E epilogue_ = E())
        : task(task_), map(map_), c(c_), boxes(boxes_), consumer(consumer_), epilogue(epilogue_),
          pieces(stages + P::STORES_AT + consumer_ * (P::STORES * P::PIECE_BYTES)) {
    }
    __device__ __forceinline__ void operator()(typename P::Sum (&sums)[P::WAVES][P::COUNT], Corner corner) {
        if (P::STORES > 0 && boxes) {
            store_pieces<P>(sums, map, corner, pieces, piece, consumer, epilogue);
        } else {
            if constexpr (!E::NONE) {
#pragma unroll
                for (int i = 0; i < P::WAVES * P::BLOCK_N; i += P::PIECE_N) {
                    epilogue.apply(sums[i / P::BLOCK_N], i / P::BLOCK_N, i % P::BLOCK_N);
                }
            }
            store_rows(sums, c, corner.row, corner.column, task.m, task.n);
        }
    }
    /* Behind the last tile: what shared memory holds has been read. */
    __device__ __forceinline__ void end() const {
        if (P::STORES > 0 && threadIdx.x % 128 == 0) {
            bulk_stores_wait<0>();
        }
    }
};

#endif
#endif
