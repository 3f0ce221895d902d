/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter profiles: the best over all other parameters at each value, with what lies behind it. */
#include "reports/doc_sweep_parts.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define PER_ROW 4
#define HEIGHT 108.0
#define NAMES_NARROW 4  /* more values beside each other need a wider chart: three a row */
#define ROW_WIDTH 490.0 /* points, about */
#define AXIS_WIDTH 40.0
#define BYTE_WIDTH 3.9 /* of a name */
#define CHARTS_MOST 64
#define FEW 2         /* as many share a row with other charts */
#define STEPS_MOST 24 /* more values than that are not told apart on paper */

size_t rft_build_columns(size_t count) {
    return count == 1 ? 1 : count == 2 || count == 4 ? 2 : 3;
}

void rft_build_chart_rows(rft_build *b, rft_chart *const *charts, size_t count, size_t columns) {
    rft_chart *row[4];
    for (size_t i = 0; i < count; i += columns) {
        for (size_t k = 0; k < columns; k++) {
            row[k] = i + k < count ? charts[i + k] : rft_chart_new(b->arena, "", 0);
        }
        rft_doc_charts(b->doc, row, columns);
    }
}

static bool all_numbers(const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (!rft_value_is_number(&profile->steps[i].value)) {
            return false;
        }
    }
    return true;
}

/* Few values stand side by side, whatever they are; many only as numbers on an axis. */
static bool can_draw(const rft_profile *profile) {
    size_t measured = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        measured += profile->steps[i].measured > 0;
    }
    return measured > 1 && (profile->step_count <= STEPS_MOST || all_numbers(profile));
}

/* "940", "1.6k": it stands in a narrow column. */
static const char *count_text(const rft_build *b, size_t count) {
    return count < 1000 ? rft_arena_printf(b->arena, "%zu", count)
                        : rft_arena_fixed(b->arena, (double)count / 1000, count < 9950 ? 1 : 0, "k");
}

static void set_x_axis(rft_build *b, rft_chart *chart, const rft_profile *profile, const char *name) {
    size_t count = profile->step_count;
    chart->x = (rft_chart_axis){.title = name, .low = NAN, .high = NAN};
    if (count > STEPS_MOST) {
        return;
    }
    chart->x.names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.sub_names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.sub_title = "n";
    chart->x.name_count = count;
    for (size_t i = 0; i < count; i++) {
        chart->x.names[i] = rft_words_value(&profile->steps[i].value, b->arena);
        chart->x.sub_names[i] = count_text(b, profile->steps[i].measured);
    }
}

/* Without the values that no valid configuration has on this problem. */
static rft_profile measured_steps(const rft_build *b, const rft_profile *profile) {
    rft_profile kept = *profile;
    kept.steps = rft_arena_calloc(b->arena, profile->step_count + 1, sizeof *kept.steps);
    kept.step_count = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].measured > 0) {
            kept.steps[kept.step_count++] = profile->steps[i];
        }
    }
    return kept;
}

/* One scale for all charts, so that they can be held beside each other: from zero, unless that would hide all there is
 * to see. */
static double lowest_shown(const rft_profile *profiles, size_t count, const rft_measure *m) {
    double low = INFINITY, high = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < profiles[p].step_count; i++) {
            const rft_profile_step *step = &profiles[p].steps[i];
            if (step->best) {
                double best = rft_measure_shown(m, rft_point_median_s(step->best));
                low = fmin(low, fmin(rft_measure_shown(m, step->worst_s), best));
                high = fmax(high, fmax(rft_measure_shown(m, step->worst_s), best));
            }
        }
    }
    return low > 0.6 * high ? low - (high - low) * 0.06 : 0;
}

static rft_chart *profile_chart(rft_build *b, const rft_profile *all, const char *name, const rft_measure *m) {
    const rft_profile only = measured_steps(b, all), *profile = &only;
    size_t count = profile->step_count;
    bool few = count <= STEPS_MOST;
    rft_chart *chart = rft_chart_new(b->arena, "", HEIGHT);
    rft_series *range = rft_chart_series(b->arena, chart, RFT_SERIES_RANGE, count);
    range->tone = RFT_TONE_GREY;
    double *x = range->x, *low = range->y, *high = range->y2;
    rft_series *middle = rft_chart_series(b->arena, chart, few ? RFT_SERIES_DOTS : RFT_SERIES_LINE, count);
    middle->tone = RFT_TONE_GREY;
    double *middle_x = middle->x, *middle_y = middle->y;
    rft_series *best = rft_chart_series(b->arena, chart, RFT_SERIES_LINE, count);
    best->tone = RFT_TONE_A;
    best->marks = few;
    for (size_t i = 0; i < count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        x[i] = middle_x[i] = best->x[i] = few ? (double)i : rft_value_number(&step->value);
        best->y[i] = high[i] = rft_measure_shown(m, rft_point_median_s(step->best));
        low[i] = rft_measure_shown(m, step->worst_s);
        middle_y[i] = step->measured > 1 ? rft_measure_shown(m, step->median_s) : NAN;
    }
    set_x_axis(b, chart, profile, name);
    chart->y.high = NAN;
    return chart;
}

static size_t make_charts(rft_build *b, const rft_entry *entry, double height, rft_chart *charts[CHARTS_MOST]) {
    const rft_variant *variant = &b->run->sweeps[entry->sweep].sweep.variants[entry->best->variant];
    rft_measure m = rft_measure_of(&entry->place, entry->best, b->arena);
    rft_profile *profiles = NULL;
    size_t count = rft_build_param_profiles(b, entry->sweep, entry->best->variant, entry->problem, &profiles), used = 0;
    double low = lowest_shown(profiles, count, &m);
    for (size_t i = 0; i < count && used < CHARTS_MOST; i++) {
        if (!can_draw(&profiles[i])) {
            continue;
        }
        charts[used] = profile_chart(b, &profiles[i], variant->params[profiles[i].index].name, &m);
        charts[used]->y.low = low;
        charts[used]->y.title = m.title;
        charts[used++]->height = height;
    }
    return used;
}

static const char *explanation(const rft_build *b, const rft_entry *entry) {
    return rft_arena_printf(b->arena,
                            "Profiles of %s. Dark: the best over all other parameters at this value. Grey bar: from "
                            "the best to the slowest configuration measured there; grey mark or line: half of them are "
                            "faster. n: how many were measured. Values that no valid configuration has here are left "
                            "out.",
                            b->run->sweeps[entry->sweep].sweep.variants[entry->best->variant].name);
}

size_t rft_build_few_profiles(rft_build *b, const rft_entry *entry, double height, rft_chart *charts[2],
                              const char **caption) {
    rft_chart *all[CHARTS_MOST];
    if (entry->best->variant >= b->run->sweeps[entry->sweep].sweep.variant_count) {
        return 0;
    }
    size_t count = make_charts(b, entry, height, all);
    if (count > FEW) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        charts[i] = all[i];
    }
    *caption = count > 0 ? explanation(b, entry) : "";
    return count;
}

/* Names that would be cut beside each other stand upright. */
static void turn_long_names(rft_chart *chart, size_t columns) {
    size_t longest = 0;
    for (size_t i = 0; i < chart->x.name_count; i++) {
        size_t length = strlen(chart->x.names[i]);
        longest = length > longest ? length : longest;
    }
    double slot = (ROW_WIDTH / (double)columns - AXIS_WIDTH) / (double)(chart->x.name_count + 1);
    chart->x.names_upright = chart->x.names && (double)longest * BYTE_WIDTH > slot;
}

static void add_charts(rft_build *b, const rft_entry *entry) {
    rft_chart *charts[CHARTS_MOST];
    size_t used = make_charts(b, entry, HEIGHT, charts), columns = PER_ROW;
    if (used <= FEW) {
        return; /* they stand beside the distribution */
    }
    for (size_t i = 0; i < used; i++) {
        columns = charts[i]->x.name_count > NAMES_NARROW ? PER_ROW - 1 : columns;
    }
    if (used > columns) {
        size_t rows = (used + columns - 1) / columns;
        columns = (used + rows - 1) / rows; /* rows alike: no chart alone in the last */
    }
    for (size_t i = 0; i < used; i++) {
        turn_long_names(charts[i], columns);
    }
    for (size_t i = 0; i < used; i++) {
        charts[i]->y.title = i % columns == 0 ? charts[i]->y.title : NULL; /* the same for the whole row */
    }
    rft_build_chart_rows(b, charts, used, columns);
    rft_doc_text(b->doc, RFT_TEXT_NOTE, explanation(b, entry));
}

/* The fastest and the slowest of a profile's bests. */
static void extremes(const rft_profile *profile, const rft_profile_step **fastest, const rft_profile_step **slowest) {
    *fastest = *slowest = NULL;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (step->best) {
            double time_s = rft_point_median_s(step->best);
            *fastest = !*fastest || time_s < rft_point_median_s((*fastest)->best) ? step : *fastest;
            *slowest = !*slowest || time_s > rft_point_median_s((*slowest)->best) ? step : *slowest;
        }
    }
}

static void add_importance(rft_build *b, rft_table *table, const rft_entry *entry, size_t v) {
    const rft_variant *variant = &b->run->sweeps[entry->sweep].sweep.variants[v];
    rft_profile *profiles = NULL;
    size_t count = rft_build_param_profiles(b, entry->sweep, v, entry->problem, &profiles);
    double *share = rft_arena_calloc(b->arena, variant->param_count + 1, sizeof *share);
    bool named = false;
    for (size_t i = 0; i < variant->param_count; i++) {
        share[i] = NAN;
    }
    rft_param_importance(b->run, entry->sweep, v, entry->problem, share);
    for (size_t i = 0; i < count; i++) {
        const rft_profile_step *fastest, *slowest;
        extremes(&profiles[i], &fastest, &slowest);
        if (profiles[i].step_count < 2 || !fastest) {
            continue;
        }
        rft_row *row = rft_doc_row(b->doc, table);
        size_t param = profiles[i].index;
        row->rule = !named && table->row_count > 1;
        row->cells[0] = named ? NULL : variant->name;
        named = true;
        row->cells[1] = variant->params[param].name;
        row->cells[2] = rft_words_value(&fastest->value, b->arena);
        row->cells[3] = rft_words_value(&slowest->value, b->arena);
        row->cells[4] =
            rft_figure_ratio(b->arena, rft_point_median_s(slowest->best) / rft_point_median_s(fastest->best));
        row->cells[5] = isnan(share[param])
                            ? rft_arena_printf(b->arena, "n/a%s",
                                               rft_doc_note(b->doc, table,
                                                            "Fewer than 3 configurations were measured, or they do "
                                                            "not differ."))
                            : rft_figure_percent_bare(b->arena, share[param]);
    }
}

void rft_build_params(rft_build *b, const rft_entry *entry) {
    static const rft_column columns[] = {{.title = "Variant", .wraps = true},
                                         {.title = "Parameter"},
                                         {.title = "Best value", .align = RFT_ALIGN_RIGHT},
                                         {.title = "Worst value", .align = RFT_ALIGN_RIGHT},
                                         {.title = "costs", .align = RFT_ALIGN_DECIMAL},
                                         {.title = "explains", .unit = "%", .align = RFT_ALIGN_DECIMAL}};
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    if (entry->best->variant >= sweep->variant_count) {
        return; /* a bare space: nothing is known of its parameters */
    }
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "Parameters on %s",
                                     rft_words_problem(b->run, entry->sweep, entry->problem, b->arena)),
                    NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 6);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        add_importance(b, table, entry, v);
    }
    if (table->row_count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, "No parameter was measured at more than one value here.");
        return;
    }
    rft_doc_text(
        b->doc, RFT_TEXT_NOTE,
        "\"costs\": the best configuration with the worst value against the best with the best value. \"explains\": "
        "the share of the variance of log time that the parameter explains alone; what several explain only together "
        "is in none of them.");
    add_charts(b, entry);
}
