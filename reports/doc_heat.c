/* SPDX-License-Identifier: Apache-2.0 */
/* The heat map of a problem: the best over the rest for every pair of values of the two parameters that matter most. */
#include "reports/doc_sweep_parts.h"

#include <math.h>

#define BINS_MOST 24 /* values an axis; more are taken together, neighbours first */

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
            double time_s = rft_point_median_s(profile->steps[i].best);
            fastest = fmin(fastest, time_s);
            slowest = fmax(slowest, time_s);
            measured++;
        }
    }
    return measured > 1 ? slowest / fastest : 0;
}

/* The two that matter most; false when fewer than two were measured at several values. */
static bool pick_params(rft_build *b, const rft_entry *entry, pick out[2]) {
    const rft_variant *variant = &b->run->sweeps[entry->sweep].sweep.variants[entry->best->variant];
    rft_profile *profiles = NULL;
    size_t count = rft_build_param_profiles(b, entry->sweep, entry->best->variant, entry->problem, &profiles);
    double *share = rft_arena_calloc(b->arena, variant->param_count + 1, sizeof *share);
    size_t found = 0;
    for (size_t i = 0; i < variant->param_count; i++) {
        share[i] = NAN;
    }
    rft_param_importance(b->run, entry->sweep, entry->best->variant, entry->problem, share);
    for (size_t i = 0; i < count; i++) {
        pick own = {profiles[i].index, share[profiles[i].index], cost_of(&profiles[i])};
        if (!(own.cost > 0)) {
            continue;
        }
        if (found == 0 || matters_more(&own, &out[0])) {
            out[1] = out[0];
            out[0] = own;
        } else if (found == 1 || matters_more(&own, &out[1])) {
            out[1] = own;
        }
        found++;
    }
    return found >= 2;
}

/* Only the values that were measured, in the script's order. */
static side make_side(rft_build *b, const rft_param *param, size_t index, const rft_point *const *ranked,
                      size_t count) {
    side s = {.param = index};
    s.bin_of = rft_arena_calloc(b->arena, param->value_count + 1, sizeof *s.bin_of);
    s.names = rft_arena_calloc(b->arena, BINS_MOST + 1, sizeof *s.names);
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
        s.names[bin] = s.names[bin] ? s.names[bin] : rft_words_value(&param->values[i], b->arena);
    }
    return s;
}

static void fill_cells(rft_build *b, rft_chart *chart, const rft_measure *m, const side sides[2],
                       const double *best_s) {
    size_t columns = sides[0].bins > 0 ? sides[0].bins : 1;
    rft_series *cells = rft_chart_series(b->arena, chart, RFT_SERIES_CELLS, sides[0].bins * sides[1].bins);
    cells->label = m->scale.unit;
    for (size_t i = 0; i < cells->count; i++) {
        cells->x[i] = (double)(i % columns);
        cells->y[i] = (double)(i / columns);
        if (isfinite(best_s[i])) {
            cells->y2[i] = rft_measure_shown(m, best_s[i]);
            cells->names[i] = rft_figure_plain(b->arena, cells->y2[i], 3);
        }
    }
}

rft_chart *rft_build_heat_chart(rft_build *b, const rft_entry *entry, double height) {
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    pick picked[2] = {{0}};
    if (!entry->best || entry->best->variant >= sweep->variant_count || !pick_params(b, entry, picked)) {
        return NULL;
    }
    const rft_variant *variant = &sweep->variants[entry->best->variant];
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(b->run, entry->sweep, entry->best->variant, entry->problem, b->arena, &ranked);
    const rft_param *params[2] = {&variant->params[picked[0].param], &variant->params[picked[1].param]};
    side sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = make_side(b, params[i], picked[i].param, ranked, count);
    }
    if (sides[0].bins == 0 || sides[1].bins == 0) {
        return NULL;
    }
    size_t cells = sides[0].bins * sides[1].bins;
    double *best_s = rft_arena_calloc(b->arena, cells + 1, sizeof *best_s);
    for (size_t i = 0; i < cells; i++) {
        best_s[i] = INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        size_t x = rft_param_find(params[0], &ranked[i]->config[sides[0].param]);
        size_t y = rft_param_find(params[1], &ranked[i]->config[sides[1].param]);
        if (x < params[0]->value_count && y < params[1]->value_count) {
            double *cell = &best_s[sides[1].bin_of[y] * sides[0].bins + sides[0].bin_of[x]];
            *cell = fmin(*cell, rft_point_median_s(ranked[i]));
        }
    }
    rft_measure m = rft_measure_of(&entry->place, entry->best, b->arena);
    rft_chart *chart = rft_chart_new(b->arena, isnan(m.amount) ? "Best time" : "Best rate", height);
    rft_chart_axis *axes[2] = {&chart->x, &chart->y};
    for (int i = 0; i < 2; i++) {
        *axes[i] = (rft_chart_axis){.title = params[i]->name, .low = NAN, .high = NAN};
        axes[i]->names = sides[i].names;
        axes[i]->name_count = sides[i].bins;
    }
    fill_cells(b, chart, &m, sides, best_s);
    if (sides[0].bins < sides[0].measured || sides[1].bins < sides[1].measured) {
        chart->caption = rft_arena_printf(b->arena,
                                          "The map takes neighbouring values together, %zu of %s to %zu columns and "
                                          "%zu of %s to %zu rows; the axes name the first of each.",
                                          sides[0].measured, params[0]->name, sides[0].bins, sides[1].measured,
                                          params[1]->name, sides[1].bins);
    }
    return chart;
}
