/* SPDX-License-Identifier: Apache-2.0 */
/* doc_steps.c - the launches of the best of a sweep's showcase problem, where it has several. */
#include "model/roofline/step_bound.h"
#include "reports/doc_build.h"

#include <math.h>

void rft_build_steps(rft_build *b, size_t s) {
    static const rft_column columns[] = {{.title = "Launch", .wraps = true},
                                         {.title = "Median alone", .align = RFT_ALIGN_RIGHT},
                                         {.title = "Share", .unit = "%", .align = RFT_ALIGN_DECIMAL},
                                         {.title = "Bound", .wraps = true}};
    const rft_entry *entry = rft_build_showcase(b, s);
    size_t count = entry && entry->best ? rft_step_bound_count(entry->best) : 0;
    if (count == 0) {
        return;
    }
    rft_doc_heading(
        b->doc, 2,
        rft_arena_printf(b->arena, "The launches of the best of %s", rft_build_name(b, entry->sweep, entry->problem)),
        NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 4);
    size_t longest = rft_step_bound_longest(entry->best);
    for (size_t i = 0; i < count; i++) {
        rft_step_bound step = rft_step_bound_of(b->run, entry->best, i);
        rft_row *row = rft_doc_row(b->doc, table);
        row->strong = i == longest;
        row->cells[0] = rft_arena_printf(b->arena, "%zu. %s", i + 1, step.name);
        row->cells[1] = rft_figure_si(b->arena, step.seconds, "s");
        row->cells[2] = rft_figure_percent_bare(b->arena, step.frac);
        row->cells[3] = rft_step_bound_text(&step, b->arena);
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "Each launch is timed alone behind the ones before it, so their sum may differ from the time of "
                 "all together. The bound of the longest is the point's, where its own work says anything.");
}
