/* SPDX-License-Identifier: Apache-2.0 */
/* show_steadiness.h - did the device change while the run was on, and was its clock held down? As text and as JSON. */
#ifndef RFT_CLI_SHOW_STEADINESS_H
#define RFT_CLI_SHOW_STEADINESS_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/run.h"

/* Lines "drift: ..." and "clock: ...". `all`: also where there is nothing to worry about; else only what changes how
 * the numbers are to be read. Nothing where nothing was recorded. */
void rft_show_steadiness(rft_str *out, const rft_run *run, bool all, rft_arena *arena);

/* Sets "drift" and "throttled"; null where nothing was recorded. */
void rft_show_set_steadiness(json_t *object, const rft_run *run, rft_arena *arena);

#endif
