/* SPDX-License-Identifier: Apache-2.0 */
/*
 * final_round.h - what carrying out a plan keeps between its two rounds, and the second of them: the best few of each
 * problem, measured again side by side with more samples. Private to run.
 */
#ifndef RFT_RUN_FINAL_ROUND_H
#define RFT_RUN_FINAL_ROUND_H

#include "run/record.h"

typedef struct rft_exec_state {
    const rft_exec_opts *opts;
    rft_recorder recorder;
    rft_progress progress;
    int64_t started_ns;
} rft_exec_state;

double rft_exec_elapsed_s(const rft_exec_state *e);
/* Sets *stopped when the user wants to. */
void rft_exec_ask_stop(const rft_exec_state *e, bool *stopped);
/* Calls progress(), with the time that passed. */
void rft_exec_report(rft_exec_state *e);

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
