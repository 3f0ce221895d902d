/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B for few rows of A, by mma.sync m16n8k16 (sm_80 and newer); A is m x k (tokens), B lies as n x k (weights).
 * Weights are read once: they go from memory to the registers that multiply them, by no other way, and stand where an
 * instruction has its 16 rows; tokens stand where it has 8 columns.
 *
 * A sum does not mind the order of its products. So a lane reads 16 bytes, 8 neighbouring k's, and gives them to two
 * instructions as if they were those k's that the fragments ask for; what it reads of A it gives in the same order.
 * Lane l has rows l / 4 (+ 8) of the weights, token l / 4, and k's 8 (l % 4) on of each 32. Source: PTX ISA 8.8,
 * "Matrix fragments for mma.m16n8k16".
 */
#include "matmul_tensor.cuh"
#include "striped.cuh"

/* sums (16 x 8) += a (16 x 16) b (16 x 8). */
template <typename T>
__device__ __forceinline__ void multiply_16x8(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                              unsigned b0, unsigned b1);
#define MULTIPLY_16x8(T, TYPES)                                                                                        \
    template <>                                                                                                        \
    __device__ __forceinline__ void multiply_16x8<T>(float(&sums)[4], unsigned a0, unsigned a1, unsigned a2,           \
                                                     unsigned a3, unsigned b0, unsigned b1) {                          \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPES ".f32"                                             \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                \
                     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                      \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                          \
    }
MULTIPLY_16x8(__nv_bfloat16, "bf16.bf16") MULTIPLY_16x8(__half, "f16.f16")

    /* Of a row of weights, which is not read again, past L1. As load_piece(). */
    template <bool ALIGNED, typename T>
    __device__ __forceinline__ uint4 load_weights(const T *from, int left) {
    if (!ALIGNED) {
        return load_piece<false>(from, left);
    }
    return left > 0 ? load_no_allocate(reinterpret_cast<const uint4 *>(from)) : make_uint4(0, 0, 0, 0);
}

/*
 * A block has BLOCK_N columns of C for BLOCK_M tokens. Its WARPS warps share k: each takes AHEAD times 32 k's in turn,
 * all of which it asks for before it multiplies the first. Their sums are added up through shared memory, in order.
 * ALIGNED: k is a multiple of 8, so that rows can be read by 16 bytes.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int WARPS, int AHEAD>
__global__ void __launch_bounds__(WARPS * 32, 1)
    matmul_skinny(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
                  long long k) {
    constexpr int ROWS = BLOCK_N / 8, DOWN = BLOCK_N / 16, RIGHT = BLOCK_M / 8, TURN = 32 * AHEAD;
    constexpr int PITCH = BLOCK_N + 4; /* so that a warp's stores meet each bank once */
    static_assert(BLOCK_N % 16 == 0 && BLOCK_M % 8 == 0, "whole instructions");
    extern __shared__ __align__(16) float parts[]; /* WARPS x BLOCK_M x PITCH */
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = lane / 4;
    const long long first_token = (long long)blockIdx.x * BLOCK_M, first_column = (long long)blockIdx.y * BLOCK_N;
    const int tokens = left_of(m, first_token, BLOCK_M), columns = left_of(n, first_column, BLOCK_N);
    a += (first_token + line) * k;
    b += (first_column + line) * k;

    float sums[DOWN][RIGHT][4] = {};
    for (long long turn = (long long)warp * TURN; turn < k; turn += WARPS * TURN) {
        uint4 weights[AHEAD][ROWS], x[AHEAD][RIGHT];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const long long at = turn + i * 32 + lane % 4 * 8;
            const int left = left_of(k, at, 8);
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                weights[i][row] = load_weights<ALIGNED>(b + row * 8 * k + at, row * 8 + line < columns ? left : 0);
            }
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                x[i][j] = load_piece<ALIGNED>(a + j * 8 * k + at, j * 8 + line < tokens ? left : 0);
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
#pragma unroll
            for (int down = 0; down < DOWN; down++) {
                const uint4 upper = weights[i][2 * down], lower = weights[i][2 * down + 1];
#pragma unroll
                for (int j = 0; j < RIGHT; j++) {
                    multiply_16x8<T>(sums[down][j], upper.x, lower.x, upper.y, lower.y, x[i][j].x, x[i][j].y);
                    multiply_16x8<T>(sums[down][j], upper.z, lower.z, upper.w, lower.w, x[i][j].z, x[i][j].w);
                }
            }
        }
    }

    float *own = parts + warp * (BLOCK_M * PITCH);
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        const int token = i / 4 % RIGHT * 8 + lane % 4 * 2 + i % 2, row = i / 4 / RIGHT * 16 + i / 2 % 2 * 8 + line;
        own[token * PITCH + row] = sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tokens * (BLOCK_N / 2); i += WARPS * 32) {
        const int token = i / (BLOCK_N / 2), column = i % (BLOCK_N / 2) * 2;
        float first = 0.0f, second = 0.0f;
#pragma unroll
        for (int part = 0; part < WARPS; part++) {
            const float *sum = parts + part * (BLOCK_M * PITCH) + token * PITCH + column;
            first += sum[0];
            second += sum[1];
        }
        const unsigned pair = rounded_pair<T>(first, second);
        unsigned short *to = reinterpret_cast<unsigned short *>(c + (first_token + token) * n + first_column + column);
        if (n % 2 == 0 && column < columns) {
            *reinterpret_cast<unsigned *>(to) = pair;
        } else if (column < columns) {
            to[0] = (unsigned short)pair;
            if (column + 1 < columns) {
                to[1] = (unsigned short)(pair >> 16);
            }
        }
    }
}
