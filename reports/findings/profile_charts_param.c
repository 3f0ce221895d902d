/* SPDX-License-Identifier: Apache-2.0 */
/* profile_charts_param.c - along parameters (profile_charts.h) */
#include "reports/findings/profile_charts.h"

#include "model/roofline/placement.h"
#include "reports/findings/words.h"

#include <math.h>

#define CHARTS_MOST 64
#define SPAN_LEAST 0.05 /* of the highest */
#define STEPS_MOST 24   /* more values than that are not told apart on paper */

static bool all_numbers(const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (!rft_value_is_number(&profile->steps[i].value)) {
            return false;
        }
    }
    return true;
}

/* Few values stand side by side, whatever they are; many only as numbers on an axis. */
static bool can_draw_param(const rft_profile *profile) {
    return rft_profile_measured(profile) > 1 && (profile->step_count <= STEPS_MOST || all_numbers(profile));
}

/* "940", "1.6k": it stands in a narrow column. */
static const char *narrow_count(size_t count, rft_arena *arena) {
    return count < 1000 ? rft_arena_printf(arena, "%zu", count)
                        : rft_arena_fixed(arena, (double)count / 1000, count < 9950 ? 1 : 0, "k");
}

static void set_param_x(rft_chart *chart, const rft_profile *profile, const char *name, rft_arena *arena) {
    size_t count = profile->step_count;
    chart->x = (rft_chart_axis){.title = name, .low = NAN, .high = NAN};
    if (count > STEPS_MOST) {
        return;
    }
    chart->x.names = rft_arena_calloc(arena, count + 1, sizeof(const char *));
    chart->x.sub_names = rft_arena_calloc(arena, count + 1, sizeof(const char *));
    chart->x.sub_title = "n";
    chart->x.name_count = count;
    for (size_t i = 0; i < count; i++) {
        chart->x.names[i] = rft_words_value(&profile->steps[i].value, arena);
        chart->x.sub_names[i] = narrow_count(profile->steps[i].measured, arena);
    }
}

/* Without the values that no valid configuration has on this problem. */
static rft_profile measured_steps(const rft_profile *profile, rft_arena *arena) {
    rft_profile kept = *profile;
    kept.steps = rft_arena_calloc(arena, profile->step_count + 1, sizeof *kept.steps);
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
                double best = rft_measure_shown(m, step->best_s);
                low = fmin(low, fmin(rft_measure_shown(m, step->worst_s), best));
                high = fmax(high, fmax(rft_measure_shown(m, step->worst_s), best));
            }
        }
    }
    /* A difference in the last digits is no cliff. */
    return low > 0.6 * high ? high - fmax((high - low) * 1.1, high * SPAN_LEAST) : 0;
}

/* `joined`: numbers, whose order means something: a line joins their bests. */
static rft_chart *param_chart(const rft_profile *all, const char *name, bool joined, const rft_measure *m,
                              rft_arena *arena) {
    const rft_profile only = measured_steps(all, arena), *profile = &only;
    size_t count = profile->step_count;
    bool few = count <= STEPS_MOST;
    rft_chart *chart = rft_chart_new(arena, "", 0);
    rft_series *range = rft_chart_series(arena, chart, RFT_SERIES_RANGE, count);
    range->tone = RFT_TONE_GREY;
    double *x = range->x, *low = range->y, *high = range->y2;
    rft_series *middle = rft_chart_series(arena, chart, few ? RFT_SERIES_DOTS : RFT_SERIES_LINE, count);
    middle->tone = RFT_TONE_GREY;
    double *middle_x = middle->x, *middle_y = middle->y;
    rft_series *best = rft_chart_series(arena, chart, joined || !few ? RFT_SERIES_LINE : RFT_SERIES_DOTS, count);
    best->tone = RFT_TONE_A;
    best->marks = few;
    for (size_t i = 0; i < count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        x[i] = middle_x[i] = best->x[i] = few ? (double)i : rft_value_number(&step->value);
        best->y[i] = high[i] = rft_measure_shown(m, step->best_s);
        low[i] = rft_measure_shown(m, step->worst_s);
        middle_y[i] = step->measured > 1 ? rft_measure_shown(m, step->median_s) : NAN;
    }
    set_param_x(chart, profile, name, arena);
    chart->y.high = NAN;
    return chart;
}

size_t rft_param_charts(const rft_run *run, const rft_point *best, double height, rft_arena *arena, rft_chart ***out) {
    const rft_variant *variant = &run->sweeps[best->sweep].sweep.variants[best->variant];
    const rft_placement place = rft_placement_of(run, best);
    const rft_measure m = rft_measure_of(&place, best, arena);
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_params(run, best->sweep, best->variant, best->problem, arena, &profiles),
           used = 0;
    double low = lowest_shown(profiles, count, &m);
    rft_chart **charts = *out = rft_arena_calloc(arena, CHARTS_MOST, sizeof(rft_chart *));
    for (size_t i = 0; i < count && used < CHARTS_MOST; i++) {
        if (can_draw_param(&profiles[i])) {
            bool joined = all_numbers(&profiles[i]) && !rft_variant_is_library(variant);
            charts[used] = param_chart(&profiles[i], variant->params[profiles[i].index].name, joined, &m, arena);
            charts[used]->y.low = low;
            charts[used]->y.title = m.title;
            charts[used++]->height = height;
        }
    }
    return used;
}

const char rft_param_charts_text[] =
    "Profiles: of the best's variant. Dark: the best over all other parameters at this value. Grey bar: from the best "
    "to the slowest configuration measured there; grey mark or line: half of them are faster. n: how many were "
    "measured. Values that no valid configuration has here are left out.";
