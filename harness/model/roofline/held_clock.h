/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held_clock.h - the SM clock of a point beside the run's, and what held it down. Pipes, issue slots, L1 and shared
 * memory do so much a cycle, whatever the clock; device memory and the L2 do not follow it (docs/roofline.md).
 *
 * Clocks are of the samples themselves (docs/measuring.md), never those of a counter pass, and never NVML's, which is
 * the clock asked for.
 */
#ifndef RFT_MODEL_HELD_CLOCK_H
#define RFT_MODEL_HELD_CLOCK_H

#include "model/run/run.h"

/* Of its limit: so near a reading of the board's power is at it. Sensors are good for 5 % (NVML's documentation). */
#define RFT_POWER_AT_LIMIT_FRAC 0.95

typedef struct rft_held_clock {
    double clock_mhz; /* of the median run (measurement.h); NaN: not read */
    /* The run's clock: the highest at which one of its ceilings of a pipe or of memory was measured, or which the
     * point's samples were compared with when they were taken. NaN: none is known. */
    double run_mhz;
    bool below; /* clock_mhz is more than RFT_THROTTLE_BELOW_FRAC below it */
    /* What held it down, where it is below: as the driver said while the point was measured, or while it was under load
     * back to back; else the power limit where the board drew it in that load. COUNT: not known. */
    rft_throttle_cause cause;
} rft_held_clock;

/* The highest clock at which one of the run's ceilings of a pipe or of memory was measured; NaN: none is known. */
double rft_ceilings_clock_mhz(const rft_ceilings *ceilings);
/* Of the reported measurement; all unknown without one. */
rft_held_clock rft_held_clock_of(const rft_run *run, const rft_point *point);
/* A ceiling's rate at another SM clock: so much a cycle, times the clock. NaN where one of the clocks is not known, or
 * there is no rate to judge by; those of device memory and the L2 are what they are. */
double rft_ceiling_rate_at(const rft_ceilings *ceilings, rft_ceiling_id id, double clock_mhz);
/* Watts that the board may draw, as NVML told it when the run began; NaN: not known. */
double rft_run_power_limit_w(const rft_run *run);
/* The card takes no higher one; false where that is not known. */
bool rft_run_power_limit_is_highest(const rft_run *run);

#endif
