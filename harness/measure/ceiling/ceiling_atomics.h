/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling_atomics.h - atomic additions in shared memory and in the L2, spread and on one address.
 * Method: docs/ceilings.md.
 */
#ifndef RFT_MEASURE_CEILING_ATOMICS_H
#define RFT_MEASURE_CEILING_ATOMICS_H

#include "measure/device_kernels.h"

#define RFT_ATOMIC_GROUPS 1
/* Appends what it compiles to `groups`, which has room for RFT_ATOMIC_GROUPS more; names live in `arena`. */
void rft_ceilings_atomic_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count);

/* Measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost:
 * RFT_E_DEVICE. The kernels are loaded and the device is awake. */
int rft_ceilings_atomics(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

#endif
