/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter profiles: the best over all other parameters at each value, with what lies behind it. */
#include "reports/doc_build.h"

#include "base/str.h"

#include <math.h>

#define PER_ROW 3
#define HEIGHT 132.0
#define STEPS_MOST 24 /* more values than that are not told apart on paper */

static const char *value_text(const rft_build *b, const rft_value *value) {
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* From a time to what is drawn: the useful rate, or the time itself where the work is not known. */
typedef struct measure {
    double amount; /* bytes or operations of the problem; NaN: draw seconds */
    rft_figure_scale scale;
    const char *title;
} measure;

static double shown(const measure *m, double time_s) {
    return (isnan(m->amount) ? time_s : m->amount / time_s) / m->scale.factor;
}

static measure measure_of(rft_build *b, const rft_entry *entry) {
    measure m;
    double rate = rft_build_rate(&entry->place), time_s = rft_point_median_s(entry->best);
    m.amount = rate * time_s;
    m.scale = isnan(rate) ? rft_figure_scale_of(b->arena, &time_s, 1, "s")
                          : rft_figure_scale_of(b->arena, &rate, 1, rft_build_rate_unit(&entry->place));
    m.title = rft_arena_printf(b->arena, "%s (%s)", isnan(rate) ? "median time" : "useful rate", m.scale.unit);
    return m;
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

static void set_x_axis(rft_build *b, rft_chart *chart, const rft_profile *profile, const char *name) {
    size_t count = profile->step_count;
    chart->x = (rft_chart_axis){.title = name, .low = NAN, .high = NAN};
    if (count > STEPS_MOST) {
        return;
    }
    chart->x.names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.sub_names = rft_arena_calloc(b->arena, count + 1, sizeof(const char *));
    chart->x.name_count = count;
    for (size_t i = 0; i < count; i++) {
        chart->x.names[i] = value_text(b, &profile->steps[i].value);
        chart->x.sub_names[i] = rft_arena_printf(b->arena, "n=%zu", profile->steps[i].measured);
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

/* From zero, unless that would hide all there is to see. */
static double lowest_shown(const rft_profile *profile, const measure *m) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        low =
            fmin(low, fmin(shown(m, profile->steps[i].worst_s), shown(m, rft_point_median_s(profile->steps[i].best))));
        high = fmax(high, shown(m, rft_point_median_s(profile->steps[i].best)));
    }
    return low > 0.6 * high ? NAN : 0;
}

static rft_chart *profile_chart(rft_build *b, const rft_profile *all, const char *name, const measure *m) {
    const rft_profile only = measured_steps(b, all), *profile = &only;
    size_t count = profile->step_count;
    bool few = count <= STEPS_MOST;
    rft_chart *chart = rft_doc_chart(b->doc, name, HEIGHT);
    rft_series *range = rft_doc_series(b->doc, chart, RFT_SERIES_RANGE, count);
    range->tone = RFT_TONE_GREY;
    double *x = range->x, *low = range->y, *high = range->y2;
    rft_series *middle = rft_doc_series(b->doc, chart, few ? RFT_SERIES_DOTS : RFT_SERIES_LINE, count);
    middle->tone = RFT_TONE_GREY;
    double *middle_x = middle->x, *middle_y = middle->y;
    rft_series *best = rft_doc_series(b->doc, chart, RFT_SERIES_LINE, count);
    best->tone = RFT_TONE_A;
    best->marks = few;
    for (size_t i = 0; i < count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        x[i] = middle_x[i] = best->x[i] = few ? (double)i : rft_value_number(&step->value);
        best->y[i] = high[i] = shown(m, rft_point_median_s(step->best));
        low[i] = shown(m, step->worst_s);
        middle_y[i] = step->measured > 1 ? shown(m, step->median_s) : NAN;
    }
    set_x_axis(b, chart, profile, name);
    chart->y = (rft_chart_axis){.title = m->title, .low = lowest_shown(profile, m), .high = NAN};
    return chart;
}

static void add_charts(rft_build *b, const rft_entry *entry, const rft_profile *profiles, size_t count) {
    const rft_variant *variant = &b->run->sweeps[entry->sweep].sweep.variants[entry->best->variant];
    measure m = measure_of(b, entry);
    rft_chart *row[PER_ROW];
    size_t used = 0;
    rft_doc_heading(b->doc, 3, rft_arena_printf(b->arena, "Profiles of %s", variant->name), NULL);
    for (size_t i = 0; i < count; i++) {
        if (can_draw(&profiles[i])) {
            row[used++] = profile_chart(b, &profiles[i], variant->params[profiles[i].index].name, &m);
        }
        if (used == PER_ROW) {
            rft_doc_charts(b->doc, row, used);
            used = 0;
        }
    }
    if (used > 0) {
        while (used < PER_ROW) {
            row[used++] = rft_doc_chart(b->doc, "", 0); /* keeps the columns in line */
        }
        rft_doc_charts(b->doc, row, used);
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "Dark: the best over all other parameters at this value. Grey bar: from the best to the slowest "
                 "configuration measured there; grey mark or line: half of them are faster. n: how many were measured. "
                 "Values that no valid configuration has here are left out.");
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
        row->cells[2] = value_text(b, &fastest->value);
        row->cells[3] = value_text(b, &slowest->value);
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
    rft_profile *profiles = NULL;
    if (entry->best->variant >= sweep->variant_count) {
        return; /* a bare space: nothing is known of its parameters */
    }
    size_t count = rft_build_param_profiles(b, entry->sweep, entry->best->variant, entry->problem, &profiles);
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "Parameters on %s", rft_build_name(b, entry->sweep, entry->problem)),
                    NULL);
    size_t drawable = 0;
    for (size_t i = 0; i < count; i++) {
        drawable += can_draw(&profiles[i]);
    }
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
    if (drawable > 0) {
        add_charts(b, entry, profiles, count);
    }
}
