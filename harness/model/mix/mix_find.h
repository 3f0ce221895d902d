/* SPDX-License-Identifier: Apache-2.0 */
/* mix_find.h - what of some sweeps a mix means, before anything is measured: `rooftune run --mix`. Pure. */
#ifndef RFT_MODEL_MIX_FIND_H
#define RFT_MODEL_MIX_FIND_H

#include "model/mix/mix.h"
#include "model/sweep/sweep.h"

/* Does the operation mean this problem of this sweep? */
bool rft_mix_wants(const rft_mix_item *item, const rft_sweep *sweep, size_t problem);
/* Why none of these sweeps, or more than one problem of one, is what it means: "gemv n=7: gemv has n = 1024, 2048";
 * NULL: one problem is. In `arena`. */
const char *rft_mix_unmet(const rft_mix_item *item, const rft_sweep *const *sweeps, size_t count, rft_arena *arena);

#endif
