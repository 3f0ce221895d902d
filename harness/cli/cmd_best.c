/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/best_text.h"
#include "cli/cli.h"
#include "store/store.h"

static int best(rft_cli *cli, const char *path, const char *format, const char *output, rft_err *err) {
    rft_run *run = NULL;
    rft_str text = RFT_STR_INIT;
    int rc = rft_store_load(&run, path, err);
    rc = rc ? rc : rft_best_text(&text, run, format, err);
    rc = rc ? rc : rft_cli_write(cli, output, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    rft_run_free(run);
    return rc;
}

int rft_cmd_best(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *format = "text", *output = "-", *json = NULL, *csv = NULL;
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"format", 'f', "FORMAT", "text, json, lua, csv or header (C macros); default text", NULL, &format, NULL},
        {"json", 0, "FILE|-", "the same as --format json -o FILE", NULL, &json, NULL},
        {"csv", 0, "FILE|-", "the same as --format csv -o FILE", NULL, &csv, NULL},
        {"output", 'o', "FILE|-", "where to; default stdout", NULL, &output, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && rest.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "best takes one run, not %zu", rest.count);
        rc = rft_err_remedy(err, "rooftune best RUN.db (or a recording, FILE.json.gz)");
    }
    if (rc == RFT_OK && json && csv) {
        rc = rft_err_set(err, RFT_E_USAGE, "best writes one form at a time: --json or --csv");
    }
    if (json || csv) {
        format = json ? "json" : "csv";
        output = json ? json : csv;
    }
    if (rc == RFT_OK && !helped) {
        rc = best(cli, rest.items[0], format, output, err);
    }
    rft_arena_free(arena);
    return rc;
}
