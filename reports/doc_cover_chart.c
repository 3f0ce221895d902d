/* SPDX-License-Identifier: Apache-2.0 */
/* The cover's picture: how much of its measured limit (its ceiling) each sweep reaches, and where the vendor's library
 * stands. */
#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include <math.h>
#include <string.h>

#define HEIGHT 138.0
#define BARS_MOST RFT_BUYER_CHARTED /* with names under them */
#define HALF_BAR 0.32
#define CHART_WIDTH 450.0 /* points, about */
#define BYTE_WIDTH 4.3    /* of a category's name */

static const char *problem_text(const rft_build *b, const rft_entry *entry) {
    return rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena);
}

/* A sweep speaks through its showcase, a single sweep through its most telling problems. */
static size_t choose(const rft_build *b, const rft_entry **out) {
    size_t count = 0;
    if (b->run->sweep_count == 1) {
        const rft_entry **chosen = NULL;
        size_t longest = 8;
        for (size_t i = 0; i < b->entry_count; i++) {
            size_t length = strlen(problem_text(b, &b->entries[i]));
            longest = length > longest ? length : longest;
        }
        size_t room = (size_t)(CHART_WIDTH / (BYTE_WIDTH * (double)longest + 8));
        size_t found = rft_build_choose(b, room < 1 ? 1 : room < BARS_MOST ? room : BARS_MOST, &chosen);
        for (size_t i = 0; i < found; i++) {
            if (chosen[i]->best && !isnan(chosen[i]->place.efficiency_frac)) {
                out[count++] = chosen[i];
            }
        }
        return count;
    }
    for (size_t s = 0; s < b->run->sweep_count && count < BARS_MOST; s++) {
        const rft_entry *entry = rft_build_showcase(b, s);
        bool asked = b->buyer->asked->all_diagnostic || b->run->sweeps[s].sweep.diagnostic != 1;
        if (asked && entry && !isnan(entry->place.efficiency_frac)) {
            out[count++] = entry;
        }
    }
    return count;
}

static void add_baselines(rft_build *b, rft_chart *chart, const rft_entry *const *entries, size_t count) {
    rft_series *dots = rft_chart_series(b->arena, chart, RFT_SERIES_DOTS, count);
    size_t last = SIZE_MAX;
    dots->tone = RFT_TONE_B;
    for (size_t i = 0; i < count; i++) {
        const rft_baseline *chief = rft_run_chief_baseline(b->run, entries[i]->sweep, entries[i]->problem, b->arena);
        rft_versus versus = {.frac = NAN};
        if (chief && chief->same_protocol) {
            versus = rft_versus_of(b->run, entries[i]->best, chief);
        }
        dots->x[i] = (double)i;
        dots->y[i] = entries[i]->reach.frac / versus.frac * 100;
        last = isfinite(dots->y[i]) ? i : last;
    }
    if (last != SIZE_MAX) { /* one name for all */
        const rft_baseline *one =
            rft_run_chief_baseline(b->run, entries[last]->sweep, entries[last]->problem, b->arena);
        dots->names[last] =
            rft_run_chief_name(b->run, b->arena) ? rft_baseline_short_label(one, b->arena) : "the vendor's library";
    } else {
        chart->series_count--;
    }
}

/* What the bars are, and what the figure above them is: never two numbers for one thing. */
static const char *caption_text(const rft_build *b, size_t drawn, bool at_most) {
    const rft_speed_share share = rft_speed_share_of(b->buyer->asked, SIZE_MAX);
    const char *writes = at_most ? "At most: part of what a launch wrote may still have been in the cache when it "
                                   "ended. Where launches without a pause were measured, the bar is theirs."
                                 : "";
    const char *mean =
        share.count > drawn
            ? rft_arena_printf(b->arena, "%s%zu of %zu problems are drawn; the %s above is the mean of all.",
                               at_most ? " " : "", drawn, share.count, rft_figure_percent(b->arena, share.frac))
            : "";
    return *writes || *mean ? rft_arena_printf(b->arena, "%s%s", writes, mean) : NULL;
}

void rft_build_cover_chart(rft_build *b) {
    const rft_entry *entries[BARS_MOST];
    size_t count = rft_buyer_has_chart(b->buyer) ? choose(b, entries) : 0;
    if (count == 0) {
        return;
    }
    bool single = b->run->sweep_count == 1;
    const char *of = single ? rft_arena_printf(b->arena, " of %s", b->run->sweeps[0].sweep.name)
                            : " of each sweep's longest problem";
    bool at_most = false;
    for (size_t i = 0; i < count; i++) {
        at_most = at_most || entries[i]->reach.at_most;
    }
    const char *title = rft_arena_printf(b->arena, "How much of its measured limit the best configuration%s reaches%s",
                                         of, at_most ? " at most" : "");
    rft_chart *chart = rft_chart_new(b->arena, title, HEIGHT);
    double highest = 100;
    chart->x.names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.sub_names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.name_count = count;
    chart->x.names_wrap = true;
    chart->x.low = -0.6;
    chart->x.high = (double)count - 0.4;
    chart->y.title = "% of limit";
    rft_series *bars = rft_chart_series(b->arena, chart, RFT_SERIES_BARS, count);
    bars->tone = RFT_TONE_C;
    for (size_t i = 0; i < count; i++) {
        const char *percent = rft_figure_percent(b->arena, entries[i]->reach.frac);
        bars->x[i] = (double)i - HALF_BAR;
        bars->x2[i] = (double)i + HALF_BAR;
        bars->y[i] = entries[i]->reach.frac * 100;
        bars->y2[i] = 100;
        highest = fmax(highest, bars->y[i]);
        chart->x.names[i] = single ? problem_text(b, entries[i]) : b->run->sweeps[entries[i]->sweep].sweep.name;
        chart->x.sub_names[i] = percent;
    }
    chart->y.low = 0;
    chart->y.high = highest * 1.1;
    rft_series *roof = rft_chart_series(b->arena, chart, RFT_SERIES_LINE, 2);
    roof->x[0] = chart->x.low;
    roof->x[1] = chart->x.high;
    roof->y[0] = roof->y[1] = 100;
    roof->tone = RFT_TONE_INK;
    add_baselines(b, chart, entries, count);
    rft_chart *const charts[] = {chart};
    chart->caption = caption_text(b, count, at_most);
    rft_doc_charts(b->doc, charts, 1)->optional = true;
}
