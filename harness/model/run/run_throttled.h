/* SPDX-License-Identifier: Apache-2.0 */
/* run_throttled.h - how many points of a run ran below its clock, and why (throttle.h). */
#ifndef RFT_MODEL_RUN_THROTTLED_H
#define RFT_MODEL_RUN_THROTTLED_H

#include "model/run/run.h"
#include "model/stats/throttle.h"

/* Over the reported measurements of points that are no aliases. */
typedef struct rft_run_throttled {
    size_t judged;   /* the clocks were looked at */
    size_t again;    /* measured more than once */
    size_t affected; /* more than RFT_THROTTLE_TOLERATED_FRAC of the samples kept ran below the run's clock */
    size_t causes[RFT_THROTTLE_COUNT + 1]; /* of them; COUNT: not known */
} rft_run_throttled;
rft_run_throttled rft_run_throttled_of(const rft_run *run);

/* One sentence without a full stop: "3 of 120 points ran below the run's steady clock (2 power limit, 1 temperature); 5
 * were measured again". NULL when the clocks were not looked at. Lives in the arena. */
const char *rft_run_throttled_sentence(const rft_run *run, rft_arena *arena);

#endif
