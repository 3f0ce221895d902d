/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp32, all row-major: A is m x k, B is k x n. Three kernels, a ladder: every operand from L1, tiles in
 * shared memory, tiles in registers.
 */
#include "copy_async.cuh"

/* A thread an element; both operands come through L1 every time. */
template <int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long m,
                 long long n, long long k) {
    const long long column = (long long)blockIdx.x * BLOCK_X + threadIdx.x;
    const long long row = (long long)blockIdx.y * BLOCK_Y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (long long i = 0; i < k; i++) {
        sum = fmaf(a[row * k + i], b[i * n + column], sum);
    }
    c[row * n + column] = sum;
}

/* A thread an element, operands from TILE x TILE tiles in shared memory. Without GUARD every size must be a multiple of
 * TILE. */
template <int TILE, bool GUARD>
__global__ void __launch_bounds__(TILE *TILE)
    matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long m,
                 long long n, long long k) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const long long column = (long long)blockIdx.x * TILE + tx;
    const long long row = (long long)blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (long long first = 0; first < k; first += TILE) {
        a_tile[ty][tx] = !GUARD || (row < m && first + tx < k) ? a[row * k + first + tx] : 0.0f;
        b_tile[ty][tx] = !GUARD || (first + ty < k && column < n) ? b[(first + ty) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum = fmaf(a_tile[ty][i], b_tile[i][tx], sum);
        }
        __syncthreads();
    }
    if (!GUARD || (row < m && column < n)) {
        c[row * n + column] = sum;
    }
}

/* Copies VEC floats from global to shared memory without passing through registers; `present` false writes zeros. */
template <int VEC> __device__ __forceinline__ void copy_async(unsigned int to, const float *from, bool present) {
#if __CUDA_ARCH__ < 800
    copy_at_once<4 * VEC>(to, from, present);
#else
    const int bytes = present ? 4 * VEC : 0;
    if (VEC == 4) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    }
#endif
}

__device__ __forceinline__ unsigned int shared_address(const void *pointer) {
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

/* The thread's index, read anew: at the matrix's edge that is cheaper than registers held through the inner loop. */
__device__ __forceinline__ int thread_again() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

/*
 * How THREADS threads share the copying of a ROWS x COLUMNS tile, VEC floats at a time. Everything is a power of two,
 * so a thread's copies differ by constants: the row and column of the first one, and one pointer, are all it keeps.
 */
template <int VEC, int ROWS, int COLUMNS, int PITCH, int THREADS> struct TileCopy {
    static constexpr int IN_ROW = COLUMNS / VEC, TOTAL = ROWS * IN_ROW;

    __device__ __forceinline__ static int row(int thread) {
        return IN_ROW <= THREADS ? thread / IN_ROW : 0;
    }
    __device__ __forceinline__ static int column(int thread) {
        return (IN_ROW <= THREADS ? thread % IN_ROW : thread) * VEC;
    }
    /* Bytes from the tile's begin in shared memory to the thread's first copy. */
    __device__ __forceinline__ static unsigned int offset(int thread) {
        return (row(thread) * PITCH + column(thread)) * 4;
    }

    /* Requests the tile; `to` and `from` are this thread's own. Not GUARDed, all of it is inside the matrix; GUARDed,
     * what lies outside becomes zero. */
    template <bool GUARD>
    __device__ __forceinline__ static void request(unsigned int to, const float *from, long long pitch, int rows_left,
                                                   int columns_left) {
        const int thread = GUARD ? thread_again() : threadIdx.x;
#pragma unroll
        for (int first = 0; first < TOTAL; first += THREADS) {
            const int down = first / IN_ROW, right = first % IN_ROW * VEC;
            const bool present = !GUARD || (row(thread) + down < rows_left && column(thread) + right < columns_left);
            if (TOTAL % THREADS == 0 || first + thread < TOTAL) {
                copy_async<VEC>(to + (down * PITCH + right) * 4, from + down * pitch + right, present);
            }
        }
    }
};

__device__ __forceinline__ int at_most(long long value, int limit) {
    return value < limit ? (int)value : limit;
}

/*
 * A thread computes REG_M x REG_N elements; the tiles pass through STAGES buffers filled by asynchronous copies.
 * A's tile keeps its rows (k fastest), so both tiles are copied 16 bytes at a time and a thread reads four k-steps of
 * a row of A in one load; four floats of padding put the rows that a warp reads together into different banks.
 * In a warp neighbouring lanes take neighbouring rows, then columns: the two halves of each pair of lanes read the same
 * 16 bytes of B, and every second pair the same of A, which lets the hardware serve half a warp in one pass.
 * RESIDENT blocks shall fit an SM at once: the compiler keeps a thread to the registers that leaves.
 * VEC = 4 needs n and k to be multiples of 4.
 */
template <int VEC, int TILE_M, int TILE_N, int TILE_K, int REG_M, int REG_N, int STAGES, int RESIDENT>
__global__ void __launch_bounds__((TILE_M / REG_M) * (TILE_N / REG_N), RESIDENT)
    matmul_register(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long m,
                    long long n, long long k) {
    constexpr int THREADS_M = TILE_M / REG_M, THREADS_N = TILE_N / REG_N, THREADS = THREADS_M * THREADS_N;
    constexpr int LANES_N = THREADS_N < 8 ? THREADS_N : 8, LANES_M = 32 / LANES_N;
    constexpr int WARPS_N = THREADS_N / LANES_N;
    constexpr int PITCH_A = TILE_K + 4;
    constexpr int STAGE_FLOATS = TILE_M * PITCH_A + TILE_K * TILE_N;
    static_assert(THREADS % 32 == 0 && THREADS_M % LANES_M == 0 && THREADS_N % LANES_N == 0, "whole warps");
    static_assert(TILE_K % 4 == 0 && REG_N % 4 == 0 && STAGES >= 2, "four floats a load, two buffers or more");

    extern __shared__ __align__(16) float stages[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int lane_m = lane % 2 + lane / (2 * LANES_N) * 2, lane_n = lane / 2 % LANES_N;
    const int thread_row = warp / WARPS_N * (LANES_M * REG_M) + lane_m;        /* + i * LANES_M */
    const int thread_column = warp % WARPS_N * (LANES_N * REG_N) + lane_n * 4; /* + j * LANES_N * 4 */
    const long long first_row = (long long)blockIdx.y * TILE_M, first_column = (long long)blockIdx.x * TILE_N;
    const int rows_left = at_most(m - first_row, TILE_M), columns_left = at_most(n - first_column, TILE_N);
    const bool inside = rows_left == TILE_M && columns_left == TILE_N;
    typedef TileCopy<VEC, TILE_M, TILE_K, PITCH_A, THREADS> CopyA;
    typedef TileCopy<VEC, TILE_K, TILE_N, TILE_N, THREADS> CopyB;
    const unsigned int stages_address = shared_address(stages);
    const float *a_from = a + (first_row + CopyA::row(threadIdx.x)) * k + CopyA::column(threadIdx.x);
    const float *b_from = b + CopyB::row(threadIdx.x) * n + first_column + CopyB::column(threadIdx.x);
    unsigned int a_to = stages_address + CopyA::offset(threadIdx.x);
    unsigned int b_to = stages_address + TILE_M * PITCH_A * 4 + CopyB::offset(threadIdx.x);
    const int tiles = (int)((k + TILE_K - 1) / TILE_K);

    int k_left = (int)k, fill = 0;
    auto request = [&]() {
        if (inside && k_left >= TILE_K) {
            CopyA::template request<false>(a_to, a_from, k, rows_left, k_left);
            CopyB::template request<false>(b_to, b_from, n, k_left, columns_left);
        } else if (k_left > 0) {
            CopyA::template request<true>(a_to, a_from, k, rows_left, k_left);
            CopyB::template request<true>(b_to, b_from, n, k_left, columns_left);
        }
        copy_async_commit();
        a_from += TILE_K;
        b_from += TILE_K * n;
        k_left -= TILE_K;
        fill++;
        const int step = fill == STAGES ? (1 - STAGES) * STAGE_FLOATS * 4 : STAGE_FLOATS * 4;
        fill = fill == STAGES ? 0 : fill;
        a_to += step;
        b_to += step;
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        request();
    }

    float sum[REG_M][REG_N];
#pragma unroll
    for (int i = 0; i < REG_M; i++) {
#pragma unroll
        for (int j = 0; j < REG_N; j++) {
            sum[i][j] = 0.0f;
        }
    }

    int use = 0;
    for (int tile = 0; tile < tiles; tile++) {
        copy_async_wait<STAGES - 2>();
        __syncthreads(); /* this tile has arrived for every thread, and no thread reads the buffer filled next */
        request();
        const float *a_tile = stages + use * STAGE_FLOATS + thread_row * PITCH_A;
        const float *b_tile = stages + use * STAGE_FLOATS + TILE_M * PITCH_A + thread_column;
        use = use + 1 == STAGES ? 0 : use + 1;
#pragma unroll
        for (int kk = 0; kk < TILE_K; kk += 4) {
            float a_part[REG_M][4];
#pragma unroll
            for (int i = 0; i < REG_M; i++) {
                const float4 part = *reinterpret_cast<const float4 *>(a_tile + i * LANES_M * PITCH_A + kk);
                a_part[i][0] = part.x;
                a_part[i][1] = part.y;
                a_part[i][2] = part.z;
                a_part[i][3] = part.w;
            }
#pragma unroll
            for (int step = 0; step < 4; step++) {
                float b_part[REG_N];
#pragma unroll
                for (int j = 0; j < REG_N; j += 4) {
                    const float4 part = *reinterpret_cast<const float4 *>(b_tile + (kk + step) * TILE_N + j * LANES_N);
                    b_part[j] = part.x;
                    b_part[j + 1] = part.y;
                    b_part[j + 2] = part.z;
                    b_part[j + 3] = part.w;
                }
#pragma unroll
                for (int i = 0; i < REG_M; i++) {
#pragma unroll
                    for (int j = 0; j < REG_N; j++) {
                        sum[i][j] = fmaf(a_part[i][step], b_part[j], sum[i][j]);
                    }
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < REG_M; i++) {
        const int row = thread_row + i * LANES_M;
        if (row >= rows_left) {
            continue;
        }
        float *to = c + (first_row + row) * n + first_column;
#pragma unroll
        for (int j = 0; j < REG_N; j += 4) {
            const int column = thread_column + j * LANES_N;
            if (VEC == 4) {
                if (column < columns_left) {
                    *reinterpret_cast<float4 *>(to + column) =
                        make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
                }
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (column + e < columns_left) {
                        to[column + e] = sum[i][j + e];
                    }
                }
            }
        }
    }
}
