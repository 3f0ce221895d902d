/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "store/store.h"

static int put_run(rft_store *store, const rft_run *run, rft_err *err) {
    int rc = rft_store_put_run(store, run, err);
    for (size_t i = 0; i < run->point_count && rc == RFT_OK; i++) {
        rc = rft_store_put_point(store, &run->points[i], err);
    }
    return rc;
}

static int import_run(rft_cli *cli, const char *path, const char *output, rft_err *err) {
    rft_run *run = NULL;
    rft_store *store = NULL;
    int rc = rft_recording_read(&run, path, err);
    rc = rc ? rc : rft_store_open(&store, output, RFT_STORE_CREATE, err);
    if (rc == RFT_OK) {
        rc = put_run(store, run, err);
        rft_store_close(store);
        if (rc != RFT_OK) { /* half a run would pass for one */
            rft_fs_remove(output, NULL);
        }
    }
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", run->point_count, run->gpu.name, output);
    }
    rft_run_free(run);
    return rc;
}

int rft_cmd_import(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"output", 'o', "RUN.db", "the run file to create", NULL, &output, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && (rest.count != 1 || output == NULL)) {
        rft_err_set(err, RFT_E_USAGE, "import takes one recording and -o");
        rc = rft_err_remedy(err, "rooftune import FILE.json.gz -o RUN.db");
    }
    if (rc == RFT_OK && !helped) {
        rc = import_run(cli, rest.items[0], output, err);
    }
    rft_arena_free(arena);
    return rc;
}
