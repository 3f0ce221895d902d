/* SPDX-License-Identifier: Apache-2.0 */
/* reference_set.h - the runs that a report holds a card beside: those named, and the recordings that come with the
 * program, of one card, which is the reference wherever no other is named. */
#ifndef RFT_CLI_REFERENCE_SET_H
#define RFT_CLI_REFERENCE_SET_H

#include "cli/cli.h"
#include "model/run/run.h"

typedef struct rft_reference_set {
    rft_run **runs;
    size_t count, capacity;
    size_t shipped;  /* the last so many */
    rft_run **cards; /* what came with the program of other cards: ceilings alone (store/card_table.h) */
    size_t card_count;
} rft_reference_set;

/* Adds a run file or recording, or all in a folder. Errors of rft_store_load(); RFT_E_USAGE: a folder without any. */
int rft_reference_set_add(rft_reference_set *set, const char *path, rft_err *err);
/* Adds of the recordings beside `program` those that are called like the scripts of the run's sweeps, alone or with
 * a script's arguments behind ("attention-64.json.gz"), and the table of the cards of all. What is not there, or
 * cannot be read, is left out. */
void rft_reference_set_add_shipped(rft_reference_set *set, const rft_run *run, const char *program);
void rft_reference_set_free(rft_reference_set *set);

#endif
