/* SPDX-License-Identifier: Apache-2.0 */
/*
 * final_round.h - the best few of each problem, measured again in turns (A B C A B C ...) with more samples: five each,
 * five more, then as many as there are, until each has settled; or a block in each of several processes
 * (run/process_round.h). Every turn and block is stored. Private to run.
 */
#ifndef RFT_RUN_FINAL_ROUND_H
#define RFT_RUN_FINAL_ROUND_H

#include "run/exec_state.h"

/* The fastest few: RFT_FINALISTS of those near the best, at least three where so many are within 5 %, and the best of
 * each variant for the ladder, of cards whose times cannot be compared each one's; by the first round alone. Their ids,
 * fastest first, live in the arena. */
size_t rft_finalists(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, int64_t **out);
size_t rft_finalists_most(const rft_sweep *sweep); /* of a problem, at most */
/* Of the final round, compiling. */
rft_job *rft_final_job(const rft_exec_state *e, int64_t id);

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err);

#endif
