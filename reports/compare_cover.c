/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/compare_pages.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define LEAD_SIDES 4 /* so many sentences in large letters */
#define CHART_HEIGHT 170.0
#define CHART_LOW_HEIGHT 110.0 /* below a longer table */
#define CHART_SIDES 4

static void widen(double value, double *low, double *high) {
    if (isfinite(value) && value > 0.0) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

/* The speeds with their intervals: what the table says at a glance. */
static void add_chart(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    rft_chart *chart = rft_chart_new(p->doc->arena, "", c->side_count > 4 ? CHART_LOW_HEIGHT : CHART_HEIGHT);
    size_t sides = c->side_count < CHART_SIDES + 1 ? c->side_count : CHART_SIDES + 1;
    double low = 0.99, high = 1.01;
    for (size_t side = 1; side < sides; side++) {
        /* Side by side within a workload. */
        double shift = ((double)side - (double)sides / 2.0) * 0.16;
        rft_series *bars = rft_chart_series(p->doc->arena, chart, RFT_SERIES_RANGE, c->workload_count);
        bars->tone = rft_tone_of(side);
        for (size_t w = 0; w < c->workload_count; w++) {
            const rft_compare_ratio *r = &c->workloads[w].figures[side].ratio;
            bars->x[w] = (double)w + 1.0 + shift;
            bars->y[w] = r->low;
            bars->y2[w] = r->high;
            widen(r->low, &low, &high);
            widen(r->high, &low, &high);
        }
        rft_series *dots = rft_chart_series(p->doc->arena, chart, RFT_SERIES_DOTS, c->workload_count);
        dots->tone = rft_tone_of(side);
        size_t last = SIZE_MAX;
        for (size_t w = 0; w < c->workload_count; w++) {
            dots->x[w] = (double)w + 1.0 + shift;
            dots->y[w] = c->workloads[w].figures[side].ratio.ratio;
            last = isfinite(dots->y[w]) ? w : last;
        }
        if (last != SIZE_MAX && c->side_count > 2) {
            dots->names[last] = rft_compare_letter(p->compare, side, p->arena);
        }
    }
    rft_series *one = rft_chart_series(p->doc->arena, chart, RFT_SERIES_LINE, 2);
    one->tone = RFT_TONE_INK;
    one->label = "A";
    one->x[0] = 0.4, one->x[1] = (double)c->workload_count + 0.6;
    one->y[0] = one->y[1] = 1.0;
    chart->x = (rft_chart_axis){
        .title = "workload (number in the table)", .whole = true, .low = 0.4, .high = (double)c->workload_count + 0.6};
    double room = log(high / low) * 0.06;
    chart->y = (rft_chart_axis){
        .title = "speed against A", .log = high / low > 4.0, .low = low * exp(-room), .high = high * exp(room)};
    chart->caption = rft_arena_printf(p->arena, "Speed against A with its 95 %% interval%s.",
                                      c->side_count > sides ? "; of B to E, the table has all" : "");
    rft_doc_charts(p->doc, &chart, 1);
}

void rft_compare_page_cover(rft_compare_pages *p) {
    for (size_t side = 1; side < p->compare->side_count; side++) {
        rft_doc_textf(p->doc, p->compare->side_count > LEAD_SIDES ? RFT_TEXT_BODY : RFT_TEXT_LEAD, "%s.",
                      rft_compare_sentence(p->compare, side, p->arena));
    }
    rft_print_page(p->doc, rft_finding_compared_runs(p->compare, p->arena));
    rft_print_page(p->doc, rft_finding_scores(p->compare, p->arena));
    if (p->compare->workload_count > 1) {
        add_chart(p);
    }
    rft_doc_text(p->doc, RFT_TEXT_BODY, p->compare->caveats[0]);
    rft_doc_heading(p->doc, 2, "Contents", NULL);
    rft_doc_contents(p->doc);
}
