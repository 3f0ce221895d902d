/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp64; B lies as n x k. Without tensor cores, then on them by mma.sync: m8n8k4 (sm_80 and newer), m16n8k8
 * and m16n8k16 (sm_90 and newer). Sources: PTX ISA 8.8, "Matrix fragments for mma.m8n8k4 with .f64", "for mma.m16n8k8",
 * "for mma.m16n8k16".
 */
#include "matmul_stages.cuh"

/* A thread an element; the lanes of a warp read rows of B, k elements apart. */
template <int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    matmul_naive(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, long long m,
                 long long n, long long k) {
    const long long column = (long long)blockIdx.x * BLOCK_X + threadIdx.x;
    const long long row = (long long)blockIdx.y * BLOCK_Y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    double sum = 0.0;
    for (long long i = 0; i < k; i++) {
        sum = fma(a[row * k + i], b[column * k + i], sum);
    }
    c[row * n + column] = sum;
}

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

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile; tiles of the operands pass through STAGES places in shared
 * memory, STAGES = 1: everyone waits for a tile, then multiplies. A lane reads 16 bytes at a time: elements 2 (l % 4)
 * and the next of eight along k stand at the places 0 and 1 of l % 4. DEPTH is k of the instruction. The order of tiles
 * is tile_at<GROUP>(). ALIGNED: k is even.
 */
template <bool ALIGNED, int DEPTH, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES, int GROUP>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_dmma(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, long long m,
                long long n, long long k) {
    constexpr int WARPS_N = BLOCK_N / WARP_N, THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEP = DEPTH < 8 ? 8 : DEPTH, EIGHTS = STEP / 8;
    typedef TileStream<double, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, TWO_ROWS, STAGES, THREADS> Stream;
    typedef typename Stream::CopyA::Place Place;
    constexpr int ROW_BYTES = Stream::CopyA::ROW_BYTES;
    static_assert(WARP_M % 16 == 0 && WARP_N % 8 == 0 && BLOCK_K % STEP == 0, "whole fragments");

    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned columns = (unsigned)((n + BLOCK_N - 1) / BLOCK_N), rows = (unsigned)((m + BLOCK_M - 1) / BLOCK_M);
    const Tile place = tile_at<GROUP>(blockIdx.x, rows, columns);
    const long long first_row = (long long)place.row * BLOCK_M, first_column = (long long)place.column * BLOCK_N;
    const int rows_left = left_of(m, first_row, BLOCK_M), columns_left = left_of(n, first_column, BLOCK_N);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / WARPS_N * WARP_M, warp_column = warp % WARPS_N * WARP_N;

    const unsigned begin = shared_address(stages);
    Stream stream(begin, a, b, k, first_row, first_column, rows_left, columns_left);
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K);

    /* Eight of k are four pieces, 64 bytes: an exclusive or within a row, swizzled or not. */
    const unsigned a_lane = begin + Place::offset(warp_row + lane / 4, lane % 4);
    const unsigned b_lane = begin + Stream::A_BYTES + Place::offset(warp_column + lane / 4, lane % 4);
    double sums[DOWN][RIGHT][2][2];
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        sums[i / 4 / RIGHT][i / 4 % RIGHT][i / 2 % 2][i % 2] = 0.0;
    }

    unsigned use = 0; /* bytes from the first place to the tile that is multiplied */
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        stream.request();
    }
    for (int tile = 0; tile < tiles; tile++) {
        if (STAGES == 1) {
            __syncthreads(); /* no thread reads the tile before this */
            stream.request();
        }
        copy_async_wait<STAGES == 1 ? 0 : STAGES - 2>();
        __syncthreads(); /* this tile has arrived for every thread, and no thread reads the place filled next */
        if (STAGES > 1) {
            stream.request();
        }
#pragma unroll
        for (int first = 0; first < BLOCK_K; first += STEP) {
            double a_part[DOWN][2][2 * EIGHTS], b_part[RIGHT][2 * EIGHTS];
#pragma unroll
            for (int e = 0; e < EIGHTS; e++) {
                const unsigned step = (first / 8 + e) * 64;
#pragma unroll
                for (int i = 0; i < 2 * DOWN; i++) {
                    load_pair(a_part[i / 2][i % 2] + 2 * e, ((a_lane + use) ^ step) + i * 8 * ROW_BYTES);
                }
#pragma unroll
                for (int j = 0; j < RIGHT; j++) {
                    load_pair(b_part[j] + 2 * e, ((b_lane + use) ^ step) + j * 8 * ROW_BYTES);
                }
            }
#pragma unroll
            for (int at = 0; at < STEP / 4; at += DEPTH / 4) {
#pragma unroll
                for (int i = 0; i < DOWN * RIGHT; i++) {
                    multiply<DEPTH>(sums[i / RIGHT][i % RIGHT], a_part[i / RIGHT][0] + at, a_part[i / RIGHT][1] + at,
                                    b_part[i % RIGHT] + at);
                }
            }
        }
        use = Stream::after(use);
    }

    const bool aligned = n % 2 == 0;
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 2; i++) {
        const int row = warp_row + i / 2 / RIGHT * 16 + i % 2 * 8 + lane / 4;
        const int column = warp_column + i / 2 % RIGHT * 8 + lane % 4 * 2;
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
