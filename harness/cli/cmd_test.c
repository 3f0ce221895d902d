/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/run_set.h"
#include "model/acceptance/accept.h"
#include "reports/findings/accept_findings.h"
#include "reports/print/print.h"
#include "reports/report.h"
#include "script/script.h"
#include "store/store.h"

#include "base/fs.h"
#include "cli/script_stuck.h"

#include <stdlib.h>

typedef struct test_outputs {
    const char *drawn, *json, *csv, *junit;
} test_outputs;

static int check_words(const rft_words *words, const test_outputs *to, rft_err *err) {
    if (words->count < 2) {
        rft_err_set(err, RFT_E_USAGE, "test takes a file of limits and the runs of the delivered cards");
        return rft_err_remedy(err, "rooftune test LIMITS.lua RUN.db... (`rooftune report RUN --limits-out LIMITS.lua` "
                                   "writes limits)");
    }
    if (!rft_text_ends(words->items[0], ".lua")) {
        rft_err_set(err, RFT_E_USAGE, "the first file holds the limits, and %s is no .lua", words->items[0]);
        return rft_err_remedy(err, "rooftune test LIMITS.lua RUN.db...");
    }
    return rft_outputs_check_stdout(to->drawn, (const char *const[]){to->json, to->csv, to->junit}, 3,
                                    "--json, --csv and --junit", err);
}

static int write_one(rft_cli *cli, const char *path, rft_str *text, rft_err *err) {
    int rc = path ? rft_cli_write(cli, path, rft_str_get(text), text->length, err) : RFT_OK;
    rft_str_truncate(text, 0);
    return rc;
}

static int write_all(rft_cli *cli, const rft_acceptance *a, const test_outputs *to, rft_err *err) {
    static const rft_print_opts below = {.label = ""};
    rft_str text = RFT_STR_INIT;
    rft_arena *arena = rft_arena_new();
    rft_finding *f = rft_finding_acceptance(a, arena);
    bool quiet = rft_output_is_stdout(to->json) || rft_output_is_stdout(to->csv) || rft_output_is_stdout(to->junit);
    rft_print_json_line(&text, rft_print_json(f));
    int rc = write_one(cli, to->json, &text, err);
    rft_print_csv(&text, f);
    rc = rc ? rc : write_one(cli, to->csv, &text, err);
    rft_print_junit(&text, "rooftune test", f);
    rc = rc ? rc : write_one(cli, to->junit, &text, err);
    rft_print_text(&text, f, &below);
    rc = rc ? rc : write_one(cli, quiet ? NULL : "-", &text, err);
    rft_str_clear(&text);
    rft_arena_free(arena);
    return rc;
}

static int draw_test(const rft_acceptance *a, const char *path, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    if (rft_text_ends(path, ".md")) {
        rft_acceptance_markdown(a, &text);
    } else if (rft_text_ends(path, ".html")) {
        rft_acceptance_html(a, &text);
    } else {
        return rft_acceptance_write_pdf(a, path, err);
    }
    int rc = rft_fs_write_atomic(path, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    return rc;
}

/* The exit status, with what to do about it. */
static int conclude(const rft_acceptance *a, rft_arena *arena, rft_err *err) {
    if (a->verdict == RFT_ACCEPT_PASS) {
        return RFT_OK;
    }
    bool failed = a->verdict == RFT_ACCEPT_FAIL;
    rft_err_set(err, failed ? RFT_E_FAIL : RFT_E_UNDECIDED, "%s", rft_accept_sentence(a, arena));
    return rft_err_remedy(err, failed
                                   ? "measure a card that misses a limit once more, alone and cool; then hand it back"
                                   : "the reasons stand beside the limits; more processes narrow the guard band: "
                                     "rooftune run --processes 12");
}

static int read_limits(rft_limits **out, const char *path, rft_arena *arena, rft_err *err) {
    char *json = NULL;
    int rc = rft_script_read_table(&json, path, rft_script_usual_opts(), err);
    rc = rc ? rc : rft_limits_read(out, json, path, arena, err);
    free(json);
    return rc;
}

static int test_cards(rft_cli *cli, const rft_words *words, const test_outputs *to, rft_arena *arena, rft_err *err) {
    size_t count = words->count - 1;
    rft_limits *limits = NULL;
    rft_acceptance *a = NULL;
    rft_run **runs = rft_calloc(count, sizeof *runs);
    rft_accept_input *inputs = rft_arena_calloc(arena, count, sizeof *inputs);
    int rc = rft_run_set_check_names(words, err);
    rc = rc ? rc : read_limits(&limits, words->items[0], arena, err);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rc = rft_store_load(&runs[i], words->items[i + 1], err);
        inputs[i] = (rft_accept_input){runs[i], words->items[i + 1]};
    }
    rc = rc ? rc : rft_accept_runs(&a, limits, inputs, count, arena, err);
    if (rc == RFT_OK) {
        a->path = words->items[0];
        rc = to->drawn ? draw_test(a, to->drawn, err) : RFT_OK;
        rc = rc ? rc : write_all(cli, a, to, err);
        rc = rc ? rc : conclude(a, arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        rft_run_free(runs[i]);
    }
    free(runs);
    return rc;
}

int rft_cmd_test(rft_cli *cli, int argc, char **argv, rft_err *err) {
    test_outputs to = {0};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"output", 'o', "OUT.pdf", "draw the verdicts as a PDF; OUT.md: as Markdown, OUT.html: as HTML", NULL,
         &to.drawn, NULL},
        {"junit", 0, "FILE|-", "as JUnit XML, a case for every card and limit", NULL, &to.junit, NULL},
        {"json", 0, "FILE|-", "as JSON; \"-\": to stdout, in place of the table", NULL, &to.json, NULL},
        {"csv", 0, "FILE|-", "as CSV, a line for every card and limit", NULL, &to.csv, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    rc = rc || helped ? rc : check_words(&rest, &to, err);
    rc = rc || helped ? rc : test_cards(cli, &rest, &to, arena, err);
    rft_arena_free(arena);
    return rc;
}
