/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp32 by FMA, on from matmul_fp32.cu's register tiles: A is m x k, B is k x n, by rows of whole pieces of
 * 16 bytes (pad_rows() makes such). Both kernels multiply alike, matmul_ffma() out of a ring that the accelerator fills
 * (sm_90 and newer), matmul_ffma_async() out of one that all threads fill by cp.async.
 *
 * What decides is how often a multiplication must fetch registers. They lie in two banks, even and odd, of which each
 * gives one a clock, and a multiplication has three: it takes two clocks unless one factor is kept from the one before
 * (.reuse) and the other two lie in different banks. SERPENTINE goes through the columns of a row and back through the
 * next one's, so that each multiplication shares a factor with the one before; ptxas keeps that order with -O1, and
 * with -O3 makes its own. AHEAD reads the next step's factors meanwhile, so that none has to be waited for. `alpha` is
 * 1: behind a multiplication a store of four takes new registers, else it would choose the banks of the sums.
 */
#include "copy_async.cuh"
#include "matmul_wgmma.cuh"

template <int TILE_M_, int TILE_N_, int TILE_K_, int REG_M_, int REG_N_, int STAGES_> struct Tiling {
    static constexpr int TILE_M = TILE_M_, TILE_N = TILE_N_, TILE_K = TILE_K_, REG_M = REG_M_, REG_N = REG_N_;
    static constexpr int STAGES = STAGES_;
    static constexpr int LANES_M = 8, LANES_N = 4; /* of a warp; lanes that read the same lie beside each other */
    static constexpr int WARPS_N = TILE_N / (LANES_N * REG_N), WARPS = WARPS_N * (TILE_M / (LANES_M * REG_M));
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int A_BYTES = TILE_M * TILE_K * 4, STAGE_BYTES = A_BYTES + TILE_K * TILE_N * 4;
    static constexpr int BARRIERS_AT = STAGES * STAGE_BYTES;
    static_assert(TILE_K == 16 || TILE_K == 32, "a row of A's tile is 64 or 128 bytes, swizzled by as many");
    static_assert(TILE_M % (LANES_M * REG_M) == 0 && TILE_N % (LANES_N * REG_N) == 0 && TILE_N <= 256, "whole warps");
    static_assert(REG_N % 4 == 0 && STAGES >= 3,
                  "pieces of four; one in use, one on its way, one that others may read");

    /* What the places of the 16-byte pieces in this row of A's tile are changed by. */
    __device__ __forceinline__ static unsigned turn(int row) {
        return TILE_K == 32 ? row % 8 * 16 : row / 2 % 4 * 16;
    }
};

/* This thread's part of a tile: rows LANES_M apart from `row` on, pieces of columns LANES_N apart from `column` on. */
template <class T> struct Part {
    int row, column;

    __device__ __forceinline__ Part() {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / T::WARPS_N * (T::LANES_M * T::REG_M) + lane % 2 + lane / (2 * T::LANES_N) * 2;
        column = warp % T::WARPS_N * (T::LANES_N * T::REG_N) + lane / 2 % T::LANES_N * 4;
    }
};

__device__ __forceinline__ void load_piece_of(float (&to)[4], unsigned from) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}

/* Four steps of this thread's rows of A; the same of one step for its columns of B. */
template <class T> __device__ __forceinline__ void load_a(float (&a)[T::REG_M][4], unsigned at) {
#pragma unroll
    for (int i = 0; i < T::REG_M; i++) {
        load_piece_of(a[i], at + i * T::LANES_M * T::TILE_K * 4);
    }
}
template <class T> __device__ __forceinline__ void load_b(float (&b)[T::REG_N / 4][4], unsigned at) {
#pragma unroll
    for (int j = 0; j < T::REG_N / 4; j++) {
        load_piece_of(b[j], at + j * T::LANES_N * 16);
    }
}

template <class T, bool SERPENTINE>
__device__ __forceinline__ void add_step(float (&sums)[T::REG_M][T::REG_N], const float (&a)[T::REG_M][4], int step,
                                         const float (&b)[T::REG_N / 4][4]) {
#pragma unroll
    for (int i = 0; i < T::REG_M; i++) {
#pragma unroll
        for (int at = 0; at < T::REG_N; at++) {
            const int j = SERPENTINE && i % 2 ? T::REG_N - 1 - at : at;
            sums[i][j] = fmaf(a[i][step], b[j / 4][j % 4], sums[i][j]);
        }
    }
}

/* A stage, UNROLL steps at a time: `a_at` and `b_at` are where this thread's rows and columns begin. */
template <class T, int UNROLL, bool SERPENTINE, bool AHEAD>
__device__ __forceinline__ void add_stage(float (&sums)[T::REG_M][T::REG_N], unsigned a_at, unsigned turn,
                                          unsigned b_at) {
    static_assert(T::TILE_K % UNROLL == 0 && UNROLL % 8 == 0, "factors come four steps at a time, in two places");
    constexpr int AFTER = AHEAD ? 1 : 0;
#pragma unroll 1
    for (int first = 0; first < T::TILE_K; first += UNROLL) {
        float a[2][T::REG_M][4], b[2][T::REG_N / 4][4];
        if (AHEAD) {
            load_b<T>(b[0], b_at);
            load_a<T>(a[0], a_at + (first * 4 ^ turn));
        }
#pragma unroll
        for (int step = 0; step < UNROLL; step++) {
            const int next = step + AFTER, four = step / 4 + AFTER;
            if (next < UNROLL) {
                load_b<T>(b[next % 2], b_at + next * T::TILE_N * 4);
            }
            if (step % 4 == 2 * AFTER && four < UNROLL / 4) {
                load_a<T>(a[four % 2], a_at + (first * 4 + four * 16 ^ turn));
            }
            add_step<T, SERPENTINE>(sums, a[step / 4 % 2], step % 4, b[step % 2]);
        }
        b_at += UNROLL * T::TILE_N * 4;
    }
}

/* The whole of k out of a ring: enter() waits for a stage and says where it begins, leave() is behind its last use. */
template <class T, int UNROLL, bool SERPENTINE, bool AHEAD, class Ring>
__device__ __forceinline__ void add_all(float (&sums)[T::REG_M][T::REG_N], Ring &ring, int tiles) {
    const Part<T> part;
    const unsigned turn = T::turn(part.row), row_at = part.row * (T::TILE_K * 4);
    const unsigned column_at = T::A_BYTES + part.column * 4;
#pragma unroll
    for (int i = 0; i < T::REG_M * T::REG_N; i++) {
        sums[i / T::REG_N][i % T::REG_N] = 0.0f;
    }
    for (int tile = 0; tile < tiles; tile++) {
        const unsigned stage = ring.enter();
        add_stage<T, UNROLL, SERPENTINE, AHEAD>(sums, stage + row_at, turn, stage + column_at);
        ring.leave();
    }
}

template <class T>
__device__ __forceinline__ void store_tile(const float (&sums)[T::REG_M][T::REG_N], float *c, int first_row,
                                           int first_column, int m, int n, float alpha) {
    const Part<T> part;
    const bool whole = n % 4 == 0;
#pragma unroll
    for (int i = 0; i < T::REG_M; i++) {
        const int row = first_row + part.row + i * T::LANES_M;
#pragma unroll
        for (int j = 0; j < T::REG_N; j += 4) {
            const int column = first_column + part.column + j * T::LANES_N;
            float *to = c + (long long)row * n + column;
            float4 word;
            word.x = alpha * sums[i][j];
            word.y = alpha * sums[i][j + 1];
            word.z = alpha * sums[i][j + 2];
            word.w = alpha * sums[i][j + 3];
            if (whole && row < m && column < n) {
                *reinterpret_cast<float4 *>(to) = word;
            } else if (!whole && row < m) {
                const float four[4] = {word.x, word.y, word.z, word.w};
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (column + e < n) {
                        to[e] = four[e];
                    }
                }
            }
        }
    }
}

#if __CUDA_ARCH__ >= 900

/* A stage, and the parity of its barriers' phase. */
template <int STAGES> struct Place {
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* Filled by one thread of the first warp, two stages behind the one in use: all warps have left that one by then. */
template <class T> struct BulkRing {
    unsigned stages;
    const CUtensorMap *a, *b;
    int row, column, tiles, asked = 0;
    Place<T::STAGES> place, next;

    __device__ __forceinline__ void ask() {
        if (asked < tiles) {
            const unsigned full = stages + T::BARRIERS_AT + next.stage * 8, to = stages + next.stage * T::STAGE_BYTES;
            bulk_wait(full + T::STAGES * 8, next.parity ^ 1);
            bulk_expect(full, T::STAGE_BYTES);
            bulk_load_box(to, a, asked * T::TILE_K, row, full);
            bulk_load_box(to + T::A_BYTES, b, column, asked * T::TILE_K, full);
            next.next();
            asked++;
        }
    }
    __device__ __forceinline__ void begin() {
        if (threadIdx.x == 0) {
            for (int stage = 0; stage < T::STAGES; stage++) {
                bulk_barrier_init(stages + T::BARRIERS_AT + stage * 8);
                bulk_barrier_init(stages + T::BARRIERS_AT + (T::STAGES + stage) * 8, T::WARPS);
            }
            bulk_barrier_publish();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int stage = 0; stage < T::STAGES - 2; stage++) {
                ask();
            }
        }
    }
    __device__ __forceinline__ unsigned enter() {
        bulk_wait(stages + T::BARRIERS_AT + place.stage * 8, place.parity);
        if (threadIdx.x == 0) {
            ask();
        }
        __syncwarp();
        return stages + place.stage * T::STAGE_BYTES;
    }
    __device__ __forceinline__ void leave() {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            bulk_arrive(stages + T::BARRIERS_AT + (T::STAGES + place.stage) * 8);
        }
        place.next();
    }
};

#endif

template <int TILE_M, int TILE_N, int TILE_K, int REG_M, int REG_N, int STAGES, int GROUP, int RESIDENT, int UNROLL,
          bool SERPENTINE, bool AHEAD>
__global__ void __launch_bounds__((TILE_M / REG_M) * (TILE_N / REG_N), RESIDENT)
    matmul_ffma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *__restrict__ c,
                int m, int n, int k, float alpha) {
#if __CUDA_ARCH__ >= 900
    typedef Tiling<TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES> T;
    extern __shared__ __align__(1024) unsigned char shared[];
    const Tile tile = tile_at<GROUP>(blockIdx.x, (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
    const int row = tile.row * TILE_M, column = tile.column * TILE_N, tiles = (k + TILE_K - 1) / TILE_K;
    BulkRing<T> ring{shared_address(shared), &a, &b, row, column, tiles};
    ring.begin();
    float sums[REG_M][REG_N];
    add_all<T, UNROLL, SERPENTINE, AHEAD>(sums, ring, tiles);
    store_tile<T>(sums, c, row, column, m, n, alpha);
#endif
}

/* 16 bytes from global to shared memory; `present` false writes zeros. */
__device__ __forceinline__ void copy_piece(unsigned to, const float *from, bool present) {
#if __CUDA_ARCH__ < 800
    copy_at_once<16, false>(to, from, present);
#else
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(present ? 16 : 0)
                 : "memory");
#endif
}

/* Filled by all threads; a group of copies a stage, of which the newest STAGES - 2 may be on their way. */
template <class T> struct AsyncRing {
    static constexpr int A_PIECES = T::TILE_K / 4, A_ROWS = T::THREADS / A_PIECES; /* of A at a time, and of B: */
    static constexpr int B_PIECES = T::TILE_N / 4, B_ROWS = T::THREADS / B_PIECES;
    static_assert(A_ROWS % 8 == 0 && T::TILE_M % A_ROWS == 0 && B_ROWS > 0 && T::TILE_K % B_ROWS == 0, "whole rounds");
    unsigned stages;
    const float *a, *b; /* of the next tile, this thread's first piece */
    int rows_left, columns_left, k_left, pitch_a, pitch_b;
    int place = 0, next = 0;

    __device__ __forceinline__ AsyncRing(unsigned stages_, const float *a_, const float *b_, int row, int column, int m,
                                         int n, int k, int pitch_a_, int pitch_b_)
        : stages(stages_), a(a_ + (long long)(row + threadIdx.x / A_PIECES) * pitch_a_ + threadIdx.x % A_PIECES * 4),
          b(b_ + (long long)(threadIdx.x / B_PIECES) * pitch_b_ + column + threadIdx.x % B_PIECES * 4),
          rows_left(m - row - (int)(threadIdx.x / A_PIECES)),
          columns_left(n - column - (int)(threadIdx.x % B_PIECES * 4)), k_left(k), pitch_a(pitch_a_),
          pitch_b(pitch_b_) {
    }
    __device__ __forceinline__ static int after(int stage) {
        return stage + 1 == T::STAGES ? 0 : stage + 1;
    }
    __device__ __forceinline__ void ask() {
        if (k_left > 0) {
            const int a_row = threadIdx.x / A_PIECES, a_step = threadIdx.x % A_PIECES * 4;
            const int b_row = threadIdx.x / B_PIECES;
            const unsigned a_to =
                stages + next * T::STAGE_BYTES + a_row * (T::TILE_K * 4) + (a_step * 4 ^ T::turn(a_row));
            const unsigned b_to = stages + next * T::STAGE_BYTES + T::A_BYTES + threadIdx.x * 16;
#pragma unroll
            for (int down = 0; down < T::TILE_M; down += A_ROWS) {
                copy_piece(a_to + down * T::TILE_K * 4, a + (long long)down * pitch_a,
                           down < rows_left && a_step < k_left);
            }
#pragma unroll
            for (int down = 0; down < T::TILE_K; down += B_ROWS) {
                copy_piece(b_to + down * T::TILE_N * 4, b + (long long)down * pitch_b,
                           b_row + down < k_left && columns_left > 0);
            }
        }
        copy_async_commit();
        a += T::TILE_K;
        b += (long long)T::TILE_K * pitch_b;
        k_left -= T::TILE_K;
        next = after(next);
    }
    __device__ __forceinline__ void begin() {
#pragma unroll
        for (int stage = 0; stage < T::STAGES - 1; stage++) {
            ask();
        }
    }
    __device__ __forceinline__ unsigned enter() {
        copy_async_wait<T::STAGES - 2>();
        __syncthreads(); /* the stage has arrived for every thread, and none reads the one filled next */
        ask();
        return stages + place * T::STAGE_BYTES;
    }
    __device__ __forceinline__ void leave() {
        place = after(place);
    }
};

template <int TILE_M, int TILE_N, int TILE_K, int REG_M, int REG_N, int STAGES, int GROUP, int RESIDENT, int UNROLL,
          bool SERPENTINE, bool AHEAD>
__global__ void __launch_bounds__((TILE_M / REG_M) * (TILE_N / REG_N), RESIDENT)
    matmul_ffma_async(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                      int k, int pitch_a, int pitch_b, float alpha) {
    typedef Tiling<TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES> T;
    extern __shared__ __align__(1024) unsigned char shared[];
    const Tile tile = tile_at<GROUP>(blockIdx.x, (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
    const int row = tile.row * TILE_M, column = tile.column * TILE_N;
    AsyncRing<T> ring(shared_address(shared), a, b, row, column, m, n, k, pitch_a, pitch_b);
    ring.begin();
    float sums[REG_M][REG_N];
    add_all<T, UNROLL, SERPENTINE, AHEAD>(sums, ring, (k + TILE_K - 1) / TILE_K);
    store_tile<T>(sums, c, row, column, m, n, alpha);
}
