/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/compare_pages.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

/* By verdicts, not by the mean: the one that is most often faster and not slower. 0: none. */
static size_t favourite(const rft_compare *c) {
    size_t best = 0;
    long most = 0;
    for (size_t side = 1; side < c->side_count; side++) {
        const size_t *counts = c->scores[side].counts;
        long lead = (long)counts[RFT_COMPARE_FASTER] - (long)counts[RFT_COMPARE_SLOWER];
        if (lead > most) {
            most = lead;
            best = side;
        }
    }
    return best;
}

static const char *verdict(const rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    if (c->side_count == 2) {
        return rft_arena_printf(p->arena, "%s.", rft_compare_sentence(c, 1, p->arena));
    }
    size_t best = favourite(c);
    if (best == 0) {
        return rft_arena_printf(p->arena, "None of the others is faster than A (%s) more often than slower.",
                                c->sides[0].device);
    }
    return rft_arena_printf(p->arena, "Most often faster: %s.", rft_compare_sentence(c, best, p->arena));
}

static const char *driver_of(const rft_run *run, rft_arena *arena) {
    static const char *const keys[] = {"driver.version", "nvml.driver_version"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = rft_env_value(&run->env, keys[i]);
        if (value && *value) {
            return value;
        }
    }
    int api = run->gpu.driver_version;
    return api > 0 ? rft_arena_printf(arena, "CUDA %d.%d", api / 1000, api % 1000 / 10) : "not known";
}

static const char *price_of(const rft_compare_pages *p, const rft_compare_side *side) {
    return rft_arena_printf(p->arena, "%s %s%s%s", rft_figure_plain(p->arena, side->price.amount, 4),
                            side->price.currency ? side->price.currency : "", side->price.date ? ", " : "",
                            side->price.date ? side->price.date : "");
}

static void add_sides(rft_compare_pages *p) {
    static const rft_column columns[] = {
        {.title = ""},
        {.title = "Device", .wraps = true},
        {.title = "Card"},
        {.title = "Driver"},
        {.title = "Measured"},
        {.title = "Run"},
        {.title = "File", .wraps = true},
        {.title = "Price", .wraps = true},
    };
    bool priced = false;
    for (size_t i = 0; i < p->compare->side_count; i++) {
        priced = priced || p->compare->sides[i].price.amount > 0.0;
    }
    rft_table *table = rft_doc_table(p->doc, columns, priced ? 8 : 7);
    for (size_t i = 0; i < p->compare->side_count; i++) {
        const rft_compare_side *side = &p->compare->sides[i];
        const char *uuid = side->run->gpu.uuid, *slash = strrchr(side->path, '/');
        rft_row *row = rft_doc_row(p->doc, table);
        row->cells[0] = rft_compare_page_letter(p, i);
        row->cells[1] = side->model_known ? side->device
                                          : rft_arena_printf(p->arena, "%s%s", side->device,
                                                             rft_doc_note(p->doc, table,
                                                                          "The device was not recorded: it is called "
                                                                          "after its file."));
        row->cells[2] = uuid && *uuid ? rft_arena_strndup(p->arena, uuid, 12) : "not known";
        row->cells[3] = driver_of(side->run, p->arena);
        row->cells[4] = side->date;
        row->cells[5] = side->run->info.id;
        row->cells[6] = slash ? slash + 1 : side->path;
        if (priced) {
            row->cells[7] = side->price.amount > 0.0 ? price_of(p, side) : "not given";
        }
    }
}

static void add_scores(rft_compare_pages *p) {
    static const rft_column columns[] = {
        {.title = "Against A", .wraps = true},
        {.title = "FASTER", .align = RFT_ALIGN_RIGHT},
        {.title = "SLOWER", .align = RFT_ALIGN_RIGHT},
        {.title = "SAME", .align = RFT_ALIGN_RIGHT},
        {.title = "AMBIGUOUS", .align = RFT_ALIGN_RIGHT},
        {.title = "not judged", .align = RFT_ALIGN_RIGHT},
        {.title = "mean speed", .align = RFT_ALIGN_DECIMAL},
        {.title = "least", .align = RFT_ALIGN_DECIMAL},
        {.title = "most", .align = RFT_ALIGN_DECIMAL},
    };
    static const rft_compare_verdict shown[] = {RFT_COMPARE_FASTER, RFT_COMPARE_SLOWER, RFT_COMPARE_SAME,
                                                RFT_COMPARE_AMBIGUOUS, RFT_COMPARE_NONE};
    rft_doc_heading(p->doc, 2, "Verdicts, by workload", NULL);
    rft_table *table = rft_doc_table(p->doc, columns, sizeof columns / sizeof *columns);
    for (size_t side = 1; side < p->compare->side_count; side++) {
        const rft_compare_score *score = &p->compare->scores[side];
        rft_row *row = rft_doc_row(p->doc, table);
        row->cells[0] = rft_compare_page_side(p, side);
        for (size_t i = 0; i < 5; i++) {
            row->cells[1 + i] = rft_figure_count(p->arena, score->counts[shown[i]]);
        }
        row->cells[6] = rft_figure_ratio(p->arena, score->mean_ratio);
        row->cells[7] = rft_figure_ratio(p->arena, score->least_ratio);
        row->cells[8] = rft_figure_ratio(p->arena, score->most_ratio);
    }
    rft_doc_text(p->doc, RFT_TEXT_NOTE,
                 "Speed: time of A over time of the other, above 1 is faster. The mean is the geometric one, a "
                 "summary; verdicts are by "
                 "intervals, workload by workload.");
}

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
        bars->tone = rft_compare_page_tone(side);
        for (size_t w = 0; w < c->workload_count; w++) {
            const rft_compare_ratio *r = &c->workloads[w].figures[side].ratio;
            bars->x[w] = (double)w + 1.0 + shift;
            bars->y[w] = r->low;
            bars->y2[w] = r->high;
            widen(r->low, &low, &high);
            widen(r->high, &low, &high);
        }
        rft_series *dots = rft_chart_series(p->doc->arena, chart, RFT_SERIES_DOTS, c->workload_count);
        dots->tone = rft_compare_page_tone(side);
        size_t last = SIZE_MAX;
        for (size_t w = 0; w < c->workload_count; w++) {
            dots->x[w] = (double)w + 1.0 + shift;
            dots->y[w] = c->workloads[w].figures[side].ratio.ratio;
            last = isfinite(dots->y[w]) ? w : last;
        }
        if (last != SIZE_MAX && c->side_count > 2) {
            dots->names[last] = rft_compare_page_letter(p, side);
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
    rft_doc_text(p->doc, RFT_TEXT_LEAD, verdict(p));
    add_sides(p);
    add_scores(p);
    if (p->compare->workload_count > 1) {
        add_chart(p);
    }
    rft_doc_text(p->doc, RFT_TEXT_BODY, p->compare->caveats[0]);
    rft_doc_heading(p->doc, 2, "Contents", NULL);
    rft_doc_contents(p->doc);
}
