/* SPDX-License-Identifier: Apache-2.0 */
/* timing_json.h - what goes beside a median in every JSON: the cache's state, runs a sample, clock, cycles, floor,
 * throttling. */
#ifndef RFT_CLI_TIMING_JSON_H
#define RFT_CLI_TIMING_JSON_H

#include "base/json.h"
#include "model/run/run.h"

/* Sets cache, batch, clock_mhz, cycles, floor_s, attempts, throttled_frac (of the samples), throttled_below_mhz (the
 * run's clock that they were compared with) and throttled_by; null where it was not recorded, and all of them without
 * `m`. */
void rft_timing_set_json(json_t *object, const rft_measurement *m);

#endif
