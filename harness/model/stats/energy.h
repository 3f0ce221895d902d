/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy.h - from readings of the energy counter or of the power sensor to watts and joules per launch, with what the
 * sensor's slowness makes uncertain. Pure arithmetic; gpu/meter.h reads. docs/power.md says what the figures mean.
 */
#ifndef RFT_MODEL_ENERGY_H
#define RFT_MODEL_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One poll. NaN = not known. Polls should come several times per update of the sensor (every 20 ms). */
typedef struct rft_energy_reading {
    double time_s;   /* host clock */
    double energy_j; /* cumulative counter */
    double power_w;
} rft_energy_reading;

typedef struct rft_energy_window {
    const rft_energy_reading *readings; /* in order of time; those outside [begin_s, end_s] are passed over */
    size_t count;
    double begin_s, end_s; /* the device did nothing but the launches in between (or nothing at all: idle) */
    uint64_t launches;     /* 0: joules per launch stay NaN (idle power) */
    double averaging_s;    /* the power sensor shows the mean over so long (1 s on most devices since Ampere); the
                            * counter is not concerned */
} rft_energy_window;

typedef enum rft_energy_source { RFT_ENERGY_NONE, RFT_ENERGY_COUNTER, RFT_ENERGY_SENSOR } rft_energy_source;
const char *rft_energy_source_name(rft_energy_source source); /* "none", "energy counter", "power sensor" */

/* Distinct updates of the sensor that a window must hold, and its least length. */
#define RFT_ENERGY_MIN_UPDATES 10u
#define RFT_ENERGY_MIN_S 1.0
#define RFT_ENERGY_REASON_SIZE 160u

typedef struct rft_energy {
    rft_energy_source source;            /* NONE: not known, `reason` says why */
    char reason[RFT_ENERGY_REASON_SIZE]; /* "" when known */
    double power_w;                      /* mean */
    double joules_per_launch;            /* NaN when launches = 0 */
    double uncertainty_frac;             /* half width of both, from the sensor's updates and their scatter (not its
                                          * calibration, which only a wall meter knows) */
    double update_s;                     /* between two updates of the sensor, median; NaN = fewer than two seen */
    double span_s;                       /* between the updates that were used */
} rft_energy;

/*
 * The counter is preferred: watts are its rise between the first and the last update inside the window over the time
 * between these updates. Then it does not matter when, within an update, the window began. Half width: the polls'
 * spacing at both ends (an update is seen only then) over the span. Without a counter: the mean of the sensor's
 * distinct updates after averaging_s, half width 1.96 standard errors, and one update over the span.
 * Joules per launch are watts times the window's length over the launches.
 */
rft_energy rft_energy_of(const rft_energy_window *window);

#endif
