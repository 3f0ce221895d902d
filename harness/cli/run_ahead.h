/* SPDX-License-Identifier: Apache-2.0 */
/* run_ahead.h - what can be told of a run before others begin it, the jobs of --sbatch and the cards of --split: once,
 * and at once. Nothing is compiled, and no device opened. */
#ifndef RFT_CLI_RUN_AHEAD_H
#define RFT_CLI_RUN_AHEAD_H

#include "cli/run_options.h"

/* Reads the sweeps as for a few architectures; one that takes them suffices. RFT_E_USAGE: they are searched, which
 * cannot be divided, or lack what --at, --variant or --set name. Else an error of the scripts. */
int rft_run_ahead_check(const rft_cli *cli, const rft_run_options *o, rft_arena *arena, rft_err *err);

/* RFT_E_IO: a run file cannot be made there, in the words of a run that tries. */
int rft_run_ahead_folder(const char *output, rft_err *err);

#endif
