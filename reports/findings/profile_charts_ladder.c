/* SPDX-License-Identifier: Apache-2.0 */
/* profile_charts_ladder.c - the variants, and the words of an axis (profile_charts.h): bars with their intervals under
 * the ceiling. */
#include "reports/findings/profile_charts.h"

#include "model/roofline/counted.h"
#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define BARS_MOST 16
#define BARS_MANY 8
#define CHARACTER_WIDTH 3.5 /* points */
#define NAMES_HEIGHT_MOST 100.0

typedef struct bars {
    rft_arena *arena;
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
    series->names[at] = rft_figure_plain(own->arena, rate, 3);
    own->chart->x.names[at] = name;
    if (stats->interval_is_95) {
        own->whiskers->x[at] = (double)at;
        own->whiskers->y[at] = own->amount / stats->high / own->scale.factor;
        own->whiskers->y2[at] = own->amount / stats->low / own->scale.factor;
    }
}

static void add_ladder_ceiling(bars *own, const rft_placement *place) {
    double rate = own->amount / place->roof_s / own->scale.factor;
    if (!isfinite(rate)) {
        return;
    }
    rft_series *line = rft_chart_series(own->arena, own->chart, RFT_SERIES_LINE, 2);
    line->tone = RFT_TONE_GREY;
    line->label =
        rft_arena_printf(own->arena, "%s ceiling %s", rft_words_roof(place), rft_figure_plain(own->arena, rate, 3));
    line->x[0] = -0.6;
    line->x[1] = (double)own->used - 0.4;
    line->y[0] = line->y[1] = rate;
    for (size_t i = 0; i < own->used; i++) {
        own->variants->y2[i] = own->baselines->y2[i] = rate;
    }
}

static void add_series(bars *own) {
    rft_chart_series(own->arena, own->chart, RFT_SERIES_BARS, BARS_MOST)->tone = RFT_TONE_C;
    rft_chart_series(own->arena, own->chart, RFT_SERIES_BARS, BARS_MOST)->tone = RFT_TONE_GREY;
    rft_chart_series(own->arena, own->chart, RFT_SERIES_WHISKERS, BARS_MOST)->tone = RFT_TONE_INK;
    own->variants = &own->chart->series[0];
    own->baselines = &own->chart->series[1];
    own->whiskers = &own->chart->series[2];
}

static bars bars_new(const char *title, double height, double rate, const rft_placement *place, rft_arena *arena) {
    bars own = {.arena = arena, .scale = rft_figure_scale_of(arena, &rate, 1, rft_rate_unit(place))};
    own.chart = rft_chart_new(arena, title, height);
    own.chart->x.names = rft_arena_calloc(arena, BARS_MOST, sizeof *own.chart->x.names);
    own.chart->x.names_wrap = true;
    add_series(&own);
    return own;
}

/* `roof`: a rate that the chart should show, unless it is far above all; NaN: none. */
static void finish(bars *own, double roof) {
    double highest = 0;
    for (size_t i = 0; i < own->used; i++) {
        highest = fmax(highest, fmax(own->variants->y[i], own->baselines->y[i])); /* one of both is NaN */
    }
    own->chart->x.name_count = own->used;
    own->chart->y = (rft_chart_axis){.title = rft_arena_printf(own->arena, "useful rate (%s)", own->scale.unit),
                                     .low = 0,
                                     .high = 1.25 * fmax(highest, isfinite(roof) ? fmin(roof, 3 * highest) : 0)};
}

rft_chart *rft_ladder_chart(const rft_run *run, size_t s, double height, rft_arena *arena) {
    size_t problem = rft_counted_ladder(run, s);
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    const rft_point *fastest = problem == SIZE_MAX ? NULL : rft_run_best(run, s, SIZE_MAX, problem);
    if (!fastest) {
        return NULL;
    }
    const rft_placement place = rft_placement_of(run, fastest);
    double rate = rft_rate_of(&place);
    if (isnan(rate)) {
        return NULL;
    }
    bars own = bars_new(rft_words_problem(run, s, problem, arena), height, rate, &place, arena);
    own.amount = rate * rft_point_median_s(fastest);
    for (size_t v = 0; v < sweep->variant_count && own.used < BARS_MOST; v++) {
        const rft_point *best = rft_run_best(run, s, v, problem);
        if (best) {
            add_bar(&own, own.variants, sweep->variants[v].name, &rft_point_measurement(best)->stats);
        }
    }
    const rft_baseline **baselines = NULL;
    size_t count = rft_run_baselines(run, s, problem, arena, &baselines);
    for (size_t i = 0; i < count && own.used < BARS_MOST; i++) {
        if (rft_baseline_is_measured(baselines[i])) {
            add_bar(&own, own.baselines, rft_baseline_short_label(baselines[i], arena),
                    &baselines[i]->measurement.stats);
        }
    }
    if (own.used < 2) {
        return NULL; /* nothing to hold it against */
    }
    finish(&own, own.amount / place.roof_s / own.scale.factor);
    add_ladder_ceiling(&own, &place);
    return own.chart;
}

rft_chart *rft_words_chart(const rft_run *run, const rft_profile *profile, const char *title, double height,
                           rft_arena *arena) {
    bars own = {.used = 0};
    for (size_t i = 0; i < profile->step_count && own.used < BARS_MOST; i++) {
        const rft_point *best = profile->steps[i].best;
        const rft_placement place = best ? rft_placement_of(run, best) : (rft_placement){0};
        const double rate = best ? rft_rate_of(&place) : NAN;
        if (isnan(rate)) {
            continue;
        }
        if (!own.chart) {
            own = bars_new(title, height, rate, &place, arena);
        }
        own.amount = rate * rft_point_median_s(best);
        add_bar(&own, own.variants, rft_words_value(&profile->steps[i].value, arena),
                &rft_point_measurement(best)->stats);
    }
    if (own.used < 2) {
        return NULL;
    }
    finish(&own, NAN);
    return own.chart;
}

double rft_ladder_names_height(const rft_chart *chart) {
    size_t longest = 0;
    for (size_t i = 0; i < chart->x.name_count && chart->x.name_count > BARS_MANY; i++) {
        size_t length = strlen(chart->x.names[i]);
        longest = length > longest ? length : longest;
    }
    return fmin((double)longest * CHARACTER_WIDTH, NAMES_HEIGHT_MOST);
}
