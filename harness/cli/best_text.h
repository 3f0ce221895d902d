/* SPDX-License-Identifier: Apache-2.0 */
/* best_text.h - the best configuration of every problem, for people, build scripts and programs. Pure. */
#ifndef RFT_CLI_BEST_TEXT_H
#define RFT_CLI_BEST_TEXT_H

#include "base/err.h"
#include "base/str.h"
#include "model/run.h"

/* format: "text", "json", "lua" (a chunk that returns a table), "csv", "header" (C macros SWEEP_PROBLEM_PARAM).
 * RFT_E_USAGE for another; RFT_E_NOT_FOUND when no problem has a verified measurement. */
int rft_best_text(rft_str *out, const rft_run *run, const char *format, rft_err *err);

#endif
