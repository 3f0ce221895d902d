/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_fp8_scaled.cuh - C = A B in fp8 with scales, on the tensor cores of sm_90a by warps with roles
 * (matmul_roles.cuh). A is m x k, B lies as n x k, C is m x n. What an element of A and B stands for is its value times
 * a scale in fp32:
 *
 *   SCALE_TENSOR  one for all of A, one for all of B
 *   SCALE_ROWS    one for each row of A, one for each column of B
 *   SCALE_BLOCKS  one for every 128 k's of a row of A, ceil(k / 128) x m of them, rows fastest; one for every 128 k's
 * of 128 columns of B, ceil(n / 128) x ceil(k / 128) of them, k fastest and filled up to multiples of 4
 *
 * The first two are applied to a tile's sums in front of C. The tensor cores keep some 14 bits of a sum; PROMOTE: after
 * so many k's it is added to one in fp32, in registers of its own. That is where the third is applied.
 */
#ifndef RFT_KERNELS_MATMUL_FP8_SCALED_CUH
#define RFT_KERNELS_MATMUL_FP8_SCALED_CUH

#include "matmul_pieces.cuh"

#define SCALE_TENSOR 0
#define SCALE_ROWS 1
#define SCALE_BLOCKS 2
#define SCALED 128 /* k's, and columns of B, that share a scale of SCALE_BLOCKS */

#if __CUDA_ARCH_FEAT_SM90_ALL

/* The first row in a warpgroup's 64 that this thread has sums of; the other is 8 below. */
__device__ __forceinline__ int own_row() {
    return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
}

/* Scales of SCALE_BLOCKS come with their stage, behind the barriers: those of A's rows, and 16 bytes of B's with the
 * one of the stage, of two blocks of columns at most. Rows of A's scales that are no multiples of 16 bytes stay in
 * memory, unless the plan says that there are none. */
template <class P> struct StagedScales {
    static constexpr int AT = P::BARRIERS_AT + 16 * P::STAGES, BYTES = P::BLOCK_M * 4 + 32;
    static constexpr int BLOCKS = P::BLOCK_N % SCALED == 0 ? P::BLOCK_N / SCALED : 2; /* of columns of B in a tile */
    const Task &task;
    const float *a, *b;
    unsigned stages;

    __device__ __forceinline__ bool staged() const {
        return P::STAGED || task.m % 4 == 0;
    }
    __device__ __forceinline__ const float *of_row(int row, int step) const {
        return a + (long long)step * task.m + row;
    }
    /* Beyond the last block: any other. */
    __device__ __forceinline__ const float *of_block(int block, int step) const {
        const int blocks = (task.n + SCALED - 1) / SCALED, pitch = ((task.k + SCALED - 1) / SCALED + 3) / 4 * 4;
        return b + (long long)(block < blocks ? block : 0) * pitch + step;
    }
    /* None of a tile that lies behind A altogether, which a cluster's second block may have. */
    __device__ __forceinline__ unsigned row_bytes(Corner corner) const {
        return corner.row < task.m ? 4 * left_of(task.m, corner.row, P::BLOCK_M) : 0;
    }
    __device__ __forceinline__ unsigned bytes(Corner corner) const {
        return staged() ? row_bytes(corner) + BLOCKS * 16 : 0;
    }
    __device__ __forceinline__ void load(Corner corner, int step, int stage, unsigned barrier) const {
        if (!staged()) {
            return;
        }
        const unsigned to = stages + AT + stage * BYTES, rows = row_bytes(corner);
        if (rows > 0) {
            bulk_load(to, of_row(corner.row, step), rows, barrier);
        }
#pragma unroll
        for (int i = 0; i < BLOCKS; i++) {
            bulk_load(to + P::BLOCK_M * 4 + i * 16, of_block(corner.column / SCALED + i, step / 4 * 4), 16, barrier);
        }
    }
};

/* sums += part, which is of as many, or of those from `first` on. */
struct Unscaled {
    __device__ __forceinline__ void begin(Corner) {
    }
    __device__ __forceinline__ void take(int, int) {
    }
    template <int ALL, int COUNT>
    __device__ __forceinline__ void add(float (&sums)[ALL], const float (&part)[COUNT], int, int first = 0) const {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            sums[first + i] += part[i];
        }
    }
};

__device__ __forceinline__ float load_shared(unsigned from) {
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
    return value;
}

/* sums += part times the scales of a step of SCALED k's, of which take() gets a stage's before it is freed. */
template <class P> struct BlockScaled {
    /* Columns of a tile that surely share a scale; at most two scales are met. */
    static constexpr int SAME = P::BLOCK_N % SCALED == 0 ? SCALED : P::BLOCK_N % 64 == 0 ? 64 : 32;
    static constexpr int PARTS = P::BLOCK_N / SAME;
    static_assert(P::BLOCK_K == SCALED && P::BLOCK_N % SAME == 0 && P::BLOCK_N - SAME <= SCALED, "two scales at most");
    const StagedScales<P> &of;
    unsigned rows_at; /* of the first stage's scales, this thread's first row */
    Corner corner;
    int turn; /* the first of PARTS that has the other's scale */
    float rows[P::WAVES][2], blocks[2];

    __device__ __forceinline__ BlockScaled(const StagedScales<P> &scales, int consumer)
        : of(scales), rows_at(scales.stages + scales.AT + (consumer * P::ROWS + own_row()) * 4) {
    }
    __device__ __forceinline__ void begin(Corner corner_) {
        corner = corner_;
        turn = (SCALED - corner.column % SCALED) / SAME;
    }
    __device__ __forceinline__ void take(int stage, int step) {
        if (of.staged()) {
            const unsigned blocks_at = of.stages + of.AT + P::BLOCK_M * 4 + stage * of.BYTES + step % 4 * 4;
#pragma unroll
            for (int i = 0; i < 2 * P::WAVES; i++) {
                rows[i / 2][i % 2] = load_shared(rows_at + stage * of.BYTES + (i / 2 * 64 + i % 2 * 8) * 4);
            }
#pragma unroll
            for (int i = 0; i < of.BLOCKS; i++) {
                blocks[i] = load_shared(blocks_at + i * 16);
            }
        } else {
#pragma unroll
            for (int i = 0; i < 2 * P::WAVES; i++) {
                const int row = corner.row + own_row() + i / 2 * 64 + i % 2 * 8;
                rows[i / 2][i % 2] = row < of.task.m ? __ldg(of.of_row(row, step)) : 0;
            }
#pragma unroll
            for (int i = 0; i < of.BLOCKS; i++) {
                blocks[i] = __ldg(of.of_block(corner.column / SCALED + i, step));
            }
        }
    }
    template <int ALL, int COUNT>
    __device__ __forceinline__ void add(float (&sums)[ALL], const float (&part)[COUNT], int wave, int first = 0) const {
        float scales[PARTS][2];
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            const float block = of.BLOCKS == 1 || i < turn ? blocks[0] : blocks[1];
            scales[i][0] = rows[wave][0] * block;
            scales[i][1] = rows[wave][1] * block;
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            sums[first + i] += part[i] * scales[2 * (first + i) / SAME][i / 2 % 2];
        }
    }
};

#endif
#endif
