/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling_host.h - copies between device and host: one way, the other, both at once. */
#ifndef RFT_MEASURE_CEILING_HOST_H
#define RFT_MEASURE_CEILING_HOST_H

#include "measure/device_kernels.h"

/* As rft_ceilings_memory(). */
int rft_ceilings_host(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

#endif
