/* SPDX-License-Identifier: Apache-2.0 */
/* One chart for every pipe the sweeps' work runs on: Williams, Waterman and Patterson's roofline, with this card's own
 * ceilings. Intensity and rate count work alone, so a configuration moves a point up or down, never sideways. */
#include "model/roofline/placement.h"
#include "model/roofline/roofline_chart.h"
#include "reports/doc_build.h"
#include "reports/doc_fit.h"

#include <math.h>

#define SWEEPS_TOLD 6 /* of more the name alone fits beside the marks; the summary has the numbers */
#define HEIGHT_ALONE 360.0
#define HEIGHT_PAIRED 268.0 /* two stand on a page with their captions */

typedef struct roof {
    rft_build *b;
    rft_roofline_chart of;
    rft_figure_scale scale;
    rft_chart *chart;
    const rft_fitted *fits; /* of the run */
    size_t fit_count, curves;
} roof;

typedef enum roof_look { LOOK_ROOF, LOOK_LEVEL, LOOK_DATASHEET } roof_look;

/* A ceiling as a line through both points, the rates in units of the chart. */
static void add_line(roof *r, const char *label, roof_look look, const double x[2], const double y[2]) {
    rft_series *series = rft_chart_series(r->b->arena, r->chart, RFT_SERIES_LINE, 2);
    series->label = label;
    series->dashed = look == LOOK_DATASHEET;
    series->bold = look == LOOK_ROOF;
    series->tone = look == LOOK_DATASHEET ? RFT_TONE_GREY : RFT_TONE_INK;
    for (int i = 0; i < 2; i++) {
        series->x[i] = x[i];
        series->y[i] = y[i] / r->scale.factor;
    }
}

static void add_slope(roof *r, const char *name, double bytes_s, roof_look look) {
    if (!(bytes_s > 0)) {
        return;
    }
    /* Up to the pipe's own roof; without one, across the chart. */
    double roof_rate = look == LOOK_DATASHEET && r->of.flop_sheet > 0 ? r->of.flop_sheet : r->of.flop;
    double end = roof_rate > 0 ? fmin(roof_rate / bytes_s, r->of.x_high) : r->of.x_high;
    const double x[2] = {r->of.x_low, end}, y[2] = {r->of.x_low * bytes_s, end * bytes_s};
    add_line(r, rft_arena_printf(r->b->arena, "%s %s", name, rft_figure_si(r->b->arena, bytes_s, "B/s")), look, x, y);
}

static void add_flat(roof *r, const char *name, double rate, double start, roof_look look) {
    if (!(rate > 0)) {
        return;
    }
    const double x[2] = {fmax(isnan(start) ? r->of.x_low : start, r->of.x_low), r->of.x_high}, y[2] = {rate, rate};
    const char *unit = rft_roofline_chart_unit(&r->of);
    add_line(r, rft_arena_printf(r->b->arena, "%s %s", name, rft_figure_si(r->b->arena, rate, unit)), look, x, y);
}

static void add_ceilings(roof *r) {
    rft_arena *arena = r->b->arena;
    const char *label = rft_pipe_label(r->of.pipe);
    /* The measured roof begins where the fastest memory level meets it. */
    double fastest = fmax(isnan(r->of.l2) ? 0 : r->of.l2, isnan(r->of.dram) ? 0 : r->of.dram);
    add_flat(r, rft_arena_printf(arena, "%s, datasheet", label), r->of.flop_sheet,
             r->of.dram_sheet > 0 ? r->of.flop_sheet / r->of.dram_sheet : NAN, LOOK_DATASHEET);
    add_flat(r, rft_arena_printf(arena, "%s, measured", label), r->of.flop, fastest > 0 ? r->of.flop / fastest : NAN,
             LOOK_ROOF);
    add_slope(r, "memory, datasheet", r->of.dram_sheet, LOOK_DATASHEET);
    add_slope(r, "memory, measured", r->of.dram, LOOK_ROOF);
    add_slope(r, "L2, measured", r->of.l2, LOOK_LEVEL);
}

static void add_ridges(roof *r) {
    const double slopes[2] = {r->of.dram, r->of.l2};
    if (!(r->of.flop > 0)) {
        return;
    }
    rft_series *series = rft_chart_series(r->b->arena, r->chart, RFT_SERIES_DOTS, 2);
    series->tone = RFT_TONE_GREY;
    for (int i = 0; i < 2; i++) {
        if (slopes[i] > 0 && r->of.flop / slopes[i] > r->of.x_low) {
            series->x[i] = r->of.flop / slopes[i];
            series->y[i] = r->of.flop / r->scale.factor;
            series->names[i] =
                rft_arena_printf(r->b->arena, "ridge %s", rft_figure_plain(r->b->arena, series->x[i], 3));
        }
    }
}

static size_t add_cloud(roof *r) {
    const rft_run *run = r->b->run;
    size_t count = r->of.point_count, used = 0;
    rft_series *series = rft_chart_series(r->b->arena, r->chart, RFT_SERIES_CLOUD, count);
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_roofline_chart_has(&run->points[i], r->of.pipe) && rft_run_is_candidate(run, &run->points[i])) {
            rft_placement place = rft_placement_of(run, &run->points[i]);
            series->x[used] = place.intensity;
            series->y[used++] = place.rate_ops_s / r->scale.factor;
        }
    }
    return count;
}

static void add_bests(roof *r, size_t sweep, rft_tone tone) {
    rft_build *b = r->b;
    const rft_entry *named = NULL;
    size_t count = 0, used = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == sweep && entry->best && rft_roofline_chart_has(entry->best, r->of.pipe)) {
            count++;
            named = !named || rft_point_median_s(entry->best) > rft_point_median_s(named->best) ? entry : named;
        }
    }
    rft_series *series = rft_chart_series(b->arena, r->chart, RFT_SERIES_DOTS, count);
    series->tone = tone;
    series->bold = true;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep != sweep || !entry->best || !rft_roofline_chart_has(entry->best, r->of.pipe)) {
            continue;
        }
        series->x[used] = entry->place.intensity;
        series->y[used] = entry->place.rate_ops_s / r->scale.factor;
        if (entry == named) {
            series->names[used] =
                b->run->sweep_count > SWEEPS_TOLD
                    ? b->run->sweeps[sweep].sweep.name
                    : rft_arena_printf(b->arena, "%s: %s", rft_words_problem(b->run, sweep, entry->problem, b->arena),
                                       rft_words_rate(&entry->place, b->arena));
        }
        used++;
    }
}

/* One fitted curve a sweep, that of the line with most points. */
static void add_curve(roof *r, size_t sweep, rft_tone tone) {
    const rft_fitted *chosen = NULL;
    for (size_t i = 0; i < r->fit_count; i++) {
        const rft_fitted *of = &r->fits[i];
        if (of->profile->sweep == sweep && of->fit.pipe == r->of.pipe && rft_build_has_curve(of) &&
            (!chosen || of->fit.count > chosen->fit.count)) {
            chosen = of;
        }
    }
    if (chosen) {
        rft_series *series = rft_build_fit_curve(r->b, r->chart, chosen, r->scale.factor);
        series->tone = tone;
        series->label = rft_arena_printf(r->b->arena, "fit: %s", r->b->run->sweeps[sweep].sweep.name);
        r->curves++;
        const rft_fit_param *memory = &chosen->fit.fit.params[RFT_FIT_BANDWIDTH];
        const rft_fit_param *peak = &chosen->fit.fit.params[RFT_FIT_PEAK];
        if (memory->state == RFT_FIT_KNOWN && peak->state == RFT_FIT_KNOWN) {
            rft_series *knee = rft_chart_series(r->b->arena, r->chart, RFT_SERIES_DOTS, 1);
            knee->tone = tone;
            knee->x[0] = peak->value / memory->value;
            knee->y[0] = peak->value / r->scale.factor;
            knee->names[0] = rft_arena_printf(r->b->arena, "knee %s", rft_figure_plain(r->b->arena, knee->x[0], 3));
        }
    }
}

/* "FP32: fma.rn.f32, 16 independent chains a thread": the operation behind a ceiling, or why there is none. */
static const char *operation(const roof *r, const char *name, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &r->b->run->ceilings.items[id];
    const char *kernel = ceiling->kernel ? ceiling->kernel : rft_ceiling_label(id);
    if (!ceiling->measured) {
        return rft_arena_printf(r->b->arena, "%s: no ceiling was measured%s%s", name, ceiling->reason ? ", " : "",
                                ceiling->reason ? ceiling->reason : "");
    }
    return rft_arena_printf(r->b->arena, "%s: %s%s", name,
                            ceiling->at_least ? "no line, only a lower bound was measured, " : "", kernel);
}

static const char *caption(const roof *r, size_t points) {
    rft_arena *arena = r->b->arena;
    const char *label = rft_pipe_label(r->of.pipe);
    return rft_arena_printf(
        arena,
        "Solid: measured here; dashed: datasheet. Grey: all %s; strong marks: the best configuration of each problem, "
        "of each sweep the longest-running one with its name%s. %s. %s. %s.",
        rft_words_plural(points, "measured point", "measured points", r->b->arena),
        r->curves ? "; the curve: the roofline fitted to them, its knee where its two branches meet" : "",
        operation(r, "Memory", r->of.dram_id), operation(r, "L2", RFT_CEILING_L2_READ),
        r->of.pipe_id < RFT_CEILING_COUNT ? operation(r, label, r->of.pipe_id)
                                          : rft_arena_printf(arena, "%s: no ceiling was measured", label));
}

static rft_tone tone_of(size_t index) {
    return (rft_tone)(RFT_TONE_A + (int)(index % RFT_TONES));
}

/* On how many pipes anything ran: so many charts. */
static size_t count_pipes(const rft_build *b) {
    bool seen[RFT_PIPE_COUNT] = {false};
    size_t count = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_point *best = b->entries[i].best;
        rft_pipe pipe = best ? rft_work_main_pipe(&best->work) : RFT_PIPE_COUNT;
        if (pipe < RFT_PIPE_COUNT && rft_work_bytes(&best->work) > 0 && !seen[pipe]) {
            seen[pipe] = true;
            count++;
        }
    }
    return count;
}

static bool add_roofline(rft_build *b, rft_pipe pipe, double height, const rft_fitted *fits, size_t fit_count) {
    roof r = {0};
    r.b = b;
    r.fits = fits;
    r.fit_count = fit_count;
    if (!rft_roofline_chart_of(b->run, pipe, &r.of)) {
        return false;
    }
    const char *unit = rft_roofline_chart_unit(&r.of);
    double reference = r.of.flop > 0 ? r.of.flop : r.of.y_high;
    r.scale = rft_figure_scale_of(b->arena, &reference, 1, unit);
    r.chart = rft_chart_new(b->arena, "", height);
    r.chart->x = (rft_chart_axis){.title = rft_arena_printf(b->arena, "intensity of the work (%s per byte)",
                                                            unit[0] == 'F' ? "FLOP" : "operations"),
                                  .log = true,
                                  .low = r.of.x_low,
                                  .high = r.of.x_high};
    r.chart->y = (rft_chart_axis){.title = rft_arena_printf(b->arena, "useful rate (%s)", r.scale.unit),
                                  .log = true,
                                  .low = r.of.y_low / r.scale.factor,
                                  .high = r.of.y_high / r.scale.factor};
    size_t points = add_cloud(&r);
    add_ridges(&r);
    add_ceilings(&r);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        add_curve(&r, s, tone_of(s));
        add_bests(&r, s, tone_of(s));
    }
    r.chart->caption = caption(&r, points);
    rft_doc_heading(b->doc, 2, rft_pipe_label(pipe), NULL);
    rft_doc_charts(b->doc, &r.chart, 1);
    rft_build_overs(b, pipe);
    return true;
}

void rft_build_rooflines(rft_build *b) {
    rft_doc_new_page(b->doc);
    rft_doc_heading(b->doc, 1, "Rooflines", "rooflines");
    size_t drawn = 0, without = 0, unfitted = 0;
    rft_fitted *fits = NULL;
    size_t fit_count = rft_build_fits(b, &fits, &unfitted);
    double height = count_pipes(b) > 1 ? HEIGHT_PAIRED : HEIGHT_ALONE;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        drawn += add_roofline(b, (rft_pipe)pipe, height, fits, fit_count);
    }
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_point *best = b->entries[i].best;
        without += best && !(rft_work_intensity(&best->work) > 0);
    }
    if (drawn == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY,
                     "No roofline is drawn: no measured point has both operations and bytes in its work.");
    }
    if (without > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "%s without operations or without bytes in the work: they have no place on a roofline and are "
                      "judged by the ceiling of what they do have.",
                      rft_words_plural(without, "problem is", "problems are", b->arena));
    }
    rft_build_fit_table(b, fits, fit_count, unfitted);
}
