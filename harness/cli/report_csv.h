/* SPDX-License-Identifier: Apache-2.0 */
/* report_csv.h - what a report has no pages for, as CSV files in a folder: every point, every problem's best, every
 * counter. */
#ifndef RFT_CLI_REPORT_CSV_H
#define RFT_CLI_REPORT_CSV_H

#include "base/err.h"
#include "cli/outputs.h"
#include "model/run/run.h"

#define RFT_REPORT_CSV_FILES 3

/* The files' places in `folder`, in `arena`, for rft_outputs_check(). */
void rft_report_csv_outputs(rft_output out[RFT_REPORT_CSV_FILES], const char *folder, rft_arena *arena);
/* Writes them into their folder, which is there; best.csv is empty where nothing was measured. RFT_E_IO. */
int rft_report_csv_write(const rft_run *run, const rft_output files[RFT_REPORT_CSV_FILES], rft_err *err);

#endif
