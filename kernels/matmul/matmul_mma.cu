/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in 16-bit floats with sums in fp32; B lies as n x k. Tensor cores by mma.sync m16n8k16 (sm_80 and newer):
 * fragments by ldmatrix from tiles that cp.async brings. Sources: PTX ISA 8.8, "Matrix fragments for mma.m16n8k16",
 * "ldmatrix", "cp.async".
 */
#include "matmul_tensor.cuh"

__device__ __forceinline__ unsigned shared_address(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

/* 16 bytes from global to shared memory without passing through registers; `present` false writes zeros. */
__device__ __forceinline__ void copy_async(unsigned to, const void *from, bool present) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(present ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void store_shared(unsigned to, uint4 word) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
}

__device__ __forceinline__ void copy_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most PENDING of the newest groups are still on their way. */
template <int PENDING> __device__ __forceinline__ void copy_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* Four matrices of 8 x 8: lane l gives the address of row l % 8 of matrix l / 8, and gets of each the two neighbouring
 * elements 2 (l % 4) of row l / 4. */
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/* sums (16 x 8) += a (16 x 16) b (16 x 8). Lane l has sums[2 h + e] of row l / 4 + 8 h, column 2 (l % 4) + e. */
#define MULTIPLY(TYPES)                                                                                                \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPES ".f32"                                                 \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                    \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <typename T> struct Multiply;
template <> struct Multiply<__nv_bfloat16> {
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        MULTIPLY("bf16.bf16");
    }
};
template <> struct Multiply<__half> {
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        MULTIPLY("f16.f16");
    }
};

/*
 * A tile in shared memory: rows of BLOCK_K elements in pieces of 16 bytes. ldmatrix reads one piece of eight rows at a
 * time, which begin in the same banks, 2 rows of 32 elements or every row of 64. SWIZZLE moves the pieces of a row by
 * exclusive or with the row's number (among those), so that the eight lie in different banks.
 */
template <int BLOCK_K, bool SWIZZLE> struct Pieces {
    static constexpr int IN_ROW = BLOCK_K / 8, ROW_BYTES = BLOCK_K * 2;
    static_assert(IN_ROW == 4 || IN_ROW == 8, "rows of 64 or 128 bytes");

    /* Bytes from the tile's begin. */
    __device__ __forceinline__ static unsigned offset(int row, int piece) {
        return row * ROW_BYTES + (SWIZZLE ? piece ^ row * IN_ROW / 8 % IN_ROW : piece) * 16;
    }
};

/*
 * How THREADS threads share the copying of a tile of ROWS. A thread's copies are whole numbers of eight rows apart, so
 * they have one piece and one swizzle: it keeps the place of the first.
 */
template <typename T, bool ALIGNED, int ROWS, int BLOCK_K, bool SWIZZLE, int THREADS> struct TileCopy {
    typedef Pieces<BLOCK_K, SWIZZLE> Place;
    static constexpr int APART = THREADS / Place::IN_ROW; /* rows */
    static_assert(THREADS % Place::IN_ROW == 0 && APART % 8 == 0 && ROWS % APART == 0, "whole rounds of all threads");

    __device__ __forceinline__ static int row() {
        return threadIdx.x / Place::IN_ROW;
    }
    __device__ __forceinline__ static int step() {
        return threadIdx.x % Place::IN_ROW * 8;
    }
    __device__ __forceinline__ static unsigned offset() {
        return Place::offset(threadIdx.x / Place::IN_ROW, threadIdx.x % Place::IN_ROW);
    }

    /* Requests the tile; `to` and `from` are this thread's own. What lies beyond rows_left or k_left becomes zero;
     * INSIDE: nothing does. */
    template <bool INSIDE>
    __device__ __forceinline__ static void request(unsigned to, const T *from, long long pitch, int rows_left,
                                                   int k_left) {
#pragma unroll(ALIGNED ? ROWS / APART : 1) /* loads of elements would take all registers */
        for (int i = 0; i < ROWS / APART; i++) {
            const int left = row() + i * APART < rows_left ? k_left - step() : 0;
            const unsigned place = to + i * APART * Place::ROW_BYTES;
            if (ALIGNED) {
                copy_async(place, from + i * APART * pitch, INSIDE || left > 0);
            } else {
                store_shared(place, load_eight<false>(from + i * APART * pitch, left));
            }
        }
    }
};

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile; tiles of the operands pass through STAGES places in shared
 * memory. STAGES = 1: everyone waits for a tile, then multiplies. AHEAD: the fragments of the next 16 of k are read
 * while those before them are multiplied, across tiles too. The order of tiles is tile_at<GROUP>().
 * RESIDENT blocks shall fit an SM at once: the compiler keeps a thread to the registers that leaves.
 * ALIGNED: k is a multiple of 8, so that rows can be copied by 16 bytes.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES,
          bool SWIZZLE, bool AHEAD, int GROUP, int RESIDENT>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, RESIDENT)
    matmul_mma(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
               long long k) {
    constexpr int WARPS_N = BLOCK_N / WARP_N, THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEPS = BLOCK_K / 16;
    typedef Pieces<BLOCK_K, SWIZZLE> Place;
    typedef TileCopy<T, ALIGNED, BLOCK_M, BLOCK_K, SWIZZLE, THREADS> CopyA;
    typedef TileCopy<T, ALIGNED, BLOCK_N, BLOCK_K, SWIZZLE, THREADS> CopyB;
    constexpr int A_BYTES = BLOCK_M * Place::ROW_BYTES, STAGE_BYTES = A_BYTES + BLOCK_N * Place::ROW_BYTES;
    static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0, "whole fragments, those of B in pairs");
    static_assert(!AHEAD || STAGES >= 2, "the next tile's fragments come from another place");

    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned columns = (unsigned)((n + BLOCK_N - 1) / BLOCK_N), rows = (unsigned)((m + BLOCK_M - 1) / BLOCK_M);
    const Tile place = tile_at<GROUP>(blockIdx.x, rows, columns);
    const long long first_row = (long long)place.row * BLOCK_M, first_column = (long long)place.column * BLOCK_N;
    const int rows_left = left_of(m, first_row, BLOCK_M), columns_left = left_of(n, first_column, BLOCK_N);
    const bool inside = rows_left == BLOCK_M && columns_left == BLOCK_N;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / WARPS_N * WARP_M, warp_column = warp % WARPS_N * WARP_N;

    const unsigned begin = shared_address(stages);
    const T *a_from = a + (first_row + CopyA::row()) * k + CopyA::step();
    const T *b_from = b + (first_column + CopyB::row()) * k + CopyB::step();
    const unsigned a_to = begin + CopyA::offset(), b_to = begin + A_BYTES + CopyB::offset();
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K);
    long long k_left = k;
    unsigned fill = 0; /* bytes from the first place to the one filled next */
    auto request = [&]() {
        if (inside && k_left >= BLOCK_K) {
            CopyA::template request<true>(a_to + fill, a_from, k, rows_left, BLOCK_K);
            CopyB::template request<true>(b_to + fill, b_from, k, columns_left, BLOCK_K);
        } else if (k_left > 0) {
            const int left = k_left < BLOCK_K ? (int)k_left : BLOCK_K;
            CopyA::template request<false>(a_to + fill, a_from, k, rows_left, left);
            CopyB::template request<false>(b_to + fill, b_from, k, columns_left, left);
        }
        copy_async_commit();
        a_from += BLOCK_K;
        b_from += BLOCK_K;
        k_left -= BLOCK_K;
        fill = fill == (STAGES - 1) * STAGE_BYTES ? 0 : fill + STAGE_BYTES;
    };

    /* Rows of a tile are multiples of 64 bytes, so a step of k, 32 bytes, is an exclusive or, swizzled or not. */
    const unsigned a_lane = begin + Place::offset(warp_row + lane % 16, lane / 16);
    const unsigned b_lane = begin + A_BYTES + Place::offset(warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    unsigned a_part[AHEAD ? 2 : 1][DOWN][4], b_part[AHEAD ? 2 : 1][RIGHT / 2][4];
    float sums[DOWN][RIGHT][4];
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0.0f;
    }
    auto load = [&](unsigned use, int step, int buffer) {
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            load_matrices(a_part[buffer][i], ((a_lane + use) ^ (step * 32)) + i * 16 * Place::ROW_BYTES);
        }
#pragma unroll
        for (int j = 0; j < RIGHT / 2; j++) {
            load_matrices(b_part[buffer][j], ((b_lane + use) ^ (step * 32)) + j * 16 * Place::ROW_BYTES);
        }
    };
    auto multiply = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                const int across = i % 2 == 0 ? j : RIGHT - 1 - j; /* the last fragment of B is used again at once */
                Multiply<T>::add(sums[i][across], a_part[buffer][i], b_part[buffer][across / 2] + across % 2 * 2);
            }
        }
    };

    unsigned use = 0; /* as fill: the tile that is multiplied */
    auto next_use = [&]() { use = use == (STAGES - 1) * STAGE_BYTES ? 0 : use + STAGE_BYTES; };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        request();
    }
    if constexpr (AHEAD) {
        copy_async_wait<STAGES - 2>();
        __syncthreads();
        load(use, 0, 0);
        for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) {
                    /* The next tile has arrived for every thread, and no thread reads this one's place any more. */
                    copy_async_wait<STAGES - 2>();
                    __syncthreads();
                    next_use();
                }
                load(use, (step + 1) % STEPS, (step + 1) % 2);
                if (step == 0) {
                    request();
                }
                multiply(step % 2);
            }
        }
    } else {
        for (int tile = 0; tile < tiles; tile++) {
            if (STAGES == 1) {
                __syncthreads(); /* no thread reads the tile before this */
                request();
            }
            copy_async_wait<STAGES == 1 ? 0 : STAGES - 2>();
            __syncthreads(); /* this tile has arrived for every thread, and no thread reads the place filled next */
            if (STAGES > 1) {
                request();
            }
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                load(use, step, 0);
                multiply(0);
            }
            next_use();
        }
    }

    /* Each warp turns its sums into rows in shared memory, padded so that neither side meets a bank twice, and stores
     * them 16 bytes a lane. */
    copy_async_wait<0>();
    __syncthreads();
    constexpr int PITCH = WARP_N + 8, IN_ROW = WARP_N / 8;
    T *rounded = reinterpret_cast<T *>(stages) + warp * WARP_M * PITCH;
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < RIGHT; j++) {
            T *to = rounded + (i * 16 + lane / 4) * PITCH + j * 8 + lane % 4 * 2;
            *reinterpret_cast<unsigned *>(to) = rounded_pair<T>(sums[i][j][0], sums[i][j][1]);
            *reinterpret_cast<unsigned *>(to + 8 * PITCH) = rounded_pair<T>(sums[i][j][2], sums[i][j][3]);
        }
    }
    __syncwarp();
    const bool aligned = n % 8 == 0;
#pragma unroll 4
    for (int i = lane; i < WARP_M * IN_ROW; i += 32) {
        const int row = i / IN_ROW, column = i % IN_ROW * 8;
        const uint4 word = *reinterpret_cast<const uint4 *>(rounded + row * PITCH + column);
        if (warp_row + row < rows_left) {
            store_eight(c + (first_row + warp_row + row) * n + first_column + warp_column + column, word,
                        columns_left - warp_column - column, aligned);
        }
    }
}
