/* SPDX-License-Identifier: Apache-2.0 */
/* run_sbatch.h - a run as jobs of Slurm (docs/scale.md#slurm): an array of shards, and behind it the job that puts them
 * together. No service of ours: a shell script that calls sbatch twice. */
#ifndef RFT_CLI_RUN_SBATCH_H
#define RFT_CLI_RUN_SBATCH_H

#include "cli/run_options.h"

/* Prints the script; with o->submit a shell runs it. RFT_E_USAGE: what o->sbatch says is not known, or does not go with
 * another option. RFT_E_IO: there is no shell, or sbatch failed. */
int rft_run_sbatch(rft_cli *cli, const rft_run_options *o, rft_err *err);

#endif
