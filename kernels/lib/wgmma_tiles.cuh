/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma_tiles.cuh - tiles of operands in shared memory, brought by the tensor memory accelerator and multiplied
 * by warpgroups: the main loop of kernels for sm_90a, whatever calls it. Places in a tile: wgmma.cuh.
 */
#ifndef RFT_KERNELS_WGMMA_TILES_CUH
#define RFT_KERNELS_WGMMA_TILES_CUH

#include "bulk_tiles.cuh"
#include "wgmma.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/*
 * LINES rows of A or columns of B, BLOCK_K deep, in slabs of 128 bytes; SIZE bytes an element. PARTS blocks of a
 * cluster use the same tile: each brings a part of it and sends that to all of them. The tensor map's box is 128 bytes
 * wide and LINES / PARTS high where k is contiguous (BY_K), else 64 / PARTS high, with a swizzle of 128 bytes.
 */
template <bool BY_K_, int LINES, int BLOCK_K, int PARTS = 1, int SIZE = 2> struct WgmmaTile {
    static constexpr bool BY_K = BY_K_;
    static constexpr int WIDE = 128 / SIZE, SLABS = BLOCK_K / WIDE, SLAB_BYTES = LINES * 128,
                         BYTES = SLABS * SLAB_BYTES;
    static constexpr int BOX_LINES = (BY_K ? LINES : 64) / PARTS;
    static_assert(BLOCK_K % WIDE == 0 && (BY_K || (LINES % 64 == 0 && SIZE == 2)), "whole slabs and chunks");
    static_assert(LINES % PARTS == 0 && BOX_LINES % 8 == 0 && BOX_LINES <= 256, "a part begins like the swizzle");

    /* By one thread, behind bulk_expect of BYTES in every block that has a bit in `blocks`. */
    __device__ __forceinline__ static void load(unsigned to, const CUtensorMap *map, int line, int k, unsigned part,
                                                unsigned blocks, unsigned barrier) {
        const int skip = part * BOX_LINES;
#pragma unroll
        for (int slab = 0; slab < SLABS; slab++) {
            const unsigned slab_to = to + slab * SLAB_BYTES + skip * 128;
            if (BY_K) {
                load_box(slab_to, map, k + slab * WIDE, line + skip, blocks, barrier);
            } else {
#pragma unroll
                for (int chunk = 0; chunk < LINES / 64; chunk++) {
                    load_box(slab_to + chunk * 8192, map, line + chunk * 64, k + slab * 64 + skip, blocks, barrier);
                }
            }
        }
    }

    /* The 64 lines of the tile at `place` that begin with `line`, a multiple of 64. */
    __device__ __forceinline__ static unsigned long long operand(unsigned place, int line = 0) {
        return wgmma_operand<BY_K>(place + line * 128);
    }

    /* What is added to an operand for its 32 bytes of k number `step`. */
    __device__ __forceinline__ static constexpr int at_step(int step) {
        return step / 4 * (SLAB_BYTES >> 4) + step % 4 * wgmma_step<BY_K>();
    }

  private:
    __device__ __forceinline__ static void load_box(unsigned to, const CUtensorMap *map, int x, int y, unsigned blocks,
                                                    unsigned barrier) {
        if (PARTS > 1) {
            bulk_load_box_to(blocks, to, map, x, y, barrier);
        } else {
            bulk_load_box(to, map, x, y, barrier);
        }
    }
};

/* sums += a tile of A by a tile of B, asynchronously, as one group: 64 WAVES rows by 2 COUNT columns. `add` false: sums
 * are set. */
template <typename T, class A, class B, int BLOCK_K, typename SUM, int WAVES, int COUNT>
__device__ __forceinline__ void wgmma_tiles(SUM (&sums)[WAVES][COUNT], unsigned long long a, unsigned long long b,
                                            bool add) {
    wgmma_hold(sums);
    wgmma_begin();
#pragma unroll
    for (int step = 0; step < BLOCK_K * (int)sizeof(T) / 32; step++) {
#pragma unroll
        for (int wave = 0; wave < WAVES; wave++) {
            wgmma<T, A::BY_K, B::BY_K>(sums[wave], a + A::at_step(step) + wave * (64 * 128 >> 4), b + B::at_step(step),
                                       step > 0 || add);
        }
    }
    wgmma_commit();
    wgmma_hold(sums);
}

/* Where in a ring of STAGES a pipeline stands: the stage, and the parity of the barriers' phase there. */
template <int STAGES> struct RingPlace {
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    __device__ __forceinline__ void skip(int steps) {
        const int ahead = stage + steps;
        parity ^= ahead / STAGES & 1;
        stage = ahead % STAGES;
    }
};

#endif
#endif
