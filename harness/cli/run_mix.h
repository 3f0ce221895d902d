/* SPDX-License-Identifier: Apache-2.0 */
/* run_mix.h - `rooftune run --mix MIX.lua`: which sweeps and problems a workload asks for, and the file that is sent.
 */
#ifndef RFT_CLI_RUN_MIX_H
#define RFT_CLI_RUN_MIX_H

#include "cli/cli.h"
#include "model/mix/mix.h"
#include "model/sweep/sweep.h"

/* The files of the sweeps: those that the mixes name, else FOLDER/OPERATION.lua or sweeps/OPERATION.lua, FOLDER being
 * the mix's own. In `arena`. RFT_E_USAGE: the book has no operations, or there is no such file. */
int rft_run_mix_files(rft_words *out, const rft_mix_book *book, const char *program, rft_arena *arena, rft_err *err);

/* RFT_E_USAGE: some operation means no problem of these sweeps, or several. */
int rft_run_mix_check(const rft_mix_book *book, const rft_sweep *const *sweeps, size_t count, rft_err *err);

/* Writes what a bidder sends: the stored run, the mixes of `files` and the page of what was not checked. Tells where it
 * is, and its digest. RFT_E_IO, RFT_E_LIMIT; errors of reading. */
int rft_run_mix_package(rft_cli *cli, const char *run_path, const rft_words *files, const char *package, rft_err *err);

#endif
