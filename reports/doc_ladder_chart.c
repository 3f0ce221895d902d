/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder as bars with their intervals: each variant's best and the baselines, under the ceiling. */
#include "reports/doc_sweep_parts.h"

#include "model/roofline/counted.h"
#include "model/run/baseline.h"

#include <math.h>

#define BARS_MOST 12

typedef struct bars {
    rft_build *b;
    rft_chart *chart;
    rft_series *variants, *baselines, *whiskers;
    double amount;
    rft_figure_scale scale;
    size_t used;
} bars;

static void add_bar(bars *own, rft_series *series, const char *name, const rft_stats *stats) {
    size_t at = own->used++;
    double rate = own->amount / stats->median / own->scale.factor;
    series->x[at] = (double)at - 0.32;
    series->x2[at] = (double)at + 0.32;
    series->y[at] = rate;
    series->names[at] = rft_figure_plain(own->b->arena, rate, 3);
    own->chart->x.names[at] = name;
    if (stats->interval_is_95) {
        own->whiskers->x[at] = (double)at;
        own->whiskers->y[at] = own->amount / stats->high / own->scale.factor;
        own->whiskers->y2[at] = own->amount / stats->low / own->scale.factor;
    }
}

static void add_ceiling(bars *own, const rft_entry *entry) {
    double rate = own->amount / entry->place.roof_s / own->scale.factor;
    if (!isfinite(rate)) {
        return;
    }
    rft_series *line = rft_chart_series(own->b->arena, own->chart, RFT_SERIES_LINE, 2);
    line->tone = RFT_TONE_GREY;
    line->label = rft_arena_printf(own->b->arena, "%s ceiling %s", rft_words_roof(&entry->place),
                                   rft_figure_plain(own->b->arena, rate, 3));
    line->x[0] = -0.6;
    line->x[1] = (double)own->used - 0.4;
    line->y[0] = line->y[1] = rate;
}

static void add_series(bars *own) {
    rft_chart_series(own->b->arena, own->chart, RFT_SERIES_BARS, BARS_MOST)->tone = RFT_TONE_C;
    rft_chart_series(own->b->arena, own->chart, RFT_SERIES_BARS, BARS_MOST)->tone = RFT_TONE_GREY;
    rft_chart_series(own->b->arena, own->chart, RFT_SERIES_WHISKERS, BARS_MOST)->tone = RFT_TONE_INK;
    own->variants = &own->chart->series[0];
    own->baselines = &own->chart->series[1];
    own->whiskers = &own->chart->series[2];
}

/* NULL when nothing was measured. */
static const rft_entry *ladder_entry(const rft_build *b, size_t s) {
    size_t problem = rft_counted_ladder(b->run, s);
    for (size_t i = 0; i < b->entry_count; i++) {
        if (b->entries[i].sweep == s && b->entries[i].problem == problem) {
            return b->entries[i].best ? &b->entries[i] : NULL;
        }
    }
    return NULL;
}

rft_chart *rft_build_ladder_chart(rft_build *b, size_t s, double height) {
    const rft_entry *entry = ladder_entry(b, s);
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    double rate = entry ? rft_rate_of(&entry->place) : NAN, highest = 0;
    if (!entry || isnan(rate)) {
        return NULL;
    }
    bars own = {.b = b, .amount = rate * rft_point_median_s(entry->best)};
    own.scale = rft_figure_scale_of(b->arena, &rate, 1, rft_rate_unit(&entry->place));
    own.chart = rft_chart_new(b->arena, rft_words_problem(b->run, s, entry->problem, b->arena), height);
    own.chart->x.names = rft_arena_calloc(b->arena, BARS_MOST, sizeof *own.chart->x.names);
    own.chart->x.names_wrap = true;
    add_series(&own);
    for (size_t v = 0; v < sweep->variant_count && own.used < BARS_MOST; v++) {
        const rft_point *best = rft_run_best(b->run, s, v, entry->problem);
        if (best) {
            add_bar(&own, own.variants, sweep->variants[v].name, &rft_point_measurement(best)->stats);
        }
    }
    const rft_baseline **baselines = NULL;
    size_t count = rft_run_baselines(b->run, s, entry->problem, b->arena, &baselines);
    for (size_t i = 0; i < count && own.used < BARS_MOST; i++) {
        if (rft_baseline_is_measured(baselines[i])) {
            add_bar(&own, own.baselines, rft_baseline_short_label(baselines[i], b->arena),
                    &baselines[i]->measurement.stats);
        }
    }
    if (own.used < 2) {
        return NULL; /* nothing to hold it against */
    }
    for (size_t i = 0; i < own.used; i++) {
        highest = fmax(highest, fmax(own.variants->y[i], own.baselines->y[i])); /* one of both is NaN */
    }
    double roof = own.amount / entry->place.roof_s / own.scale.factor;
    own.chart->x.name_count = own.used;
    own.chart->y = (rft_chart_axis){.title = rft_arena_printf(b->arena, "useful rate (%s)", own.scale.unit),
                                    .low = 0,
                                    .high = 1.25 * fmax(highest, isfinite(roof) ? fmin(roof, 3 * highest) : 0)};
    add_ceiling(&own, entry);
    return own.chart;
}
