/* SPDX-License-Identifier: Apache-2.0 */
/* value_given.h - a value of an axis as a data file gives it: a mix, limits. */
#ifndef RFT_MODEL_VALUE_GIVEN_H
#define RFT_MODEL_VALUE_GIVEN_H

#include "base/arena.h"
#include "base/json.h"
#include "model/sweep/value.h"

/* A text (copied into the arena), true, false or a number: 1e6 is the whole number. False for anything else; *out is
 * then without meaning. Recordings keep an integer and a real apart: store/value_json.h. */
bool rft_value_given(rft_value *out, const json_t *value, rft_arena *arena);

#endif
