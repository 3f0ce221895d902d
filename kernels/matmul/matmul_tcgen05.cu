/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B on the tensor cores of sm_100a (tcgen05), in 16-bit floats with sums in fp32; B lies as n x k. It compiles
 * and runs in tests/emulator: no card has run it yet.
 *
 * A block has a tile of 128 x BLOCK_N, whose sums lie in tensor memory: 128 lanes, a column of 32 bits for each column
 * of C. One warp asks the accelerator for tiles, a thread of another has the tensor core multiply them; four warps,
 * each of which can read 32 lanes, store C. The ring is that of matmul_roles.cuh: full[s] when stage s has arrived,
 * free[s] when the tensor core has read it. Shared memory: the stages, the barriers, `done`, and where tensor memory
 * begins. Sources: PTX ISA 9.0, "Tensor memory", "tcgen05: instruction descriptor", "tcgen05: shared memory
 * descriptor".
 */
#include "matmul_wgmma.cuh"

#include "bulk_tiles.cuh"

#if __CUDA_ARCH_FEAT_SM100_ALL

/* An operand's 8 lines of 128 bytes, swizzled by 128, and the next 8 behind them. A step of 32 bytes of k adds 2. */
__device__ __forceinline__ unsigned long long tcgen05_operand(unsigned address) {
    constexpr unsigned long long EIGHT_LINES = 1024 >> 4, VERSION = 1, SWIZZLE_128 = 2;
    return SWIZZLE_128 << 61 | VERSION << 46 | EIGHT_LINES << 32 | 1ull << 16 | (address & 0x3ffff) >> 4;
}

/* What is multiplied: fp32 sums, both operands of one type with k contiguous. */
template <typename T> struct Tcgen05Kind;
template <> struct Tcgen05Kind<__half> { static constexpr unsigned NUMBER = 0; };
template <> struct Tcgen05Kind<__nv_bfloat16> { static constexpr unsigned NUMBER = 1; };
template <typename T, int M, int N> __device__ __forceinline__ constexpr unsigned tcgen05_product() {
    return 1u << 4 | Tcgen05Kind<T>::NUMBER << 7 | Tcgen05Kind<T>::NUMBER << 10 | N / 8 << 17 | M / 16 << 24;
}

/* Columns of tensor memory, a power of two from 32 to 512; by a whole warp, which gives them back. */
template <int COLUMNS> __device__ __forceinline__ void tcgen05_take(unsigned to) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to), "n"(COLUMNS)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}
template <int COLUMNS> __device__ __forceinline__ void tcgen05_give(unsigned sums) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sums), "n"(COLUMNS) : "memory");
}

/* By one thread: 16 of k. Without `add` the sums are set. */
__device__ __forceinline__ void tcgen05_multiply(unsigned sums, unsigned long long a, unsigned long long b,
                                                 unsigned product, bool add) {
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n"
                 " tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(sums),
                 "l"(a), "l"(b), "r"(product), "r"((unsigned)add)
                 : "memory");
}

/* An arrival at the barrier when all that this thread asked for has been multiplied. */
__device__ __forceinline__ void tcgen05_commit(unsigned barrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
                 : "memory");
}

/* In front of a barrier of threads, and behind one, with tensor memory on both sides. */
__device__ __forceinline__ void tcgen05_before_sync() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void tcgen05_after_sync() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/* Sixteen columns of this lane, of the warp's 32. */
__device__ __forceinline__ void tcgen05_load(float (&to)[16], unsigned from) {
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                 "%14, %15}, [%16];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]), "=f"(to[4]), "=f"(to[5]), "=f"(to[6]),
                   "=f"(to[7]), "=f"(to[8]), "=f"(to[9]), "=f"(to[10]), "=f"(to[11]), "=f"(to[12]), "=f"(to[13]),
                   "=f"(to[14]), "=f"(to[15])
                 : "r"(from)
                 : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

/* A warp's 32 rows of C, a lane each. */
template <typename T, int BLOCK_N>
__device__ __forceinline__ void tcgen05_store(unsigned sums, T *c, long long row, long long first_column, long long m,
                                              long long n) {
    const bool aligned = n % 8 == 0;
#pragma unroll 1
    for (int column = 0; column < BLOCK_N; column += 16) {
        float own[16];
        tcgen05_load(own, sums + column);
#pragma unroll
        for (int i = 0; i < 16; i += 8) {
            const uint4 word =
                make_uint4(rounded_pair<T>(own[i], own[i + 1]), rounded_pair<T>(own[i + 2], own[i + 3]),
                           rounded_pair<T>(own[i + 4], own[i + 5]), rounded_pair<T>(own[i + 6], own[i + 7]));
            const long long at = first_column + column + i;
            store_eight(c + row * n + at, word, row < m ? left_of(n, at, 8) : 0, aligned);
        }
    }
}

#endif

template <typename T, int BLOCK_N, int STAGES>
__global__ void __launch_bounds__(192, 1)
    matmul_tcgen05(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, T *__restrict__ c,
                   int m, int n, int k) {
#if __CUDA_ARCH_FEAT_SM100_ALL
    constexpr int BLOCK_M = 128, BLOCK_K = 64, A_BYTES = BLOCK_M * 128, STAGE_BYTES = A_BYTES + BLOCK_N * 128;
    constexpr int COLUMNS = BLOCK_N <= 32 ? 32 : BLOCK_N <= 64 ? 64 : BLOCK_N <= 128 ? 128 : 256;
    static_assert(BLOCK_N % 16 == 0 && BLOCK_N <= 256, "one instruction");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared), full = stages + STAGES * STAGE_BYTES, free = full + STAGES * 8;
    const unsigned done = free + STAGES * 8, place_of_sums = done + 8;
    const int warp = threadIdx.x / 32, steps = (k + BLOCK_K - 1) / BLOCK_K;
    const int first_row = blockIdx.y * BLOCK_M, first_column = blockIdx.x * BLOCK_N;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
            bulk_barrier_init(free + stage * 8);
        }
        bulk_barrier_init(done);
        bulk_barrier_publish();
    }
    if (warp == 5) {
        tcgen05_take<COLUMNS>(place_of_sums);
    }
    tcgen05_before_sync();
    __syncthreads();
    tcgen05_after_sync();
    const unsigned sums = *reinterpret_cast<const unsigned *>(shared + STAGES * (STAGE_BYTES + 16) + 8);

    if (warp == 4 && threadIdx.x % 32 == 0) {
        int stage = 0;
        unsigned parity = 0;
        for (int step = 0; step < steps; step++) {
            const unsigned to = stages + stage * STAGE_BYTES, barrier = full + stage * 8;
            bulk_wait(free + stage * 8, parity ^ 1);
            bulk_expect(barrier, STAGE_BYTES);
            bulk_load_box(to, &a, step * BLOCK_K, first_row, barrier);
            bulk_load_box(to + A_BYTES, &b, step * BLOCK_K, first_column, barrier);
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    } else if (warp == 5 && threadIdx.x % 32 == 0) {
        int stage = 0;
        unsigned parity = 0;
        for (int step = 0; step < steps; step++) {
            bulk_wait(full + stage * 8, parity);
            tcgen05_after_sync();
            const unsigned long long from = tcgen05_operand(stages + stage * STAGE_BYTES);
#pragma unroll
            for (int i = 0; i < BLOCK_K / 16; i++) {
                tcgen05_multiply(sums, from + i * 2, from + (A_BYTES >> 4) + i * 2,
                                 tcgen05_product<T, BLOCK_M, BLOCK_N>(), step > 0 || i > 0);
            }
            tcgen05_commit(free + stage * 8);
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        tcgen05_commit(done);
    } else if (warp < 4) {
        bulk_wait(done, 0);
        tcgen05_after_sync();
        tcgen05_store<T, BLOCK_N>(sums + ((warp * 32) << 16), c, (long long)first_row + threadIdx.x, first_column, m,
                                  n);
    }
    __syncwarp();
    tcgen05_before_sync();
    __syncthreads();
    if (warp == 5) {
        tcgen05_after_sync();
        tcgen05_give<COLUMNS>(sums);
    }
#endif
}
