/* SPDX-License-Identifier: Apache-2.0 */
/*
 * final_round.h - the best few of each problem, measured again side by side with more samples. Private to run.
 */
#ifndef RFT_RUN_FINAL_ROUND_H
#define RFT_RUN_FINAL_ROUND_H

#include "run/exec_state.h"

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
