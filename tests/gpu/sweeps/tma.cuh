// SPDX-License-Identifier: Apache-2.0
// One barrier in shared memory and the bulk copies that report to it (PTX ISA: mbarrier, cp.async.bulk). sm_90 and newer.
#pragma once

struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned shared_address(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

// By one thread; the block meets before anyone waits.
__device__ __forceinline__ void barrier_open(unsigned long long *barrier, unsigned bytes) {
    const unsigned at = shared_address(barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned long long *barrier) {
    const unsigned at = shared_address(barrier);
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    }
}

__device__ __forceinline__ void load_bulk(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void load_tile(void *to, const CUtensorMap *map, int x, int y, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void load_brick(void *to, const CUtensorMap *map, int x, int y, int z,
                                           unsigned long long *barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
                 : "memory");
}

// What im2col brings for a tap: pixels in the order of memory, from the one at (x, y) of an image on, each moved by
// (right, down).
__device__ __forceinline__ void load_pixels(void *to, const CUtensorMap *map, int channel, int x, int y, int image,
                                            int right, int down, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(to)),
                 "l"(map), "r"(channel), "r"(x), "r"(y), "r"(image), "r"(shared_address(barrier)),
                 "h"((unsigned short)right), "h"((unsigned short)down)
                 : "memory");
}
