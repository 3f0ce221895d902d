/* SPDX-License-Identifier: Apache-2.0 */
/* show_steps.h - the launches of a point of several: time, share and bound of each. */
#ifndef RFT_CLI_SHOW_STEPS_H
#define RFT_CLI_SHOW_STEPS_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/run.h"

/* A line a launch; nothing for a point of one, or where they were not timed one by one. */
void rft_show_steps(rft_str *out, const rft_run *run, const rft_point *point, rft_arena *arena);
/* [{"name", "seconds", "frac", "bound", "bound_frac", "evidence", "reason", "text"}], null for a point of one launch.
 */
json_t *rft_show_steps_json(const rft_run *run, const rft_point *point, rft_arena *arena);

#endif
