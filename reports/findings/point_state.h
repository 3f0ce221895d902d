/* SPDX-License-Identifier: Apache-2.0 */
/* point_state.h - a point beside the state of its card: what its own SM clock allows, and its rate launched back to
 * back (docs/power.md). */
#ifndef RFT_REPORTS_POINT_STATE_H
#define RFT_REPORTS_POINT_STATE_H

#include "model/run/run.h"
#include "reports/findings/finding.h"

/* Useful rate of launches back to back, in the unit of the point's own; NaN where it was not under load, or the load
 * has more in it. */
double rft_back_to_back_rate(const rft_run *run, const rft_point *point);
/* "96.7 % of what 1318 MHz allow"; NULL where the clock is not below the run's, or what it allows is the same. */
const char *rft_words_at_clock(const rft_run *run, const rft_point *point, rft_arena *arena);
/* "back to back 654 TFLOP/s"; NULL where it is not known. */
const char *rft_words_back_to_back(const rft_run *run, const rft_point *point, rft_arena *arena);
/* Both behind `words`, with commas. */
const char *rft_words_with_state(const char *words, const rft_run *run, const rft_point *point, rft_arena *arena);
/* The same for programs. */
void rft_finding_set_state(rft_finding *f, const rft_run *run, const rft_point *point);

#endif
