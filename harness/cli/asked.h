/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.h - what the command line asks takes the place of what a sweep says, once and before anything is planned: from
 * then on planning, measuring, pruning, storing and telling read the sweep alone.
 */
#ifndef RFT_CLI_ASKED_H
#define RFT_CLI_ASKED_H

#include "cli/cli.h"
#include "model/sweep/sweep.h"
#include "script/script.h"

/* For each of rft_sweep_settings what a command was given; NULL: nothing. */
typedef struct rft_asked {
    const char *texts[RFT_SWEEP_SETTINGS];
} rft_asked;

/* The setting's option as one of a command's, with the help in `arena`; what is given goes into `asked`. */
rft_opt rft_asked_opt(rft_asked *asked, const char *option, rft_arena *arena);
/* RFT_E_USAGE with the option's name and a remedy: a value that it does not take, no such strategy. */
int rft_asked_check(const rft_asked *asked, rft_err *err);

/* Whether there are the strategies that the script's sweeps name; RFT_E_SCRIPT with the known ones. */
int rft_asked_check_script(const rft_script *script, const char *path, rft_err *err);
/* The sweep with what was given put in. `sweep_count`: of the whole run; seconds of --budget are shared equally by its
 * sweeps, a number of configurations holds for each. A copy in `arena` that borrows from `sweep`. */
const rft_sweep *rft_asked_sweep(const rft_asked *asked, const rft_sweep *sweep, size_t sweep_count, rft_arena *arena);

/* A run that was begun as `stored` says is continued as `asked`. RFT_E_STORE where they differ in what decides the
 * order of points or which of them is best; budgets, goal, sampling and time limits are put into `stored`. */
int rft_asked_continue(rft_sweep *stored, const rft_sweep *asked, rft_err *err);

#endif
