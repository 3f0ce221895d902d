/* SPDX-License-Identifier: Apache-2.0 */
/* import_shards.h - the shards of a divided run (run --shard K/N) put together again. */
#ifndef RFT_CLI_IMPORT_SHARDS_H
#define RFT_CLI_IMPORT_SHARDS_H

#include "cli/cli.h"
#include "model/run/run.h"

/* A card whose part did not end well, and how. */
typedef struct rft_shard_loss {
    const char *uuid, *end;
} rft_shard_loss;
typedef struct rft_shard_losses {
    rft_shard_loss *items;
    size_t count;
} rft_shard_losses;

typedef struct rft_import_opts {
    const rft_shard_losses *losses; /* of cards, whose parts are put together and go on at once; NULL */
    bool skip_damaged;              /* what cannot be read is left out, and told, where anything is left */
} rft_import_opts;

/* Writes a run file that is not finished: it has the first round of every shard's points, and `rooftune run` of the
 * same sweep goes on with what is missing, the contenders and the baselines, on one card. RFT_E_STORE: shards of
 * another sweep, source, compiler or model of card. */
int rft_import_shards(rft_cli *cli, const rft_words *files, const rft_import_opts *opts, const char *output,
                      rft_err *err);

/* Writes a whole run into a file that is not there yet, and takes the file away where that fails. */
int rft_import_write(const rft_run *run, const char *output, rft_err *err);

/* Of a run: was it put together from shards? Any card of the same model may go on with it. */
bool rft_is_of_shards(const rft_run *run);
#define RFT_ENV_SHARD "run.shard"   /* "2/8": of a run that is one */
#define RFT_ENV_SHARDS "run.shards" /* of one that was put together: which, and of which cards */

#endif
