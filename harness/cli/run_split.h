/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_split.h - `rooftune run -d 0,1 --split`: one run and one file, whose space the cards of a host divide while they
 * measure (run/split.h). Each card's part is a shard, run by a child process into a file of its own; they are put
 * together as shards are, and one card goes on with what compares.
 */
#ifndef RFT_CLI_RUN_SPLIT_H
#define RFT_CLI_RUN_SPLIT_H

#include "cli/run_options.h"

/* A card that fails costs what it had in hand; the first that ended its part ranks, and where that one fails the next.
 * RFT_E_USAGE before anything is started; else as the run that ranks ends. */
int rft_run_split(rft_cli *cli, const rft_run_options *o, rft_err *err);

#endif
