/* SPDX-License-Identifier: Apache-2.0 */
/* run_end.h - the end of `rooftune run`: the summary, the report, and what it means when nothing was measured. */
#ifndef RFT_CLI_RUN_END_H
#define RFT_CLI_RUN_END_H

#include "cli/cli.h"
#include "cli/mix_set.h"
#include "cli/run_file.h"

typedef struct rft_run_end_opts {
    const char *report; /* where to, as rft_run_end_report_path() says */
    bool no_report;
    rft_mix_book *book;   /* of --mix, summed up under the summary and in the report; NULL */
    const char **written; /* the report's path, once it is there; lives as long as the run */
} rft_run_end_opts;

/* --report, or where it is NULL beside the run file, called like it. In `arena`. */
const char *rft_run_end_report_path(const char *report, const char *run, rft_arena *arena);

/* Prints the summary and, last, the paths of run and report. RFT_E_SOURCE: no configuration compiles (the log, with the
 * configuration); RFT_E_NOTHING: nothing was measured for other reasons; RFT_E_IO, RFT_E_REPORT: the report could not
 * be written (the run file stays, and the remedy says how to draw it again). */
int rft_run_end(rft_cli *cli, const rft_run_file *file, const rft_run_end_opts *opts, rft_err *err);

/* A run that was stopped: the summary of what is stored, when there is something, and its path. No report. */
void rft_run_end_stopped(rft_cli *cli, const rft_run_file *file);

/* Behind a soak: the card's state once more, beside that of the run's beginning (model/run/card_state.h). What cannot
 * be read is not known, and no error. Else as of the store. */
int rft_run_end_state(rft_run_file *file, rft_probe *probe, rft_err *err);

#endif
