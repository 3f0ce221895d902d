/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/best_text.h"
#include "cli/cli.h"
#include "cli/run_set.h"
#include "store/store.h"

#include <stdlib.h>

static int best(rft_cli *cli, const rft_words *paths, const char *format, const char *output, rft_err *err) {
    rft_run **runs = rft_calloc(paths->count + 1, sizeof *runs);
    rft_str text = RFT_STR_INIT;
    int rc = rft_run_set_check_names(paths, err);
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        rc = rft_store_load(&runs[i], paths->items[i], err);
    }
    rc = rc ? rc : rft_best_text(&text, (const rft_run *const *)runs, paths->count, format, err);
    rc = rc ? rc : rft_cli_write(cli, output, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    for (size_t i = 0; i < paths->count; i++) {
        rft_run_free(runs[i]);
    }
    free(runs);
    return rc;
}

int rft_cmd_best(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *format = "text", *output = "-", *json = NULL, *csv = NULL;
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"format", 'f', "text|json|lua|csv|header", "header: C, an #if per device; default text", NULL, &format, NULL},
        {"json", 0, "FILE|-", "the same as --format json -o FILE", NULL, &json, NULL},
        {"csv", 0, "FILE|-", "the same as --format csv -o FILE", NULL, &csv, NULL},
        {"output", 'o', "FILE|-", "where to; default stdout", NULL, &output, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && rest.count == 0) {
        rft_err_set(err, RFT_E_USAGE, "best needs a run");
        rc = rft_err_remedy(err, "rooftune best RUN.db... (or recordings, FILE.json.gz)");
    }
    if (rc == RFT_OK && json && csv) {
        rc = rft_err_set(err, RFT_E_USAGE, "best writes one form at a time: --json or --csv");
    }
    if (json || csv) {
        format = json ? "json" : "csv";
        output = json ? json : csv;
    }
    if (rc == RFT_OK && !helped) {
        rc = best(cli, &rest, format, output, err);
    }
    rft_arena_free(arena);
    return rc;
}
