/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_sanitize.h - `run --sanitize best`: compute-sanitizer's memcheck over the best configuration of each sweep, on
 * its largest problem and on the odd one. `rooftune point --bare` runs under it in a process of its own, after the last
 * time was taken; what it says becomes rft_verification.sanitizer.
 */
#ifndef RFT_CLI_RUN_SANITIZE_H
#define RFT_CLI_RUN_SANITIZE_H

#include "cli/run_file.h"
#include "cli/run_options.h"

typedef struct rft_run_sanitize {
    rft_cli *cli;
    const rft_run_options *o;
    const char *tool;         /* path; NULL: it is not installed */
    const char *const *paths; /* the file of each of the run's sweeps */
    rft_run_file *file;       /* the run has ended; nothing holds the device */
} rft_run_sanitize;

/* Says that bests will not be checked where there is no tool. Before the run. */
void rft_run_sanitize_look(rft_cli *cli, const char *tool);
/* Checks what was not checked yet, stores and tells it. RFT_E_STORE. RFT_E_INTERRUPTED: a signal came meanwhile. */
int rft_run_sanitize_all(const rft_run_sanitize *s, rft_err *err);
/* RFT_E_SOURCE with a remedy where the tool found errors in this run. */
int rft_run_sanitize_verdict(const rft_run_sanitize *s, rft_err *err);

/* What the tool's output says, in the words of rft_verification.sanitizer. `status` is what it ended with. In `arena`.
 */
const char *rft_sanitizer_said(const char *output, int status, rft_arena *arena);

#endif
