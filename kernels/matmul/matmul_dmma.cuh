/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_dmma.cuh - mma.sync in fp64: m8n8k4 (sm_80 and newer), m16n8k8 and m16n8k16 (sm_90 and newer), and its sums to
 * C. Sources: PTX ISA 8.8, "Matrix fragments for mma.m8n8k4 with .f64", "for mma.m16n8k8", "for mma.m16n8k16".
 */
#ifndef RFT_KERNELS_MATMUL_DMMA_CUH
#define RFT_KERNELS_MATMUL_DMMA_CUH

#include "matmul_stages.cuh"

/*
 * sums (16 x 8, as two of 8 x 8) += a (16 x DEPTH) b (DEPTH x 8). Of each 8 x 8 lane l has row l / 4, columns 2 (l % 4)
 * and the next; of a[i] row l / 4 + 8 i and of b column l / 4, each with k = 4 j + l % 4 at place j. Which k stands at
 * which place does not matter as long as it is the same in a and b.
 */
template <int DEPTH>
__device__ __forceinline__ void multiply(double (&sums)[2][2], const double *a0, const double *a1, const double *b) {
    if (DEPTH == 4) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[0][0]), "+d"(sums[0][1])
                     : "d"(a0[0]), "d"(b[0]));
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[1][0]), "+d"(sums[1][1])
                     : "d"(a1[0]), "d"(b[0]));
    }
#if __CUDA_ARCH__ >= 900
    if (DEPTH == 8) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+d"(sums[0][0]), "+d"(sums[0][1]), "+d"(sums[1][0]), "+d"(sums[1][1])
                     : "d"(a0[0]), "d"(a1[0]), "d"(a0[1]), "d"(a1[1]), "d"(b[0]), "d"(b[1]));
    }
    if (DEPTH == 16) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, "
                     "%10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                     : "+d"(sums[0][0]), "+d"(sums[0][1]), "+d"(sums[1][0]), "+d"(sums[1][1])
                     : "d"(a0[0]), "d"(a1[0]), "d"(a0[1]), "d"(a1[1]), "d"(a0[2]), "d"(a1[2]), "d"(a0[3]), "d"(a1[3]),
                       "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
#endif
}

/* Two neighbouring elements of a row. */
__device__ __forceinline__ void load_pair(double *to, unsigned from) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(to[0]), "=d"(to[1]) : "r"(from) : "memory");
}

__device__ __forceinline__ void load_one(double *to, unsigned from) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(*to) : "r"(from) : "memory");
}

/* A warp's sums to C (m x n), of which they are the part from first_row, first_column on. Four lanes have 64 bytes of a
 * row. */
template <int DOWN, int RIGHT>
__device__ __forceinline__ void store_sums(const double (&sums)[DOWN][RIGHT][2][2], double *c, long long first_row,
                                           long long first_column, long long m, long long n) {
    const int lane = threadIdx.x % 32, rows_left = left_of(m, first_row, DOWN * 16);
    const int columns_left = left_of(n, first_column, RIGHT * 8);
    const bool aligned = n % 2 == 0;
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 2; i++) {
        const int row = i / 2 / RIGHT * 16 + i % 2 * 8 + lane / 4, column = i / 2 % RIGHT * 8 + lane % 4 * 2;
        const double *pair = sums[i / 2 / RIGHT][i / 2 % RIGHT][i % 2];
        double *to = c + (first_row + row) * n + first_column + column;
        if (row < rows_left && column < columns_left) {
            if (aligned) {
                *reinterpret_cast<double2 *>(to) = make_double2(pair[0], pair[1]);
            } else {
                to[0] = pair[0];
                if (column + 1 < columns_left) {
                    to[1] = pair[1];
                }
            }
        }
    }
}

#endif
