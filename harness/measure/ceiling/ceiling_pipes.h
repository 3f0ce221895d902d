/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling_pipes.h - FP32, FP64, packed FP16, ex2 and INT32.
 * Method: docs/ceilings.md.
 */
#ifndef RFT_MEASURE_CEILING_PIPES_H
#define RFT_MEASURE_CEILING_PIPES_H

#include "measure/device_kernels.h"

#define RFT_PIPE_GROUPS 3
/* Appends what it compiles to `groups`, which has room for RFT_PIPE_GROUPS more; names live in `arena`. */
void rft_ceilings_pipe_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count);

/* Measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost:
 * RFT_E_DEVICE. The kernels are loaded and the device is awake. */
int rft_ceilings_pipes(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

#endif
