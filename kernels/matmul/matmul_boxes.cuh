/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_boxes.cuh - places in shared memory for tiles that the tensor memory accelerator brings to mma.sync (sm_90 and
 * newer). */
#ifndef RFT_KERNELS_MATMUL_BOXES_CUH
#define RFT_KERNELS_MATMUL_BOXES_CUH

#include "matmul_wgmma.cuh"

#if __CUDA_ARCH__ >= 900

/*
 * Tiles of A (BLOCK_M lines) and B (BLOCK_N), 128 bytes of k deep, in STAGES places, named by their bytes from the
 * first. Barrier full(place) ends its phase when the place has arrived, free(place) when all WARPS have read it. They
 * lie BESIDE bytes behind the places.
 */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES, int WARPS, int BESIDE = 0> struct BoxPlaces {
    static constexpr int DEPTH = 128 / (int)sizeof(T), A_BYTES = BLOCK_M * 128, STAGE_BYTES = A_BYTES + BLOCK_N * 128;
    static constexpr int BARRIERS_AT = STAGES * STAGE_BYTES + BESIDE, BYTES = BARRIERS_AT + STAGES * 16;

    unsigned begin;

    __device__ __forceinline__ explicit BoxPlaces(unsigned stages) : begin(stages) {
    }
    __device__ __forceinline__ unsigned full(unsigned place) const {
        return begin + BARRIERS_AT + place / STAGE_BYTES * 8;
    }
    __device__ __forceinline__ unsigned free(unsigned place) const {
        return full(place) + STAGES * 8;
    }
    __device__ __forceinline__ static void advance(unsigned &place, unsigned &phase) {
        place = place == (STAGES - 1) * STAGE_BYTES ? 0 : place + STAGE_BYTES;
        phase ^= place == 0;
    }
    /* By all threads, before anything else. */
    __device__ __forceinline__ void init() const {
        if (threadIdx.x == 0) {
            for (int s = 0; s < STAGES; s++) {
                bulk_barrier_init(full(s * STAGE_BYTES));
                bulk_barrier_init(free(s * STAGE_BYTES), WARPS);
            }
            bulk_barrier_publish();
        }
        __syncthreads();
    }
    /* By one thread, of a place that is free: a tile of C's operands from k = `from` on. */
    __device__ __forceinline__ void load(unsigned place, const CUtensorMap *a, const CUtensorMap *b, int from,
                                         Tile tile) const {
        bulk_expect(full(place), STAGE_BYTES);
        bulk_load_box(begin + place, a, from, tile.row * BLOCK_M, full(place));
        bulk_load_box(begin + place + A_BYTES, b, from, tile.column * BLOCK_N, full(place));
    }
    /* The warp has read what is there. */
    __device__ __forceinline__ void leave(unsigned place) const {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            bulk_arrive(free(place));
        }
    }
};

#endif
#endif
