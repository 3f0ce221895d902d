/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_round.h - the final round in several device processes. Each is a draw of its own: a fresh process, context
 * and layout of memory. In each the finalists of all problems and the baselines take one block of samples, in an order
 * of its own. So many processes as measure.processes says; RFT_PROCESSES_AUTO: until the repeat interval of a problem's
 * best is within RFT_COMPARE_REPEAT_FRAC, or those behind the first have taken RFT_PROCESSES_FRAC of the run's time, at
 * most RFT_PROCESSES_MOST; a short run may spend more, until it has enough of them. Every block is stored; one that
 * fails costs itself. Private to run.
 */
#ifndef RFT_RUN_PROCESS_ROUND_H
#define RFT_RUN_PROCESS_ROUND_H

#include "run/exec_state.h"

#define RFT_PROCESSES_MOST 30
/* RFT_PROCESSES_LEAST (run/plan/job.h) in any case: one alone tells of no other. */
#define RFT_PROCESSES_FRAC 0.25
/* So many tell of the next one by themselves (model/stats/repeat.h); so long a run may spend on them, however short it
 * is. A quarter of a sweep of two seconds is one process. */
#define RFT_PROCESSES_ENOUGH 6
#define RFT_PROCESSES_ENOUGH_S 5.0

/* Of the sweeps that ask for other than one process. */
int rft_exec_processes(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
