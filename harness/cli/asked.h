/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.h - what the command line asks takes the place of what a sweep says, once and before anything is planned: from
 * then on planning, measuring, pruning, storing and telling read the sweep alone.
 */
#ifndef RFT_CLI_ASKED_H
#define RFT_CLI_ASKED_H

#include "cli/run_options.h"
#include "model/sweep/sweep.h"

/* The sweep with what of rft_sweep_settings was given put in. `sweep_count`: of the whole run; seconds of --budget are
 * shared equally by its sweeps, a number of configurations holds for each. A copy in `arena` that borrows from `sweep`.
 */
const rft_sweep *rft_asked_sweep(const rft_run_options *o, const rft_sweep *sweep, size_t sweep_count,
                                 rft_arena *arena);

/* A run that was begun as `stored` says is continued as `asked`. RFT_E_STORE where they differ in what decides the
 * order of points or which of them is best; budgets, goal, sampling and time limits are put into `stored`. */
int rft_asked_continue(rft_sweep *stored, const rft_sweep *asked, rft_err *err);

#endif
