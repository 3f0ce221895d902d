/* SPDX-License-Identifier: Apache-2.0 */
/* family.h - sweeps that belong together: those whose kernels one source file has. */
#ifndef RFT_MODEL_FAMILY_H
#define RFT_MODEL_FAMILY_H

#include "base/arena.h"
#include "model/sweep/sweep.h"

/* "stream" of kernels/stream.cu, which the first kernel comes from that is no library's; else the sweep's own name. */
const char *rft_sweep_family(const rft_sweep *sweep, rft_arena *arena);

#endif
