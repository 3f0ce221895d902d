/* SPDX-License-Identifier: Apache-2.0 */
/* count_round.h - hardware counters of the points worth it, after everything was timed. Private to run. */
#ifndef RFT_RUN_COUNT_ROUND_H
#define RFT_RUN_COUNT_ROUND_H

#include "run/exec_state.h"

/* Counts what opts->counters asks for, and stores each point. Points that have counters already are left alone. The
 * default selection goes by turns (rft_counted_by_turn()) and ends when it has taken a quarter of the run's time: what
 * is left gets RFT_COUNTED_LEFT_OUT, and the log says it once. Where
 * counting is refused, or has cost two device workers one after the other, the rest gets that reason, the log says it
 * once, and the run goes on. A replay gives back what was recorded. */
int rft_exec_count(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
