/* SPDX-License-Identifier: Apache-2.0 */
/* show_ridges.h - the ridge point of every pipe and memory level, as text of 80 columns and as JSON. */
#ifndef RFT_CLI_SHOW_RIDGES_H
#define RFT_CLI_SHOW_RIDGES_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/run.h"

/* Nothing where no pair is known. */
void rft_show_ridges(rft_str *out, const rft_run *run);
/* {"fp32": {"dram_read": op/B or null, ..., "datasheet", "limit"}}: the pipes of which something is known. */
json_t *rft_show_ridges_json(const rft_run *run);

#endif
