/* SPDX-License-Identifier: Apache-2.0 */
/* show_baselines.h - baselines beside the best of each problem, as text and as JSON. */
#ifndef RFT_CLI_SHOW_BASELINES_H
#define RFT_CLI_SHOW_BASELINES_H

#include "base/json.h"
#include "cli/show_parts.h"

/* A sweep's baselines, all of them: what each took, and where the best of its problem stands beside it. Without
 * `full` only those that are missing, and why. */
void rft_show_baselines(const rft_show_page *t, size_t sweep);

/* One baseline, with its problem and the ratio of the best to it. */
json_t *rft_show_baseline_json(const rft_run *run, const rft_baseline *baseline, rft_arena *arena);
/* A list of them: of one problem, or of all (SIZE_MAX). */
json_t *rft_show_baselines_json(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);

#endif
