/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_report.c - many cards of one model on one page (report.h). */
#include "base/arena.h"
#include "base/fs.h"
#include "reports/doc.h"
#include "reports/doc_write.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/print/print.h"
#include "reports/report.h"

static rft_doc *build_fleet(const rft_fleet *fleet, rft_arena *arena) {
    rft_doc *doc = rft_arena_calloc(arena, 1, sizeof *doc);
    doc->arena = arena;
    doc->title = rft_arena_printf(arena, "%s cards: %.200s", rft_figure_count(arena, fleet->card_count), fleet->device);
    doc->subject = "How cards of one model differ, and which of them fall out";
    doc->creator = fleet->tool;
    doc->keywords = rft_arena_printf(arena, "%s runs", rft_figure_count(arena, fleet->run_count));
    doc->created_unix_ns = fleet->last_unix_ns;
    doc->footer_left =
        rft_arena_printf(arena, "rooftune compare   %s runs to %s", rft_figure_count(arena, fleet->run_count),
                         rft_figure_date(arena, fleet->last_unix_ns));
    rft_doc_heading(doc, 1, doc->title, "fleet");
    rft_print_page(doc, rft_finding_fleet(fleet, arena));
    rft_doc_spell_units(doc);
    return doc;
}

int rft_fleet_write(const rft_fleet *fleet, rft_report_form form, const char *path, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    const int code = rft_doc_write(build_fleet(fleet, arena), form, path, err);
    rft_arena_free(arena);
    return code;
}
