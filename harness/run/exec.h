/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - carries a plan out: ask, spell out, compile ahead, verify and measure, store, tell; then the final round.
 *
 * Compiling runs ahead of measuring by a fixed number of configurations; where a strategy learns and does not choose
 * among what is compiled, results do not depend on how many compile workers there are. Every point is stored before the
 * next is taken. Configurations are verified on the odd problem just before they are first timed, as many at once as
 * were compiled ahead: a budget is not spent on what is never timed, and inputs change seldom. Once the grid of a sweep
 * is measured, refine() adds problems where the bound changes (run/refine_round.h). One configuration of each problem
 * is measured again after every 20 points (run/reference.h); the final round takes turns (run/final_round.h).
 */
#ifndef RFT_RUN_EXEC_H
#define RFT_RUN_EXEC_H

#include "run/exec_opts.h"

/* 0, also when stopped (then *stopped is true and the run is not finished). Errors: RFT_E_STORE, RFT_E_WORKER,
 * RFT_E_DEVICE, RFT_E_COMPILER, RFT_E_SOURCE (a source that is not there, a reference that does not compile),
 * RFT_E_USAGE (no such strategy); what was stored before stays. */
int rft_exec(const rft_exec_opts *opts, bool *stopped, rft_err *err);

#endif
