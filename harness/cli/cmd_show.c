/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/mix_set.h"
#include "cli/run_set.h"
#include "cli/show_data.h"
#include "cli/show_point.h"
#include "cli/show_text.h"
#include "reports/findings/findings.h"
#include "reports/print/layout.h"
#include "reports/print/print.h"

#include <string.h>

typedef struct show_options {
    const char *json, *csv, *points, *point;
    int64_t point_id; /* when `point` is given */
    bool ascii, full;
    rft_words mixes;
} show_options;

/* Writes one form to where it was asked for; says whether that was stdout. */
static int put_form(rft_cli *cli, const char *path, rft_str *text, bool *to_stdout, rft_err *err) {
    int rc = rft_cli_write(cli, path, rft_str_get(text), text->length, err);
    rft_str_truncate(text, 0);
    *to_stdout = *to_stdout || strcmp(path, "-") == 0;
    return rc;
}

static void add_json(rft_str *text, const rft_run *run, const rft_finding *mixes, const rft_finding *package) {
    json_t *root = rft_show_run_json(run);
    if (package) {
        json_object_set_new(root, "package", rft_print_json(package));
    }
    if (mixes) {
        json_object_update_new(root, rft_print_json(mixes));
    }
    rft_print_json_line(text, root);
}

static int show(rft_cli *cli, const rft_words *paths, const show_options *o, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_run_set runs = {0};
    rft_mix_set mixes = {0};
    bool to_stdout = false;
    rft_str text = RFT_STR_INIT;
    int rc = rft_run_set_load(&runs, paths, "show", err);
    const rft_run *run = runs.one;
    rc = rc ? rc : rft_mix_set_load(&mixes, &o->mixes, run, arena, err);
    const rft_finding *mixed = rft_finding_mixes(mixes.book, mixes.totals, mixes.total_count, false, arena);
    const rft_finding *package = rc == RFT_OK ? rft_finding_package(run, mixes.totals, mixes.total_count, arena) : NULL;
    if (rc == RFT_OK && o->json) {
        add_json(&text, run, mixed, package);
        rc = put_form(cli, o->json, &text, &to_stdout, err);
    }
    if (rc == RFT_OK && o->csv) {
        rft_show_csv(&text, run);
        rc = put_form(cli, o->csv, &text, &to_stdout, err);
    }
    if (rc == RFT_OK && o->points) {
        rft_show_points_json(&text, run);
        rc = put_form(cli, o->points, &text, &to_stdout, err);
    }
    if (rc == RFT_OK && !to_stdout && o->point) {
        rc = rft_show_point(&text, run, o->point_id, err);
    } else if (rc == RFT_OK && !to_stdout) {
        rft_show_run(&text, run, &(rft_show_opts){.ascii = o->ascii, .full = o->full});
        rft_print_text(&text, mixed, &(rft_print_opts){.ascii = o->ascii, .full = o->full, .indent = 2});
        rft_print_text(&text, package, &(rft_print_opts){.ascii = o->ascii, .full = o->full, .indent = 2});
        if (o->ascii) { /* names of mixes and operations too */
            rft_layout_to_ascii(&text, 0);
        }
    }
    if (rc == RFT_OK && !to_stdout) {
        rc = put_form(cli, "-", &text, &to_stdout, err);
    }
    rft_str_clear(&text);
    rft_run_set_free(&runs);
    rft_arena_free(arena);
    return rc;
}

int rft_cmd_show(rft_cli *cli, int argc, char **argv, rft_err *err) {
    show_options o = {0};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"json", 0, "FILE|-", "the findings as JSON; - is stdout, in place of the text", NULL, &o.json, NULL},
        {"csv", 0, "FILE|-", "every point as CSV; - is stdout, in place of the text", NULL, &o.csv, NULL},
        {"points", 0, "FILE|-", "every point as JSON; - is stdout, in place of the text", NULL, &o.points, NULL},
        {"point", 0, "ID", "one point with its hardware counters, in place of the text", NULL, &o.point, NULL},
        {"mix", 0, "FILE", RFT_MIX_HELP, NULL, NULL, &o.mixes},
        {"ascii", 0, NULL, "no characters beyond ASCII", &o.ascii, NULL, NULL},
        {"full", 0, NULL, "every problem, table and note, however long", &o.full, NULL, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && o.point && o.mixes.count) {
        rc = rft_err_set(err, RFT_E_USAGE, "--point and --mix cannot be given together");
    }
    if (rc == RFT_OK && !helped && o.point && !rft_text_to_int64(o.point, &o.point_id)) {
        rft_err_set(err, RFT_E_USAGE, "--point takes the id of a point, not \"%s\"", o.point);
        rc = rft_err_remedy(err, "show --csv - lists every point with its id");
    }
    if (rc == RFT_OK && !helped) {
        rc = show(cli, &rest, &o, err);
    }
    rft_arena_free(arena);
    return rc;
}
