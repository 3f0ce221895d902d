/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/mix_set.h"
#include "cli/outputs.h"
#include "cli/reference_set.h"
#include "cli/report_csv.h"
#include "cli/run_set.h"
#include "reports/report.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

typedef struct report_options {
    const char *output, *part, *format, *chart, *author, *limits, *csv_dir;
    bool full, summary;
    rft_words runs, references, mixes, fonts;
} report_options;

/* What --format says, and the end of an output's name; "svg" is one chart. */
static const char *const forms[] = {[RFT_REPORT_PDF] = "pdf", [RFT_REPORT_MARKDOWN] = "md", [RFT_REPORT_HTML] = "html"};
#define FORMS (sizeof forms / sizeof *forms)

/* The document, or one chart. */
static int draw_report(const rft_run *run, const rft_report_opts *opts, const report_options *o, const char *output,
                       rft_err *err) {
    for (size_t i = 0; i < FORMS; i++) {
        if (strcmp(o->format, forms[i]) == 0) {
            return rft_report_write(run, opts, (rft_report_form)i, output, err);
        }
    }
    rft_str text = RFT_STR_INIT;
    int rc = rft_report_chart_svg(run, opts, o->chart, &text, err);
    rc = rc == RFT_OK ? rft_fs_write_atomic(output, rft_str_get(&text), text.length, err) : rc;
    rft_str_clear(&text);
    return rc;
}

/* Of the card of these runs, and of those that stand beside it. */
static int make_limits(rft_limits **out, const rft_run_set *runs, const rft_reference_set *others, rft_arena *arena,
                       rft_err *err) {
    const rft_run **all = rft_arena_calloc(arena, runs->count + others->count + 1, sizeof *all);
    for (size_t i = 0; i < runs->count; i++) {
        all[i] = runs->runs[i];
    }
    for (size_t i = 0; i < others->count; i++) {
        all[runs->count + i] = others->runs[i];
    }
    return rft_limits_make(out, all, runs->count + others->count, runs->count, arena, err);
}

static int write_limits(rft_cli *cli, const rft_limits *limits, const char *path, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    rft_limits_write(&text, limits);
    int rc = rft_fs_write_atomic(path, rft_str_get(&text), text.length, err);
    if (rc == RFT_OK) {
        fprintf(cli->out, "limits  %s: %zu, %zu reference card%s\n", path, limits->count, limits->cards,
                limits->cards == 1 ? "" : "s");
    }
    rft_str_clear(&text);
    return rc;
}

/* Next to the run, by its name. */
static const char *default_output(const char *name, const char *suffix, rft_arena *arena) {
    static const char *const suffixes[] = {".db", ".json.gz", ".json", ".tar.gz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (rft_text_ends(name, suffixes[i])) {
            length = strlen(name) - strlen(suffixes[i]);
            break;
        }
    }
    return rft_arena_printf(arena, "%.*s.%s", (int)length, name, suffix);
}

/* What the words mean, as far as it can be told without reading files. */
static int understand(report_options *o, rft_report_opts *out, rft_err *err) {
    *out = (rft_report_opts)RFT_REPORT_OPTS_INIT;
    out->full = o->full;
    out->summary = o->summary;
    out->author = o->author;
    out->fonts = o->fonts.items;
    out->font_count = o->fonts.count;
    if (o->fonts.count > RFT_REPORT_FONTS_MOST) {
        return rft_err_set(err, RFT_E_USAGE, "--font: %zu fonts, %u are taken at most", o->fonts.count,
                           RFT_REPORT_FONTS_MOST);
    }
    if (o->full && o->summary) {
        rft_err_set(err, RFT_E_USAGE, "--full and --summary ask for opposite things");
        return rft_err_remedy(err, "name one of them, or neither: then a sweep has a page or two");
    }
    out->part = !o->part ? 0 : strcmp(o->part, "1") == 0 ? 1 : strcmp(o->part, "2") == 0 ? 2 : -1;
    if (out->part < 0) {
        return rft_err_set(err, RFT_E_USAGE, "--part takes 1 or 2, not \"%s\"", o->part);
    }
    o->format = o->format ? o->format : forms[o->output ? rft_report_form_of(o->output) : RFT_REPORT_PDF];
    bool svg = strcmp(o->format, "svg") == 0, known = svg;
    for (size_t i = 0; i < FORMS; i++) {
        known = known || strcmp(o->format, forms[i]) == 0;
    }
    if (!known) {
        return rft_err_set(err, RFT_E_USAGE, "--format takes pdf, md, html or svg, not \"%s\"", o->format);
    }
    if (svg != (o->chart != NULL)) {
        rft_err_set(err, RFT_E_USAGE,
                    svg ? "--format svg draws one chart: name it with --chart"
                        : "--chart is for --format svg: a PDF has them all");
        return rft_err_remedy(err, "--chart roofline --format svg -o X.svg");
    }
    return RFT_OK;
}

/* A document that depends on the machine that shows it is told of. */
static void note_fonts(rft_cli *cli, const char *format) {
    if (strcmp(format, "pdf") == 0 && !rft_report_fonts()) {
        rft_log_warn(&cli->log,
                     "this rooftune was built without its fonts: the PDF names Helvetica and Courier, and looks "
                     "as its reader has them\n  remedy: docs/building.md names the fonts' package");
    }
}

static int report(rft_cli *cli, report_options *o, rft_arena *arena, rft_err *err) {
    rft_report_opts opts;
    rft_run_set runs = {0};
    rft_mix_set mixes = {0};
    rft_reference_set others = {0};
    rft_limits *limits = NULL;
    int rc = understand(o, &opts, err);
    const char *output = o->output                           ? o->output
                         : rc == RFT_OK && o->runs.count > 0 ? default_output(o->runs.items[0], o->format, arena)
                                                             : NULL;
    rft_output outputs[1 + RFT_REPORT_CSV_FILES] = {{"-o", output, RFT_OUTPUT_FILE}};
    if (o->csv_dir) {
        rft_report_csv_outputs(outputs + 1, o->csv_dir, arena);
    }
    rc = rc ? rc : rft_outputs_check(outputs, o->csv_dir ? 1 + RFT_REPORT_CSV_FILES : 1, &o->runs, err);
    rc = rc ? rc : rft_run_set_check_names(&o->references, err);
    rc = rc ? rc : rft_run_set_load(&runs, &o->runs, "report", err);
    for (size_t i = 0; i < o->references.count && rc == RFT_OK; i++) {
        rc = rft_reference_set_add(&others, o->references.items[i], err);
    }
    rc = rc ? rc : rft_mix_set_load(&mixes, &o->mixes, runs.one, arena, err);
    rc = rc || !o->limits ? rc : make_limits(&limits, &runs, &others, arena, err);
    if (rc == RFT_OK) {
        opts.limits = limits;
        rft_reference_set_add_shipped(&others, runs.one, cli->program);
        opts.joined = (const rft_run *const *)runs.runs;
        opts.joined_count = runs.count;
        opts.shipped_count = others.shipped;
        opts.references = (const rft_run *const *)others.runs;
        opts.reference_count = others.count;
        opts.cards = (const rft_run *const *)others.cards;
        opts.card_count = others.card_count;
        opts.book = mixes.book;
        opts.mixes = mixes.totals;
        opts.mix_count = mixes.total_count;
        rc = o->csv_dir ? rft_fs_make_folders(o->csv_dir, err) : RFT_OK; /* before anything is written */
        rc = rc ? rc : draw_report(runs.one, &opts, o, output, err);
        if (rc == RFT_OK) {
            fprintf(cli->out, "report  %s\n", output);
            rc = o->csv_dir ? rft_report_csv_write(runs.one, outputs + 1, err) : RFT_OK;
            for (size_t i = 1; i <= RFT_REPORT_CSV_FILES && o->csv_dir && rc == RFT_OK; i++) {
                fprintf(cli->out, "csv     %s\n", outputs[i].path);
            }
            note_fonts(cli, o->format);
        }
        rc = rc || !limits ? rc : write_limits(cli, limits, o->limits, err);
    }
    rft_reference_set_free(&others);
    rft_run_set_free(&runs);
    return rc;
}

int rft_cmd_report(rft_cli *cli, int argc, char **argv, rft_err *err) {
    report_options o = {0};
    bool helped = false;
    const rft_opt opts[] = {
        {"output", 'o', "OUT.pdf", "where to write (default: the first run's name with .pdf, .md ...)", NULL, &o.output,
         NULL},
        {"part", 0, "1|2", "only the buyer's pages (1) or the engineer's (2)", NULL, &o.part, NULL},
        {"full", 0, NULL, "every problem in detail, and the table of all points", &o.full, NULL, NULL},
        {"summary", 0, NULL, "half a page a sweep", &o.summary, NULL, NULL},
        {"csv-dir", 0, "DIR", "also every point, best and counter as CSV files in this folder", NULL, &o.csv_dir, NULL},
        {"mix", 0, "FILE", RFT_MIX_HELP, NULL, NULL, &o.mixes},
        {"reference", 0, "FILE", "a run of another card, or a folder of them; repeatable", NULL, NULL, &o.references},
        {"limits-out", 0, "LIMITS.lua", "write an acceptance test for `rooftune test`, with its page", NULL, &o.limits,
         NULL},
        {"format", 0, "pdf|md|html|svg", "md: Markdown (also -o OUT.md); html; svg: one chart, --chart names it", NULL,
         &o.format, NULL},
        {"chart", 0, "NAME", "with --format svg: part of its title, such as roofline", NULL, &o.chart, NULL},
        {"font", 0, "FILE.ttf", "for names in Chinese ..., which its own fonts lack; repeatable", NULL, NULL, &o.fonts},
        {"author", 0, "NAME", "who answers for the report, for the document's information", NULL, &o.author, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o.runs, NULL, &helped, err);
    rc = rc || helped ? rc : report(cli, &o, arena, err);
    rft_arena_free(arena);
    return rc;
}
