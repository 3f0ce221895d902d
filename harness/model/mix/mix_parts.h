/* SPDX-License-Identifier: Apache-2.0 */
/* mix_parts.h - how an operation of a mix is found among the points of runs. Private to mix_*.c. */
#ifndef RFT_MODEL_MIX_PARTS_H
#define RFT_MODEL_MIX_PARTS_H

#include "model/mix/mix_total.h"

/* "n=8192 k=8192" */
const char *rft_mix_item_text(const rft_mix_item *item, rft_arena *arena);

/* Fills the line's item, problem, run, best and source, or `missing`: the reason that came closest to a match. */
void rft_mix_find(rft_mix_line *line, const rft_mix_item *item, const rft_run *const *runs, size_t run_count,
                  rft_arena *arena);

#endif
