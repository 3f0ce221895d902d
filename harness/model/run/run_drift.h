/* SPDX-License-Identifier: Apache-2.0 */
/* run_drift.h - what the readings of the references say of a run (drift.h), and which points are ties in their light.
 */
#ifndef RFT_MODEL_RUN_DRIFT_H
#define RFT_MODEL_RUN_DRIFT_H

#include "model/run/run.h"
#include "model/stats/drift.h"

/* By the readings of one problem's reference. UNKNOWN under RFT_DRIFT_MIN_READINGS. */
rft_drift rft_run_drift_of(const rft_run *run, size_t sweep, size_t problem);

/* By all of them, each over the median of its problem's: what is said of the run as a whole. A change between two
 * problems does not show. */
rft_drift rft_run_drift(const rft_run *run);

/* What to add, times the median, to both sides of the interval of a problem's points before those that were measured at
 * different times are compared: rft_drift.widen_frac; 0 where it is not known. About 1 ms. What was taken in several
 * processes has in its intervals what times differ by, and is not widened. */
double rft_run_widen_frac(const rft_run *run, size_t sweep, size_t problem);

/* The interval of a median for a comparison with what was measured at another time, or in another run: the stats',
 * widened by `widen_frac` where they are of one process. */
rft_stats rft_measurement_apart(const rft_measurement *m, double widen_frac);

/* Two measurements of one problem. Where it is known what another run would read, by the repeat intervals; else by
 * those of the medians. One process is widened by `widen_frac`. */
bool rft_measurement_tie(const rft_measurement *a, const rft_measurement *b, double widen_frac);

/* Two points of one problem, both measured. In the final round they took turns: nothing is widened there. Two that few
 * samples told to be slower (race.h) differ where they do by as much as such samples tell. */
bool rft_run_tie(const rft_point *a, const rft_point *b, double widen_frac);

/* One sentence for screen, show and report, without a full stop: rft_drift_words(), or what is missing ("2 readings of
 * the reference: too few to say whether the device drifted"). NULL without any reading. Lives in the arena. */
const char *rft_run_drift_sentence(const rft_run *run, rft_arena *arena);

#endif
