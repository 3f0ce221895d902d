/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceilings.h - measures all ceilings (private to harness/measure). Method: docs/ceilings.md. Datasheet values and
 * hardware limits are set later, by model/roofline.
 */
#ifndef RFT_MEASURE_CEILINGS_H
#define RFT_MEASURE_CEILINGS_H

#include "measure/device_kernels.h"

int rft_ceilings_measure(rft_protocol *p, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                         rft_err *err);
/* What the `wanted` ceilings compile on this device (its architecture and compute capability), apart from each other so
 * that it can be done side by side. */
size_t rft_ceilings_groups(rft_arena *arena, const rft_gpu_info *gpu, rft_ceiling_set wanted, rft_kernel_group **out);
/* Raised whenever a ceiling is measured another way by the same kernels. */
#define RFT_CEILINGS_METHOD "1"

#endif
