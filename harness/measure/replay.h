/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - the probe that answers from a recording. */
#ifndef RFT_MEASURE_REPLAY_H
#define RFT_MEASURE_REPLAY_H

#include "measure/probe.h"

/* Answers from `recording` (borrowed). Problems, variants and configurations are matched by name and value, sweeps by
 * name, so a sweep script may have changed its order. */
int rft_replay_new(rft_probe **out, const rft_run *recording, rft_err *err);

#endif
