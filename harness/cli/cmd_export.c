/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "store/store.h"

static int export_run(rft_cli *cli, const char *path, const char *output, rft_err *err) {
    rft_run *run = NULL;
    int rc = rft_store_load(&run, path, err);
    if (rc == RFT_OK && run->info.finished_unix_ns == 0) {
        rft_log_warn(&cli->log,
                     "%s is not finished: the recording has only what was measured so far; the same "
                     "`rooftune run` with -o %s continues it",
                     path, path);
    }
    if (rc == RFT_OK && run->info.replay_of) {
        rft_log_warn(&cli->log, "%s was replayed from a recording: export the run that was measured instead", path);
    }
    rc = rc ? rc : rft_recording_write(run, output, err);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", run->point_count, run->gpu.name, output);
    }
    rft_run_free(run);
    return rc;
}

int rft_cmd_export(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"output", 'o', "FILE", "the recording: FILE.json.gz (FILE.json: not compressed)", NULL, &output, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && (rest.count != 1 || output == NULL)) {
        rft_err_set(err, RFT_E_USAGE, "export takes one run and -o");
        rc = rft_err_remedy(err, "rooftune export RUN.db -o FILE.json.gz");
    }
    if (rc == RFT_OK && !helped && !rft_text_ends(output, ".json.gz") && !rft_text_ends(output, ".json")) {
        rft_err_set(err, RFT_E_USAGE, "%s: a recording is called FILE.json.gz or FILE.json", output);
        rc = rft_err_remedy(err, "then every command knows it for what it is");
    }
    if (rc == RFT_OK && !helped) {
        rc = export_run(cli, rest.items[0], output, err);
    }
    rft_arena_free(arena);
    return rc;
}
