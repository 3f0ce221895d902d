/* SPDX-License-Identifier: Apache-2.0 */
#include "model/card/occupancy.h"

#include <math.h>

static int64_t round_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int rft_occupancy_blocks(const rft_gpu_info *gpu, int threads_per_block, int registers, int64_t shared_bytes) {
    if (gpu->warp_size < 1 || threads_per_block < 1 || threads_per_block > gpu->max_threads_per_block) {
        return 0;
    }
    int64_t warps = (threads_per_block + gpu->warp_size - 1) / gpu->warp_size;
    int64_t blocks = least(gpu->max_blocks_per_sm, gpu->max_threads_per_sm / (warps * gpu->warp_size));
    if (registers > 0) {
        int64_t per_warp = round_up((int64_t)registers * gpu->warp_size, 256);
        blocks = least(blocks, gpu->registers_per_sm / per_warp / warps);
    }
    int64_t reserved = gpu->cc_major >= 8 ? 1024 : 0;
    int64_t shared = round_up(shared_bytes, 128) + reserved;
    if (shared_bytes > gpu->shared_per_block) {
        return 0;
    }
    if (shared > 0) {
        blocks = least(blocks, gpu->shared_per_sm / shared);
    }
    return (int)blocks;
}

double rft_occupancy_frac(const rft_gpu_info *gpu, int threads_per_block, int blocks_per_sm) {
    if (gpu->warp_size < 1 || gpu->max_threads_per_sm < 1) {
        return (double)NAN;
    }
    int64_t warps = (threads_per_block + gpu->warp_size - 1) / gpu->warp_size;
    return (double)(warps * blocks_per_sm) * gpu->warp_size / gpu->max_threads_per_sm;
}
