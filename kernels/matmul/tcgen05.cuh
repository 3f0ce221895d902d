/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcgen05.cuh - the tensor cores of sm_100a: 128 x N sums in tensor memory, operands of 16 bits in shared memory. No
 * card has run it yet. Sources: PTX ISA 9.0, "Tensor memory", "tcgen05: instruction descriptor", "tcgen05: shared
 * memory descriptor".
 */
#ifndef RFT_KERNELS_TCGEN05_CUH
#define RFT_KERNELS_TCGEN05_CUH

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

/* By all threads: `barriers` of one arrival, COLUMNS of tensor memory, which the sixth warp takes. Behind the barriers
 * in shared memory is room for where the columns begin, which it returns. */
template <int COLUMNS> __device__ __forceinline__ unsigned tcgen05_begin(unsigned char *barriers, int count) {
    const unsigned first = shared_address(barriers);
    if (threadIdx.x == 0) {
        for (int i = 0; i < count; i++) {
            bulk_barrier_init(first + i * 8);
        }
        bulk_barrier_publish();
    }
    if (threadIdx.x / 32 == 5) {
        tcgen05_take<COLUMNS>(first + count * 8);
    }
    tcgen05_before_sync();
    __syncthreads();
    tcgen05_after_sync();
    return *reinterpret_cast<const unsigned *>(barriers + count * 8);
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
#endif
