/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/show_counters.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "store/store.h"

#include <string.h>

typedef void (*write_form)(rft_str *out, const rft_run *run);

/* Writes one form to where it was asked for; says whether that was stdout. */
static int put(rft_cli *cli, const char *path, write_form form, const rft_run *run, bool *to_stdout, rft_err *err) {
    if (path == NULL) {
        return RFT_OK;
    }
    rft_str text = RFT_STR_INIT;
    form(&text, run);
    int rc = rft_cli_write(cli, path, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    *to_stdout = *to_stdout || strcmp(path, "-") == 0;
    return rc;
}

typedef struct show_options {
    const char *json, *csv, *point;
    int64_t point_id; /* when `point` is given */
    bool ascii, full;
} show_options;

static int show(rft_cli *cli, const char *path, const show_options *o, rft_err *err) {
    rft_run *run = NULL;
    bool to_stdout = false;
    rft_str text = RFT_STR_INIT;
    int rc = rft_store_load(&run, path, err);
    rc = rc ? rc : put(cli, o->json, rft_show_json, run, &to_stdout, err);
    rc = rc ? rc : put(cli, o->csv, rft_show_csv, run, &to_stdout, err);
    if (rc == RFT_OK && !to_stdout && o->point) {
        rc = rft_show_point(&text, run, o->point_id, err);
    } else if (rc == RFT_OK && !to_stdout) {
        rft_show_run(&text, run, &(rft_show_opts){.ascii = o->ascii, .full = o->full});
    }
    if (rc == RFT_OK && !to_stdout) {
        rc = rft_cli_write(cli, "-", rft_str_get(&text), text.length, err);
    }
    rft_str_clear(&text);
    rft_run_free(run);
    return rc;
}

int rft_cmd_show(rft_cli *cli, int argc, char **argv, rft_err *err) {
    show_options o = {0};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"json", 0, "FILE|-", "the findings as JSON; - is stdout, in place of the text", NULL, &o.json, NULL},
        {"csv", 0, "FILE|-", "every point as CSV; - is stdout, in place of the text", NULL, &o.csv, NULL},
        {"point", 0, "ID", "one point with its hardware counters, in place of the text", NULL, &o.point, NULL},
        {"ascii", 0, NULL, "no characters beyond ASCII", &o.ascii, NULL, NULL},
        {"full", 0, NULL, "every problem, table and note, however long", &o.full, NULL, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && rest.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "show takes one run, not %zu", rest.count);
        rc = rft_err_remedy(err, "rooftune show RUN.db (or a recording, FILE.json.gz)");
    }
    if (rc == RFT_OK && !helped && o.point && !rft_text_to_int64(o.point, &o.point_id)) {
        rft_err_set(err, RFT_E_USAGE, "--point takes the id of a point, not \"%s\"", o.point);
        rc = rft_err_remedy(err, "show --csv - lists every point with its id");
    }
    if (rc == RFT_OK && !helped) {
        rc = show(cli, rest.items[0], &o, err);
    }
    rft_arena_free(arena);
    return rc;
}
