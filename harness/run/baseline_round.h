/* SPDX-License-Identifier: Apache-2.0 */
/* baseline_round.h - the baselines of a problem, behind its final round (docs/baselines.md). Private to run. */
#ifndef RFT_RUN_BASELINE_ROUND_H
#define RFT_RUN_BASELINE_ROUND_H

#include "run/exec_state.h"

#define RFT_BASELINE_TRIES 8 /* of the library's list */

/* Measures what the sweep names and what is not stored yet: the fastest of the library's list and its first, by the
 * rules of the final round, in one transaction. A replay takes what was recorded. What cannot be measured is stored
 * with its reason, and said once; errors are those of rft_exec(). */
int rft_exec_baselines(rft_exec_state *e, size_t sweep, size_t problem, bool *stopped, rft_err *err);

/* ---- in several processes (run/process_round.h): the above takes the first block of each where e->draw is set ---- */

/* Why they ended, NOT_YET while one has not, and how many processes all of them have; SIZE_MAX: nothing can be measured
 * again. */
rft_stop_reason rft_baselines_state(rft_exec_state *e, size_t sweep, size_t problem, size_t *processes);
/* A block of each more, stored. */
int rft_baselines_again(rft_exec_state *e, size_t sweep, size_t problem, rft_err *err);
/* There are no more: which is the best is known, and told. */
int rft_baselines_end(rft_exec_state *e, size_t sweep, size_t problem, rft_stop_reason stop, rft_err *err);

#endif
