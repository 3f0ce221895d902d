/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "store/store.h"

#include <stdlib.h>

#define BASELINES_MAX_BYTES ((size_t)16 << 20)

static int import_run(rft_cli *cli, const char *path, const char *output, rft_err *err) {
    rft_run *run = NULL;
    rft_store *store = NULL;
    int rc = rft_recording_read(&run, path, err);
    rft_interrupt_defer(); /* from here on the file is finished first */
    rc = rc ? rc : rft_store_open(&store, output, RFT_STORE_CREATE, err);
    if (rc == RFT_OK) {
        rc = rft_store_put_whole(store, run, err);
        if (rc == RFT_OK && (rc = rft_store_complete(store, err)) != RFT_OK) {
            rft_err_remedy(err, "make room on that disk or check it, then import again: %s was removed", output);
        }
        if (rc == RFT_OK) {
            rft_store_close(store);
        } else { /* half a run would pass for one */
            rft_store_discard(store);
        }
    }
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", run->point_count, run->gpu.name, output);
    }
    rft_run_free(run);
    return rc;
}

/* ---- baselines ---- */

static int take_file(rft_cli *cli, rft_run *run, const char *path, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    rft_import_counts counts = {0};
    int rc = rft_fs_read(&text, &size, path, BASELINES_MAX_BYTES, err);
    rc = rc ? rc : rft_baselines_import(run, text, size, path, &counts, err);
    free(text);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu baseline%s of %s taken, as another protocol's", counts.taken,
                     counts.taken == 1 ? "" : "s", path);
    }
    if (rc == RFT_OK && counts.elsewhere > 0) {
        rft_log_warn(&cli->log, "%zu baseline%s of %s left out: the run has no such problem", counts.elsewhere,
                     counts.elsewhere == 1 ? "" : "s", path);
    }
    return rc;
}

/* All files or none. */
static int import_baselines(rft_cli *cli, const rft_words *files, const char *path, rft_err *err) {
    rft_run *run = NULL;
    rft_store *store = NULL;
    rft_interrupt_defer();
    int rc = rft_store_open(&store, path, RFT_STORE_WRITE, err);
    rc = rc ? rc : rft_store_read(store, &run, err);
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        rc = take_file(cli, run, files->items[i], err);
    }
    rc = rc ? rc : rft_store_put_baselines(store, run->baselines, run->baseline_count, &run->info, err);
    rc = rc ? rc : rft_store_complete(store, err);
    rft_store_close(store);
    rft_run_free(run);
    return rc;
}

int rft_cmd_import(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    bool helped = false;
    rft_words rest = {0};
    rft_words baselines = {0};
    const rft_opt opts[] = {
        {"output", 'o', "RUN.db", "the run file to create", NULL, &output, NULL},
        {"baseline", 0, "FILE", "baselines that others measured (JSON, CSV) into the run file (repeat)", NULL, NULL,
         &baselines},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    if (baselines.count > 0 && (rest.count != 1 || output)) {
        rft_err_set(err, RFT_E_USAGE, "baselines are added to one run file that is there");
        rc = rft_err_remedy(err, "rooftune import --baseline FILE.json RUN.db");
    } else if (baselines.count > 0) {
        rc = import_baselines(cli, &baselines, rest.items[0], err);
    } else if (rest.count != 1 || !output) {
        rft_err_set(err, RFT_E_USAGE, "import takes one recording and -o");
        rc = rft_err_remedy(err, "rooftune import FILE.json.gz -o RUN.db, or --baseline FILE.json RUN.db");
    } else {
        rc = import_run(cli, rest.items[0], output, err);
    }
done:
    rft_arena_free(arena);
    return rc;
}
