/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "model/run/run_foreign.h"
#include "reports/page/page.h"

#define ROWS_LEAST 6 /* families on the first page; with fewer it says nothing, and goes on on a second */

/* With what became of most points, and an example. */
static const char *no_measurement(const rft_build *b) {
    size_t counts[RFT_OUTCOME_COUNT] = {0}, most = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < b->run->point_count; i++) {
        counts[b->run->points[i].outcome]++;
        most = counts[b->run->points[i].outcome] > counts[most] ? (size_t)b->run->points[i].outcome : most;
    }
    for (size_t i = 0; i < b->run->point_count && !reason; i++) {
        reason = b->run->points[i].outcome == (rft_outcome)most ? b->run->points[i].reason : NULL;
    }
    if (b->run->point_count == 0) {
        return "No valid measurement: no configuration was taken up.";
    }
    return rft_arena_printf(b->arena, "No valid measurement: %s of %s: %s%s%.200s.",
                            rft_figure_count(b->arena, counts[most]),
                            rft_words_plural(b->run->point_count, "point", "points", b->arena),
                            rft_outcome_name((rft_outcome)most), reason ? ", " : "", reason ? reason : "");
}

static bool is_measured(const rft_build *b) {
    bool any = false;
    for (size_t i = 0; i < b->entry_count && !any; i++) {
        any = b->entries[i].best != NULL;
    }
    return any;
}

static void add_notices(rft_build *b) {
    const char *notice = rft_words_replay(b->run, b->arena);
    const char *foreign = rft_run_foreign_notice(b->run, b->arena);
    if (notice) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG, rft_arena_printf(b->arena, "This is a %s.", notice));
    }
    if (foreign) {
        const char *work = rft_run_foreign_work_notice(b->run, b->arena);
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     rft_arena_printf(b->arena, "These are %s%s%s.", foreign, work ? "; " : "", work ? work : ""));
    }
    if (!foreign && b->run->info.finished_unix_ns == 0) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     "The run was not finished: what follows is of what was measured until it stopped.");
    }
    if (b->run->gpu.representative) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG, "It stands for its architecture: no real device was asked.");
    }
}

void rft_build_cover(rft_build *b) {
    const char *device = b->run->gpu.name ? b->run->gpu.name : "Unknown device";
    rft_doc_heading(
        b->doc, 1,
        rft_arena_printf(b->arena, rft_run_foreign(b->run) ? "%s: a foreign recording" : "%s: what it does", device),
        "cover");
    add_notices(b);
    if (!is_measured(b)) {
        rft_doc_text(b->doc, RFT_TEXT_LEAD, no_measurement(b));
        return;
    }
    rft_doc_text(b->doc, RFT_TEXT_LEAD, rft_buyer_lead(b->buyer, b->arena));
    rft_build_key_figures(b);
    rft_print_page(b->doc, rft_finding_answer(b->buyer, b->arena));
    rft_build_cover_chart(b);
}

/* How many pages it takes with so many families in its table. */
static int cover_pages(const rft_build *b, size_t rows) {
    rft_doc page = {.arena = b->arena};
    rft_buyer buyer = *b->buyer;
    rft_build trial = *b;
    buyer.given.rows_most = rows;
    trial.buyer = &buyer;
    trial.doc = &page;
    rft_build_cover(&trial);
    return rft_page_layout(&page, NULL);
}

size_t rft_build_cover_rows(const rft_build *b) {
    size_t least = ROWS_LEAST, most = RFT_BUYER_ROWS;
    if (b->buyer->asked->part_count <= least || cover_pages(b, most) <= 1) {
        return most;
    }
    while (most - least > 1) { /* least: they fit, or it goes on on a second page; most: they do not */
        size_t middle = (least + most) / 2;
        if (cover_pages(b, middle) <= 1) {
            least = middle;
        } else {
            most = middle;
        }
    }
    return least;
}

void rft_build_card_page(rft_build *b) {
    rft_doc_new_page(b->doc);
    rft_doc_heading(b->doc, 1, "The card, and what to ask", "ask");
    rft_print_page(b->doc, rft_finding_normal(b->buyer, b->arena));
    rft_print_page(b->doc, rft_finding_limiting(b->buyer, b->arena));
    rft_print_page(b->doc, rft_finding_questions(b->buyer, b->arena));
}

void rft_build_contents(rft_build *b) {
    rft_doc_heading(b->doc, 2, "Contents", NULL);
    rft_doc_contents(b->doc);
}
