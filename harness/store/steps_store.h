/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps_store.h - the launches of a point of several (model/run/step.h) as JSON: in the run file's column `steps`, and
 * in a recording. Private to the room.
 */
#ifndef RFT_STORE_STEPS_STORE_H
#define RFT_STORE_STEPS_STORE_H

#include "base/json.h"
#include "model/run/run.h"

/* [{"name": "scan", "work": {...}, "traffic": {...}}, ...], the last two where they are declared, without what is
 * nothing in them; NULL for a point of one launch. */
json_t *rft_steps_to_json(const rft_point *point);
/* NULL when it fits, else what was expected (static text). `list` NULL or null: no steps. */
const char *rft_steps_from_json(rft_point *point, const json_t *list, rft_arena *arena);

#endif
