/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling_memory.h - device memory, L2, L1, shared memory, and copies between host and device.
 * Method: docs/ceilings.md.
 */
#ifndef RFT_MEASURE_CEILING_MEMORY_H
#define RFT_MEASURE_CEILING_MEMORY_H

#include "measure/device_kernels.h"

#define RFT_MEMORY_GROUPS 5
/* Appends what it compiles to `groups`, which has room for RFT_MEMORY_GROUPS more; names live in `arena`. */
void rft_ceilings_memory_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count);

/* Measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost:
 * RFT_E_DEVICE. The kernels are loaded and the device is awake. */
int rft_ceilings_memory(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

#endif
