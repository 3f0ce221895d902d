/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_async.cuh - what kernels with cp.async (sm_80 and newer) share: groups of copies, and what an older architecture
 * does instead, which copies at once, through registers, so that its groups are always complete. Source: PTX ISA,
 * "cp.async".
 */
#ifndef RFT_KERNELS_COPY_ASYNC_CUH
#define RFT_KERNELS_COPY_ASYNC_CUH

__device__ __forceinline__ void copy_async_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most PENDING of the newest groups are still on their way. */
template <int PENDING> __device__ __forceinline__ void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

/* BYTES to a place in shared memory, through L1 or past it; zeros where not `present`. */
template <int BYTES, bool THROUGH_L1 = true>
__device__ __forceinline__ void copy_at_once(unsigned to, const void *from, bool present = true) {
    const unsigned *words = static_cast<const unsigned *>(from);
#pragma unroll
    for (int i = 0; i < BYTES / 4; i++) {
        const unsigned word = present ? THROUGH_L1 ? __ldca(words + i) : __ldcg(words + i) : 0;
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + 4 * i), "r"(word) : "memory");
    }
}

#endif
