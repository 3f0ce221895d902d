/* SPDX-License-Identifier: Apache-2.0 */
/* mix_set.h - what `--mix FILE`, or the mixes of a package, add to a command, and the sums over its runs. */
#ifndef RFT_CLI_MIX_SET_H
#define RFT_CLI_MIX_SET_H

#include "cli/cli.h"
#include "model/mix/mix_total.h"

#define RFT_MIX_HELP "a workload to sum up, and prices (docs/mix.md); repeatable"

typedef struct rft_mix_set {
    rft_mix_book *book;
    rft_mix_total **totals; /* one a mix; none where the files hold prices, names or remarks alone */
    size_t total_count;
} rft_mix_set;

/* Reads the files. In `arena`. RFT_E_IO, RFT_E_SCRIPT. */
int rft_mix_files_read(rft_mix_book **out, const rft_words *files, rft_arena *arena, rft_err *err);
/* All mixes of the files as one JSON list, for a package. Heap string, owned. RFT_E_LIMIT: more than one file may hold.
 */
int rft_mix_files_json(char **out, const rft_words *files, rft_err *err);

/* Reads the files and adds up. Without files: those of the package that the run came in; else an empty set, book NULL.
 * All in `arena`. */
int rft_mix_set_load(rft_mix_set *out, const rft_words *files, const rft_run *run, rft_arena *arena, rft_err *err);
/* Adds up what a book holds. */
int rft_mix_set_of(rft_mix_set *out, rft_mix_book *book, const rft_run *run, rft_arena *arena, rft_err *err);

#endif
