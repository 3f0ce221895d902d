/* SPDX-License-Identifier: Apache-2.0 */
/* run_set.h - the runs that a command was given, read as one: sweeps of one card that were run one by one. */
#ifndef RFT_CLI_RUN_SET_H
#define RFT_CLI_RUN_SET_H

#include "cli/cli.h"
#include "model/run/run.h"

typedef struct rft_run_set {
    rft_run **runs; /* as stored */
    size_t count;
    rft_run *one; /* all of them together (model/run/run_join.h); NULL after an error */
} rft_run_set;

/* RFT_E_USAGE: two of them are one file. Before any is read: reading takes long. */
int rft_run_set_check_names(const rft_words *paths, rft_err *err);
/* One or more files or recordings, `command` for messages. RFT_E_USAGE: none, one twice, or runs that are not of one
 * card; errors of reading. Free it also after an error. */
int rft_run_set_load(rft_run_set *out, const rft_words *paths, const char *command, rft_err *err);
void rft_run_set_free(rft_run_set *set);

#endif
