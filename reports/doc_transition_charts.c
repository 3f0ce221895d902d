/* SPDX-License-Identifier: Apache-2.0 */
/* Transitions as charts: the profile of the bests, the ceilings along the axis, bands of bound, and the places. */
#include "reports/doc_transition_charts.h"

#include <math.h>

#define CHARTS_MOST 6
#define HEIGHT 168.0
#define HEIGHT_ALONE 140.0 /* over the whole width */

static bool has_change(const rft_found *line) {
    for (size_t i = 0; i < line->count; i++) {
        if (line->items[i].kind != RFT_TRANSITION_NONE && line->items[i].kind != RFT_TRANSITION_NOT_EXPLORED) {
            return true;
        }
    }
    return false;
}

static bool can_draw(const rft_found *line) {
    size_t measured = 0;
    for (size_t i = 0; i < line->profile->step_count; i++) {
        measured += line->profile->steps[i].best != NULL;
    }
    return measured > 1;
}

static rft_chart *chart_of(rft_build *b, const rft_found *line) {
    rft_along_opts opts = {.height = HEIGHT, .best_alone = true};
    opts.title = rft_arena_printf(b->arena, "%s: %s", b->run->sweeps[line->profile->sweep].sweep.name,
                                  rft_build_line(b, line->profile));
    opts.transitions = line->items;
    opts.transition_count = line->count;
    return rft_build_along_chart(b, line->profile, &opts);
}

void rft_build_transition_charts(rft_build *b, const rft_found *lines, size_t count) {
    rft_chart **charts = rft_arena_calloc(b->arena, count + 1, sizeof(rft_chart *));
    size_t used = 0, drawable = 0, most = b->opts.full ? count : CHARTS_MOST;
    for (int changed = 1; changed >= 0; changed--) {
        for (size_t i = 0; i < count; i++) {
            if (can_draw(&lines[i]) && has_change(&lines[i]) == (changed == 1)) {
                drawable++;
                if (used < most) {
                    charts[used++] = chart_of(b, &lines[i]);
                }
            }
        }
    }
    if (used == 0) {
        return;
    }
    if (used == 1) {
        charts[0]->height = HEIGHT_ALONE;
    }
    rft_build_chart_rows(b, charts, used, rft_build_columns(used));
    rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                  "Marks: the best over all variants at every value; grey lines: what the measured ceilings allow for "
                  "the same work; shaded, with its name: what holds the best back. Dashed: where the times turn, the "
                  "thick line at its foot and the brackets give the 95 %% interval.%s",
                  used < drawable ? rft_arena_printf(b->arena, " %s; --full draws all.",
                                                     rft_words_plural(drawable - used, "line is not drawn",
                                                                      "lines are not drawn", b->arena))
                                  : "");
}
