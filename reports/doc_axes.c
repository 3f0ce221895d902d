/* SPDX-License-Identifier: Apache-2.0 */
/* The best rate along each axis, under the ceilings as they run along it, over bands of what holds it back. */
#include "reports/doc_sweep_parts.h"

#include "base/str.h"
#include "model/roofline/placement.h"
#include "model/transition/refine.h"

#include <math.h>

#define CHARTS_MOST 6
#define HEIGHT 180.0
#define HEIGHT_ALONE 140.0 /* over the whole width */

typedef struct along {
    rft_build *b;
    const rft_profile *profile; /* best over all variants */
    bool in_ops;                /* how the rate is told */
    rft_figure_scale scale;
    bool numeric;
    rft_chart *chart;
} along;

static double amount_of(const along *a, const rft_point *point) {
    double ops =
        point->work.pipe_ops[rft_work_main_pipe(&point->work) < RFT_PIPE_COUNT ? rft_work_main_pipe(&point->work) : 0];
    double amount = a->in_ops ? ops : rft_work_bytes(&point->work);
    return amount > 0 ? amount : NAN;
}

static double rate_of(const along *a, const rft_point *point) {
    return amount_of(a, point) / rft_point_median_s(point) / a->scale.factor;
}

static double x_of(const along *a, size_t step) {
    return a->numeric ? rft_value_number(&a->profile->steps[step].value) : (double)step;
}

/* Told in operations when most of the bests stand under a pipe's roof. */
static void choose_unit(along *a) {
    size_t ops = 0, bytes = 0, used = 0;
    const rft_profile *profile = a->profile;
    const char *unit = "FLOP/s";
    double *rates = rft_arena_calloc(a->b->arena, profile->step_count + 1, sizeof *rates);
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            rft_placement place = rft_placement_of(a->b->run, profile->steps[i].best);
            bool in_ops = rft_rate_in_ops(&place);
            ops += in_ops;
            bytes += !in_ops;
            unit = in_ops ? rft_rate_unit(&place) : unit;
        }
    }
    a->in_ops = ops > bytes || (ops > 0 && ops == bytes);
    a->scale.factor = 1;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            rates[used++] = rate_of(a, profile->steps[i].best);
        }
    }
    a->scale = rft_figure_scale_of(a->b->arena, rates, used, a->in_ops ? unit : "B/s");
}

static bool same_bound(const rft_bound *a, const rft_bound *b) {
    return a->resource == b->resource && (a->resource != RFT_RESOURCE_PIPE || a->pipe == b->pipe);
}

/* Halfway between two steps, on the axis as it is drawn. */
static double between(const along *a, size_t left, size_t right) {
    double x = x_of(a, left), y = x_of(a, right);
    return a->chart->x.log ? sqrt(x * y) : (x + y) / 2;
}

static void add_bands(along *a) {
    const rft_profile *profile = a->profile;
    rft_series *bands = rft_chart_series(a->b->arena, a->chart, RFT_SERIES_BAND, profile->step_count);
    size_t used = 0, last = SIZE_MAX;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (!step->best) {
            continue;
        }
        double huge = a->numeric ? 1e300 : 1e6, tiny = a->chart->x.log ? 1e-300 : -huge;
        if (last == SIZE_MAX || !same_bound(&profile->steps[last].bound, &step->bound)) {
            double start = last == SIZE_MAX ? tiny : between(a, last, i);
            if (used > 0) {
                bands->x2[used - 1] = start;
            }
            bands->x[used] = start;
            bands->x2[used] = huge;
            bands->names[used++] = rft_resource_name(step->bound.resource, step->bound.pipe);
        }
        last = i;
    }
    bands->count = used;
}

/* The rate a ceiling allows at each step: `seconds` of its share in the placement of the work. */
static void add_ceiling(along *a, bool memory) {
    const rft_profile *profile = a->profile;
    const rft_ceilings *ceilings = &a->b->run->ceilings;
    rft_series *line = rft_chart_series(a->b->arena, a->chart, RFT_SERIES_LINE, profile->step_count);
    line->tone = RFT_TONE_GREY;
    line->label = "memory ceiling";
    size_t known = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = profile->steps[i].best;
        line->x[i] = x_of(a, i);
        if (!best) {
            continue;
        }
        double seconds = NAN;
        rft_pipe pipe = rft_work_main_pipe(&best->work);
        rft_ceiling_id id;
        if (memory) {
            id = rft_bound_dram_ceiling(ceilings, rft_work_read_frac(&best->work));
            seconds = (int)id >= 0 && id < RFT_CEILING_COUNT
                          ? rft_work_bytes(&best->work) / rft_ceilings_rate(ceilings, id)
                          : NAN;
        } else if (pipe < RFT_PIPE_COUNT && rft_ceiling_from_name(&id, rft_pipe_name(pipe))) {
            seconds = best->work.pipe_ops[pipe] / rft_ceilings_rate(ceilings, id);
            line->label = rft_arena_printf(a->b->arena, "%s ceiling", rft_pipe_label(pipe));
        }
        if (seconds > 0) {
            line->y[i] = amount_of(a, best) / seconds / a->scale.factor;
            known++;
        }
    }
    if (known == 0) {
        a->chart->series_count--; /* nothing to show: takes the series back */
    }
}

static void add_variants(along *a) {
    rft_build *b = a->b;
    const rft_sweep *sweep = &b->run->sweeps[a->profile->sweep].sweep;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        rft_profile *profiles = NULL;
        size_t count = rft_profiles_along_axes(b->run, a->profile->sweep, v, b->arena, &profiles);
        const rft_profile *own = NULL;
        for (size_t i = 0; i < count; i++) {
            own = profiles[i].index == a->profile->index && profiles[i].problem == a->profile->problem ? &profiles[i]
                                                                                                       : own;
        }
        if (!own || own->step_count != a->profile->step_count) {
            continue;
        }
        rft_series *line = rft_chart_series(b->arena, a->chart, RFT_SERIES_LINE, own->step_count);
        line->tone = (rft_tone)(RFT_TONE_A + (int)(v % RFT_TONES));
        line->marks = true;
        line->label = sweep->variant_count > 1 ? sweep->variants[v].name : "best";
        for (size_t i = 0; i < own->step_count; i++) {
            line->x[i] = x_of(a, i);
            line->y[i] = own->steps[i].best ? rate_of(a, own->steps[i].best) : NAN;
        }
    }
}

static void add_best(along *a) {
    rft_series *line = rft_chart_series(a->b->arena, a->chart, RFT_SERIES_LINE, a->profile->step_count);
    line->tone = RFT_TONE_A;
    line->marks = true;
    line->label = "best";
    for (size_t i = 0; i < a->profile->step_count; i++) {
        line->x[i] = x_of(a, i);
        line->y[i] = a->profile->steps[i].best ? rate_of(a, a->profile->steps[i].best) : NAN;
    }
}

/* All that was measured, and the roof unless it is far above everything. */
static void choose_range(along *a) {
    double low = INFINITY, high = 0, roof = 0;
    for (size_t s = 0; s < a->chart->series_count; s++) {
        const rft_series *series = &a->chart->series[s];
        for (size_t i = 0; i < series->count && series->marks; i++) {
            low = isnan(series->y[i]) ? low : fmin(low, series->y[i]);
            high = isnan(series->y[i]) ? high : fmax(high, series->y[i]);
        }
    }
    for (size_t i = 0; i < a->profile->step_count; i++) {
        const rft_point *best = a->profile->steps[i].best;
        if (best) {
            rft_placement place = rft_placement_of(a->b->run, best);
            double allowed = amount_of(a, best) / place.roof_s / a->scale.factor;
            roof = isfinite(allowed) ? fmax(roof, allowed) : roof;
        }
    }
    double top = fmax(high, fmin(roof, high * 4));
    a->chart->y.log = high > 0 && low < high / 20;
    a->chart->y.low = a->chart->y.log ? low / 1.6 : 0;
    a->chart->y.high = high > 0 ? (a->chart->y.log ? top * 4 : top * 1.3) : 1;
}

static void set_x_axis(along *a) {
    const rft_profile *profile = a->profile;
    rft_arena *arena = a->b->arena;
    double *ticks = rft_arena_calloc(arena, profile->step_count + 1, sizeof *ticks);
    const char **names = rft_arena_calloc(arena, profile->step_count + 1, sizeof *names);
    size_t tick_count = 0;
    a->numeric = profile->step_count > 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        a->numeric = a->numeric && rft_value_is_number(&profile->steps[i].value);
    }
    for (size_t i = 0; i < profile->step_count; i++) {
        rft_str text = RFT_STR_INIT;
        rft_value_format(&text, &profile->steps[i].value);
        names[i] = rft_arena_strdup(arena, rft_str_get(&text));
        rft_str_clear(&text);
        if (profile->steps[i].refined == 0) { /* what refine() added stands between them */
            ticks[tick_count++] = x_of(a, i);
        }
    }
    const rft_sweep *sweep = &a->b->run->sweeps[profile->sweep].sweep;
    const char *name = profile->along_param ? sweep->variants[profile->variant].params[profile->index].name
                                            : sweep->axes[profile->index].name;
    a->chart->x = (rft_chart_axis){.title = name, .low = NAN, .high = NAN};
    if (a->numeric) {
        a->chart->x.ticks = ticks;
        a->chart->x.tick_count = tick_count;
        a->chart->x.log = tick_count > 1 && ticks[0] > 0 && ticks[tick_count - 1] >= 8 * ticks[0];
    } else {
        a->chart->x.names = names;
        a->chart->x.name_count = profile->step_count;
    }
}

/* "n, with stride=4": what is followed, and what is held. */
const char *rft_build_line(const rft_build *b, const rft_profile *profile) {
    const rft_sweep *sweep = &b->run->sweeps[profile->sweep].sweep;
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, sweep->axes[profile->index].name);
    bool first = true;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (i != profile->index && sweep->axes[i].swept) {
            rft_str_add(&text, first ? ", with " : " ");
            rft_values_format(&text, &sweep->axes[i].name, &sweep->problems[profile->problem].values[i], 1);
            first = false;
        }
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* Along the foot of the chart. */
static void add_interval(along *a, const rft_transition *found) {
    const rft_chart_axis *y = &a->chart->y;
    double foot = y->log ? y->low * pow(y->high / y->low, 0.02) : y->low + 0.02 * (y->high - y->low);
    rft_series *line = rft_chart_series(a->b->arena, a->chart, RFT_SERIES_LINE, 2);
    line->bold = true;
    line->x[0] = found->low;
    line->x[1] = found->high;
    line->y[0] = line->y[1] = foot;
}

/* Where the transitions are: a line with its name, under it the interval. */
static void add_places(along *a, const rft_along_opts *opts) {
    for (size_t i = 0; i < opts->transition_count; i++) {
        const rft_transition *found = &opts->transitions[i];
        bool located = found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN;
        if (!located || !a->numeric || !isfinite(found->where)) {
            continue;
        }
        add_interval(a, found);
        rft_series *line = rft_chart_series(a->b->arena, a->chart, RFT_SERIES_AT_X, 1);
        line->x[0] = found->where;
        line->dashed = true;
        line->names[0] =
            rft_arena_printf(a->b->arena, "%s [%s, %s]", rft_build_place_text(a->b, found->where),
                             rft_build_place_text(a->b, found->low), rft_build_place_text(a->b, found->high));
    }
}

rft_chart *rft_build_along_chart(rft_build *b, const rft_profile *profile, const rft_along_opts *opts) {
    along a = {.b = b, .profile = profile};
    a.chart = rft_chart_new(b->arena, opts->title, opts->height);
    set_x_axis(&a);
    choose_unit(&a);
    a.chart->y.title = rft_arena_printf(b->arena, "useful rate (%s)", a.scale.unit);
    add_bands(&a);
    add_ceiling(&a, true);
    add_ceiling(&a, false);
    if (opts->best_alone) {
        add_best(&a);
    } else {
        add_variants(&a);
    }
    choose_range(&a);
    add_places(&a, opts);
    return a.chart;
}

static bool has_line(const rft_profile *profile) {
    size_t measured = 0;
    for (size_t k = 0; k < profile->step_count; k++) {
        measured += profile->steps[k].best != NULL;
    }
    return measured > 1;
}

void rft_build_axes(rft_build *b, size_t sweep) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(b->run, sweep, SIZE_MAX, b->arena, &profiles), used = 0, lines = 0;
    rft_chart **charts = rft_arena_calloc(b->arena, count + 2, sizeof(rft_chart *));
    rft_chart *ladder = rft_build_ladder_chart(b, sweep, HEIGHT);
    if (ladder) {
        charts[used++] = ladder;
    }
    for (size_t i = 0; i < count; i++) {
        if (!has_line(&profiles[i])) {
            continue;
        }
        if (lines++ < CHARTS_MOST || b->opts.full) {
            rft_along_opts opts = {.height = HEIGHT};
            opts.title = rft_arena_printf(b->arena, "Along %s", rft_build_line(b, &profiles[i]));
            charts[used++] = rft_build_along_chart(b, &profiles[i], &opts);
        }
    }
    if (used == 0) {
        return;
    }
    rft_doc_heading(b->doc, 2,
                    ladder && lines ? "Variants, and along the axes"
                    : lines         ? "Along the axes"
                                    : "Variants",
                    NULL);
    if (used == 1) {
        charts[0]->height = HEIGHT_ALONE;
    }
    rft_build_chart_rows(b, charts, used, rft_build_columns(used));
    rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                  "The best configuration at every value. Grey lines: what the measured ceilings allow for this work."
                  "%s%s%s%s",
                  ladder ? " Bars: blue the variants, grey the baselines, with the 95 % interval of the median." : "",
                  lines ? " Shaded: what holds the best one back." : "",
                  rft_refine_added(&b->run->sweeps[sweep].sweep) > 0
                      ? " Marks between the numbers of an axis: values that refine() added, where only the winners of "
                        "both ends were measured."
                      : "",
                  !b->opts.full && lines > CHARTS_MOST ? " Not every line of the sweep is shown; all of them with "
                                                         "--full."
                                                       : "");
}
