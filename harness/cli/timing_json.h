/* SPDX-License-Identifier: Apache-2.0 */
/* timing_json.h - what goes beside a median in every JSON: the cache's state, runs a sample, clock, cycles, floor,
 * throttling. */
#ifndef RFT_CLI_TIMING_JSON_H
#define RFT_CLI_TIMING_JSON_H

#include "base/json.h"
#include "model/run/run.h"

/* As readers are told it: a number of runs a sample that was not recorded is one. Borrows what `m` points to. */
rft_measurement rft_timing_told(const rft_measurement *m);

/* Sets the fields of a measurement that are SHOWN (model/run/field.h); null where one was not recorded, and all of them
 * without `m`. */
void rft_timing_set_json(json_t *object, const rft_measurement *m);

#endif
