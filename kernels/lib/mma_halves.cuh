/* SPDX-License-Identifier: Apache-2.0 */
/* mma_halves.cuh - fp16 on sm_75's tensor cores in the fragments of m16n8k16. Source: PTX ISA 8.8, "mma.m16n8k8". */
#ifndef RFT_KERNELS_MMA_HALVES_CUH
#define RFT_KERNELS_MMA_HALVES_CUH

#if __CUDA_ARCH__ < 800
/* sums (16 x 8) += a (16 x 16) b (16 x 8): sm_75 has half the depth. */
__device__ __forceinline__ void multiply_halves(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                     : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
    }
}
#endif

#endif
