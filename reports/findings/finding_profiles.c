/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: the best over all other parameters at each value of one, and along the axes of a sweep. */
#include "base/str.h"
#include "base/units.h"
#include "model/roofline/placement.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define BARS_MOST 32     /* more values share a bar: the best of them */
#define VALUES_MOST 10   /* spelled out on a terminal */
#define VALUES_LEAST 3   /* of a line that is drawn, without --full */
#define LINES_MOST 6     /* along the axes, without --full; charts too */
#define JOINT "\xc2\xa0" /* where no line is broken */

#define PER_ROW 4
#define HEIGHT 108.0
#define NAMES_NARROW 4  /* more values beside each other need a wider chart: three a row */
#define ROW_WIDTH 490.0 /* points, about */
#define AXIS_WIDTH 40.0
#define BYTE_WIDTH 3.9 /* of a name */
#define BARS_NARROW 4  /* more stand over the whole width */
#define AXIS_HEIGHT 150.0
#define LINES_NAMED 5 /* variants that have their names beside their lines, about */
#define KEY_STEP 14.0 /* of height, a variant more */
#define KEY_MOST 56.0
#define AXIS_HEIGHT_ALONE 140.0 /* over the whole width */

enum { ALONG, OWNER, NAME, VARIANT, PROBLEM, SHARE, BARS, BEST, WORST, COSTS, EXPLAINS, SOME, ALL, VALUES, FIELDS };

static const rft_trait fields[FIELDS] = {
    [ALONG] = {.key = "along"},
    [OWNER] = {.title = "Variant", .where = RFT_ON_PAGE, .wraps = true},
    [NAME] = {.key = "name", .title = "Parameter"},
    [VARIANT] = {.key = "variant"},
    [PROBLEM] = {.key = "problem"},
    [SHARE] = {.key = "explains_frac"},
    [BARS] = {.title = "", .where = RFT_IN_TEXT},
    [BEST] = {.title = "Best value", .align = RFT_ALIGN_RIGHT},
    [WORST] = {.title = "Worst value", .lead = "; ", .align = RFT_ALIGN_RIGHT},
    [COSTS] = {.key = "costs_factor",
               .title = "costs at best",
               .lead = " costs at best ",
               .style = RFT_AS_RATIO,
               .align = RFT_ALIGN_DECIMAL},
    [EXPLAINS] = {.title = "of the scatter",
                  .lead = ", of the scatter ",
                  .style = RFT_AS_PERCENT,
                  .text_digits = 1,
                  .align = RFT_ALIGN_DECIMAL},
    [SOME] = {.title = "", .where = RFT_IN_BRIEF, .lead = "; "},
    [ALL] = {.title = "", .where = RFT_IN_FULL, .lead = "; "},
    [VALUES] = {.key = "values"},
};

/* ---- what both kinds have ---- */

static const rft_finding *values_data(const rft_run *run, const rft_profile *profile, rft_arena *arena) {
    enum { VALUE, POINT, MEDIAN, MIDDLE, SLOWEST, MEASURED, FRAC, BOUND, TURNS, COUNT };
    static const rft_trait own[COUNT] = {{.key = "value"},           {.key = "point"},   {.key = "median_s"},
                                         {.key = "middle_s"},        {.key = "worst_s"}, {.key = "measured"},
                                         {.key = "efficiency_frac"}, {.key = "bound"},   {.key = "bound_turns"}};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "", own, COUNT);
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[VALUE] = rft_datum_value(&step->value);
        cells[MIDDLE] = rft_datum_number(step->median_s);
        cells[SLOWEST] = rft_datum_number(step->worst_s);
        cells[MEASURED] = rft_datum_count((int64_t)step->measured);
        if (step->best) {
            cells[POINT] = rft_datum_count(step->best->id);
            cells[MEDIAN] = rft_datum_number(step->best_s);
            cells[FRAC] = rft_datum_number(rft_placement_of(run, step->best).efficiency_frac);
            cells[BOUND] = rft_datum_text(rft_resource_name(step->bound.resource, step->bound.pipe));
            cells[TURNS] = rft_datum_text(rft_words_turns(&step->bound, arena));
        }
    }
    return f;
}

static rft_cell_row *add_profile_row(const rft_run *run, rft_cell_table *table, const rft_profile *profile) {
    const rft_sweep *sweep = &run->sweeps[profile->sweep].sweep;
    const rft_variant *variant = profile->along_param ? &sweep->variants[profile->variant] : NULL;
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[ALONG] = rft_datum_text(variant ? "parameter" : "axis");
    row->cells[NAME] =
        rft_datum_text(variant ? variant->params[profile->index].name : sweep->axes[profile->index].name);
    row->cells[VARIANT] = rft_datum_text(variant ? variant->name : NULL);
    row->cells[PROBLEM] = rft_datum_finding(rft_finding_problem(sweep, profile->problem, table->arena));
    row->cells[SHARE] = row->cells[COSTS] = rft_datum_absent();
    row->cells[VALUES] = rft_datum_finding(values_data(run, profile, table->arena));
    return row;
}

/* The steps of a profile at which something was measured. */
static size_t measured_of(const rft_profile *profile, rft_arena *arena, const rft_profile_step ***out) {
    const rft_profile_step **steps = *out = rft_arena_calloc(arena, profile->step_count + 1, sizeof *steps);
    size_t count = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            steps[count++] = &profile->steps[i];
        }
    }
    return count;
}

/* Of so many values the best in each of at most BARS_MOST bars. */
static rft_datum bars_of(const double *values, size_t count, double low, double high, rft_arena *arena) {
    size_t used = count < BARS_MOST ? count : BARS_MOST;
    double *bars = rft_arena_calloc(arena, used + 1, sizeof *bars);
    for (size_t i = 0; i < used; i++) {
        bars[i] = NAN;
        for (size_t k = i * count / used; k < (i + 1) * count / used; k++) {
            bars[i] = isnan(bars[i]) ? values[k] : fmax(bars[i], values[k]);
        }
    }
    return rft_datum_bars(&(rft_bars){bars, used, low, high});
}

/* ---- parameters ---- */

typedef struct params {
    const rft_run *run;
    rft_arena *arena;
    const rft_point *best; /* of the problem */
    double amount;         /* work of one run: amount / seconds is shown; NaN: no rate, bars are of 1 / seconds */
    const char *unit;
    rft_cell_table *page;
    bool is_explained; /* what stands behind the bars */
} params;

/* Of one variant: one scale for all, so that their bars can be held beside each other. */
typedef struct scale {
    double low, high;
    bool more; /* any was measured at several values */
} scale;

static double bar_of(const params *p, const rft_profile_step *step) {
    return (isnan(p->amount) ? 1.0 : p->amount) / step->best_s;
}

static scale scale_of(const params *p, const rft_profile *profiles, size_t count) {
    scale s = {INFINITY, 0, false};
    for (size_t i = 0; i < count; i++) {
        bool several = rft_profile_measured(&profiles[i]) > 1;
        for (size_t k = 0; several && k < profiles[i].step_count; k++) {
            if (profiles[i].steps[k].best) {
                s.low = fmin(s.low, bar_of(p, &profiles[i].steps[k]));
                s.high = fmax(s.high, bar_of(p, &profiles[i].steps[k]));
                s.more = true;
            }
        }
    }
    s.low = rft_bars_floor(s.low, s.high);
    return s;
}

/* "32:12 64:40": values and how many were measured there; of more than `most` the ends. */
static const char *counts_text(const rft_profile_step *const *steps, size_t count, size_t most, rft_arena *arena) {
    rft_str line = RFT_STR_INIT;
    bool all = count <= most;
    for (size_t i = 0; i < count; i++) {
        if (all || i == 0 || i + 1 == count) {
            rft_str_addf(&line, "%s%s:%zu", i ? " " : "", rft_words_value(&steps[i]->value, arena), steps[i]->measured);
        } else if (i == 1) {
            rft_str_add(&line, " ..");
        }
    }
    if (!all) {
        rft_str_addf(&line, " (%zu values)", count);
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&line);
    return text;
}

/* Of values as good as each other the one that the variant's best has. */
static const rft_profile_step *or_own(const params *p, const rft_profile *profile, const rft_profile_step *const *steps,
                                      size_t count, const rft_profile_step *fastest) {
    const rft_point *best = rft_run_best(p->run, profile->sweep, profile->variant, profile->problem);
    for (size_t i = 0; i < count; i++) {
        fastest = steps[i]->best == best && steps[i]->best_s < (1.0 + RFT_STATS_TIE_FRAC) * fastest->best_s ? steps[i]
                                                                                                            : fastest;
    }
    return fastest;
}

static void put_param(const params *p, rft_cell_row *row, const rft_profile *profile, const scale *s) {
    const rft_profile_step **steps, *fastest, *slowest;
    size_t count = measured_of(profile, p->arena, &steps);
    double *values = rft_arena_calloc(p->arena, count + 1, sizeof *values);
    if (count == 0) {
        return;
    }
    fastest = slowest = steps[0];
    for (size_t i = 0; i < count; i++) {
        values[i] = bar_of(p, steps[i]);
        fastest = steps[i]->best_s < fastest->best_s ? steps[i] : fastest;
        slowest = steps[i]->best_s > slowest->best_s ? steps[i] : slowest;
    }
    fastest = or_own(p, profile, steps, count, fastest);
    row->cells[BARS] = bars_of(values, count, s->low, s->high, p->arena);
    row->cells[BEST] = rft_datum_text(rft_words_value(&fastest->value, p->arena));
    row->cells[WORST] = rft_datum_text(rft_words_value(&slowest->value, p->arena));
    row->cells[COSTS] = rft_datum_number(fmax(slowest->best_s / fastest->best_s, 1.0));
    row->cells[SOME] = rft_datum_text(counts_text(steps, count, VALUES_MOST, p->arena));
    row->cells[ALL] = rft_datum_text(counts_text(steps, count, SIZE_MAX, p->arena));
}

/* Over the rows of a terminal; what stands behind the bars is said once. */
static void add_param_heading(rft_finding *f, params *p, const char *variant, const scale *s, unsigned readers) {
    const char *problem = rft_run_problem_text(p->run, p->best->sweep, p->best->problem, true, p->arena);
    char low[48], high[48];
    rft_units_format_si(low, sizeof low, s->low, 3, p->unit);
    rft_units_format_si(high, sizeof high, s->high, 3, p->unit);
    rft_finding_heading(f, readers, 2, "parameters of %s%s%s: bars are the best at each value over all others%s",
                        variant, *problem ? " at " : "", problem,
                        isnan(p->amount) ? ", of 1/time" : rft_arena_printf(p->arena, ", from %s to %s", low, high));
    if (readers & RFT_IN_BRIEF || !p->is_explained) {
        rft_finding_note(
            f, p->is_explained ? RFT_IN_BRIEF : readers,
            "behind: best value; the worst and what it costs with the others tuned anew; its share of the scatter "
            "of all points; value:n");
        p->is_explained = true;
    }
}

/* The same rows for programs and terminals, and on a page, where the variants share a table. */
static void add_variant(rft_finding *f, params *p, size_t v) {
    const rft_variant *variant = &p->run->sweeps[p->best->sweep].sweep.variants[v];
    unsigned readers = RFT_IN_FULL | (v == p->best->variant ? RFT_IN_BRIEF : 0);
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_params(p->run, p->best->sweep, v, p->best->problem, p->arena, &profiles);
    const scale s = scale_of(p, profiles, count);
    double *share = rft_arena_calloc(p->arena, variant->param_count + 1, sizeof *share);
    for (size_t i = 0; i < variant->param_count; i++) {
        share[i] = NAN;
    }
    rft_param_importance(p->run, p->best->sweep, v, p->best->problem, share);
    if (s.more) {
        add_param_heading(f, p, variant->name, &s, readers);
    }
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->where = readers | RFT_IN_DATA;
    table->lines = true;
    table->heads = 2;
    for (size_t i = 0, first = p->page->row_count; i < count; i++) {
        rft_cell_row *row = add_profile_row(p->run, table, &profiles[i]);
        size_t measured = rft_profile_measured(&profiles[i]);
        row->cells[SHARE] = row->cells[EXPLAINS] = rft_datum_number(share[profiles[i].index]);
        row->cells[EXPLAINS].note = isnan(share[profiles[i].index])
                                        ? "Fewer than 3 configurations were measured, or they do not differ."
                                        : NULL;
        put_param(p, row, &profiles[i], &s);
        row->where = measured > 1 ? 0 : RFT_IN_DATA;
        if (profiles[i].step_count > 1 && measured > 0) {
            rft_cell_row *drawn = rft_cell_table_row(p->page);
            drawn->cells = rft_arena_memdup(p->arena, row->cells, FIELDS * sizeof *row->cells);
            drawn->cells[OWNER] = rft_datum_text(p->page->row_count - 1 == first ? variant->name : NULL);
            drawn->rule = p->page->row_count - 1 == first && first > 0;
            drawn->where = v == p->best->variant ? 0 : RFT_ON_FULL_PAGE;
        }
    }
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

static void add_param_charts(rft_finding *f, const params *p) {
    rft_chart **charts;
    size_t used = rft_param_charts(p->run, p->best, HEIGHT, p->arena, &charts), columns = PER_ROW;
    if (used <= RFT_PARAM_CHARTS_FEW) {
        return;
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
        charts[i]->y.title = i % columns == 0 ? charts[i]->y.title : NULL; /* the same for the whole row */
    }
    rft_finding_chart_rows(f, charts, used, columns);
    rft_finding_legend(f, rft_param_charts_text);
}

rft_finding *rft_finding_params(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    params p = {.run = run, .arena = arena, .unit = ""};
    p.best = problem == SIZE_MAX ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
    if (!p.best || p.best->variant >= run->sweeps[sweep].sweep.variant_count) {
        rft_finding_table(f, "", fields, FIELDS); /* a bare space: nothing is known of its parameters */
        return f;
    }
    const rft_placement place = rft_placement_of(run, p.best);
    p.amount = rft_rate_of(&place) * rft_point_median_s(p.best);
    p.unit = rft_rate_unit(&place);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Parameters on %s", rft_words_problem(run, sweep, problem, arena));
    p.page = rft_finding_table(f, NULL, fields, FIELDS);
    p.page->where = RFT_ON_PAGE;
    for (size_t v = 0; v < run->sweeps[sweep].sweep.variant_count; v++) {
        add_variant(f, &p, v);
    }
    if (p.page->row_count == 0) {
        rft_finding_body(f, RFT_ON_PAGE, "No parameter was measured at more than one value here.");
        return f;
    }
    rft_finding_legend(
        f,
        "Parameters: \"costs at best\" is the best configuration with the worst value against the best of all, so with "
        "the other parameters tuned anew; \"of the scatter\" the share of the variance of log time "
        "over all configurations that the parameter explains alone: what it means where the others "
        "are not tuned. What several explain only together is in none of them.");
    add_param_charts(f, &p);
    return f;
}

/* ---- axes ---- */

/* "16 45.2 %, 64 91.0 %": of more than `most` values the ends and the best. */
static const char *shares_text(const rft_profile_step *const *steps, const double *values, size_t count, size_t most,
                               rft_arena *arena) {
    rft_str line = RFT_STR_INIT;
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        best = values[i] > values[best] || isnan(values[best]) ? i : best;
    }
    for (size_t i = 0; i < count; i++) {
        if (count <= most || i == 0 || i == best || i + 1 == count) {
            rft_str_addf(&line, "%s%s" JOINT "%s", line.length ? ", " : "", rft_words_value(&steps[i]->value, arena),
                         isfinite(values[i]) ? rft_arena_fixed(arena, values[i] * 100.0, 1, JOINT "%") : "n/a");
        }
    }
    if (count > most) {
        rft_str_addf(&line, " (%zu values)", count);
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&line);
    return text;
}

/* Returns whether a terminal shows it. */
static bool put_axis(const rft_run *run, rft_cell_row *row, const rft_profile *profile, rft_arena *arena) {
    const rft_profile_step **steps;
    size_t count = measured_of(profile, arena, &steps), known = 0;
    double *values = rft_arena_calloc(arena, count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = rft_placement_of(run, steps[i]->best).efficiency_frac;
        known += isfinite(values[i]);
    }
    row->cells[NAME].brief = rft_arena_printf(arena, "along %s", rft_words_line(run, profile, arena));
    row->cells[BARS] = bars_of(values, count, 0, 1, arena);
    row->cells[SOME] = rft_datum_text(shares_text(steps, values, count, VALUES_MOST, arena));
    row->cells[ALL] = rft_datum_text(shares_text(steps, values, count, SIZE_MAX, arena));
    return count > 1 && known > 0;
}

/* The names of many lines stand in a key, which takes of the chart's height. */
static double axis_height(const rft_sweep *sweep) {
    size_t crowd = sweep->variant_count > LINES_NAMED ? sweep->variant_count - LINES_NAMED : 0;
    return AXIS_HEIGHT + fmin(KEY_STEP * (double)crowd, KEY_MOST);
}

static void add_axis_charts(rft_finding *f, const rft_run *run, size_t sweep, bool bars, bool full,
                            const rft_profile *profiles, size_t count, rft_transitions_kept *kept) {
    rft_chart **charts = rft_arena_calloc(f->arena, count + 2, sizeof(rft_chart *));
    rft_chart *ladder = bars ? rft_ladder_chart(run, sweep, AXIS_HEIGHT, f->arena) : NULL;
    size_t used = 0, lines = 0;
    bool foretold = false;
    if (ladder) {
        charts[used++] = ladder;
    }
    for (size_t i = 0; i < count; i++) {
        if (rft_profile_measured(&profiles[i]) >= (full ? 2 : VALUES_LEAST) && (lines++ < LINES_MOST || full)) {
            const char *title = rft_arena_printf(f->arena, "Along %s", rft_words_line(run, &profiles[i], f->arena));
            foretold = foretold || rft_along_has_prior(run, &profiles[i], f->arena);
            const rft_along_opts opts = {
                .title = title, .height = axis_height(&run->sweeps[sweep].sweep), .kept = kept};
            rft_chart *chart = rft_value_is_number(&profiles[i].steps[0].value)
                                   ? rft_along_chart(run, &profiles[i], &opts, f->arena)
                                   : rft_words_chart(run, &profiles[i], title, AXIS_HEIGHT, f->arena);
            if (chart) {
                charts[used++] = chart;
            }
        }
    }
    if (used == 0) {
        return;
    }
    rft_finding_heading(f, RFT_ON_PAGE, 2, "%s",
                        ladder && lines ? "Variants, and along the axes"
                        : lines         ? "Along the axes"
                                        : "Variants");
    /* Many bars need the whole width for their names. */
    size_t alone = used == 1 || (ladder && ladder->x.name_count > BARS_NARROW);
    if (alone) {
        charts[0]->height = ladder ? AXIS_HEIGHT_ALONE + rft_ladder_names_height(ladder) : charts[0]->height;
        rft_finding_charts(f, charts, 1, NULL);
    }
    if (used > alone) {
        rft_finding_chart_rows(f, charts + alone, used - alone, rft_finding_chart_columns(used - alone));
    }
    rft_finding_legend(
        f, "Bars and lines: the best configuration of each variant at every value; in ink the fastest baseline. Grey "
           "lines: what the measured ceilings allow for this work, upright where the two meet, the ridge. Bars: filled "
           "the variants, hollow the baselines, with the 95 % interval of the median. Shaded, with its name or, where "
           "it is narrow, its number "
           "from the left: what holds the best one back. Dashed: where the times turn; the thick line at its "
           "foot and the brackets are the 95 % interval.");
    if (foretold) {
        rft_finding_legend(f,
                           "Dashed from point to point: what the prior of a variant says, times one factor, where the "
                           "variant is one configuration.");
    }
    if (rft_refine_added(&run->sweeps[sweep].sweep) > 0) {
        rft_finding_legend(f,
                           "Marks between the numbers of an axis: values that refine() added, where only the winners "
                           "of both ends were measured.");
    }
    if (!full && lines > LINES_MOST) {
        rft_finding_note(f, RFT_ON_PAGE, "%zu of %zu lines along the axes are drawn; all of them with --full.",
                         (size_t)LINES_MOST, lines);
    }
}

rft_finding *rft_finding_axes(const rft_run *run, size_t sweep, bool bars, bool full, rft_transitions_kept *kept,
                              rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles), lines = 0;
    if (count == 0) {
        count = rft_profiles_along_words(run, sweep, arena, &profiles);
    }
    add_axis_charts(f, run, sweep, bars, full, profiles, count, kept);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "along the axes: the best at each value, bars from 0 to 100 %% of its roof");
    rft_item *heading = &f->items[f->item_count - 1];
    size_t at = (size_t)(heading - f->items);
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->where = RFT_IN_TEXT | RFT_IN_DATA;
    table->lines = true;
    table->heads = 2;
    for (size_t i = 0; i < count; i++) {
        rft_cell_row *row = add_profile_row(run, table, &profiles[i]);
        bool shown = put_axis(run, row, &profiles[i], arena);
        row->where = RFT_IN_DATA | (shown ? RFT_IN_FULL : 0) | (shown && lines < LINES_MOST ? RFT_IN_BRIEF : 0);
        lines += shown;
    }
    f->items[at].where = lines ? RFT_IN_TEXT : RFT_IN_DATA;
    if (lines > LINES_MOST) {
        rft_finding_note(f, RFT_IN_BRIEF, "%zu more: --full", lines - LINES_MOST);
    }
    return f;
}

rft_finding *rft_finding_profiles(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_add(f, "", rft_finding_params(run, sweep, rft_run_largest(run, sweep), arena));
    rft_finding_add(f, "", rft_finding_axes(run, sweep, true, false, NULL, arena));
    return f;
}
