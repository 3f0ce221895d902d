/* SPDX-License-Identifier: Apache-2.0 */
/* shard_check.h - do shards belong together? */
#ifndef RFT_CLI_SHARD_CHECK_H
#define RFT_CLI_SHARD_CHECK_H

#include "cli/cli.h"
#include "model/run/run.h"

/* A copy of a shard tells nothing twice. RFT_E_USAGE: `run` is one of `runs`, which the files `there` have. */
int rft_shard_check_new(rft_run *const *runs, const rft_words *there, const rft_run *run, const char *file,
                        rft_err *err);

/* RFT_E_STORE: they are of another sweep, source, compiler, way of measuring or model of card. */
int rft_shard_check_same(const rft_run *first, const rft_run *other, const char *first_file, const char *file,
                         rft_err *err);

/* Warns where shards are of one card, and their ceilings differ by more than one card's do from day to day. */
void rft_shard_check_ceilings(const rft_cli *cli, rft_run *const *runs, const rft_words *files);

#endif
