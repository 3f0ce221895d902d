/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_info.h - the facts of a device that scripts, pruning and ceilings need. From the device, the recording or --arch.
 */
#ifndef RFT_MODEL_GPU_INFO_H
#define RFT_MODEL_GPU_INFO_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rft_gpu_info {
    const char *name;   /* "NVIDIA H200" */
    const char *arch;   /* what NVRTC is asked for: "sm_90a" (the "a" form where it exists) */
    const char *uuid;   /* "GPU-..." or "" */
    const char *pci_id; /* "0000:01:00.0" or "" */
    int cc_major, cc_minor;
    int sms;
    int warp_size;
    int max_threads_per_block;
    int max_threads_per_sm;
    int max_blocks_per_sm;
    int registers_per_block;
    int registers_per_sm;
    int64_t shared_per_block;        /* bytes, opt-in maximum (static + dynamic) */
    int64_t shared_per_block_static; /* bytes without opt-in (48 KiB) */
    int64_t shared_per_sm;           /* bytes */
    int64_t l2_bytes;
    int64_t persisting_l2_max_bytes; /* 0: no access policy window */
    int64_t memory_bytes;            /* total device memory */
    int64_t memory_free_bytes;       /* when asked; = memory_bytes when unknown */
    int64_t max_grid[3];
    int max_block[3];
    int max_cluster; /* blocks, portable limit; 0: no clusters */
    bool cooperative;
    int sm_clock_khz;     /* maximum */
    int memory_clock_khz; /* 0 when unknown */
    int memory_bus_bits;  /* 0 when unknown */
    int driver_version;   /* 13000 for 13.0; 0 without driver */
    bool representative;  /* made from --arch alone: stands for the architecture, is no device */
} rft_gpu_info;

/* The facts of a representative device of an architecture ("sm_90a" -> as an H100 SXM), for `check --arch`.
 * RFT_E_USAGE with the list of known ones otherwise. The strings are static. */
int rft_gpu_info_for_arch(rft_gpu_info *out, const char *arch, rft_err *err);

/* "sm_90a" for 9.0, "sm_100a", "sm_120a", "sm_86": the architecture to compile for on a device. Static storage. */
const char *rft_gpu_info_native_arch(int cc_major, int cc_minor);

/* FP32 lanes (= FMA per clock) of one SM, FP64 lanes; 0 when unknown. CUDA C++ Programming Guide, "Arithmetic
 * Instructions" (throughput table). */
int rft_gpu_info_fp32_lanes(const rft_gpu_info *gpu);
int rft_gpu_info_fp64_lanes(const rft_gpu_info *gpu);

/* Deep copy into an arena. */
rft_gpu_info rft_gpu_info_copy(rft_arena *arena, const rft_gpu_info *gpu);

#endif
