/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/compare_fleet.h"
#include "cli/compose.h"
#include "cli/mix_package.h"
#include "cli/mix_set.h"
#include "cli/outputs.h"
#include "model/compare/compare_mix.h"
#include "reports/findings/compare_findings.h"
#include "reports/print/print.h"
#include "reports/report.h"
#include "store/store.h"

#include "base/fs.h"

#include <string.h>

typedef struct outputs {
    const char *drawn, *json, *csv, *expected;
    rft_words mixes;
} outputs;

/* More than stand beside each other, or held to a list: figures' distributions, and what falls out of them. */
static bool is_fleet(const rft_words *paths, const outputs *to) {
    return paths->count > RFT_COMPARE_MOST || to->expected;
}

/* Before anything is read: how many there are, and what was typed twice. */
static int check_words(const rft_words *paths, const outputs *to, rft_err *err) {
    if (paths->count < 2 || paths->count > RFT_FLEET_MOST) {
        rft_err_set(err, RFT_E_USAGE, "compare takes two to %d runs, %zu %s given", RFT_FLEET_MOST, paths->count,
                    paths->count == 1 ? "was" : "were");
        return rft_err_remedy(err, paths->count > 2 ? "compare fewer at a time"
                                                    : "rooftune compare A.db B.db (or recordings, FILE.json.gz)");
    }
    if (is_fleet(paths, to) && to->mixes.count) {
        rft_err_set(err, RFT_E_USAGE, "--mix is of runs that stand beside each other, two to %d", RFT_COMPARE_MOST);
        return rft_err_remedy(err, "leave out --mix, or compare fewer at a time");
    }
    return rft_outputs_check_stdout(to->drawn, (const char *const[]){to->json, to->csv}, 2, "--json and --csv", err);
}

/* Under their headings; what has none comes first. */
static void add_text(rft_str *out, const rft_compare *compare, rft_arena *arena) {
    const rft_print_opts plain = {.label = ""}, below = {0}, indented = {.indent = 2};
    rft_print_text(out, rft_finding_compared_runs(compare, arena), &plain);
    rft_print_text(out, rft_finding_scores(compare, arena), &below);
    rft_print_text(out, rft_finding_matrix(compare, arena), &below);
    rft_print_text(out, rft_finding_workloads(compare, arena), &below);
    rft_print_text(out, rft_finding_reasons(compare, arena), &indented);
    rft_print_text(out, rft_finding_wins(compare, arena), &indented);
    rft_print_text(out, rft_finding_cards(compare, arena), &indented);
    rft_print_text(out, rft_finding_compared_bases(compare, arena), &indented);
    rft_print_text(out, rft_finding_compared_mixes(compare, arena), &indented);
    rft_print_text(out, rft_finding_carries(compare, arena), &indented);
    rft_print_text(out, rft_finding_effort(compare, arena), &indented);
    rft_print_text(out, rft_finding_variation(compare, arena), &indented);
    rft_print_text(out, rft_finding_alone(compare, arena), &indented);
    rft_print_text(out, rft_finding_caveats(compare, arena), &indented);
}

static int write_all(rft_cli *cli, const rft_compare *compare, const outputs *to, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    rft_arena *arena = rft_arena_new();
    int rc = RFT_OK;
    if (to->json) {
        rft_print_json_line(&text, rft_print_json(rft_finding_comparison(compare, arena)));
        rc = rft_cli_write(cli, to->json, rft_str_get(&text), text.length, err);
    }
    if (rc == RFT_OK && to->csv) {
        rft_str_truncate(&text, 0);
        rft_print_csv(&text, rft_finding_workloads(compare, arena));
        rc = rft_cli_write(cli, to->csv, rft_str_get(&text), text.length, err);
    }
    if (rc == RFT_OK && !rft_output_is_stdout(to->json) && !rft_output_is_stdout(to->csv)) {
        rft_str_truncate(&text, 0);
        add_text(&text, compare, arena);
        rc = rft_cli_write(cli, "-", rft_str_get(&text), text.length, err);
    }
    rft_str_clear(&text);
    rft_arena_free(arena);
    return rc;
}

/* Prices reach every workload, mixes stand beside them. */
static int add_mixes(rft_compare *compare, const rft_mix_book *book, rft_arena *arena, rft_err *err) {
    rft_compare_mixes *mixes = NULL;
    int rc = book ? rft_compare_mixes_of(&mixes, compare, book, arena, err) : RFT_OK;
    compare->mixes = mixes;
    return rc;
}

/* Another tuner's file tells the device's name at most: the datasheet tells what that card is made for. */
static int look_up_card(rft_cli *cli, rft_run *run, rft_err *err) {
    const rft_gpu_info named = {.name = rft_run_device(run), .arch = "", .uuid = "", .pci_id = ""};
    if (!rft_run_foreign(run) || !named.name) {
        return RFT_OK;
    }
    return rft_compose_annotate(cli, run->arena, &run->ceilings, &named, err);
}

static int compare_files(rft_cli *cli, const rft_words *paths, const outputs *to, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_run *runs[RFT_COMPARE_MOST] = {0};
    rft_compare_input inputs[RFT_COMPARE_MOST];
    rft_compare *compare = NULL;
    rft_mix_book *book = NULL;
    int rc = to->mixes.count ? rft_mix_files_read(&book, &to->mixes, arena, err) : RFT_OK;
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        rc = rft_store_load(&runs[i], paths->items[i], err);
        rc = rc ? rc : look_up_card(cli, runs[i], err);
    }
    if (rc == RFT_OK && !book) {
        rc = rft_mix_packages_read(&book, (const rft_run *const *)runs, paths->count, arena, err);
    }
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        inputs[i] = (rft_compare_input){runs[i], paths->items[i], rft_compare_price_of(book, runs[i])};
    }
    rc = rc ? rc : rft_compare_runs(&compare, inputs, paths->count, arena, err);
    rc = rc ? rc : add_mixes(compare, book, arena, err);
    if (rc == RFT_OK && to->drawn) {
        rc = rft_compare_write(compare, rft_report_form_of(to->drawn), to->drawn, err);
    }
    rc = rc ? rc : write_all(cli, compare, to, err);
    for (size_t i = 0; i < paths->count; i++) {
        rft_run_free(runs[i]);
    }
    rft_arena_free(arena);
    return rc;
}

int rft_cmd_compare(rft_cli *cli, int argc, char **argv, rft_err *err) {
    outputs to = {0};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"output", 'o', "OUT.pdf", "draw the comparison as a PDF; OUT.md: as Markdown, OUT.html: as HTML", NULL,
         &to.drawn, NULL},
        {"json", 0, "FILE|-", "as JSON; \"-\": to stdout, in place of the table", NULL, &to.json, NULL},
        {"csv", 0, "FILE|-", "as CSV, a line for every workload and run", NULL, &to.csv, NULL},
        {"mix", 0, "FILE", RFT_MIX_HELP, NULL, NULL, &to.mixes},
        {"expected", 0, "FILE", "the cards that should have a run: a UUID or serial number a line", NULL, &to.expected,
         NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    rc = rc || helped ? rc : check_words(&rest, &to, err);
    if (rc == RFT_OK && !helped && is_fleet(&rest, &to)) {
        rc = rft_compare_fleet(cli, &rest, &(rft_compare_fleet_opts){to.drawn, to.json, to.csv, to.expected}, err);
        helped = true;
    }
    rc = rc || helped ? rc : compare_files(cli, &rest, &to, err);
    rft_arena_free(arena);
    return rc;
}
