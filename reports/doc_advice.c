/* SPDX-License-Identifier: Apache-2.0 */
/* What could be won: advice for the best of a sweep's showcase problem. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/advice/advice.h"

#define SHOWN 5 /* all of them with --full */

enum { ADVICE_TEXT, ADVICE_GAIN, ADVICE_BOUND, ADVICE_EVIDENCE, ADVICE_COLUMNS };

static void add_rows(rft_build *b, rft_table *table, const rft_advice *items, size_t count, bool rule) {
    for (size_t i = 0; i < count; i++) {
        const rft_advice *one = &items[i];
        rft_row *row = rft_doc_row(b->doc, table);
        row->rule = rule && i == 0;
        row->cells[ADVICE_TEXT] = one->text;
        row->cells[ADVICE_GAIN] = rft_arena_printf(
            b->arena, "%s%s", rft_figure_percent(b->arena, one->gain_frac),
            one->gain_of ? rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "Of %s.", one->gain_of)) : "");
        row->cells[ADVICE_BOUND] = one->rests_on;
        row->cells[ADVICE_EVIDENCE] = rft_advice_evidence_name(one->evidence);
    }
}

static void add_missing(rft_build *b, const rft_advice_list *list) {
    rft_str names = RFT_STR_INIT;
    for (size_t i = 0; i < list->missing_count; i++) {
        rft_str_addf(&names, "%s%s (%s)", i ? ", " : "", list->missing[i].rule, list->missing[i].metric);
    }
    if (list->missing_count > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Not evaluated, for want of the number in brackets: %s.",
                      rft_str_get(&names));
    }
    rft_str_clear(&names);
}

void rft_build_advice(rft_build *b, size_t s) {
    static const rft_column columns[ADVICE_COLUMNS] = {
        [ADVICE_TEXT] = {.title = "Advice", .wraps = true},
        [ADVICE_GAIN] = {.title = "at most", .align = RFT_ALIGN_RIGHT},
        [ADVICE_BOUND] = {.title = "that rests on", .wraps = true},
        [ADVICE_EVIDENCE] = {.title = "known from"},
    };
    const rft_entry *showcase = rft_build_showcase(b, s);
    if (!showcase) {
        return;
    }
    rft_advice_list list = rft_advice_of(b->run, showcase->best, b->arena);
    rft_doc_heading(b->doc, 2, "What could be won", NULL);
    rft_doc_textf(b->doc, RFT_TEXT_BODY, "The best of %s%s%s.",
                  rft_words_problem(b->run, s, showcase->problem, b->arena),
                  list.nothing ? ": " : ", rules that its numbers made speak, most valuable first",
                  list.nothing ? list.nothing : "");
    size_t most = b->opts.full ? RFT_ADVICE_RULES_MAX : SHOWN;
    size_t same = list.count < most ? list.count : most;
    size_t other = list.other_count < most ? list.other_count : most;
    if (same + other > 0) {
        rft_table *table = rft_doc_table(b->doc, columns, ADVICE_COLUMNS);
        add_rows(b, table, list.items, same, false);
        add_rows(b, table, list.others, other, same > 0);
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "\"At most\" is the share of the time that no change of this kind can "
                      "exceed, not a forecast.%s",
                      other == 0 ? ""
                      : same == 0
                          ? " These change the work itself: more rows, fewer bits, another division into kernels."
                          : " Below the line: advice that changes the work itself.");
    }
    add_missing(b, &list);
}
