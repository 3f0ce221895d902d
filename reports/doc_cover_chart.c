/* SPDX-License-Identifier: Apache-2.0 */
/* The cover's numbers, and its picture: how much of its measured ceiling each sweep reaches, and where the vendor's
 * library stands. */
#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include <math.h>
#include <string.h>

#define HEIGHT 138.0
#define BARS_MOST 10 /* with names under them; more bars have theirs upright */
#define UPRIGHT_MOST 40
#define UPRIGHT_HEIGHT 205.0
#define FIGURE_MOST 10 /* digits and commas of "9,172 of 9,172" */
#define HALF_BAR 0.32
#define CHART_WIDTH 450.0 /* points, about */
#define BYTE_WIDTH 4.3    /* of a category's name */

/* ---- numbers ---- */

static void add_ceiling(const rft_build *b, rft_figure_box *box, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &b->run->ceilings.items[id];
    double share = ceiling->stats.median / ceiling->datasheet;
    box->value = rft_figure_si(b->arena, ceiling->stats.median, rft_ceiling_unit(id));
    box->label = rft_arena_printf(
        b->arena, "measured: %s%s", rft_ceiling_label(id),
        isnan(share) ? "" : rft_arena_printf(b->arena, ", %s of datasheet", rft_figure_percent(b->arena, share)));
}

/* Is some best held against this ceiling? */
static bool is_a_roof(const rft_build *b, rft_ceiling_id id) {
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->best && rft_placement_ceiling(b->run, entry->best, &entry->place) == id) {
            return true;
        }
    }
    return false;
}

/* The fastest of the pipes that the sweeps work on; else of all. RFT_CEILING_COUNT: none is known. */
static rft_ceiling_id chief_pipe(const rft_build *b) {
    rft_ceiling_id chief = RFT_CEILING_COUNT;
    bool chief_is_roof = false;
    for (int i = RFT_CEILING_FP64; i < RFT_CEILING_TENSOR_END; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        double rate = rft_ceilings_rate(&b->run->ceilings, id);
        bool roof = is_a_roof(b, id);
        bool faster = chief == RFT_CEILING_COUNT || rate > rft_ceilings_rate(&b->run->ceilings, chief);
        if (!isnan(rate) && (roof == chief_is_roof ? faster : roof)) {
            chief = id;
            chief_is_roof = roof;
        }
    }
    return chief;
}

/* Of all problems: the tuned template over the vendor's library where one is measured, else over the default. */
static bool add_speedup(const rft_build *b, rft_figure_box *box) {
    const char *vendor = rft_run_chief_name(b->run, b->arena);
    double low = INFINITY, high = 0;
    size_t count = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        const rft_baseline *chief =
            vendor ? rft_run_chief_baseline(b->run, entry->sweep, entry->problem, b->arena) : NULL;
        double ratio = !entry->best ? (double)NAN
                       : vendor     ? (chief ? rft_versus_of(b->run, entry->best, chief).frac : (double)NAN)
                                    : entry->over_default;
        if (isfinite(ratio)) {
            low = fmin(low, ratio);
            high = fmax(high, ratio);
            count++;
        }
    }
    if (count == 0) {
        return false;
    }
    const char *from = rft_figure_plain(b->arena, low, 3);
    box->value = count == 1 ? rft_figure_ratio(b->arena, low)
                            : rft_arena_printf(b->arena, "%s\xe2\x80\x93%s", from, rft_figure_ratio(b->arena, high));
    box->label = rft_arena_printf(b->arena, "as fast as %s, over %s", vendor ? vendor : "the default configuration",
                                  rft_words_plural(count, "problem", "problems", b->arena));
    return true;
}

void rft_build_key_figures(rft_build *b) {
    rft_figure_box boxes[4];
    size_t count = 0, measured = 0, verified = 0;
    rft_ceiling_id pipe = chief_pipe(b);
    if (!isnan(rft_ceilings_rate(&b->run->ceilings, RFT_CEILING_DRAM_READ))) {
        add_ceiling(b, &boxes[count++], RFT_CEILING_DRAM_READ);
    }
    if (pipe != RFT_CEILING_COUNT) {
        add_ceiling(b, &boxes[count++], pipe);
    }
    count += add_speedup(b, &boxes[count]);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_counts counts = rft_counts_of(b->run, s);
        measured += counts.measured;
        verified += counts.verified;
    }
    if (measured > 0) {
        const char *good = rft_figure_count(b->arena, verified), *of = rft_figure_count(b->arena, measured);
        bool wide = strlen(good) + strlen(of) > FIGURE_MOST;
        boxes[count].value = wide ? good : rft_arena_printf(b->arena, "%s of %s", good, of);
        boxes[count++].label = wide ? rft_arena_printf(b->arena, "of %s measured points have verified results", of)
                                    : "measured points with verified results";
    }
    if (count > 0) {
        rft_doc_figures(b->doc, boxes, count);
    }
}

/* ---- picture ---- */

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
    for (size_t s = 0; s < b->run->sweep_count && count < UPRIGHT_MOST; s++) {
        const rft_entry *entry = rft_build_showcase(b, s);
        if (entry && !isnan(entry->place.efficiency_frac)) {
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
    if (last != SIZE_MAX) {
        dots->names[last] = rft_baseline_short_label(
            rft_run_chief_baseline(b->run, entries[last]->sweep, entries[last]->problem, b->arena), b->arena);
    } else {
        chart->series_count--;
    }
}

void rft_build_cover_chart(rft_build *b) {
    const rft_entry *entries[UPRIGHT_MOST];
    size_t count = choose(b, entries);
    if (count == 0) {
        return;
    }
    bool single = b->run->sweep_count == 1;
    const char *of = single ? rft_arena_printf(b->arena, " of %s", b->run->sweeps[0].sweep.name) : "";
    bool at_most = false;
    for (size_t i = 0; i < count; i++) {
        at_most = at_most || entries[i]->reach.at_most;
    }
    const char *title = rft_arena_printf(
        b->arena, "How much of its measured ceiling the best configuration%s reaches%s", of, at_most ? " at most" : "");
    bool upright = count > BARS_MOST;
    rft_chart *chart = rft_chart_new(b->arena, title, upright ? UPRIGHT_HEIGHT : HEIGHT);
    chart->x.names_upright = upright;
    double highest = 100;
    chart->x.names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.sub_names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.name_count = count;
    chart->x.low = -0.6;
    chart->x.high = (double)count - 0.4;
    chart->y.title = "% of ceiling";
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
    rft_doc_charts(b->doc, charts, 1);
    if (at_most) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE,
                     "At most: part of what a launch wrote may still have been in the L2 when it ended. Where launches "
                     "back to back were measured, the bar is theirs.");
    }
}
