/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_bulk.cuh - contiguous bulk copies between device and shared memory, and the barriers that their loads report to
 * (PTX ISA 8.0: mbarrier, cp.async.bulk, createpolicy). sm_90 and newer; addresses and sizes are multiples of 16 bytes.
 */
#ifndef RFT_KERNELS_STREAM_BULK_CUH
#define RFT_KERNELS_STREAM_BULK_CUH

__device__ __forceinline__ unsigned in_shared(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

/* By one thread, for all barriers; the block meets before anyone waits. */
__device__ __forceinline__ void bulk_barriers_init(unsigned long long *barriers, int count) {
    for (int i = 0; i < count; i++) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(barriers + i)) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* The phase ends when so many bytes have arrived. */
__device__ __forceinline__ void bulk_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(barrier)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void bulk_wait(unsigned long long *barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(in_shared(barrier)), "r"(parity)
                     : "memory");
    }
}

/* What is touched once shall leave L2 before what is not. */
__device__ __forceinline__ unsigned long long policy_evict_first() {
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

template <bool HINT>
__device__ __forceinline__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier,
                                          unsigned long long policy) {
    if (HINT) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                     " [%0], [%1], %2, [%3], %4;" ::"r"(in_shared(to)),
                     "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(in_shared(barrier)), "l"(policy)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         in_shared(to)),
                     "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(in_shared(barrier))
                     : "memory");
    }
}

/* A group of its own. What ordinary stores wrote to `from` needs bulk_fence() by each writer and a barrier before. */
template <bool HINT>
__device__ __forceinline__ void bulk_store(void *to, const void *from, unsigned bytes, unsigned long long policy) {
    if (HINT) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
                         __cvta_generic_to_global(to)),
                     "r"(in_shared(from)), "r"(bytes), "l"(policy)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                     "r"(in_shared(from)), "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until all but the PENDING latest stores have read their shared memory. */
template <int PENDING> __device__ __forceinline__ void bulk_stores_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

__device__ __forceinline__ void bulk_fence() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
