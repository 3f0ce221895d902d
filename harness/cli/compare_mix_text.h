/* SPDX-License-Identifier: Apache-2.0 */
/* compare_mix_text.h - mixes of a comparison as text of 80 columns, and as JSON. Pure. */
#ifndef RFT_CLI_COMPARE_MIX_TEXT_H
#define RFT_CLI_COMPARE_MIX_TEXT_H

#include "base/json.h"
#include "model/compare/compare_mix.h"

/* A row a side for each mix, then what is missing and why; then the remarks. NULL: nothing. */
void rft_compare_mixes_text(rft_str *out, const rft_compare_mixes *mixes);

/* "mixes" and "remarks" of the comparison's object; NULL: nothing. */
void rft_compare_mixes_json(json_t *root, const rft_compare_mixes *mixes);

#endif
