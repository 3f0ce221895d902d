/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk_tiles.cuh - copies that the tensor memory accelerator makes, and the barriers they report to. sm_90 and newer:
 * include it inside `#if __CUDA_ARCH__ >= 900` or use it in kernels whose body is.
 * Sources: PTX ISA 8.8, "Asynchronous copy: bulk" and "mbarrier".
 */
#ifndef RFT_KERNELS_BULK_TILES_CUH
#define RFT_KERNELS_BULK_TILES_CUH

#include "launch_order.cuh"
#include "shared_address.cuh"

/* As in cuda.h, which NVRTC cannot include. */
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};

#if __CUDA_ARCH__ >= 900

/* By one thread, for so many arrivals a phase; the block (the cluster) meets before anyone waits. */
__device__ __forceinline__ void bulk_barrier_init(unsigned barrier, unsigned arrivals = 1) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
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

/* The same to L2 alone; no barrier is told of it. */
__device__ __forceinline__ void bulk_prefetch(const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes)
                 : "memory");
}

/* The map itself, so that the first copy by it need not wait for it. */
__device__ __forceinline__ void bulk_fetch_map(const CUtensorMap *map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* The box whose first element is in column x of row y; what lies outside of the tensor arrives as zeros. */
__device__ __forceinline__ void bulk_load_box(unsigned to, const CUtensorMap *map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* The same to L2 alone. What is not written yet may be fetched: L2 is where it will be written. */
__device__ __forceinline__ void bulk_prefetch_box(const CUtensorMap *map, int x, int y) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y)
                 : "memory");
}

/* The same of three dimensions. */
__device__ __forceinline__ void bulk_load_brick(unsigned to, const CUtensorMap *map, int x, int y, int z,
                                                unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}

/* A box into every block of the cluster that `blocks` has the bit of: to the same place there, and its bytes count
 * at the barrier at the same place there. */
__device__ __forceinline__ void bulk_load_box_to(unsigned blocks, unsigned to, const CUtensorMap *map, int x, int y,
                                                 unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((unsigned short)blocks)
                 : "memory");
}

/* A place among images: rows of pixels, image after image. */
struct Pixel {
    int x, y, image;
};

/* Channels of pixels beside each other, from `first` on; what lies outside of the image arrives as zeros. */
__device__ __forceinline__ void bulk_load_row(unsigned to, const CUtensorMap *map, int channel, Pixel first,
                                              unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
                 "l"(map), "r"(channel), "r"(first.x), "r"(first.y), "r"(first.image), "r"(barrier)
                 : "memory");
}

/* Channels of pixels in the order of memory, by an im2col map: from `first` on, which counts from the map's lower
 * corner, each looked for so much to the right and down; what lies outside of its image arrives as zeros. */
__device__ __forceinline__ void bulk_load_pixels(unsigned to, const CUtensorMap *map, int channel, Pixel first,
                                                 int right, int down, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
                 "l"(map), "r"(channel), "r"(first.x), "r"(first.y), "r"(first.image), "r"(barrier),
                 "h"((unsigned short)right), "h"((unsigned short)down)
                 : "memory");
}

/* The same into blocks of the cluster, as bulk_load_box_to does. */
__device__ __forceinline__ void bulk_load_pixels_to(unsigned blocks, unsigned to, const CUtensorMap *map, int channel,
                                                    Pixel first, int right, int down, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(to),
                 "l"(map), "r"(channel), "r"(first.x), "r"(first.y), "r"(first.image), "r"(barrier),
                 "h"((unsigned short)right), "h"((unsigned short)down), "h"((unsigned short)blocks)
                 : "memory");
}

/* Where `place` of this block lies in block `rank` of the cluster, for bulk_arrive_at. */
__device__ __forceinline__ unsigned bulk_place_in(unsigned place, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(rank));
    return there;
}

/* An arrival at a barrier of any block of the cluster: it says that reading is done, and publishes no stores
 * (.release.cluster would wait for all of this thread's). */
__device__ __forceinline__ void bulk_arrive_at(unsigned barrier_there) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier_there) : "memory");
}

/* An arrival at a barrier of this block. */
__device__ __forceinline__ void bulk_arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Every thread of the cluster comes here before one goes on. */
__device__ __forceinline__ void cluster_meet() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/* What lies outside of the tensor is not written. */
__device__ __forceinline__ void bulk_store_box(const CUtensorMap *map, int x, int y, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(from)
                 : "memory");
}

/* Ends the group of stores of this thread. */
__device__ __forceinline__ void bulk_stores_end() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until the shared memory of all groups of this thread but the PENDING newest has been read. */
template <int PENDING> __device__ __forceinline__ void bulk_stores_wait() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* Ends the group of stores of this thread and waits until their shared memory has been read. */
__device__ __forceinline__ void bulk_stores_have_read() {
    bulk_stores_end();
    bulk_stores_wait<0>();
}

/* In every thread that wrote to shared memory what the accelerator reads next, in front of the block's barrier. */
__device__ __forceinline__ void bulk_fence_writes() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif

#endif
