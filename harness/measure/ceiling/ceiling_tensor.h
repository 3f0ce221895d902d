/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling_tensor.h - the matrix units, by our own kernels and by the vendor's library.
 * Method: docs/ceilings.md.
 */
#ifndef RFT_MEASURE_CEILING_TENSOR_H
#define RFT_MEASURE_CEILING_TENSOR_H

#include "measure/device_kernels.h"

/* Measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost:
 * RFT_E_DEVICE. The kernels are loaded and the device is awake. */
int rft_ceilings_tensor(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

/* ---- what is compiled for one tensor ceiling on one architecture; also for the test that compiles them all ---- */

#define RFT_TENSOR_KERNELS 4

typedef struct rft_tensor_kernel {
    const char *entry;   /* name expression */
    const char *text;    /* what it does, for people */
    unsigned threads;    /* of a block */
    double ops_per_step; /* of one block */
} rft_tensor_kernel;

typedef struct rft_tensor_group {
    rft_ceiling_id id;
    const char *reason;                /* why nothing can be measured (count = 0); NULL */
    bool at_least;                     /* the architecture has a faster path than these kernels take */
    const unsigned char *const *texts; /* two, for rft_kernel_group */
    rft_tensor_kernel kernels[RFT_TENSOR_KERNELS];
    size_t count;
} rft_tensor_group;

/* `id`: one of the matrix units. Of `gpu` the architecture and the compute capability are read. Native paths: wgmma for
 * sm_90a; mma.sync for sm_80 ... sm_89 and sm_120, sm_121; FP64 always mma.sync. Sources: PTX ISA, "Warp Level Matrix
 * Instructions" and "Asynchronous Warpgroup Level Matrix Instructions". */
void rft_tensor_group_of(rft_tensor_group *out, rft_ceiling_id id, const rft_gpu_info *gpu, rft_arena *arena);

/* What they compile, each apart from the others. Appends to `groups`, which
 * has room for RFT_TENSOR_GROUPS more; names live in `arena`. */
#define RFT_TENSOR_GROUPS (RFT_CEILING_TENSOR_END - RFT_CEILING_TENSOR_FIRST)
void rft_ceilings_tensor_groups(rft_arena *arena, const rft_gpu_info *gpu, rft_kernel_group *groups, size_t *count);

/* Compiles and tries the kernels of a group (count > 0) and makes the best the ceiling. Errors: as they come. */
int rft_tensor_group_measure(rft_protocol *p, rft_arena *arena, const rft_tensor_group *group, rft_ceiling *out,
                             rft_err *err);

#endif
