/* SPDX-License-Identifier: Apache-2.0 */
/* All configurations of one problem: their distribution, the heat map, and how the search came to the best. */
#include "reports/doc_sweep_parts.h"

#include <math.h>

#define BINS 40
#define DISTRIBUTION_LEAST 8 /* fewer are all in the table of the best */
#define HEIGHT 150.0

static void add_place(rft_build *b, rft_chart *chart, const char *name, double x) {
    if (isnan(x)) {
        return;
    }
    rft_series *series = rft_chart_series(b->arena, chart, RFT_SERIES_AT_X, 1);
    series->x[0] = x;
    series->names[0] = name;
    series->dashed = true;
}

rft_chart *rft_build_distribution_chart(rft_build *b, const rft_entry *entry, double height) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(b->run, entry->sweep, SIZE_MAX, entry->problem, b->arena, &ranked);
    if (count < DISTRIBUTION_LEAST) {
        return NULL;
    }
    double *times = rft_arena_calloc(b->arena, count, sizeof *times);
    for (size_t i = 0; i < count; i++) {
        times[i] = rft_point_median_s(ranked[i]);
    }
    rft_sort_doubles(times, count);
    double low = times[0], high = times[count - 1];
    if (!(high > low * 1.001)) {
        return NULL; /* the spread is told in words */
    }
    rft_figure_scale scale = rft_figure_scale_of(b->arena, times, count, "s");
    rft_chart *chart =
        rft_chart_new(b->arena,
                      rft_arena_printf(b->arena, "Distribution of %s",
                                       rft_words_plural(count, "configuration", "configurations", b->arena)),
                      height);
    rft_series *bars = rft_chart_series(b->arena, chart, RFT_SERIES_BARS, BINS);
    bars->tone = RFT_TONE_C;
    double most = 0, ratio = high / low;
    for (int i = 0; i < BINS; i++) {
        bars->x[i] = low * pow(ratio, (double)i / BINS) / scale.factor;
        bars->x2[i] = low * pow(ratio, (double)(i + 1) / BINS) / scale.factor;
        bars->y[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        int bin = (int)(BINS * log(times[i] / low) / log(ratio));
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        bars->y[bin]++;
        most = fmax(most, bars->y[bin]);
    }
    chart->x = (rft_chart_axis){
        .title = rft_arena_printf(b->arena, "median time (%s)", scale.unit), .log = true, .low = NAN, .high = NAN};
    chart->y = (rft_chart_axis){.title = "configurations", .whole = true, .low = 0, .high = most * 1.35};
    add_place(b, chart, "best", rft_point_median_s(entry->best) / scale.factor);
    const rft_point *standard = rft_run_default(b->run, entry->sweep, entry->best->variant, entry->problem);
    if (standard && standard != entry->best) {
        add_place(b, chart, "default", rft_point_median_s(standard) / scale.factor);
    }
    add_place(b, chart, "half are faster", (times[(count - 1) / 2] + times[count / 2]) / 2 / scale.factor);
    return chart;
}

/* "All 12 measured configurations lie within 0.1 % of each other": where a chart would show one bar. */
static void add_closeness(rft_build *b, const rft_entry *entry) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(b->run, entry->sweep, SIZE_MAX, entry->problem, b->arena, &ranked);
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, rft_point_median_s(ranked[i]));
        high = fmax(high, rft_point_median_s(ranked[i]));
    }
    if (count >= DISTRIBUTION_LEAST && !(high > low * 1.001)) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "All %zu measured configurations lie within 0.1 %% of each other.", count);
    }
}

void rft_build_distribution(rft_build *b, const rft_entry *entry) {
    rft_chart *charts[6], *distribution = rft_build_distribution_chart(b, entry, HEIGHT);
    rft_chart *heat = rft_build_heat_chart(b, entry, HEIGHT);
    const rft_item *search =
        rft_finding_find(rft_finding_progress(b->run, entry->sweep, entry->problem, b->arena), RFT_ITEM_CHARTS);
    const char *progress = search ? search->text : "", *profiles = "";
    size_t count = rft_build_few_profiles(b, entry, HEIGHT, charts, &profiles);
    if (distribution) {
        charts[count++] = distribution;
    }
    if (heat) {
        charts[count++] = heat;
    }
    for (size_t i = 0; search && i < search->chart_count; i++) {
        charts[count++] = search->charts[i];
    }
    add_closeness(b, entry);
    if (count == 0) {
        return;
    }
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "All configurations of %s",
                                     rft_words_problem(b->run, entry->sweep, entry->problem, b->arena)),
                    NULL);
    rft_build_chart_rows(b, charts, count, 2);
    const char *map = heat ? "Heat map: of the best's variant, the two parameters that explain most; in each cell the "
                             "best over all others, empty where no configuration was measured."
                           : "";
    if (*profiles || *map || *progress) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s%s%s%s%s", profiles, *profiles && *map ? " " : "", map,
                      (*profiles || *map) && *progress ? " " : "", progress);
    }
}
