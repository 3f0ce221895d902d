/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/report.h"

#include "reports/compare_pages.h"
#include "reports/doc_write.h"
#include "reports/findings/words.h"
#include "reports/page/doc_draw.h"
#include "reports/print/print.h"

#include <string.h>

/* "NVIDIA H200 against NVIDIA A100"; over two: "3 runs: NVIDIA H200, NVIDIA A100". */
static const char *title_of(const rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    if (c->side_count == 2) {
        bool fellows = strcmp(c->sides[0].device, c->sides[1].device) == 0;
        bool cards = c->sides[0].card_known && c->sides[1].card_known && c->sides[0].card != c->sides[1].card;
        return fellows ? rft_arena_printf(p->arena, "%s: two runs%s", c->sides[0].device, cards ? ", of two cards" : "")
                       : rft_arena_printf(p->arena, "%s against %s", c->sides[1].device, c->sides[0].device);
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%zu runs: ", c->side_count);
    for (size_t i = 0, told = 0; i < c->side_count; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++) {
            known = known || strcmp(c->sides[k].device, c->sides[i].device) == 0;
        }
        if (!known) {
            rft_str_addf(&text, "%s%s", told++ ? ", " : "", c->sides[i].device);
        }
    }
    const char *kept = rft_arena_strdup(p->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* Of the tool that measured last: this document depends on nothing but the runs. */
static const rft_run *latest(const rft_compare *compare) {
    const rft_run *last = compare->sides[0].run;
    for (size_t i = 1; i < compare->side_count; i++) {
        const rft_run *run = compare->sides[i].run;
        last = run->info.started_unix_ns > last->info.started_unix_ns ? run : last;
    }
    return last;
}

static void describe(rft_compare_pages *p) {
    const rft_run *last = latest(p->compare);
    const rft_run_info *info = &last->info;
    rft_doc *doc = p->doc;
    rft_str ids = RFT_STR_INIT;
    for (size_t i = 0; i < p->compare->side_count; i++) {
        rft_str_addf(&ids, "%s%s", i ? ", " : "", p->compare->sides[i].run->info.id);
    }
    doc->title = rft_arena_printf(p->arena, "rooftune compare: %.300s", title_of(p));
    doc->subject = "Tuned kernels on several devices, cards or dates beside each other";
    doc->creator = rft_words_tool(last, p->arena);
    doc->keywords = rft_arena_printf(p->arena, "runs %s", rft_str_get(&ids));
    doc->created_unix_ns = info->finished_unix_ns > 0 ? info->finished_unix_ns : info->started_unix_ns;
    doc->footer_left = rft_arena_printf(p->arena, "rooftune compare   runs %s", rft_str_get(&ids));
    rft_str_clear(&ids);
}

rft_doc *rft_compare_doc(const rft_compare *compare, rft_arena *arena) {
    rft_compare_pages p = {.compare = compare, .arena = arena};
    p.doc = rft_arena_calloc(arena, 1, sizeof *p.doc);
    p.doc->arena = arena;
    describe(&p);
    rft_doc_heading(p.doc, 1, title_of(&p), "cover");
    rft_compare_page_cover(&p);
    rft_doc_new_page(p.doc);
    rft_doc_heading(p.doc, 1, "The cards, and who is fastest where", "cards");
    if (compare->side_count > RFT_COMPARE_COVER_MATRIX) {
        rft_print_page(p.doc, rft_finding_matrix(compare, arena));
    }
    rft_print_page(p.doc, rft_finding_wins(compare, arena));
    rft_print_page(p.doc, rft_finding_cards(compare, arena));
    rft_print_page(p.doc, rft_finding_compared_bases(compare, arena));
    rft_doc_heading(p.doc, 1, "Workload by workload", "workloads");
    rft_print_page(p.doc, rft_finding_workloads(compare, arena));
    rft_print_page(p.doc, rft_finding_compared_rates(compare, arena));
    rft_print_page(p.doc, rft_finding_alone(compare, arena));
    rft_print_page(p.doc, rft_finding_compared_mixes(compare, arena));
    rft_compare_page_rooflines(&p);
    rft_doc_heading(p.doc, 1, "Which configurations carry over", "carries");
    rft_print_page(p.doc, rft_finding_carries(compare, arena));
    rft_doc_heading(p.doc, 1, "Search effort", "effort");
    rft_print_page(p.doc, rft_finding_effort(compare, arena));
    rft_doc_heading(p.doc, 1, "Variation among runs of one model", "variation");
    rft_print_page(p.doc, rft_finding_variation(compare, arena));
    rft_compare_page_trust(&p);
    return p.doc;
}

static int build(rft_doc **out, const rft_compare *compare, rft_arena *arena, rft_err *err) {
    *out = rft_compare_doc(compare, arena);
    rft_doc_spell_units(*out);
    return rft_doc_set_fonts(*out, NULL, 0, err);
}

int rft_compare_pdf(const rft_compare *compare, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, compare, arena, err);
    code = code == 0 ? rft_doc_pdf(doc, out, err) : code;
    rft_arena_free(arena);
    return code;
}

int rft_compare_trace(const rft_compare *compare, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, compare, arena, err);
    code = code == 0 ? rft_doc_trace(doc, out, err) : code;
    rft_arena_free(arena);
    return code;
}

int rft_compare_write(const rft_compare *compare, rft_report_form form, const char *path, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, compare, arena, err);
    code = code == 0 ? rft_doc_write(doc, form, path, err) : code;
    rft_arena_free(arena);
    return code;
}
