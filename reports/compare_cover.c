/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/compare_pages.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define LEAD_SIDES 3 /* so many sentences in large letters */
#define CHART_HEIGHT 190.0
#define CHART_UPRIGHT_HEIGHT 250.0
#define CHART_MARKS_LEAST 2 /* of fewer the tables tell all */
#define CHART_MARKS_MOST 96 /* more are taken together, sweep by sweep */
#define NAMES_LEVEL_MOST 6  /* more names of sweeps stand upright */
#define SLOT 0.8            /* of a place's width, side by side */

static void widen(double value, double *low, double *high) {
    if (isfinite(value) && value > 0.0) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

/* What stands at one place of the chart: a workload, or, of too many, a sweep. */
typedef struct place {
    size_t first, end;
} place;

/* Of those that have a speed against A. *marks: how many speeds. */
static size_t find_places(const rft_compare *c, bool sweeps, place *out, size_t *marks) {
    size_t count = 0;
    *marks = 0;
    for (size_t w = 0, end = 0; w < c->workload_count; w = end) {
        size_t before = *marks;
        end = sweeps ? rft_compare_next_sweep(c, w) : w + 1;
        for (size_t side = 1; side < c->side_count; side++) {
            *marks += isfinite(rft_compare_score_of(c, w, end, 0, side).mean.ratio);
        }
        if (*marks > before) {
            out[count++] = (place){w, end};
        }
    }
    return count;
}

/* Which runs have no mark, and why not. */
static void tell_missing(rft_compare_pages *p) {
    static const char *const whys[] = {"no workload that was measured on both", "no work that is known to be the same"};
    const rft_compare *c = p->compare;
    for (size_t why = 0; why < 2; why++) {
        rft_str text = RFT_STR_INIT;
        for (size_t side = 1; side < c->side_count; side++) {
            const rft_compare_score *score = &c->scores[side];
            if (isnan(score->mean.ratio) && (score->judged > 0) == (why == 1)) {
                rft_str_addf(&text, "%s%c", text.length ? ", " : "", c->sides[side].letter);
            }
        }
        if (text.length) {
            rft_doc_textf(p->doc, RFT_TEXT_NOTE, "No speed against A is told of %s: %s.", rft_str_get(&text),
                          whys[why]);
        }
        rft_str_clear(&text);
    }
}

/* A side's speeds at every place: the mark, and from where to where. */
static void add_speeds(rft_compare_pages *p, rft_chart *chart, size_t side, const place *places, size_t count,
                       double range[2]) {
    const rft_compare *c = p->compare;
    double shift = ((double)side - (double)c->side_count / 2.0) * SLOT / (double)c->side_count;
    rft_series *bars = rft_chart_series(p->doc->arena, chart, RFT_SERIES_RANGE, count);
    bars->tone = rft_tone_of(side);
    for (size_t i = 0; i < count; i++) {
        const rft_compare_score score = rft_compare_score_of(c, places[i].first, places[i].end, 0, side);
        const rft_compare_ratio *one = &c->workloads[places[i].first].figures[side].ratio;
        bool alone = places[i].end == places[i].first + 1;
        bars->x[i] = (double)i + shift;
        bars->y[i] = alone ? one->low : score.least_ratio;
        bars->y2[i] = alone ? one->high : score.most_ratio;
        widen(bars->y[i], &range[0], &range[1]);
        widen(bars->y2[i], &range[0], &range[1]);
    }
    rft_series *dots = rft_chart_series(p->doc->arena, chart, RFT_SERIES_DOTS, count);
    dots->tone = rft_tone_of(side);
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        dots->x[i] = (double)i + shift;
        dots->y[i] = rft_compare_score_of(c, places[i].first, places[i].end, 0, side).mean.ratio;
        widen(dots->y[i], &range[0], &range[1]);
        last = isfinite(dots->y[i]) ? i : last;
    }
    if (last != SIZE_MAX && c->side_count > 2) {
        dots->names[last] = rft_compare_letter(c, side, p->arena);
    }
}

/* The speeds with their intervals: what the table says at a glance. */
static void add_chart(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    bool sweeps = c->workload_count * (c->side_count - 1) > CHART_MARKS_MOST;
    place *places = rft_arena_calloc(p->arena, c->workload_count + 1, sizeof *places);
    size_t marks = 0, count = find_places(c, sweeps, places, &marks);
    if (marks < CHART_MARKS_LEAST) {
        return;
    }
    rft_chart *chart =
        rft_chart_new(p->doc->arena, "", sweeps && count > NAMES_LEVEL_MOST ? CHART_UPRIGHT_HEIGHT : CHART_HEIGHT);
    double range[2] = {0.99, 1.01};
    for (size_t side = 1; side < c->side_count; side++) {
        add_speeds(p, chart, side, places, count, range);
    }
    rft_series *one = rft_chart_series(p->doc->arena, chart, RFT_SERIES_LINE, 2);
    one->tone = RFT_TONE_INK;
    one->label = "A";
    one->x[0] = -0.6, one->x[1] = (double)count - 0.4;
    one->y[0] = one->y[1] = 1.0;
    chart->x = (rft_chart_axis){.title = sweeps ? NULL : "workload (number in the table)", .name_count = count};
    chart->x.names = rft_arena_calloc(p->doc->arena, count + 1, sizeof *chart->x.names);
    chart->x.names_upright = sweeps && count > NAMES_LEVEL_MOST;
    for (size_t i = 0; i < count; i++) {
        chart->x.names[i] = sweeps ? c->workloads[places[i].first].sweep_name
                                   : rft_arena_printf(p->doc->arena, "%zu", places[i].first + 1);
    }
    double room = log(range[1] / range[0]) * 0.06;
    chart->y = (rft_chart_axis){.title = "speed against A",
                                .log = range[1] / range[0] > 4.0,
                                .low = range[0] * exp(-room),
                                .high = range[1] * exp(room)};
    chart->caption = sweeps
                         ? "Speed against A: the geometric mean of a sweep's workloads, and from the least to the most "
                           "of them."
                         : "Speed against A with its 95 % interval.";
    rft_doc_charts(p->doc, &chart, 1);
}

/* Of some runs, why one is unclear against the first everywhere; of two the sentence above says it, of many the notes
 * of the workloads. */
static void add_doubts(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    for (size_t side = 1; side < c->side_count && c->side_count > 2 && c->side_count <= RFT_COMPARE_COVER_MATRIX;
         side++) {
        const rft_compare_score *score = &c->scores[side];
        if (score->judged > 0 && score->counts[RFT_COMPARE_AMBIGUOUS] == score->judged) {
            rft_doc_textf(p->doc, RFT_TEXT_NOTE, "%s.", rft_compare_sentence(c, side, p->arena));
        }
    }
}

void rft_compare_page_cover(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    rft_text_style style = c->side_count > LEAD_SIDES || c->side_count == 2 ? RFT_TEXT_BODY : RFT_TEXT_LEAD;
    if (c->side_count == 2) {
        rft_doc_textf(p->doc, RFT_TEXT_LEAD, "%s.", rft_compare_sentence(c, 1, p->arena));
    }
    rft_print_page(p->doc, rft_finding_card_sentences(c, style, p->arena));
    for (size_t i = 0; p->compare->mixes && i < p->compare->mixes->count; i++) {
        for (size_t side = 1; side < p->compare->side_count; side++) {
            const char *price = rft_break_even_sentence(p->compare->mixes, i, side, p->arena);
            if (price) {
                rft_doc_textf(p->doc, RFT_TEXT_BODY, "%s: %s", p->compare->mixes->items[i].mix->name, price);
            }
        }
    }
    add_doubts(p);
    rft_print_page(p->doc, rft_finding_compared_runs(c, p->arena));
    rft_print_page(p->doc, rft_finding_scores(c, p->arena));
    if (c->side_count <= RFT_COMPARE_COVER_MATRIX) {
        rft_print_page(p->doc, rft_finding_matrix(c, p->arena));
    }
    if (c->unlike) {
        rft_doc_text(p->doc, RFT_TEXT_BODY, c->unlike);
    }
    add_chart(p);
    tell_missing(p);
    rft_doc_text(p->doc, RFT_TEXT_BODY, c->caveats[0]);
    rft_doc_heading(p->doc, 2, "Contents", NULL);
    rft_doc_contents(p->doc);
}
