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

#endif
