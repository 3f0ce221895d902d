/* SPDX-License-Identifier: Apache-2.0 */
/* How the search went on one problem: every configuration in the order it was tried, and the best so far. */
#include "model/run/progress.h"
#include "reports/doc_sweep_parts.h"

#include <math.h>

#define TRIED_LEAST 8 /* fewer are a table */
#define LOG_FROM 50.0 /* an axis longer than that is logarithmic */

typedef struct progress {
    rft_build *b;
    rft_progress found; /* at least one better */
    rft_measure measure;
} progress;

/* Axis 0: evaluations, 1: seconds. */
static double along(const rft_trial *trial, int axis) {
    return axis == 0 ? trial->at : trial->elapsed_s;
}

/* From zero, unless that would hide all there is to see; with room for the line's name. */
static void set_y_axis(const progress *p, rft_chart *chart) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < p->found.count; i++) {
        low = fmin(low, rft_measure_shown(&p->measure, p->found.trials[i].time_s));
        high = fmax(high, rft_measure_shown(&p->measure, p->found.trials[i].time_s));
    }
    low = low > 0.6 * high ? low - 0.06 * (high - low) : 0;
    chart->y = (rft_chart_axis){.title = p->measure.title, .low = low, .high = high + 0.16 * (high - low)};
}

static rft_chart *chart_over(const progress *p, int axis, const char *title, const char *name, double height) {
    rft_build *b = p->b;
    const rft_trial *first = &p->found.trials[0], *last = &p->found.trials[p->found.count - 1];
    rft_chart *chart = rft_doc_chart(b->doc, title, height);
    rft_series *cloud = rft_doc_series(b->doc, chart, RFT_SERIES_CLOUD, p->found.count);
    for (size_t i = 0; i < p->found.count; i++) {
        cloud->x[i] = along(&p->found.trials[i], axis);
        cloud->y[i] = rft_measure_shown(&p->measure, p->found.trials[i].time_s);
    }
    rft_series *line = rft_doc_series(b->doc, chart, RFT_SERIES_LINE, 2 * p->found.better_count);
    line->tone = RFT_TONE_A;
    line->bold = true;
    line->label = "best so far";
    for (size_t i = 0; i < p->found.better_count; i++) {
        double end = i + 1 < p->found.better_count ? along(p->found.better[i + 1], axis) : along(last, axis);
        line->x[2 * i] = along(p->found.better[i], axis);
        line->x[2 * i + 1] = end;
        line->y[2 * i] = line->y[2 * i + 1] = rft_measure_shown(&p->measure, p->found.better[i]->time_s);
    }
    rft_series *found = rft_doc_series(b->doc, chart, RFT_SERIES_DOTS, 1);
    found->tone = RFT_TONE_A;
    found->bold = true;
    found->x[0] = along(p->found.better[p->found.better_count - 1], axis);
    found->y[0] = rft_measure_shown(&p->measure, p->found.better[p->found.better_count - 1]->time_s);
    bool log = along(first, axis) > 0 && along(last, axis) > LOG_FROM * along(first, axis);
    chart->x = (rft_chart_axis){.title = name, .log = log, .low = NAN, .high = NAN};
    set_y_axis(p, chart);
    return chart;
}

static const char *caption_of(const progress *p, bool timed) {
    rft_arena *arena = p->b->arena;
    const rft_trial *best = p->found.better[p->found.better_count - 1], *last = &p->found.trials[p->found.count - 1];
    const char *times = timed ? rft_arena_printf(arena, ", %s of %s", rft_figure_si(arena, best->elapsed_s, "s"),
                                                 rft_figure_si(arena, last->elapsed_s, "s"))
                              : "";
    return rft_arena_printf(arena,
                            "The search: the best was met at evaluation %s of %s%s; 95 %% of its rate at evaluation "
                            "%s.%s Grey: every configuration tried, as measured in the sweep.",
                            rft_figure_count(arena, (uint64_t)best->at), rft_figure_count(arena, p->found.count), times,
                            rft_figure_count(arena, (uint64_t)p->found.near->at),
                            timed ? " Seconds of verifying and measuring on the device, compiling left out." : "");
}

size_t rft_build_progress_charts(rft_build *b, const rft_entry *entry, double height, rft_chart *charts[2],
                                 const char **caption) {
    progress p = {.b = b, .found = rft_progress_of(b->run, entry->sweep, entry->problem, b->arena)};
    if (p.found.count < TRIED_LEAST || p.found.better_count == 0) {
        return 0;
    }
    p.measure = rft_build_measure(b, entry);
    charts[0] = chart_over(&p, 0, "Progress of the search, by evaluations", "configurations tried", height);
    bool timed = p.found.trials[p.found.count - 1].elapsed_s > 0;
    if (timed) {
        charts[1] = chart_over(&p, 1, "Progress of the search, by time", "time (s)", height);
    }
    *caption = caption_of(&p, timed);
    return timed ? 2 : 1;
}
