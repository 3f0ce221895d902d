/* SPDX-License-Identifier: Apache-2.0 */
/* best_text.h - the best configuration of every problem, for people, build scripts and programs. Pure. */
#ifndef RFT_CLI_BEST_TEXT_H
#define RFT_CLI_BEST_TEXT_H

#include "base/err.h"
#include "base/str.h"
#include "model/run/run.h"
#include "reports/findings/best_header.h"

/* How the chunk begins: what was written by `best` is known by it (of the header: RFT_BEST_HEADER_HEAD). */
#define RFT_BEST_LUA_HEAD "-- best configurations: "

/* format: "text", "json" (several runs: a list), "lua" (a chunk that returns a table, of which `config` is a sweep's
 * `tune`; several runs: a list of such), "csv" (RFC 4180; several runs: with their device), "header" (best_header.h).
 * RFT_E_USAGE for another; RFT_E_NOT_FOUND when no problem of a run has a measurement. */
int rft_best_text(rft_str *out, const rft_run *const *runs, size_t count, const char *format, rft_err *err);

#endif
