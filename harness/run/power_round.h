/* SPDX-License-Identifier: Apache-2.0 */
/* power_round.h - behind the final round, when nothing is timed any more: idle power, energy, soaks. Private to run. */
#ifndef RFT_RUN_POWER_ROUND_H
#define RFT_RUN_POWER_ROUND_H

#include "run/exec_state.h"

/* Takes what opts->power and opts->soak_s ask for and no earlier session has; RFT_POWER_AUTO is decided once a run.
 * Each is stored before the next is taken; one that fails is stored with its reason and costs nothing else. Sets
 * *stopped when the user wants to: a load that is under way is ended at once, not stored, and taken anew by the next
 * session. */
int rft_exec_power(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
