/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/profile_charts.h"

#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

/* A curve over intensities that are all but one is a vertical line. */
#define PLACES_CROWDED 2 /* places at most among many bands: more hide the line */
#define CURVE_RANGE 1.5
#define CURVE_PARTS 8 /* between two points */
#define PRIORS_LEAST 3
#define VARIANTS_MOST 16 /* lines of a chart: as many as a ladder has rungs on a page */
#define BANDS_NAMED                                                                                                    \
    6 /* of more, neither they nor the places between them are named: the table of transitions has them */

/* ---- along an axis ---- */

typedef struct along {
    const rft_run *run;
    rft_arena *arena;
    const rft_profile *profile; /* best over all variants */
    bool in_ops;                /* how the rate is told */
    rft_figure_scale scale;
    bool numeric;
    bool crowded; /* with bands */
    const rft_transition *transitions;
    size_t transition_count;
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
    double *rates = rft_arena_calloc(a->arena, profile->step_count + 1, sizeof *rates);
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            rft_placement place = rft_placement_of(a->run, profile->steps[i].best);
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
    a->scale = rft_figure_scale_of(a->arena, rates, used, a->in_ops ? unit : "B/s");
}

/* One name, too: a clock held down by power and one of which the cause is not known are alike in all else. */
static bool same_bound(const rft_bound *a, const rft_bound *b) {
    return rft_bound_same(a, b) && rft_bound_is_held(a) == rft_bound_is_held(b) &&
           strcmp(rft_resource_name(a->resource, a->pipe), rft_resource_name(b->resource, b->pipe)) == 0;
}

/* Halfway between two steps, on the axis as it is drawn. */
static double between(const along *a, size_t left, size_t right) {
    double x = x_of(a, left), y = x_of(a, right);
    return a->chart->x.log ? sqrt(x * y) : (x + y) / 2;
}

/* The place that was found between two steps; NaN. */
static double place_between(const along *a, size_t left, size_t right) {
    for (size_t i = 0; i < a->transition_count && a->numeric; i++) {
        double where = a->transitions[i].where;
        if (a->transitions[i].kind == RFT_TRANSITION_FOUND && where > x_of(a, left) && where < x_of(a, right)) {
            return where;
        }
    }
    return NAN;
}

/* Each value has its own bound's band, as the summary tells it; a place that was found between two parts them. */
static void add_bands(along *a) {
    const rft_profile *profile = a->profile;
    rft_series *bands = rft_chart_series(a->arena, a->chart, RFT_SERIES_BAND, profile->step_count);
    size_t used = 0, last = SIZE_MAX;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (!step->best) {
            continue;
        }
        double huge = a->numeric ? 1e300 : 1e6, tiny = a->chart->x.log ? 1e-300 : -huge;
        if (last == SIZE_MAX || !same_bound(&profile->steps[last].bound, &step->bound)) {
            double place = last == SIZE_MAX ? (double)NAN : place_between(a, last, i);
            double start = last == SIZE_MAX ? tiny : isnan(place) ? between(a, last, i) : place;
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
    a->crowded = used > BANDS_NAMED;
    for (size_t i = 0; i < used && a->crowded; i++) {
        bands->names[i] = NULL;
    }
}

/* The rate a ceiling allows at each step: `seconds` of its share in the placement of the work. */
static void add_ceiling(along *a, bool memory) {
    const rft_profile *profile = a->profile;
    const rft_ceilings *ceilings = &a->run->ceilings;
    rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_LINE, profile->step_count);
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
            line->label = rft_arena_printf(a->arena, "%s ceiling", rft_pipe_label(pipe));
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

/* What the times of a variant with one configuration on each problem are to its prior, in the middle; NaN: it has
 * more, or too few have a prior. */
static double prior_factor(const rft_profile *own, rft_arena *arena) {
    double *ratios = rft_arena_calloc(arena, own->step_count + 1, sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; i < own->step_count; i++) {
        const rft_profile_step *step = &own->steps[i];
        if (step->measured > 1) {
            return NAN;
        }
        if (step->best && step->best->prior > 0) {
            ratios[count++] = rft_point_median_s(step->best) / step->best->prior;
        }
    }
    return count < PRIORS_LEAST ? (double)NAN : rft_stats_of(ratios, count).median;
}

/* Such a prior has nothing to put in order on a problem: it foretells how times change along the axis. */
static void add_prior(along *a, const rft_profile *own, rft_tone tone) {
    const double factor = prior_factor(own, a->arena);
    if (isnan(factor)) {
        return;
    }
    rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_LINE, own->step_count);
    line->tone = tone;
    line->dashed = true;
    for (size_t i = 0; i < own->step_count; i++) {
        const rft_point *best = own->steps[i].best;
        line->x[i] = x_of(a, i);
        line->y[i] =
            best && best->prior > 0 ? amount_of(a, best) / (best->prior * factor) / a->scale.factor : (double)NAN;
    }
}

bool rft_along_has_prior(const rft_run *run, const rft_profile *profile, rft_arena *arena) {
    bool has = false;
    for (size_t v = 0; v < run->sweeps[profile->sweep].sweep.variant_count; v++) {
        rft_profile *own = NULL;
        size_t count = rft_profiles_along_axes(run, profile->sweep, v, arena, &own);
        for (size_t i = 0; i < count; i++) {
            has = has || (own[i].index == profile->index && own[i].problem == profile->problem &&
                          !isnan(prior_factor(&own[i], arena)));
        }
    }
    return has;
}

/* Of so many that their names would leave no room: the first, and those that are the best at some value. */
static bool is_drawn(const along *a, size_t variant, size_t of) {
    bool drawn = of <= VARIANTS_MOST || variant == 0;
    for (size_t i = 0; i < a->profile->step_count && !drawn; i++) {
        drawn = a->profile->steps[i].best && a->profile->steps[i].best->variant == variant;
    }
    return drawn;
}

/* The rates of a profile at the values of the chart's. */
static rft_series *add_rates(along *a, const rft_profile *of, rft_tone tone) {
    rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_LINE, of->step_count);
    line->tone = tone;
    line->marks = true;
    for (size_t i = 0; i < of->step_count; i++) {
        line->x[i] = x_of(a, i);
        line->y[i] = of->steps[i].best ? rate_of(a, of->steps[i].best) : NAN;
    }
    return line;
}

static void add_variants(along *a) {
    const rft_sweep *sweep = &a->run->sweeps[a->profile->sweep].sweep;
    if (sweep->variant_count > VARIANTS_MOST) {
        a->chart->caption = rft_arena_printf(
            a->arena, "Of %zu variants: the first, and those that are the best somewhere.", sweep->variant_count);
    }
    for (size_t v = 0, drawn = 0; v < sweep->variant_count && drawn < VARIANTS_MOST; v++) {
        if (!is_drawn(a, v, sweep->variant_count)) {
            continue;
        }
        const rft_tone tone = rft_tone_of(sweep->variant_count > VARIANTS_MOST ? drawn : v);
        drawn++;
        rft_profile *profiles = NULL;
        size_t count = rft_profiles_along_axes(a->run, a->profile->sweep, v, a->arena, &profiles);
        const rft_profile *own = NULL;
        for (size_t i = 0; i < count; i++) {
            own = profiles[i].index == a->profile->index && profiles[i].problem == a->profile->problem ? &profiles[i]
                                                                                                       : own;
        }
        if (!own || own->step_count != a->profile->step_count) {
            continue;
        }
        rft_series *line = add_rates(a, own, tone);
        line->label = sweep->variant_count > 1 ? sweep->variants[v].name : NULL; /* the only one */
        add_prior(a, own, line->tone);
    }
}

static void add_best(along *a, const rft_profile *first) {
    if (first) {
        add_rates(a, first, RFT_TONE_B)->label = a->run->sweeps[first->sweep].sweep.variants[first->variant].name;
    }
    rft_series *line = add_rates(a, a->profile, RFT_TONE_A);
    line->label = first ? "best" : NULL;
}

/* The fastest library at every value, in ink. */
static void add_library(along *a) {
    const rft_profile *profile = a->profile;
    rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_LINE, profile->step_count);
    size_t known = 0;
    line->tone = RFT_TONE_INK;
    line->marks = true;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = profile->steps[i].best;
        const rft_baseline *library = best ? rft_run_fastest_baseline(a->run, profile->sweep, best->problem) : NULL;
        line->x[i] = x_of(a, i);
        line->y[i] = NAN;
        if (library && rft_baseline_is_measured(library)) {
            line->y[i] = amount_of(a, best) / library->measurement.stats.median / a->scale.factor;
            line->label = library->name;
            known++;
        }
    }
    if (known < 2) {
        a->chart->series_count--;
    }
}

/* Where memory and arithmetic would take the same time, and in words where the times turn. */
static void add_ridge(along *a) {
    const char *text;
    double ridge = rft_along_turns(a->run, a->profile, &text, a->arena);
    if (isfinite(ridge)) {
        rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_AT_X, 1);
        line->x[0] = ridge;
        line->tone = RFT_TONE_GREY;
        line->names[0] = rft_arena_printf(a->arena, "ridge %s", rft_words_place(ridge, true, a->arena));
    }
    if (text) {
        a->chart->caption = a->chart->caption ? rft_arena_printf(a->arena, "%s %s", a->chart->caption, text) : text;
    }
}

/* All that was measured, and the roof unless it is far above everything. From zero, unless that would hide what there
 * is to see: teeth of a tenth, say. */
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
            rft_placement place = rft_placement_of(a->run, best);
            double allowed = amount_of(a, best) / place.roof_s / a->scale.factor;
            roof = isfinite(allowed) ? fmax(roof, allowed) : roof;
        }
    }
    double top = fmax(high, fmin(roof, high * 4));
    a->chart->y.log = high > 0 && low < high / 20;
    bool near = low > 0.6 * high && high - low > 0.1 * high && top < 1.5 * high;
    a->chart->y.low = a->chart->y.log ? low / 1.6 : near ? low - 0.2 * (high - low) : 0;
    a->chart->y.high = high > 0 ? (a->chart->y.log ? top * 4 : top + 0.3 * (top - a->chart->y.low)) : 1;
}

static void set_along_x(along *a) {
    const rft_profile *profile = a->profile;
    rft_arena *arena = a->arena;
    double *ticks = rft_arena_calloc(arena, profile->step_count + 1, sizeof *ticks);
    const char **names = rft_arena_calloc(arena, profile->step_count + 1, sizeof *names);
    size_t tick_count = 0;
    a->numeric = profile->step_count > 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        a->numeric = a->numeric && rft_value_is_number(&profile->steps[i].value);
    }
    for (size_t i = 0; i < profile->step_count; i++) {
        names[i] = rft_words_value(&profile->steps[i].value, arena);
        if (profile->steps[i].refined == 0) { /* what refine() added stands between them */
            ticks[tick_count++] = x_of(a, i);
        }
    }
    const rft_sweep *sweep = &a->run->sweeps[profile->sweep].sweep;
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

/* Along the foot of the chart. */
static void add_interval(along *a, const rft_transition *found) {
    const rft_chart_axis *y = &a->chart->y;
    double foot = y->log ? y->low * pow(y->high / y->low, 0.02) : y->low + 0.02 * (y->high - y->low);
    rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_LINE, 2);
    line->bold = true;
    line->x[0] = found->low;
    line->x[1] = found->high;
    line->y[0] = line->y[1] = foot;
}

/* Where the transitions are: a line with its name, under it the interval; the interval alone where no place is known.
 */
static void add_places(along *a) {
    size_t found_count = 0;
    for (size_t i = 0; i < a->transition_count; i++) {
        found_count += a->transitions[i].kind == RFT_TRANSITION_FOUND;
    }
    if (a->crowded && found_count > PLACES_CROWDED) {
        return;
    }
    for (size_t i = 0; i < a->transition_count; i++) {
        const rft_transition *found = &a->transitions[i];
        bool told = found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN;
        if (!a->numeric || !isfinite(found->low) || !isfinite(found->high) ||
            (!told && found->kind != RFT_TRANSITION_CHANGE)) {
            continue;
        }
        add_interval(a, found);
        if (!isfinite(found->where)) {
            continue;
        }
        rft_series *line = rft_chart_series(a->arena, a->chart, RFT_SERIES_AT_X, 1);
        line->x[0] = found->where;
        line->dashed = true;
        line->names[0] = a->crowded
                             ? NULL
                             : rft_arena_printf(a->arena, "%s [%s, %s]", rft_words_place(found->where, true, a->arena),
                                                rft_words_place(found->low, found->by_times, a->arena),
                                                rft_words_place(found->high, found->by_times, a->arena));
    }
}

rft_chart *rft_along_chart(const rft_run *run, const rft_profile *profile, const rft_along_opts *opts,
                           rft_arena *arena) {
    along a = {.run = run,
               .arena = arena,
               .profile = profile,
               .transitions = opts->transitions,
               .transition_count = opts->transition_count};
    if (!a.transitions) {
        a.transition_count = rft_transitions_kept_of(opts->kept, run, profile, arena, &a.transitions);
    }
    a.chart = rft_chart_new(arena, opts->title, opts->height);
    set_along_x(&a);
    choose_unit(&a);
    a.chart->y.title = rft_arena_printf(arena, "useful rate (%s)", a.scale.unit);
    add_bands(&a);
    add_ceiling(&a, true);
    add_ceiling(&a, false);
    if (!profile->along_param) { /* beneath the lines of our own */
        add_library(&a);
        add_ridge(&a);
    }
    if (opts->best_alone) {
        add_best(&a, opts->first);
    } else {
        add_variants(&a);
    }
    choose_range(&a);
    add_places(&a);
    return a.chart;
}

/* ---- fits ---- */

size_t rft_fitted_lines(const rft_run *run, rft_arena *arena, rft_fitted **out, size_t *left_out) {
    rft_fitted *fits = *out = rft_arena_calloc(arena, RFT_FITS_MOST, sizeof *fits);
    size_t count = 0;
    *left_out = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_profile *profiles = NULL;
        size_t lines = rft_profiles_along_axes(run, s, SIZE_MAX, arena, &profiles);
        for (size_t i = 0; i < lines; i++) {
            if (rft_profile_measured(&profiles[i]) < RFT_FIT_LEAST) {
                continue;
            }
            if (count == RFT_FITS_MOST) {
                (*left_out)++;
                continue;
            }
            fits[count++] = (rft_fitted){&profiles[i], rft_profile_fit_of(run, &profiles[i], arena)};
        }
    }
    return count;
}

bool rft_fitted_has_curve(const rft_fitted *of) {
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < of->fit.count; i++) {
        double intensity = of->fit.points[i].ops / of->fit.points[i].bytes;
        least = fmin(least, intensity);
        most = fmax(most, intensity);
    }
    return of->fit.fit.why == NULL && least > 0.0 && isfinite(most) && most >= CURVE_RANGE * least;
}

rft_series *rft_fitted_curve(rft_chart *chart, const rft_fitted *of, double factor, rft_arena *arena) {
    const rft_profile_fit *fit = &of->fit;
    rft_series *series = rft_chart_series(arena, chart, RFT_SERIES_LINE, (fit->count - 1) * CURVE_PARTS + 1);
    for (size_t i = 0; i < series->count; i++) {
        size_t left = i / CURVE_PARTS, right = left + (left + 1 < fit->count);
        double part = (double)(i % CURVE_PARTS) / CURVE_PARTS;
        double bytes = pow(fit->points[left].bytes, 1.0 - part) * pow(fit->points[right].bytes, part);
        double ops = pow(fit->points[left].ops, 1.0 - part) * pow(fit->points[right].ops, part);
        series->x[i] = ops / bytes;
        series->y[i] = ops / rft_roofline_fit_time_s(&fit->fit, bytes, ops) / factor;
    }
    return series;
}
