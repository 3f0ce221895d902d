/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_text.h - a value and its interval in words. Everything that prints an interval prints it by this.
 *
 * "±0.11 %" where both sides are the same within a unit of the last digit or 5 %, else the ends: "[3.22, 3.31]", scaled
 * as the value is. The value has digits enough for its interval, three or more. Widths and ends are rounded outward:
 * what is printed holds the interval, but for the rounding of the value, a sixth of half the width at most.
 */
#ifndef RFT_MODEL_INTERVAL_TEXT_H
#define RFT_MODEL_INTERVAL_TEXT_H

#include "base/arena.h"
#include "model/stats/stats.h"

typedef struct rft_interval_text {
    const char *value;    /* "3.234 ms"; "n/a" for NaN */
    const char *interval; /* NULL: an end is not known */
} rft_interval_text;

/* With the prefix of SI that fits the value, and `unit`; with a `factor` > 0 the value is a bare number in units of it.
 * Texts in `arena`. */
rft_interval_text rft_interval_text_of(double value, double low, double high, double factor, const char *unit,
                                       rft_arena *arena);
/* Of a median; no interval where it is not of 95 %. */
rft_interval_text rft_stats_text(const rft_stats *stats, double factor, const char *unit, rft_arena *arena);
/* The ends alone: "3.22 to 3.31 ms"; without a unit bare numbers: "0.730 to 0.752". NULL where one is not known. */
const char *rft_interval_ends_text(double low, double high, const char *unit, rft_arena *arena);

#endif
