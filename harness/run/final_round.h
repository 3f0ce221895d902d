/* SPDX-License-Identifier: Apache-2.0 */
/*
 * final_round.h - the best few of each problem, measured again in turns (A B C A B C ...) with more samples: five each,
 * five more, then as many as there are, until each has settled. Every turn is stored. Private to run.
 */
#ifndef RFT_RUN_FINAL_ROUND_H
#define RFT_RUN_FINAL_ROUND_H

#include "run/exec_state.h"

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
