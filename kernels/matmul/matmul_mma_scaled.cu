/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp8 with scales by mma.sync: what matmul_fp8_scaled.cu is on sm_90a, with its SCALE and PROMOTE. Tensor
 * cores multiply e4m3 and e5m2 on sm_89 and from sm_120 on; elsewhere these are widened to fp16, of which all are.
 */
#include "matmul_operands.cuh"

#define SCALE_TENSOR 0
#define SCALE_ROWS 1
#define SCALE_BLOCKS 2
#define SCALED 128 /* k's, and columns of B, that share a scale of SCALE_BLOCKS */

#define HAS_E5M2 (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)

/* Of bytes 0 and 1, and 2 and 3, as halves: an e5m2 is a half's upper byte. */
template <bool E5M2> __device__ __forceinline__ void widen_eights(unsigned bytes, unsigned &low, unsigned &high) {
    if (E5M2) {
        low = __byte_perm(bytes, 0, 0x1404);
        high = __byte_perm(bytes, 0, 0x3424);
    } else {
        widen_e4m3(bytes, low, high);
    }
}

/* As Multiply<unsigned char>, where A or B is e5m2. */
template <bool A_E5M2, bool B_E5M2> struct MultiplyEights {
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        if constexpr (!A_E5M2 && !B_E5M2) {
            Multiply<unsigned char>::add(sums, a, b);
        } else if constexpr (HAS_E5M2 && !B_E5M2) {
            asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        } else {
            unsigned wide_a[2][4], wide_b[2][2];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                widen_eights<A_E5M2>(a[i], wide_a[0][i], wide_a[1][i]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                widen_eights<B_E5M2>(b[i], wide_b[0][i], wide_b[1][i]);
            }
            Multiply<__half>::add(sums, wide_a[0], wide_b[0]);
            Multiply<__half>::add(sums, wide_a[1], wide_b[1]);
        }
    }
};

/* PROMOTE: k's whose sum the tensor cores form before it is added in fp32; 0: all. */
template <bool A_E5M2, bool B_E5M2, typename C, int SCALE, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K,
          int WARP_M, int WARP_N, int STAGES, int GROUP, int PROMOTE>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_mma_scaled(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b,
                      const float *__restrict__ a_scale, const float *__restrict__ b_scale, C *__restrict__ c,
                      long long m, long long n, long long k) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef Operand<unsigned char, true, ALIGNED, BLOCK_M, BLOCK_K, BlockPart::THREADS> A;
    typedef Operand<unsigned char, true, ALIGNED, BLOCK_N, BLOCK_K, BlockPart::THREADS> B;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, EVERY = PROMOTE / BLOCK_K;
    static_assert(PROMOTE % BLOCK_K == 0, "whole tiles");
    static_assert(SCALE != SCALE_BLOCKS || (PROMOTE == SCALED && SCALED % BLOCK_N == 0), "a scale of B a tile");
    extern __shared__ __align__(128) unsigned char stages[];
    const BlockPart own(blockIdx.x, m, n);
    const A left(a, m, k, own.first_row);
    const B right(b, n, k, own.first_column);
    const unsigned a_at = A::left_at(own.warp_row), b_at = A::BYTES + B::right_at(own.warp_column);
    const long long first_row = own.first_row + own.warp_row, first_column = own.first_column + own.warp_column;
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K), lane = threadIdx.x % 32;
    float sums[DOWN][RIGHT][4], part[DOWN][RIGHT][4], rows[2 * DOWN];
    clear(sums);
    clear(part);
#pragma unroll
    for (int i = 0; i < 2 * DOWN; i++) {
        rows[i] = 1.0f;
    }
    pass_tiles<STAGES, A::BYTES + B::BYTES>(
        shared_address(stages), tiles,
        [&](int tile, unsigned to) {
            left.request(to, (long long)tile * BLOCK_K);
            right.request(to + A::BYTES, (long long)tile * BLOCK_K);
        },
        [&](int tile, unsigned from) {
            if constexpr (SCALE == SCALE_BLOCKS) { /* asked for in front of the products that they wait for */
                const long long step = (long long)tile * BLOCK_K / SCALED,
                                pitch = ((k + SCALED - 1) / SCALED + 3) / 4 * 4;
                const float of_b = b_scale[own.first_column / SCALED * pitch + step];
#pragma unroll
                for (int i = 0; i < 2 * DOWN; i++) {
                    const long long row = first_row + i * 8 + lane / 4;
                    rows[i] = row < m ? a_scale[step * m + row] * of_b : 0.0f;
                }
            }
            if constexpr (PROMOTE == 0) {
                multiply_tile<A, B, MultiplyEights<A_E5M2, B_E5M2>>(sums, from + a_at, from + b_at);
            } else {
                multiply_tile<A, B, MultiplyEights<A_E5M2, B_E5M2>>(part, from + a_at, from + b_at);
                if ((tile + 1) % EVERY == 0 || tile + 1 == tiles) {
#pragma unroll
                    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
                        float &sum = sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4];
                        sum = fmaf(part[i / 4 / RIGHT][i / 4 % RIGHT][i % 4],
                                   SCALE == SCALE_BLOCKS ? rows[i / 4 / RIGHT * 2 + i % 4 / 2] : 1.0f, sum);
                    }
                    clear(part);
                }
            }
        });
    if constexpr (SCALE != SCALE_BLOCKS) {
#pragma unroll
        for (int j = 0; j < 2 * RIGHT; j++) {
            const long long column = first_column + j / 2 * 8 + lane % 4 * 2 + j % 2;
            const float of_b = b_scale[SCALE == SCALE_TENSOR || column >= n ? 0 : column];
#pragma unroll
            for (int i = 0; i < 2 * DOWN; i++) {
                const long long row = first_row + i * 8 + lane / 4;
                sums[i / 2][j / 2][i % 2 * 2 + j % 2] *= a_scale[SCALE == SCALE_TENSOR || row >= m ? 0 : row] * of_b;
            }
        }
    }
    store_sums(sums, c, first_row, first_column, m, n);
}
