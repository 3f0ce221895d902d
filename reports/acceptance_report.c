/* SPDX-License-Identifier: Apache-2.0 */
/* acceptance_report.c - cards held to limits, as a document of their own (report.h). */
#include "base/arena.h"
#include "base/fs.h"
#include "reports/doc.h"
#include "reports/figures.h"
#include "reports/findings/accept_findings.h"
#include "reports/findings/words.h"
#include "reports/page/chart_svg.h"
#include "reports/page/doc_draw.h"
#include "reports/print/print.h"
#include "reports/report.h"

/* The run that was measured last: the document depends on nothing but runs and limits. */
static const rft_run *latest(const rft_acceptance *a) {
    const rft_run *last = a->cards[0].runs[0];
    for (size_t c = 0; c < a->card_count; c++) {
        for (size_t r = 0; r < a->cards[c].run_count; r++) {
            const rft_run *run = a->cards[c].runs[r];
            last = run->info.started_unix_ns > last->info.started_unix_ns ? run : last;
        }
    }
    return last;
}

static void describe_acceptance(rft_doc *doc, const rft_acceptance *a) {
    const rft_run *last = latest(a);
    const rft_run_info *info = &last->info;
    rft_arena *arena = doc->arena;
    doc->title = rft_arena_printf(arena, "Acceptance test: %.200s", a->limits->device);
    doc->subject = "Delivered cards held to limits";
    doc->creator = rft_words_tool(last, arena);
    doc->keywords = rft_arena_printf(arena, "%zu cards, %zu limits", a->card_count, a->limits->count);
    doc->created_unix_ns = info->finished_unix_ns > 0 ? info->finished_unix_ns : info->started_unix_ns;
    doc->footer_left = rft_arena_printf(arena, "rooftune test   %.100s   %s", a->path ? rft_fs_name(a->path) : "limits",
                                        rft_figure_date(arena, info->started_unix_ns));
}

static rft_doc *build_acceptance(const rft_acceptance *a, rft_arena *arena) {
    rft_doc *doc = rft_arena_calloc(arena, 1, sizeof *doc);
    doc->arena = arena;
    describe_acceptance(doc, a);
    rft_doc_heading(doc, 1, doc->title, "acceptance");
    rft_print_page(doc, rft_finding_acceptance(a, arena));
    rft_doc_spell_units(doc);
    return doc;
}

int rft_acceptance_pdf(const rft_acceptance *acceptance, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    int code = rft_doc_pdf(build_acceptance(acceptance, arena), out, err);
    rft_arena_free(arena);
    return code;
}

void rft_acceptance_markdown(const rft_acceptance *acceptance, rft_str *out) {
    rft_arena *arena = rft_arena_new();
    rft_print_markdown(out, build_acceptance(acceptance, arena));
    rft_arena_free(arena);
}

void rft_acceptance_html(const rft_acceptance *acceptance, rft_str *out) {
    rft_arena *arena = rft_arena_new();
    rft_print_html(out, build_acceptance(acceptance, arena), rft_chart_svg);
    rft_arena_free(arena);
}

int rft_acceptance_write_pdf(const rft_acceptance *acceptance, const char *path, rft_err *err) {
    rft_str bytes = RFT_STR_INIT;
    int code = rft_acceptance_pdf(acceptance, &bytes, err);
    if (code == 0) {
        code = rft_fs_write_atomic(path, rft_str_get(&bytes), bytes.length, err);
    }
    rft_str_clear(&bytes);
    return code;
}
