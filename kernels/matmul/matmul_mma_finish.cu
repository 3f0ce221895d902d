/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = EPILOGUE(A B) by mma.sync (sm_80 and newer, fp16 also sm_75), A as m x k or k x m, B as n x k or k x n: what
 * matmul_wgmma_epilogue.cu and matmul_wgmma_roles.cu are on sm_90a. `extra` is what the epilogue reads.
 */
#include "matmul_activations.cuh"
#include "matmul_operands.cuh"

/* Sums of a warp from this row and column on, as store_sums() has them. */
struct Plain {
    template <typename C, int DOWN, int RIGHT>
    __device__ __forceinline__ static void apply(float (&)[DOWN][RIGHT][4], const C *, const void *, long long,
                                                 long long, long long, long long) {
    }
};

template <class Activation> struct Bias {
    template <typename C, int DOWN, int RIGHT>
    __device__ __forceinline__ static void apply(float (&sums)[DOWN][RIGHT][4], const C *, const void *extra, long long,
                                                 long long first_column, long long, long long n) {
        const C *bias = static_cast<const C *>(extra);
#pragma unroll
        for (int j = 0; j < RIGHT; j++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const long long column = first_column + j * 8 + threadIdx.x % 4 * 2 + e;
                const float own = column < n ? Activation::kept((float)bias[column]) : 0.0f;
#pragma unroll
                for (int i = 0; i < 2 * DOWN; i++) {
                    float &sum = sums[i / 2][j][i % 2 * 2 + e];
                    sum = Activation::of(sum, own);
                }
            }
        }
    }
};
typedef Bias<Same> BiasAlone;
typedef Bias<Relu> BiasRelu;
typedef Bias<Gelu<false>> BiasGelu;
typedef Bias<GeluErf> BiasGeluErf;

struct Scale {
    template <typename C, int DOWN, int RIGHT>
    __device__ __forceinline__ static void apply(float (&sums)[DOWN][RIGHT][4], const C *, const void *extra, long long,
                                                 long long, long long, long long) {
        const float alpha = *static_cast<const float *>(extra);
#pragma unroll
        for (int i = 0; i < DOWN * RIGHT * 4; i++) {
            sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] *= alpha;
        }
    }
};

struct Residual {
    template <typename C, int DOWN, int RIGHT>
    __device__ __forceinline__ static void apply(float (&sums)[DOWN][RIGHT][4], const C *, const void *extra,
                                                 long long first_row, long long first_column, long long m,
                                                 long long n) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < 2 * DOWN; i++) {
            const long long row = first_row + i * 8 + lane / 4;
            const C *from = static_cast<const C *>(extra) + row * n;
#pragma unroll
            for (int j = 0; j < 2 * RIGHT; j++) {
                const long long column = first_column + j / 2 * 8 + lane % 4 * 2 + j % 2;
                if (row < m && column < n) {
                    sums[i / 2][j / 2][i % 2 * 2 + j % 2] += (float)from[column];
                }
            }
        }
    }
};

/* Warps compute WARP_M x WARP_N elements of a block's tile; the order of tiles is tile_at<GROUP>(). ALIGNED: rows of
 * both operands are multiples of 16 bytes. */
template <typename T, bool A_BY_K, bool B_BY_K, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M,
          int WARP_N, int STAGES, int GROUP, class EPILOGUE>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_mma_finish(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c,
                      const void *__restrict__ extra, long long m, long long n, long long k) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef Operand<T, A_BY_K, ALIGNED, BLOCK_M, BLOCK_K, BlockPart::THREADS> A;
    typedef Operand<T, B_BY_K, ALIGNED, BLOCK_N, BLOCK_K, BlockPart::THREADS> B;
    static_assert(64 % WARP_M == 0 && 64 % WARP_N == 0, "a warp's lines lie in one slab");
    extern __shared__ __align__(128) unsigned char stages[];
    const BlockPart part(blockIdx.x, m, n);
    const A left(a, m, k, part.first_row);
    const B right(b, n, k, part.first_column);
    const unsigned a_at = A::left_at(part.warp_row), b_at = A::BYTES + B::right_at(part.warp_column);
    float sums[WARP_M / 16][WARP_N / 8][4];
    clear(sums);
    pass_tiles<STAGES, A::BYTES + B::BYTES>(
        shared_address(stages), (int)((k + BLOCK_K - 1) / BLOCK_K),
        [&](int tile, unsigned to) {
            left.request(to, (long long)tile * BLOCK_K);
            right.request(to + A::BYTES, (long long)tile * BLOCK_K);
        },
        [&](int, unsigned from) { multiply_tile<A, B, Multiply<T>>(sums, from + a_at, from + b_at); });
    const long long row = part.first_row + part.warp_row, column = part.first_column + part.warp_column;
    EPILOGUE::apply(sums, c, extra, row, column, m, n);
    store_sums(sums, c, row, column, m, n);
}
