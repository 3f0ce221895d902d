/* SPDX-License-Identifier: Apache-2.0 */
/* Points above their roof, with the cause that the run's own facts show. */
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "reports/doc_build.h"

#define SHOWN_MOST 4

void rft_build_overs(rft_build *b, rft_pipe pipe) {
    const rft_run *run = b->run;
    size_t over_count = 0, shown = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_work_main_pipe(&run->points[i].work) == pipe && rft_run_is_candidate(run, &run->points[i])) {
            over_count += rft_placement_of(run, &run->points[i]).efficiency_frac > RFT_OVER_ROOF_FRAC;
        }
    }
    if (over_count > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s above the measured roof by more than %s.",
                      rft_words_plural(over_count, "point lies", "points lie", b->arena),
                      rft_figure_percent(b->arena, RFT_OVER_ROOF_FRAC - 1));
    }
    for (size_t i = 0; i < b->entry_count && shown < SHOWN_MOST; i++) {
        const rft_entry *entry = &b->entries[i];
        if (!entry->best || rft_work_main_pipe(&entry->best->work) != pipe) {
            continue;
        }
        rft_over_roof over = rft_over_roof_of(run, entry->best, b->arena);
        if (over.cause != RFT_OVER_NOT) {
            rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s, %s times its roof: %s.",
                          rft_words_problem(b->run, entry->sweep, entry->problem, b->arena),
                          rft_figure_plain(b->arena, over.factor, 3), over.text);
            shown++;
        }
    }
}
