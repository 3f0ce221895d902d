/* SPDX-License-Identifier: Apache-2.0 */
/* run_file.h - the run file of `rooftune run`: its name, and whether to begin, continue or leave alone. */
#ifndef RFT_CLI_RUN_FILE_H
#define RFT_CLI_RUN_FILE_H

#include "cli/cli.h"
#include "cli/target.h"
#include "run/plan/plan.h"
#include "store/store.h"

typedef struct rft_run_file {
    const char *path;
    rft_store *store;
    rft_run *run;   /* owned by the caller: new, or read back to continue */
    bool continued; /* points were there already */
    bool described; /* the run is in the file: until then a failure takes the file away again */
    bool finished;  /* the file holds this sweep, finished: nothing to do; store is NULL */
} rft_run_file;

typedef struct rft_run_file_opts {
    const char *output; /* -o, or what rft_run_file_path() made of NULL */
    const char *stem;   /* of the name that is made up; NULL: the first sweep's */
    const char *part;   /* of the sweeps, as rft_run_part_text(); NULL: the whole */
    const char *shard;  /* "2/8"; NULL: the run is not divided */
    bool any_shard;     /* divided as it goes on: another number's file is continued, too */
    bool fresh;
    const rft_target *target;
    const rft_plan *plan;
} rft_run_file_opts;

/* Points are added to a run by their ids, which are their places. RFT_E_STORE: some were taken out of the file. */
int rft_run_file_check_ids(const rft_run *run, const char *path, rft_err *err);

/* Where `output` is NULL: SWEEP-GPU-DATE.db, or SWEEP-PART-GPU-DATE.db, in the working folder. Where that holds a run
 * that this one cannot continue (the sweep was edited), and nothing says `fresh`, the first of ...-2.db, ...-3.db that
 * does not; that is told. In `arena`. */
const char *rft_run_file_path(rft_cli *cli, const rft_run_file_opts *opts, rft_arena *arena);
/* Begins or continues. RFT_E_STORE: the file belongs to another sweep or device (remedy: --fresh, -o), or --fresh would
 * take away what is no run file or what another run writes to. */
int rft_run_file_open(rft_run_file *out, rft_cli *cli, const rft_run_file_opts *opts, rft_err *err);
/* Stores what is known before the first point: device, environment, ceilings, sweeps. */
int rft_run_file_describe(rft_run_file *file, rft_err *err);
/* After the last point: rft_store_complete(). */
int rft_run_file_complete(rft_run_file *file, rft_err *err);
/* Closes the file and frees the run; a file that holds nothing yet is removed. */
void rft_run_file_close(rft_run_file *file);

#endif
