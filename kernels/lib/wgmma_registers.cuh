/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma_registers.cuh - a warpgroup's multiplication as in wgmma.cuh, with A (64 x 16, of e4m3 64 x 32) in registers:
 * what one product left as sums is the next one's A. Word i of thread t is a pair of neighbours along k, the first in
 * the lower half: row 16 (t / 32) + t % 32 / 4 + 8 (i % 2), k = 8 (i / 2) + 2 (t % 4). So the sums of two neighbouring
 * eights of columns, rounded in pairs, are the words of 16 k's. B lies with its columns contiguous.
 * Of e4m3 a word is four neighbours, k = 16 (i / 2) + 4 (t % 4), and B lies with k contiguous.
 */
#ifndef RFT_KERNELS_WGMMA_REGISTERS_CUH
#define RFT_KERNELS_WGMMA_REGISTERS_CUH

#include "wgmma.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* Of B with columns contiguous: a line of 128 bytes is a k, 64 columns wide, and the next 64 columns are `chunk` bytes
 * on (a multiple of 1024). 16 k's further: + 2048 >> 4. */
__device__ __forceinline__ unsigned long long wgmma_operand_chunks(unsigned address, unsigned chunk) {
    constexpr unsigned long long EIGHT_LINES = 1024 >> 4, SWIZZLE_128 = 1;
    return SWIZZLE_128 << 62 | EIGHT_LINES << 32 | (unsigned long long)(chunk >> 4) << 16 | (address & 0x3ffff) >> 4;
}

/* N columns, 8 EIGHTS sums; what follows are the numbers of the operands behind these. */
#define WGMMA_DEFINE_REGISTERS(N, EIGHTS, A, B, ADD)                                                                   \
    template <typename T>                                                                                              \
    __device__ __forceinline__ void wgmma_registers(float(&d)[8 * EIGHTS], const unsigned *a, unsigned long long b,    \
                                                    int add) {                                                         \
        if constexpr (wgmma_same<T, __nv_bfloat16>) {                                                                  \
            asm volatile(WGMMA_TEXT(N, "k16.f32.bf16.bf16", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1, 1")               \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                              \
        } else if constexpr (wgmma_same<T, unsigned char>) {                                                           \
            asm volatile(WGMMA_TEXT(N, "k32.f32.e4m3.e4m3", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1")                  \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                              \
        } else {                                                                                                       \
            static_assert(wgmma_same<T, __half>, "one of the types above");                                            \
            asm volatile(WGMMA_TEXT(N, "k16.f32.f16.f16", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1, 1")                 \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                              \
        }                                                                                                              \
    }
WGMMA_DEFINE_REGISTERS(64, 4, "{%32,%33,%34,%35}", "%36", "%37")
WGMMA_DEFINE_REGISTERS(128, 8, "{%64,%65,%66,%67}", "%68", "%69")
WGMMA_DEFINE_REGISTERS(256, 16, "{%128,%129,%130,%131}", "%132", "%133")

#endif
#endif
