/* SPDX-License-Identifier: Apache-2.0 */
/* All configurations of one problem: their distribution, the heat map (the best over the rest for every pair of values
 * of the two parameters that matter most and fill a grid), and how the search came to the best. */
#include "model/roofline/placement.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/words.h"

#include <math.h>

#define BINS 40 /* at most; fewer for few configurations */
#define BINS_LEAST 8
#define DISTRIBUTION_LEAST 20 /* fewer have no shape */
#define CLOSE_LEAST 8         /* so many are told to be close to each other */
#define FILLED_LEAST 0.75     /* of a map's cells; with fewer it shows the constraints, not the times */
#define HEIGHT 150.0
#define BINS_MOST 24 /* values an axis of the map; more are taken together, neighbours first */

/* ---- the distribution ---- */

static void add_place(rft_chart *chart, const char *name, double x, rft_arena *arena) {
    if (isnan(x)) {
        return;
    }
    rft_series *series = rft_chart_series(arena, chart, RFT_SERIES_AT_X, 1);
    series->x[0] = x;
    series->names[0] = name;
    series->dashed = true;
}

/* NULL where there is too little to show. `close`: all of them, within 0.1 % of each other. */
static rft_chart *distribution_chart(const rft_run *run, const rft_point *best, rft_arena *arena, size_t *close) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(run, best->sweep, SIZE_MAX, best->problem, arena, &ranked);
    *close = 0;
    if (count < CLOSE_LEAST) {
        return NULL;
    }
    double *times = rft_arena_calloc(arena, count, sizeof *times);
    for (size_t i = 0; i < count; i++) {
        times[i] = rft_point_swept_s(ranked[i]);
    }
    rft_sort_doubles(times, count);
    double low = times[0], high = times[count - 1];
    if (!(high > low * 1.001)) {
        *close = count;
        return NULL;
    }
    if (count < DISTRIBUTION_LEAST) {
        return NULL;
    }
    int bins = (int)fmin(fmax(2 * sqrt((double)count), BINS_LEAST), BINS);
    rft_figure_scale scale = rft_figure_scale_of(arena, times, count, "s");
    rft_chart *chart =
        rft_chart_new(arena,
                      rft_arena_printf(arena, "Distribution of %s",
                                       rft_words_plural(count, "configuration", "configurations", arena)),
                      HEIGHT);
    rft_series *counted = rft_chart_series(arena, chart, RFT_SERIES_BARS, (size_t)bins);
    counted->tone = RFT_TONE_C;
    double most = 0, ratio = high / low;
    for (int i = 0; i < bins; i++) {
        counted->x[i] = low * pow(ratio, (double)i / bins) / scale.factor;
        counted->x2[i] = low * pow(ratio, (double)(i + 1) / bins) / scale.factor;
        counted->y[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        int bin = (int)(bins * log(times[i] / low) / log(ratio));
        bin = bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
        counted->y[bin]++;
        most = fmax(most, counted->y[bin]);
    }
    chart->x = (rft_chart_axis){
        .title = rft_arena_printf(arena, "median time (%s)", scale.unit), .log = true, .low = NAN, .high = NAN};
    chart->y = (rft_chart_axis){.title = "configurations", .whole = true, .low = 0, .high = most * 1.35};
    add_place(chart, "best", rft_point_swept_s(best) / scale.factor, arena);
    const rft_point *standard = rft_run_default(run, best->sweep, best->variant, best->problem);
    if (standard && standard != best) {
        add_place(chart, "default", rft_point_swept_s(standard) / scale.factor, arena);
    }
    add_place(chart, "half are faster", (times[(count - 1) / 2] + times[count / 2]) / 2 / scale.factor, arena);
    return chart;
}

/* ---- the heat map ---- */

/* One side of the map. */
typedef struct side {
    size_t param;
    size_t measured, bins; /* values; fewer bins where there are too many */
    size_t *bin_of;        /* per value; SIZE_MAX: not measured */
    const char **names;
} side;

typedef struct pick {
    size_t param;
    double share, cost; /* of the variance; of the worst value, in time */
} pick;

static bool matters_more(const pick *a, const pick *b) {
    bool known = !isnan(a->share) && !isnan(b->share);
    return known && a->share != b->share ? a->share > b->share : a->cost > b->cost;
}

static double cost_of(const rft_profile *profile) {
    double fastest = INFINITY, slowest = 0;
    size_t measured = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            double time_s = profile->steps[i].best_s;
            fastest = fmin(fastest, time_s);
            slowest = fmax(slowest, time_s);
            measured++;
        }
    }
    return measured > 1 ? slowest / fastest : 0;
}

/* Those that were measured at several values, what matters most first. */
static size_t pick_params(const rft_run *run, const rft_point *best, rft_arena *arena, pick **out) {
    const rft_variant *variant = &run->sweeps[best->sweep].sweep.variants[best->variant];
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_params(run, best->sweep, best->variant, best->problem, arena, &profiles);
    double *share = rft_arena_calloc(arena, variant->param_count + 1, sizeof *share);
    size_t found = 0;
    for (size_t i = 0; i < variant->param_count; i++) {
        share[i] = NAN;
    }
    rft_param_importance(run, best->sweep, best->variant, best->problem, share);
    *out = rft_arena_calloc(arena, count + 1, sizeof **out);
    for (size_t i = 0; i < count; i++) {
        pick own = {profiles[i].index, share[profiles[i].index], cost_of(&profiles[i])};
        if (own.cost > 0) {
            size_t at = found++;
            for (; at > 0 && matters_more(&own, &(*out)[at - 1]); at--) {
                (*out)[at] = (*out)[at - 1];
            }
            (*out)[at] = own;
        }
    }
    return found;
}

/* Only the values that were measured, in the script's order. */
static side make_side(const rft_param *param, size_t index, const rft_point *const *ranked, size_t count,
                      rft_arena *arena) {
    side s = {.param = index};
    s.bin_of = rft_arena_calloc(arena, param->value_count + 1, sizeof *s.bin_of);
    s.names = rft_arena_calloc(arena, BINS_MOST + 1, sizeof *s.names);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = rft_param_find(param, &ranked[i]->config[index]);
        used += at < param->value_count && s.bin_of[at] == 0;
        s.bin_of[at] = 1; /* for now: seen */
    }
    s.measured = used;
    s.bins = used < BINS_MOST ? used : BINS_MOST;
    size_t place = 0;
    for (size_t i = 0; i < param->value_count; i++) {
        if (s.bin_of[i] == 0) {
            s.bin_of[i] = SIZE_MAX;
            continue;
        }
        size_t bin = used > 0 ? place++ * s.bins / used : 0;
        s.bin_of[i] = bin;
        s.names[bin] = s.names[bin] ? s.names[bin] : rft_words_value(&param->values[i], arena);
    }
    return s;
}

static void fill_cells(rft_chart *chart, const rft_measure *m, const side sides[2], const double *best_s,
                       rft_arena *arena) {
    size_t columns = sides[0].bins > 0 ? sides[0].bins : 1;
    rft_series *cells = rft_chart_series(arena, chart, RFT_SERIES_CELLS, sides[0].bins * sides[1].bins);
    cells->label = m->scale.unit;
    for (size_t i = 0; i < cells->count; i++) {
        cells->x[i] = (double)(i % columns);
        cells->y[i] = (double)(i / columns);
        if (isfinite(best_s[i])) {
            cells->y2[i] = rft_measure_shown(m, best_s[i]);
            cells->names[i] = rft_figure_plain(arena, cells->y2[i], 3);
        }
    }
}

/* A map of two parameters over the ranked points. */
typedef struct heat_map {
    const rft_param *params[2];
    side sides[2];
    double *best_s; /* a cell, by rows; infinite where nothing was measured */
    size_t cells, filled;
} heat_map;

static heat_map heat_of(const rft_variant *variant, const pick *x, const pick *y, const rft_point *const *ranked,
                        size_t count, rft_arena *arena) {
    heat_map map = {.params = {&variant->params[x->param], &variant->params[y->param]}};
    map.sides[0] = make_side(map.params[0], x->param, ranked, count, arena);
    map.sides[1] = make_side(map.params[1], y->param, ranked, count, arena);
    map.cells = map.sides[0].bins * map.sides[1].bins;
    map.best_s = rft_arena_calloc(arena, map.cells + 1, sizeof *map.best_s);
    for (size_t i = 0; i < map.cells; i++) {
        map.best_s[i] = INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        size_t column = rft_param_find(map.params[0], &ranked[i]->config[map.sides[0].param]);
        size_t row = rft_param_find(map.params[1], &ranked[i]->config[map.sides[1].param]);
        if (column < map.params[0]->value_count && row < map.params[1]->value_count) {
            double *cell = &map.best_s[map.sides[1].bin_of[row] * map.sides[0].bins + map.sides[0].bin_of[column]];
            *cell = fmin(*cell, rft_point_swept_s(ranked[i]));
        }
    }
    for (size_t i = 0; i < map.cells; i++) {
        map.filled += isfinite(map.best_s[i]);
    }
    return map;
}

/* Of the pairs whose map is filled the one that matters most; false where there is none. */
static bool find_heat(const rft_variant *variant, const pick *picks, size_t pick_count, const rft_point *const *ranked,
                      size_t count, rft_arena *arena, heat_map *out) {
    for (size_t last = 1; last < pick_count; last++) {
        for (size_t first = 0; first < last; first++) {
            *out = heat_of(variant, &picks[first], &picks[last], ranked, count, arena);
            if (out->sides[0].bins > 1 && out->sides[1].bins > 1 &&
                (double)out->filled >= FILLED_LEAST * (double)out->cells) {
                return true;
            }
        }
    }
    return false;
}

/* NULL where there is too little to show. */
static rft_chart *heat_chart(const rft_run *run, const rft_point *best, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    if (best->variant >= sweep->variant_count) {
        return NULL;
    }
    pick *picks = NULL;
    heat_map map;
    const rft_point **ranked = NULL;
    size_t pick_count = pick_params(run, best, arena, &picks);
    size_t count = rft_run_ranked(run, best->sweep, best->variant, best->problem, arena, &ranked);
    if (!find_heat(&sweep->variants[best->variant], picks, pick_count, ranked, count, arena, &map)) {
        return NULL;
    }
    const rft_placement place = rft_placement_of(run, best);
    const rft_measure m = rft_measure_of(&place, best, arena);
    rft_chart *chart = rft_chart_new(arena, isnan(m.amount) ? "Best time" : "Best rate", HEIGHT);
    rft_chart_axis *axes[2] = {&chart->x, &chart->y};
    for (int i = 0; i < 2; i++) {
        *axes[i] = (rft_chart_axis){.title = map.params[i]->name, .low = NAN, .high = NAN};
        axes[i]->names = map.sides[i].names;
        axes[i]->name_count = map.sides[i].bins;
    }
    fill_cells(chart, &m, map.sides, map.best_s, arena);
    if (map.sides[0].bins < map.sides[0].measured || map.sides[1].bins < map.sides[1].measured) {
        chart->caption = rft_arena_printf(arena,
                                          "The map takes neighbouring values together, %zu of %s to %zu columns and "
                                          "%zu of %s to %zu rows; the axes name the first of each.",
                                          map.sides[0].measured, map.params[0]->name, map.sides[0].bins,
                                          map.sides[1].measured, map.params[1]->name, map.sides[1].bins);
    }
    return chart;
}

/* ---- all of them ---- */

rft_finding *rft_finding_distribution(const rft_run *run, const rft_point *best, bool full, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_chart **few = NULL, *charts[6], *heat = heat_chart(run, best, arena);
    size_t close = 0, count = 0;
    bool known = best->variant < run->sweeps[best->sweep].sweep.variant_count;
    size_t few_count = known ? rft_param_charts(run, best, HEIGHT, arena, &few) : 0;
    for (size_t i = 0; i < few_count && few_count <= RFT_PARAM_CHARTS_FEW; i++) {
        charts[count++] = few[i];
    }
    bool profiled = count > 0;
    rft_chart *distribution = distribution_chart(run, best, arena, &close);
    if (distribution) {
        charts[count++] = distribution;
    }
    if (heat) {
        charts[count++] = heat;
    }
    const rft_item *search =
        rft_finding_find(rft_finding_progress(run, best->sweep, best->problem, arena), RFT_ITEM_CHARTS);
    /* By time, and with all of them by evaluations, too. */
    for (size_t i = full || !search ? 0 : search->chart_count - 1; search && i < search->chart_count; i++) {
        charts[count++] = search->charts[i];
    }
    if (close > 0) {
        rft_finding_note(f, 0, "All %zu measured configurations lie within 0.1 %% of each other.", close);
    }
    if (count == 0) {
        return f;
    }
    rft_finding_heading(f, 0, 2, "All configurations of %s", rft_words_problem(run, best->sweep, best->problem, arena));
    rft_finding_chart_rows(f, charts, count, count == 3 || count > 4 ? 3 : 2);
    if (profiled) {
        rft_finding_legend(f, rft_param_charts_text);
    }
    if (heat) {
        rft_finding_legend(f, "Heat map: of the best's variant, the two parameters that explain most among the pairs "
                              "that fill a grid; in each cell the best over all others in the sweep's own round (the "
                              "final one may read lower, on a warmer card), empty where no configuration was "
                              "measured.");
    }
    if (search) {
        rft_finding_note(f, 0, "%s", search->text);
        rft_finding_legend(f, rft_progress_legend);
    }
    return f;
}
