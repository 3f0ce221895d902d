/* SPDX-License-Identifier: Apache-2.0 */
/* How the search went on one problem: every configuration in the order it was tried, and the best so far. */
#include "reports/doc_sweep_parts.h"

#include <math.h>

#define TRIED_LEAST 8  /* fewer are a table */
#define LOG_FROM 50.0  /* an axis longer than that is logarithmic */
#define NEAR_FRAC 0.95 /* "95 % of it was reached after" */

/* A configuration that was tried: where on either axis, and its time in the sweep (NaN: it failed). */
typedef struct trial {
    double x[2]; /* evaluations, seconds */
    double time_s;
} trial;

/* The time in the sweep: the final round comes after the search. */
static double swept_s(const rft_point *point) {
    if (!rft_outcome_is_measured(point->outcome)) {
        return NAN;
    }
    return point->rounds[0].n > 0 ? point->rounds[0].stats.median : rft_point_median_s(point);
}

static size_t collect(const rft_build *b, const rft_entry *entry, trial **out) {
    const rft_run *run = b->run;
    size_t count = 0;
    double seconds = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += run->points[i].sweep == entry->sweep && run->points[i].problem == entry->problem;
    }
    trial *trials = rft_arena_calloc(b->arena, count + 1, sizeof *trials);
    count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep != entry->sweep || point->problem != entry->problem || point->alias_of != 0) {
            continue;
        }
        seconds += point->rounds[0].wall_s;
        trials[count] = (trial){{(double)count + 1, seconds}, swept_s(point)};
        count++;
    }
    *out = trials;
    return count;
}

/* The trials that were better than all before. */
static size_t improvements(const rft_build *b, const trial *trials, size_t count, const trial ***out) {
    const trial **better = rft_arena_calloc(b->arena, count + 1, sizeof(const trial *));
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(trials[i].time_s) && (used == 0 || trials[i].time_s < better[used - 1]->time_s)) {
            better[used++] = &trials[i];
        }
    }
    *out = better;
    return used;
}

typedef struct progress {
    rft_build *b;
    const trial *trials;
    size_t count;
    const trial **better; /* at least one */
    size_t better_count;
    rft_measure measure;
} progress;

/* From zero, unless that would hide all there is to see; with room for the line's name. */
static void set_y_axis(const progress *p, rft_chart *chart) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < p->count; i++) {
        low = fmin(low, rft_measure_shown(&p->measure, p->trials[i].time_s));
        high = fmax(high, rft_measure_shown(&p->measure, p->trials[i].time_s));
    }
    low = low > 0.6 * high ? low - 0.06 * (high - low) : 0;
    chart->y = (rft_chart_axis){.title = p->measure.title, .low = low, .high = high + 0.16 * (high - low)};
}

static rft_chart *chart_over(const progress *p, int axis, const char *title, const char *name, double height) {
    rft_build *b = p->b;
    const trial *first = &p->trials[0], *last = &p->trials[p->count - 1];
    rft_chart *chart = rft_doc_chart(b->doc, title, height);
    rft_series *cloud = rft_doc_series(b->doc, chart, RFT_SERIES_CLOUD, p->count);
    for (size_t i = 0; i < p->count; i++) {
        cloud->x[i] = p->trials[i].x[axis];
        cloud->y[i] = rft_measure_shown(&p->measure, p->trials[i].time_s);
    }
    rft_series *line = rft_doc_series(b->doc, chart, RFT_SERIES_LINE, 2 * p->better_count);
    line->tone = RFT_TONE_A;
    line->bold = true;
    line->label = "best so far";
    for (size_t i = 0; i < p->better_count; i++) {
        double end = i + 1 < p->better_count ? p->better[i + 1]->x[axis] : last->x[axis];
        line->x[2 * i] = p->better[i]->x[axis];
        line->x[2 * i + 1] = end;
        line->y[2 * i] = line->y[2 * i + 1] = rft_measure_shown(&p->measure, p->better[i]->time_s);
    }
    rft_series *found = rft_doc_series(b->doc, chart, RFT_SERIES_DOTS, 1);
    found->tone = RFT_TONE_A;
    found->bold = true;
    found->x[0] = p->better[p->better_count - 1]->x[axis];
    found->y[0] = rft_measure_shown(&p->measure, p->better[p->better_count - 1]->time_s);
    bool log = first->x[axis] > 0 && last->x[axis] > LOG_FROM * first->x[axis];
    chart->x = (rft_chart_axis){.title = name, .log = log, .low = NAN, .high = NAN};
    set_y_axis(p, chart);
    return chart;
}

static const char *caption_of(const progress *p, bool timed) {
    rft_arena *arena = p->b->arena;
    const trial *best = p->better[p->better_count - 1], *last = &p->trials[p->count - 1], *near = best;
    for (size_t i = p->better_count; i-- > 0;) {
        near = best->time_s / p->better[i]->time_s >= NEAR_FRAC ? p->better[i] : near;
    }
    const char *times = timed ? rft_arena_printf(arena, ", %s of %s", rft_figure_si(arena, best->x[1], "s"),
                                                 rft_figure_si(arena, last->x[1], "s"))
                              : "";
    return rft_arena_printf(arena,
                            "The search: the best was met at evaluation %s of %s%s; 95 %% of its rate at evaluation "
                            "%s.%s Grey: every configuration tried, as measured in the sweep.",
                            rft_figure_count(arena, (uint64_t)best->x[0]), rft_figure_count(arena, p->count), times,
                            rft_figure_count(arena, (uint64_t)near->x[0]),
                            timed ? " Seconds of verifying and measuring on the device, compiling left out." : "");
}

size_t rft_build_progress_charts(rft_build *b, const rft_entry *entry, double height, rft_chart *charts[2],
                                 const char **caption) {
    trial *trials = NULL;
    progress p = {.b = b};
    p.count = collect(b, entry, &trials);
    p.trials = trials;
    p.better_count = improvements(b, trials, p.count, &p.better);
    if (p.count < TRIED_LEAST || p.better_count == 0) {
        return 0;
    }
    p.measure = rft_build_measure(b, entry);
    charts[0] = chart_over(&p, 0, "Progress of the search, by evaluations", "configurations tried", height);
    bool timed = p.trials[p.count - 1].x[1] > 0;
    if (timed) {
        charts[1] = chart_over(&p, 1, "Progress of the search, by time", "time (s)", height);
    }
    *caption = caption_of(&p, timed);
    return timed ? 2 : 1;
}
