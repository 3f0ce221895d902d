/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - resident blocks of a kernel by arithmetic, for machines without a GPU. The driver's own answer is used
 * wherever there is a driver.
 *
 * Formula: CUDA C++ Programming Guide, "Occupancy": the smallest of the limits by threads, blocks, registers (allocated
 * in units of 256 a warp) and shared memory (allocated in units of 128 bytes, 1 KiB reserved a block from sm_80 on).
 */
#ifndef RFT_MODEL_OCCUPANCY_H
#define RFT_MODEL_OCCUPANCY_H

#include "model/card/gpu_info.h"

/* Resident blocks per SM, 0 when the kernel does not fit at all. registers < 0 (not known) does not limit. 0 on a
 * device that does not say what it can. */
int rft_occupancy_blocks(const rft_gpu_info *gpu, int threads_per_block, int registers, int64_t shared_bytes);

#define RFT_TOO_COOPERATIVE "a cooperative grid of %lld blocks, %lld fit at once: resident() is as many as fit"

/* Resident warps over the most that fit: 0..1. NaN on a device that does not say what it can. */
double rft_occupancy_frac(const rft_gpu_info *gpu, int threads_per_block, int blocks_per_sm);

#endif
