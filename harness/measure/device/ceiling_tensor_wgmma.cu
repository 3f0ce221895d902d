/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor ceilings by wgmma (sm_90a): each warpgroup multiplies 64 x N tiles, its accumulators in registers, B from
 * shared memory, A from shared memory or registers. Rows of a tile are 128 bytes: four slices of K, in the 128-byte
 * swizzle. Any permutation of random operands is random, so nothing is swizzled when they are written. Every step
 * pairs the slices of A with those of B in REPEATS (up to 4) ways into one sum, which begins at zero again, as that of
 * a matrix product does: sums stay of the operands' size. Nothing but shared memory is read in the loop. The wait at
 * its end cannot be left out (ptxas would serialise all of it); another warpgroup of the SM computes meanwhile.
 */
#define RFT_WGMMA_A_BYTES 8192
#define RFT_WGMMA_ROW_BYTES 128

/* Registers of the accumulators, as asm operands. */
#define RFT_REGISTERS_64                                                                                               \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                                 \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                                 \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define RFT_REGISTERS_128                                                                                              \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                                 \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                                 \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                                 \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                                 \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                                 \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                     \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define RFT_OPERANDS_8(C, d, i)                                                                                        \
    C(d[i]), C(d[i + 1]), C(d[i + 2]), C(d[i + 3]), C(d[i + 4]), C(d[i + 5]), C(d[i + 6]), C(d[i + 7])
#define RFT_OPERANDS_32(C, d, i)                                                                                       \
    RFT_OPERANDS_8(C, d, i), RFT_OPERANDS_8(C, d, i + 8), RFT_OPERANDS_8(C, d, i + 16), RFT_OPERANDS_8(C, d, i + 24)
#define RFT_OPERANDS_64(C, d) RFT_OPERANDS_32(C, d, 0), RFT_OPERANDS_32(C, d, 32)
#define RFT_OPERANDS_128(C, d)                                                                                         \
    RFT_OPERANDS_32(C, d, 0), RFT_OPERANDS_32(C, d, 32), RFT_OPERANDS_32(C, d, 64), RFT_OPERANDS_32(C, d, 96)

/* m64nN: COUNT accumulators, then the asm operands %X0 ... %X4 behind them. `keep` 0: the sum begins at zero. */
#define RFT_WGMMA_APPLY(N, COUNT, X0, X1, X2, X3, X4, X5, C, K, TYPES, TAIL, TAIL_RS)                                  \
    static __device__ __forceinline__ void apply(value(&d)[COUNT], rft_u64 a, rft_u64 b, rft_u32 keep) {               \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X2 ", 0;\n"                                                   \
                     "wgmma.mma_async.sync.aligned.m64n" #N K TYPES " {" RFT_REGISTERS_##COUNT "}, " X0 ", " X1        \
                                                                                               ", p" TAIL ";\n}\n"     \
                     : RFT_OPERANDS_##COUNT(C, d)                                                                      \
                     : "l"(a), "l"(b), "r"(keep));                                                                     \
    }                                                                                                                  \
    static __device__ __forceinline__ void apply(value(&d)[COUNT], const rft_u32(&a)[4], rft_u64 b, rft_u32 keep) {    \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X5 ", 0;\n"                                                   \
                     "wgmma.mma_async.sync.aligned.m64n" #N K TYPES " {" RFT_REGISTERS_##COUNT                         \
                     "}, {" X0 ", " X1 ", " X2 ", " X3 "}, " X4 ", p" TAIL_RS ";\n}\n"                                 \
                     : RFT_OPERANDS_##COUNT(C, d)                                                                      \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));                                 \
    }

#define RFT_WGMMA_OP(NAME, VALUE, C, K, TYPES, TAIL, TAIL_RS)                                                          \
    struct rft_wgmma_op_##NAME {                                                                                       \
        typedef VALUE value;                                                                                           \
        typedef rft_data_##NAME data;                                                                                  \
        RFT_WGMMA_APPLY(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", C, K, TYPES, TAIL, TAIL_RS)                 \
        RFT_WGMMA_APPLY(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", C, K, TYPES, TAIL, TAIL_RS)          \
    };

RFT_WGMMA_OP(tf32, float, "+f", "k8", ".f32.tf32.tf32", ", 1, 1", ", 1, 1")
RFT_WGMMA_OP(bf16, float, "+f", "k16", ".f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 0")
RFT_WGMMA_OP(fp16, float, "+f", "k16", ".f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0")
RFT_WGMMA_OP(fp8, float, "+f", "k32", ".f32.e4m3.e4m3", ", 1, 1", ", 1, 1")
RFT_WGMMA_OP(int8, int, "+r", "k32", ".s32.s8.s8", "", "")

/* Matrix descriptor of a K-major tile in the 128-byte swizzle: 8 rows of 128 bytes follow each other (PTX ISA,
 * "Matrix Descriptor Format"). */
RFT_DEVICE rft_u64 rft_tile_descriptor(const void *tile) {
    rft_u64 address = (rft_u64)__cvta_generic_to_shared(tile);
    return (address & 0x3FFFF) >> 4 | 1ull << 16 | (rft_u64)(8 * RFT_WGMMA_ROW_BYTES >> 4) << 32 | 1ull << 62;
}

#define RFT_SLICE (32 >> 4) /* from one slice of K to the next, in the units of a descriptor */

template <class OP, int N, int WARPGROUPS, int A_IN_REGISTERS, int REPEATS>
RFT_DEVICE void rft_wgmma_loop(rft_u32 steps, rft_u32 never, rft_u32 *out) {
    enum { B_BYTES = N * RFT_WGMMA_ROW_BYTES, BYTES = B_BYTES + (A_IN_REGISTERS ? 0 : WARPGROUPS * RFT_WGMMA_A_BYTES) };
    __shared__ __align__(1024) rft_u8 tiles[BYTES];
    typename OP::value d[N / 2];
    rft_u32 a[4][4];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x) {
        ((rft_u32 *)tiles)[i] = OP::data::word(rft_thread_random(i));
    }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        a[i / 4][i % 4] = OP::data::word(rft_thread_random(0x8000 + i));
    }
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        d[i] = 0;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    rft_u64 b_tile = rft_tile_descriptor(tiles);
    /* The same in all threads of a warp, and known to be: it stays in uniform registers. */
    rft_u32 warpgroup = __shfl_sync(0xFFFFFFFFu, threadIdx.x / 128, 0);
    rft_u64 a_tile = rft_tile_descriptor(tiles + B_BYTES + warpgroup * RFT_WGMMA_A_BYTES);
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 4 * REPEATS; i++) {
            rft_u64 b = b_tile + (i + i / 4) % 4 * RFT_SLICE;
            if (A_IN_REGISTERS) {
                OP::apply(d, a[i % 4], b, i > 0);
            } else {
                OP::apply(d, a_tile + i % 4 * RFT_SLICE, b, i > 0);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    rft_u32 sum = 0;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        sum += rft_fold(d[i]);
    }
    if (sum == never) {
        *out = sum;
    }
}

#define RFT_WGMMA_KERNEL(NAME)                                                                                         \
    template <int N, int WARPGROUPS, int A_IN_REGISTERS, int REPEATS>                                                  \
    __global__ void __launch_bounds__(128 * WARPGROUPS) rft_wgmma_##NAME(rft_u32 steps, rft_u32 never, rft_u32 *out) { \
        rft_wgmma_loop<rft_wgmma_op_##NAME, N, WARPGROUPS, A_IN_REGISTERS, REPEATS>(steps, never, out);                \
    }

RFT_WGMMA_KERNEL(tf32)
RFT_WGMMA_KERNEL(bf16)
RFT_WGMMA_KERNEL(fp16)
RFT_WGMMA_KERNEL(fp8)
RFT_WGMMA_KERNEL(int8)
