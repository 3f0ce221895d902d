/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/mix_set.h"
#include "reports/report.h"
#include "store/store.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

/* Stored runs to stand beside. A folder stands for the run files and recordings in it. */
typedef struct references {
    rft_run **runs;
    size_t count, capacity;
} references;

static int add_file(references *list, const char *path, rft_err *err) {
    RFT_GROW(list->runs, list->capacity, list->count + 1);
    int rc = rft_store_load(&list->runs[list->count], path, err);
    list->count += rc == RFT_OK;
    return rc;
}

static int add_reference(references *list, const char *path, rft_err *err) {
    static const char *const suffixes[] = {".db", ".json.gz", ".json"};
    if (!rft_fs_is_folder(path)) {
        return add_file(list, path, err);
    }
    size_t before = list->count;
    int rc = RFT_OK;
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes && rc == RFT_OK; s++) {
        char **names = NULL;
        size_t count = 0;
        rc = rft_fs_list(&names, &count, path, suffixes[s], err);
        for (size_t i = 0; i < count && rc == RFT_OK; i++) {
            char *joined = rft_fs_join(path, names[i]);
            rc = add_file(list, joined, err);
            free(joined);
        }
        rft_fs_list_free(names, count);
    }
    if (rc == RFT_OK && list->count == before) {
        rft_err_set(err, RFT_E_USAGE, "--reference %s: the folder holds no run file and no recording", path);
        rc = rft_err_remedy(err, "name files ending in .db, .json.gz or .json, or a folder that has some");
    }
    return rc;
}

/* The PDF, or one chart as SVG. */
static int draw(const rft_run *run, const rft_report_opts *opts, const char *chart, const char *output, rft_err *err) {
    rft_str svg = RFT_STR_INIT;
    if (!chart) {
        return rft_report_write_pdf(run, opts, output, err);
    }
    int rc = rft_report_chart_svg(run, opts, chart, &svg, err);
    rc = rc == RFT_OK ? rft_fs_write_atomic(output, rft_str_get(&svg), svg.length, err) : rc;
    rft_str_clear(&svg);
    return rc;
}

static void free_references(references *list) {
    for (size_t i = 0; i < list->count; i++) {
        rft_run_free(list->runs[i]);
    }
    free(list->runs);
}

/* Next to the run, by its name. */
static const char *default_output(const char *name, const char *suffix, rft_arena *arena) {
    static const char *const suffixes[] = {".db", ".json.gz", ".json"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (rft_text_ends(name, suffixes[i])) {
            length = strlen(name) - strlen(suffixes[i]);
            break;
        }
    }
    return rft_arena_printf(arena, "%.*s.%s", (int)length, name, suffix);
}

int rft_cmd_report(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    const char *part = NULL;
    const char *format = "pdf";
    const char *chart = NULL;
    bool full = false;
    bool helped = false;
    rft_words rest = {0}, given = {0}, fonts = {0}, mix_files = {0};
    references others = {0};
    rft_mix_set mixes = {0};
    const rft_opt opts[] = {
        {"output", 'o', "OUT.pdf", "where to write (default: the run's name with .pdf or .svg)", NULL, &output, NULL},
        {"part", 0, "1|2", "only the buyer's pages (1) or the engineer's (2)", NULL, &part, NULL},
        {"full", 0, NULL, "every problem in detail, and the table of all points", &full, NULL, NULL},
        {"reference", 0, "FILE", "a run of another card of the model (or a folder of them); repeatable", NULL, NULL,
         &given},
        {"format", 0, "pdf|svg", "svg: one chart alone, which --chart names", NULL, &format, NULL},
        {"chart", 0, "NAME", "with --format svg: part of its title, such as roofline", NULL, &chart, NULL},
        {"font", 0, "FILE.ttf", "embedded for names in Chinese, Greek ..., which the built-in fonts lack; repeatable",
         NULL, NULL, &fonts},
        {"mix", 0, "FILE", RFT_MIX_HELP, NULL, NULL, &mix_files},
    };
    rft_arena *arena = rft_arena_new();
    rft_run *run = NULL;
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    rc = rft_mix_set_check_words(&mix_files, &rest, "report", err);
    if (rc != RFT_OK) {
        goto done;
    }
    rft_report_opts report = RFT_REPORT_OPTS_INIT;
    report.full = full;
    report.fonts = fonts.items;
    report.font_count = fonts.count;
    if (fonts.count > RFT_REPORT_FONTS_MOST) {
        rc = rft_err_set(err, RFT_E_USAGE, "--font: %zu fonts, %u are taken at most", fonts.count,
                         RFT_REPORT_FONTS_MOST);
        goto done;
    }
    report.part = !part ? 0 : strcmp(part, "1") == 0 ? 1 : strcmp(part, "2") == 0 ? 2 : -1;
    if (report.part < 0) {
        rc = rft_err_set(err, RFT_E_USAGE, "--part takes 1 or 2, not \"%s\"", part);
        goto done;
    }
    bool svg = strcmp(format, "svg") == 0;
    if (!svg && strcmp(format, "pdf") != 0) {
        rc = rft_err_set(err, RFT_E_USAGE, "--format takes pdf or svg, not \"%s\"", format);
        goto done;
    }
    if (svg != (chart != NULL)) {
        rft_err_set(err, RFT_E_USAGE,
                    svg ? "--format svg draws one chart, and none is named"
                        : "--chart is for --format svg: a PDF has them all");
        rc = rft_err_remedy(err, "--chart roofline --format svg -o X.svg");
        goto done;
    }
    output = output ? output : default_output(rest.items[0], svg ? "svg" : "pdf", arena);
    for (size_t i = 0; i < given.count && rc == RFT_OK; i++) {
        rc = add_reference(&others, given.items[i], err);
    }
    report.references = (const rft_run *const *)others.runs;
    report.reference_count = others.count;
    if (rc != RFT_OK) {
        goto done;
    }
    rc = rft_store_load(&run, rest.items[0], err);
    rc = rc ? rc : rft_mix_set_load(&mixes, &mix_files, run, &rest, arena, err);
    if (rc == RFT_OK) {
        report.book = mixes.book;
        report.mixes = mixes.totals;
        report.mix_count = mixes.total_count;
        rc = draw(run, &report, chart, output, err);
    }
    if (rc == RFT_OK) {
        fprintf(cli->out, "report  %s\n", output);
    }
done:
    rft_mix_set_free(&mixes);
    free_references(&others);
    rft_run_free(run);
    rft_arena_free(arena);
    return rc;
}
