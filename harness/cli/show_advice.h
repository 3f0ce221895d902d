/* SPDX-License-Identifier: Apache-2.0 */
/* show_advice.h - what could make a best point faster (model/advice/advice.h), as text and as JSON. */
#ifndef RFT_CLI_SHOW_ADVICE_H
#define RFT_CLI_SHOW_ADVICE_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/run.h"

/* Of a sweep's largest problem: at most three pieces of advice, most valuable first, for the same work before other
 * work; why there is none; which rules could not be judged. Nothing when nothing was measured. */
void rft_show_advice(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena);

/* {"same_work": [...], "other_work": [...], "not_evaluated": [{rule, metric, reason}], "nothing": text or null}; an
 * advice is {rule, text, gain_frac, gain_of, rests_on, evidence, numbers: [{name, unit, value, threshold}]}. */
json_t *rft_show_advice_json(const rft_run *run, const rft_point *point, rft_arena *arena);

#endif
