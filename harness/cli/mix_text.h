/* SPDX-License-Identifier: Apache-2.0 */
/* mix_text.h - a mix as text for a terminal, and as JSON. Pure. */
#ifndef RFT_CLI_MIX_TEXT_H
#define RFT_CLI_MIX_TEXT_H

#include "base/json.h"
#include "base/str.h"
#include "cli/mix_set.h"

/* Every mix: figures, a line for each operation, shares, notes; then the remarks. 80 columns. */
void rft_mix_text(rft_str *out, const rft_mix_set *set, bool ascii);

/* Adds "mixes" and "remarks" to the object of a run; numbers in base units, absent ones null beside their reason. */
void rft_mix_json_set(json_t *root, const rft_mix_set *set);
/* One total, as an object of that list. */
json_t *rft_mix_json_of(const rft_mix_total *total, rft_arena *arena);

#endif
