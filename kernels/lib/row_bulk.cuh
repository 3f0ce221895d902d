/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_bulk.cuh - contiguous pieces between global and shared memory by the copy engine (PTX ISA: cp.async.bulk,
 * mbarrier). sm_90 and newer. Addresses and sizes are multiples of 16 bytes.
 */
#ifndef RFT_KERNELS_ROW_BULK_CUH
#define RFT_KERNELS_ROW_BULK_CUH

/* Shared memory is addressed in 32 bits: NVRTC keeps generic pointers in 64. */
__device__ __forceinline__ unsigned int shared_place(const void *place) {
    return (unsigned int)__cvta_generic_to_shared(place);
}

/* By one thread, before bulk_barriers_ready. */
__device__ __forceinline__ void bulk_barrier_open(unsigned int barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
/* By the same thread: the copy engine sees the barriers from here on. */
__device__ __forceinline__ void bulk_barriers_ready() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Announces the bytes of all copies of a phase, which ends when they are there. */
__device__ __forceinline__ void bulk_expect(unsigned int bytes, unsigned int barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_copy(unsigned int to, const void *from, unsigned int bytes, unsigned int barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* A phase of one copy. */
__device__ __forceinline__ void bulk_load(unsigned int to, const void *from, unsigned int bytes, unsigned int barrier) {
    bulk_expect(bytes, barrier);
    bulk_copy(to, from, bytes, barrier);
}

__device__ __forceinline__ void bulk_wait(unsigned int barrier, unsigned int parity) {
    unsigned int done = 0;
    while (!done) {
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

/* A group of its own. */
__device__ __forceinline__ void bulk_store(void *to, unsigned int from, unsigned int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(from), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* All stores of this thread but the last PENDING have read their source, which may then be written again. */
template <int PENDING> __device__ __forceinline__ void bulk_stores_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
__device__ __forceinline__ void bulk_stores_done() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif
