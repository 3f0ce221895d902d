/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_profiles.h"

#include "base/units.h"
#include "cli/show_transitions.h"
#include "model/roofline/placement.h"
#include "model/transition/transition.h"
#include "reports/findings/finding.h"
#include "reports/print/layout.h"
#include "reports/print/spark.h"

#include <math.h>

#define BARS_MOST 32   /* more values share a bar: the best of them */
#define VALUES_MOST 10 /* spelled out on a line */
#define LINES_MOST 6   /* along the axes, without --full */
#define NAME_MOST 20   /* columns */

static const char *value_text(const rft_show_page *t, const rft_value *value) {
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* The steps of a profile at which something was measured. */
static size_t measured_of(const rft_show_page *t, const rft_profile *profile, const rft_profile_step ***out) {
    const rft_profile_step **steps = rft_arena_calloc(t->arena, profile->step_count + 1, sizeof *steps);
    size_t count = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            steps[count++] = &profile->steps[i];
        }
    }
    *out = steps;
    return count;
}

/* Of so many values the best in each of at most BARS_MOST bars. */
static size_t squeeze(const double *values, size_t count, double bars[BARS_MOST]) {
    size_t used = count < BARS_MOST ? count : BARS_MOST;
    for (size_t i = 0; i < used; i++) {
        bars[i] = NAN;
        for (size_t k = i * count / used; k < (i + 1) * count / used; k++) {
            bars[i] = isnan(bars[i]) ? values[k] : fmax(bars[i], values[k]);
        }
    }
    return used;
}

static void add_bars(const rft_show_page *t, const double *values, size_t count, const rft_spark_scale *scale,
                     size_t width) {
    double bars[BARS_MOST];
    size_t used = squeeze(values, count, bars);
    rft_spark_add(t->out, bars, used, scale);
    rft_layout_spaces(t->out, used < width ? width - used : 0);
}

/* ---- parameters ---- */

typedef struct params {
    const rft_show_page *t;
    size_t sweep, variant, problem;
    const rft_profile *profiles;
    size_t count;
    double amount; /* work of one run: amount / seconds is shown; NaN: no rate, bars are of 1 / seconds */
    const char *unit;
    rft_spark_scale scale;
    size_t name_width, bars_width;
} params;

static double shown(const params *p, const rft_profile_step *step) {
    return (isnan(p->amount) ? 1.0 : p->amount) / rft_point_median_s(step->best);
}

static const char *name_of(const params *p, const rft_profile *profile) {
    return p->t->run->sweeps[p->sweep].sweep.variants[profile->variant].params[profile->index].name;
}

static bool is_shown(const params *p, const rft_profile *profile) {
    const rft_profile_step **steps = NULL;
    return measured_of(p->t, profile, &steps) > 1;
}

/* One scale for all parameters, so that their bars can be held beside each other. */
static bool measure(params *p) {
    double low = INFINITY, high = 0;
    p->name_width = p->bars_width = 0;
    for (size_t i = 0; i < p->count; i++) {
        const rft_profile_step **steps = NULL;
        size_t count = measured_of(p->t, &p->profiles[i], &steps);
        for (size_t k = 0; count > 1 && k < count; k++) {
            low = fmin(low, shown(p, steps[k]));
            high = fmax(high, shown(p, steps[k]));
        }
        if (count > 1) {
            p->name_width = rft_show_widest(p->name_width, name_of(p, &p->profiles[i]), NAME_MOST);
            p->bars_width = fmax((double)p->bars_width, fmin((double)count, BARS_MOST));
        }
    }
    p->scale = (rft_spark_scale){rft_bars_floor(low, high), high, p->t->ascii};
    return high > 0;
}

/* "32:12 64:40": values and how many were measured there. */
static void add_counts(rft_str *line, const params *p, const rft_profile_step *const *steps, size_t count) {
    bool all = count <= VALUES_MOST || p->t->full;
    for (size_t i = 0; i < count; i++) {
        if (all || i == 0 || i + 1 == count) {
            rft_str_addf(line, " %s:%zu", value_text(p->t, &steps[i]->value), steps[i]->measured);
        } else if (i == 1) {
            rft_str_add(line, " ..");
        }
    }
    if (!all) {
        rft_str_addf(line, " (%zu values)", count);
    }
}

/* Of a profile with two values or more. */
static void add_param(const params *p, const rft_profile *profile, double explains) {
    const rft_show_page *t = p->t;
    const rft_profile_step **steps = NULL, *fastest, *slowest;
    size_t count = measured_of(t, profile, &steps);
    double *values = rft_arena_calloc(t->arena, count + 1, sizeof *values);
    rft_str line = RFT_STR_INIT;
    fastest = slowest = steps[0];
    for (size_t i = 0; i < count; i++) {
        values[i] = shown(p, steps[i]);
        fastest = values[i] > shown(p, fastest) ? steps[i] : fastest;
        slowest = values[i] < shown(p, slowest) ? steps[i] : slowest;
    }
    rft_layout_spaces(t->out, 4);
    rft_layout_cut(t->out, name_of(p, profile), p->name_width);
    rft_layout_spaces(t->out, 1);
    add_bars(t, values, count, &p->scale, p->bars_width);
    rft_str_addf(&line, "%s; %s costs %s", value_text(t, &fastest->value), value_text(t, &slowest->value),
                 rft_show_number(t, shown(p, fastest) / shown(p, slowest), 2, " x"));
    if (isfinite(explains)) {
        rft_str_addf(&line, ", explains %s", rft_show_number(t, explains * 100.0, 1, " %"));
    }
    rft_str_add(&line, ";");
    add_counts(&line, p, steps, count);
    /* Behind the bars, and below itself where it needs more lines. */
    size_t indent = 4 + p->name_width + 1 + p->bars_width + 1;
    rft_layout_continued(t->out, indent, rft_str_get(&line));
    rft_str_clear(&line);
}

static void add_variant(params *p, bool first) {
    const rft_show_page *t = p->t;
    const rft_variant *variant = &t->run->sweeps[p->sweep].sweep.variants[p->variant];
    rft_profile *profiles = NULL;
    p->count = rft_profiles_along_params(t->run, p->sweep, p->variant, p->problem, t->arena, &profiles);
    p->profiles = profiles;
    if (!measure(p)) {
        return;
    }
    double *share = rft_arena_calloc(t->arena, variant->param_count + 1, sizeof *share);
    for (size_t i = 0; i < variant->param_count; i++) {
        share[i] = NAN;
    }
    rft_param_importance(t->run, p->sweep, p->variant, p->problem, share);
    char low[48], high[48];
    rft_units_format_si(low, sizeof low, p->scale.low, 3, p->unit);
    rft_units_format_si(high, sizeof high, p->scale.high, 3, p->unit);
    const char *problem = rft_run_problem_text(t->run, p->sweep, p->problem, true, t->arena);
    rft_str_add_char(t->out, '\n');
    rft_layout_wrapped(
        t->out, 2, 2,
        rft_arena_printf(t->arena, "parameters of %s%s%s: bars are the best at each value over all others%s",
                         variant->name, *problem ? " at " : "", problem,
                         isnan(p->amount) ? ", of 1/time" : rft_arena_printf(t->arena, ", from %s to %s", low, high)));
    if (first) {
        rft_layout_wrapped(t->out, 4, 2, "behind: best value; worst and its cost; variance explained alone; value:n");
    }
    for (size_t i = 0; i < p->count; i++) {
        if (is_shown(p, &profiles[i])) {
            add_param(p, &profiles[i], share[profiles[i].index]);
        }
    }
}

void rft_show_params(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t problem = rft_run_largest(t->run, sweep);
    const rft_point *best = problem == SIZE_MAX ? NULL : rft_run_best(t->run, sweep, SIZE_MAX, problem);
    if (!best || best->variant >= data->variant_count) {
        return;
    }
    rft_placement place = rft_placement_of(t->run, best);
    params p = {.t = t, .sweep = sweep, .problem = problem, .unit = ""};
    p.amount = rft_show_rate(&place, &best->work, &p.unit) * rft_point_median_s(best);
    bool first = true;
    for (size_t v = 0; v < data->variant_count; v++) {
        if (t->full || v == best->variant) {
            size_t before = t->out->length;
            p.variant = v;
            add_variant(&p, first);
            first = first && t->out->length == before;
        }
    }
}

/* ---- axes ---- */

static double share_of(const rft_show_page *t, const rft_profile_step *step) {
    return rft_placement_of(t->run, step->best).efficiency_frac;
}

static void add_axis(const rft_show_page *t, const rft_profile *profile, size_t width) {
    const rft_profile_step **steps = NULL;
    size_t count = measured_of(t, profile, &steps), best = 0;
    double *values = rft_arena_calloc(t->arena, count + 1, sizeof *values);
    rft_str line = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        values[i] = share_of(t, steps[i]);
        best = values[i] > values[best] || isnan(values[best]) ? i : best;
    }
    rft_layout_spaces(t->out, 4);
    rft_layout_cut(t->out, rft_show_line_name(t, profile), width);
    rft_layout_spaces(t->out, 1);
    add_bars(t, values, count, &(rft_spark_scale){0, 1, t->ascii}, 0);
    bool all = t->full || count <= VALUES_MOST;
    for (size_t i = 0; i < count; i++) {
        if (all || i == 0 || i == best || i + 1 == count) {
            rft_str_addf(&line, "%s%s" RFT_LAYOUT_JOINT "%s", line.length ? ", " : "", value_text(t, &steps[i]->value),
                         rft_show_number(t, values[i] * 100.0, 1, RFT_LAYOUT_JOINT "%"));
        }
    }
    rft_str_addf(&line, "%s", all ? "" : rft_arena_printf(t->arena, " (%zu values)", count));
    rft_layout_continued(t->out, 4 + width + 1 + (count < BARS_MOST ? count : BARS_MOST) + 1, rft_str_get(&line));
    rft_str_clear(&line);
}

static bool has_line(const rft_show_page *t, const rft_profile *profile) {
    const rft_profile_step **steps = NULL;
    size_t count = measured_of(t, profile, &steps), known = 0;
    for (size_t i = 0; i < count; i++) {
        known += isfinite(share_of(t, steps[i]));
    }
    return count > 1 && known > 0;
}

void rft_show_axes(const rft_show_page *t, size_t sweep) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(t->run, sweep, SIZE_MAX, t->arena, &profiles), lines = 0, width = 0;
    for (size_t i = 0; i < count; i++) {
        width = has_line(t, &profiles[i]) ? rft_show_widest(width, rft_show_line_name(t, &profiles[i]), 30) : width;
    }
    for (size_t i = 0; i < count; i++) {
        if (has_line(t, &profiles[i]) && (lines++ < LINES_MOST || t->full)) {
            if (lines == 1) {
                rft_str_add(t->out, "\n  along the axes: the best at each value, bars from 0 to 100 % of its roof\n");
            }
            add_axis(t, &profiles[i], width > 0 ? width : 30);
        }
    }
    if (lines > LINES_MOST && !t->full) {
        rft_str_addf(t->out, "    %zu more: --full\n", lines - LINES_MOST);
    }
}
