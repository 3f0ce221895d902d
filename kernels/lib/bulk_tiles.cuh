/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk_tiles.cuh - copies that the tensor memory accelerator makes, and the barriers they report to. sm_90 and newer:
 * include it inside `#if __CUDA_ARCH__ >= 900` or use it in kernels whose body is.
 * Sources: PTX ISA 8.8, "Asynchronous copy: bulk" and "mbarrier".
 */
#ifndef RFT_KERNELS_BULK_TILES_CUH
#define RFT_KERNELS_BULK_TILES_CUH

/* As in cuda.h, which NVRTC cannot include. */
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned shared_address(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

#if __CUDA_ARCH__ >= 900

/* By one thread, for one arrival a phase; the block meets (`__syncthreads`) before anyone waits. */
__device__ __forceinline__ void bulk_barrier_init(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

/* Behind the last init: the accelerator sees the barriers. */
__device__ __forceinline__ void bulk_barrier_publish() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* The one arrival: the phase ends when `bytes` have been copied. */
__device__ __forceinline__ void bulk_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void bulk_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile(
            "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
    }
}

/* `bytes` and both addresses are multiples of 16. */
__device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* The box whose first element is in column x of row y; what lies outside of the tensor arrives as zeros. */
__device__ __forceinline__ void bulk_load_box(unsigned to, const CUtensorMap *map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* What lies outside of the tensor is not written. */
__device__ __forceinline__ void bulk_store_box(const CUtensorMap *map, int x, int y, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(from)
                 : "memory");
}

/* Ends the group of stores of this thread and waits until their shared memory has been read. */
__device__ __forceinline__ void bulk_stores_have_read() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* In every thread that wrote to shared memory what the accelerator reads next, in front of the block's barrier. */
__device__ __forceinline__ void bulk_fence_writes() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
#endif
