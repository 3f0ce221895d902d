/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/placement.h"
#include "model/run/progress.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>

#define TRIED_LEAST 12 /* fewer are a table */
#define LOG_FROM 50.0  /* an axis longer than that is logarithmic */
#define HEIGHT 150.0   /* of the charts, points */
#define BARS 60

typedef struct search {
    const rft_run *run;
    rft_arena *arena;
    size_t sweep, problem;
    rft_progress found; /* at least one better */
    const rft_trial *best, *last;
    rft_measure measure;
} search;

static const char *counted_words(const search *s, double number) {
    return rft_figure_count(s->arena, (uint64_t)number);
}

/* ---- the charts ---- */

/* Axis 0: evaluations, 1: seconds. */
static double along(const rft_trial *trial, int axis) {
    return axis == 0 ? trial->at : trial->elapsed_s;
}

static double shown(const search *s, const rft_trial *trial) {
    return rft_measure_shown(&s->measure, trial->time_s);
}

/* From zero, unless that would hide all there is to see; with room for the line's name. */
static void set_y_axis(const search *s, rft_chart *chart) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < s->found.count; i++) {
        low = fmin(low, shown(s, &s->found.trials[i]));
        high = fmax(high, shown(s, &s->found.trials[i]));
    }
    low = low > 0.6 * high ? low - 0.06 * (high - low) : 0;
    chart->y = (rft_chart_axis){.title = s->measure.title, .low = low, .high = high + 0.16 * (high - low)};
}

static rft_chart *chart_over(const search *s, int axis, const char *title, const char *name) {
    const rft_progress *found = &s->found;
    rft_chart *chart = rft_chart_new(s->arena, title, HEIGHT);
    rft_series *cloud = rft_chart_series(s->arena, chart, RFT_SERIES_CLOUD, found->count);
    for (size_t i = 0; i < found->count; i++) {
        cloud->x[i] = along(&found->trials[i], axis);
        cloud->y[i] = shown(s, &found->trials[i]);
    }
    rft_series *line = rft_chart_series(s->arena, chart, RFT_SERIES_LINE, 2 * found->better_count);
    line->tone = RFT_TONE_A;
    line->bold = true;
    line->label = "best so far";
    for (size_t i = 0; i < found->better_count; i++) {
        line->x[2 * i] = along(found->better[i], axis);
        line->x[2 * i + 1] = along(i + 1 < found->better_count ? found->better[i + 1] : s->last, axis);
        line->y[2 * i] = line->y[2 * i + 1] = shown(s, found->better[i]);
    }
    rft_series *met = rft_chart_series(s->arena, chart, RFT_SERIES_DOTS, 1);
    met->tone = RFT_TONE_A;
    met->bold = true;
    met->x[0] = along(s->best, axis);
    met->y[0] = shown(s, s->best);
    double first = along(&found->trials[0], axis);
    bool log = first > 0 && along(s->last, axis) > LOG_FROM * first;
    chart->x = (rft_chart_axis){.title = name, .log = log, .low = NAN, .high = NAN};
    set_y_axis(s, chart);
    return chart;
}

/* "evaluation 22 of 82, 153 ms of 346 ms; 95 % of its rate at evaluation 7" */
static const char *met_at(const search *s) {
    const char *times = s->last->elapsed_s > 0
                            ? rft_arena_printf(s->arena, ", %s of %s", rft_figure_si(s->arena, s->best->elapsed_s, "s"),
                                               rft_figure_si(s->arena, s->last->elapsed_s, "s"))
                            : "";
    return rft_arena_printf(s->arena, "evaluation %s of %s%s; 95 %% of its rate at evaluation %s",
                            counted_words(s, s->best->at), counted_words(s, (double)s->found.count), times,
                            counted_words(s, s->found.near->at));
}

const char rft_progress_legend[] =
    "Progress of the search: grey, every configuration tried, as measured in the sweep; seconds of verifying and "
    "measuring on the device, compiling left out.";

static void add_charts(rft_finding *f, const search *s) {
    bool timed = s->last->elapsed_s > 0;
    rft_chart *charts[] = {chart_over(s, 0, "Progress of the search, by evaluations", "configurations tried"),
                           timed ? chart_over(s, 1, "Progress of the search, by time", "time (s)") : NULL};
    rft_finding_charts(f, charts, timed ? 2 : 1,
                       rft_arena_printf(s->arena, "The search: the best was met at %s.", met_at(s)));
}

/* ---- on a terminal ---- */

/* The best so far at the end of each bar's share of the trials, as a share of the best's rate. */
static size_t best_so_far(const search *s, double bars[BARS]) {
    const rft_progress *p = &s->found;
    size_t used = p->count < BARS ? p->count : BARS, next = 0;
    double now_s = NAN;
    for (size_t i = 0; i < used; i++) {
        size_t end = (i + 1) * p->count / used;
        while (next < p->better_count && p->better[next]->at <= (double)end) {
            now_s = p->better[next++]->time_s;
        }
        bars[i] = s->best->time_s / now_s;
    }
    return used;
}

static void add_bars(rft_finding *f, const search *s) {
    const char *name = rft_run_problem_text(s->run, s->sweep, s->problem, true, s->arena), *on = *name ? " on " : "";
    double bars[BARS], low = rft_bars_floor(s->best->time_s / s->found.better[0]->time_s, 1);
    if (s->found.better_count == 1) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "search%s%s: none of %s was better than number %s", on, name,
                            counted_words(s, (double)s->found.count), counted_words(s, s->best->at));
        return;
    }
    size_t used = best_so_far(s, bars);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "search%s%s: the best so far, bars from %s to 100 %% of its rate", on, name,
                        rft_arena_fixed(s->arena, low * 100, low > 0 ? 1 : 0, " %"));
    rft_finding_bars(f, RFT_IN_TEXT, &(rft_bars){bars, used, low, 1});
    rft_finding_note(f, RFT_IN_TEXT, "met at %s", met_at(s));
}

/* ---- as data ---- */

static void add_data(rft_finding *f, const search *s) {
    static const rft_trait fields[] = {{.key = "at"}, {.key = "elapsed_s"}, {.key = "median_s"}};
    rft_finding_set(f, "problem",
                    rft_datum_finding(rft_finding_problem(&s->run->sweeps[s->sweep].sweep, s->problem, s->arena)));
    rft_finding_set(f, "tried", rft_datum_count((int64_t)s->found.count));
    rft_finding_set(f, "best_at", rft_datum_count((int64_t)s->best->at));
    rft_finding_set(f, "near_at", rft_datum_count((int64_t)s->found.near->at));
    rft_finding_set(f, "near_frac", rft_datum_number(RFT_PROGRESS_NEAR_FRAC));
    rft_finding_set(f, "elapsed_s", rft_datum_number(s->last->elapsed_s));
    rft_cell_table *better = rft_finding_table(f, "better", fields, 3);
    for (size_t i = 0; i < s->found.better_count; i++) {
        rft_cell_row *row = rft_cell_table_row(better);
        row->cells[0] = rft_datum_count((int64_t)s->found.better[i]->at);
        row->cells[1] = rft_datum_number(s->found.better[i]->elapsed_s);
        row->cells[2] = rft_datum_number(s->found.better[i]->time_s);
    }
}

rft_finding *rft_finding_progress(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    search s = {.run = run, .arena = arena, .sweep = sweep, .problem = problem};
    if (problem != SIZE_MAX) {
        s.found = rft_progress_of(run, sweep, problem, arena);
    }
    if (s.found.better_count == 0) {
        return NULL;
    }
    s.best = s.found.better[s.found.better_count - 1];
    s.last = &s.found.trials[s.found.count - 1];
    rft_finding *f = rft_finding_new(arena);
    add_data(f, &s);
    if (s.found.count >= TRIED_LEAST) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, problem);
        rft_placement place = rft_placement_of(run, best);
        s.measure = rft_measure_of(&place, best, arena);
        add_charts(f, &s);
        add_bars(f, &s);
    }
    return f;
}
