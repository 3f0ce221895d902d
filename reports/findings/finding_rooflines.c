/* SPDX-License-Identifier: Apache-2.0 */
/* One chart for every pipe the sweeps' work runs on: Williams, Waterman and Patterson's roofline, with this card's own
 * ceilings. Intensity and rate count work alone, so a configuration moves a point up or down, never sideways. */
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/roofline/roofline_chart.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/words.h"

#include <math.h>

#define SWEEPS_TOLD 6 /* of more the name alone fits beside the marks; the summary has the numbers */
#define OVERS_MOST 4
#define HEIGHT_ALONE 360.0
#define HEIGHT_PAIRED 268.0 /* two stand on a page with their captions */

typedef struct roofs {
    const rft_run *run;
    rft_arena *arena;
    const rft_point **bests; /* of every problem, odd ones left out; by sweep, then in the order of refine() */
    size_t best_count;
    rft_fitted *fits;
    size_t fit_count, fits_left_out;
    double height;
} roofs;

typedef struct roof {
    const roofs *all;
    rft_roofline_chart of;
    rft_figure_scale scale;
    rft_chart *chart;
    size_t curves;
} roof;

static void collect_bests(roofs *r) {
    size_t capacity = 0;
    for (size_t s = 0; s < r->run->sweep_count; s++) {
        const rft_sweep *sweep = &r->run->sweeps[s].sweep;
        const size_t *order = rft_refine_order(sweep, r->arena);
        for (size_t i = 0; i < sweep->problem_count; i++) {
            const rft_point *best = sweep->problems[order[i]].odd ? NULL : rft_run_best(r->run, s, SIZE_MAX, order[i]);
            if (best) {
                r->bests = rft_grown_in(r->arena, r->bests, r->best_count, &capacity, sizeof(const rft_point *));
                r->bests[r->best_count++] = best;
            }
        }
    }
}

/* ---- ceilings ---- */

typedef enum roof_look { LOOK_ROOF, LOOK_LEVEL, LOOK_DATASHEET } roof_look;

/* A ceiling as a line through both points, the rates in units of the chart. */
static void draw_ceiling(roof *r, const char *label, roof_look look, const double x[2], const double y[2]) {
    rft_series *series = rft_chart_series(r->all->arena, r->chart, RFT_SERIES_LINE, 2);
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
    rft_arena *arena = r->all->arena;
    if (!(bytes_s > 0)) {
        return;
    }
    /* Up to the pipe's own roof; without one, across the chart. */
    double roof_rate = look == LOOK_DATASHEET && r->of.flop_sheet > 0 ? r->of.flop_sheet : r->of.flop;
    double end = roof_rate > 0 ? fmin(roof_rate / bytes_s, r->of.x_high) : r->of.x_high;
    const double x[2] = {r->of.x_low, end}, y[2] = {r->of.x_low * bytes_s, end * bytes_s};
    draw_ceiling(r, rft_arena_printf(arena, "%s %s", name, rft_figure_si(arena, bytes_s, "B/s")), look, x, y);
}

static void add_flat(roof *r, const char *name, double rate, double start, roof_look look) {
    rft_arena *arena = r->all->arena;
    if (!(rate > 0)) {
        return;
    }
    const double x[2] = {fmax(isnan(start) ? r->of.x_low : start, r->of.x_low), r->of.x_high}, y[2] = {rate, rate};
    const char *unit = rft_roofline_chart_unit(&r->of);
    draw_ceiling(r, rft_arena_printf(arena, "%s %s", name, rft_figure_si(arena, rate, unit)), look, x, y);
}

static void add_ceilings(roof *r) {
    rft_arena *arena = r->all->arena;
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
    rft_arena *arena = r->all->arena;
    const double slopes[2] = {r->of.dram, r->of.l2};
    if (!(r->of.flop > 0)) {
        return;
    }
    rft_series *series = rft_chart_series(arena, r->chart, RFT_SERIES_DOTS, 2);
    series->tone = RFT_TONE_GREY;
    for (int i = 0; i < 2; i++) {
        if (slopes[i] > 0 && r->of.flop / slopes[i] > r->of.x_low) {
            series->x[i] = r->of.flop / slopes[i];
            series->y[i] = r->of.flop / r->scale.factor;
            series->names[i] = rft_arena_printf(arena, "ridge %s", rft_figure_plain(arena, series->x[i], 3));
            series->told[i] = i == 0 ? " at device memory" : " at the L2";
        }
    }
}

/* ---- points ---- */

static void add_cloud(roof *r) {
    const rft_run *run = r->all->run;
    size_t used = 0;
    rft_series *series = rft_chart_series(r->all->arena, r->chart, RFT_SERIES_CLOUD, r->of.point_count);
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_roofline_chart_has(&run->points[i], r->of.pipe) && rft_run_is_candidate(run, &run->points[i])) {
            rft_placement place = rft_placement_of(run, &run->points[i]);
            series->x[used] = place.intensity;
            series->y[used++] = place.rate_ops_s / r->scale.factor;
        }
    }
}

/* Of a sweep the one that takes longest is named. */
static void add_bests(roof *r, size_t sweep, rft_tone tone) {
    const roofs *all = r->all;
    const rft_point *named = NULL;
    size_t used = 0, named_at = 0;
    rft_series *series = rft_chart_series(all->arena, r->chart, RFT_SERIES_DOTS, all->best_count);
    series->tone = tone;
    series->bold = true;
    for (size_t i = 0; i < all->best_count; i++) {
        const rft_point *best = all->bests[i];
        if (best->sweep != sweep || !rft_roofline_chart_has(best, r->of.pipe)) {
            continue;
        }
        const rft_placement place = rft_placement_of(all->run, best);
        series->x[used] = place.intensity;
        series->y[used++] = place.rate_ops_s / r->scale.factor;
        if (!named || rft_point_median_s(best) > rft_point_median_s(named)) {
            named = best;
            named_at = used - 1;
        }
    }
    series->count = used;
    if (named) {
        const rft_placement place = rft_placement_of(all->run, named);
        series->names[named_at] =
            all->run->sweep_count > SWEEPS_TOLD
                ? all->run->sweeps[sweep].sweep.name
                : rft_arena_printf(all->arena, "%s: %s", rft_words_problem(all->run, sweep, named->problem, all->arena),
                                   rft_words_rate(&place, all->arena));
        const rft_reach reach = rft_reach_of(all->run, named);
        const char *rate = rft_figure_si(all->arena, place.rate_ops_s, rft_roofline_chart_unit(&r->of));
        series->told[named_at] =
            rft_arena_printf(all->arena, "%s%s, %s of the roof", rft_rate_in_ops(&place) ? "" : ", ",
                             rft_rate_in_ops(&place) ? "" : rate, rft_words_reach(&reach, all->arena));
    }
}

/* One fitted curve a sweep, that of the line with most points. */
static void add_curve(roof *r, size_t sweep, rft_tone tone) {
    const roofs *all = r->all;
    const rft_fitted *chosen = NULL;
    for (size_t i = 0; i < all->fit_count; i++) {
        const rft_fitted *of = &all->fits[i];
        if (of->profile->sweep == sweep && of->fit.pipe == r->of.pipe && rft_fitted_has_curve(of) &&
            (!chosen || of->fit.count > chosen->fit.count)) {
            chosen = of;
        }
    }
    if (!chosen) {
        return;
    }
    rft_series *series = rft_fitted_curve(r->chart, chosen, r->scale.factor, all->arena);
    series->tone = tone;
    series->label = rft_arena_printf(all->arena, "fit: %s", all->run->sweeps[sweep].sweep.name);
    r->curves++;
    const rft_fit_param *memory = &chosen->fit.fit.params[RFT_FIT_BANDWIDTH];
    const rft_fit_param *peak = &chosen->fit.fit.params[RFT_FIT_PEAK];
    if (memory->state == RFT_FIT_KNOWN && peak->state == RFT_FIT_KNOWN) {
        rft_series *knee = rft_chart_series(all->arena, r->chart, RFT_SERIES_DOTS, 1);
        knee->tone = tone;
        knee->x[0] = peak->value / memory->value;
        knee->y[0] = peak->value / r->scale.factor;
        knee->names[0] = rft_arena_printf(all->arena, "knee %s", rft_figure_plain(all->arena, knee->x[0], 3));
    }
}

/* ---- words ---- */

/* "FP32: fma.rn.f32, 16 independent chains a thread": the operation behind a ceiling, or why there is none. */
static const char *operation(const roof *r, const char *name, rft_ceiling_id id) {
    if (id >= RFT_CEILING_COUNT) {
        return rft_arena_printf(r->all->arena, "%s: no ceiling was measured", name);
    }
    const rft_ceiling *ceiling = &r->all->run->ceilings.items[id];
    const char *kernel = ceiling->kernel ? ceiling->kernel : rft_ceiling_label(id);
    if (!ceiling->measured) {
        return rft_arena_printf(r->all->arena, "%s: no ceiling was measured%s%s", name, ceiling->reason ? ", " : "",
                                ceiling->reason ? ceiling->reason : "");
    }
    return rft_arena_printf(r->all->arena, "%s: %s%s", name,
                            ceiling->at_least ? "no line, only a lower bound was measured, " : "", kernel);
}

static const char *caption(const roof *r) {
    rft_arena *arena = r->all->arena;
    return rft_arena_printf(
        arena,
        "Solid: measured here; dashed: datasheet. Grey: all %s; strong marks: the best configuration of each problem, "
        "of each sweep the longest-running one with its name%s. %s. %s. %s.",
        rft_words_plural(r->of.point_count, "measured point", "measured points", arena),
        r->curves ? "; the curve: the roofline fitted to them, its knee where its two branches meet" : "",
        operation(r, "Memory", r->of.dram_id), operation(r, "L2", RFT_CEILING_L2_READ),
        operation(r, rft_pipe_label(r->of.pipe), r->of.pipe_id));
}

/* A terminal's legend has the lines that are there. */
static void add_missing_lines(rft_finding *f, const roof *r) {
    const struct {
        const char *name;
        rft_ceiling_id id;
        double rate;
    } lines[] = {{"memory", r->of.dram_id, r->of.dram},
                 {"L2", RFT_CEILING_L2_READ, r->of.l2},
                 {rft_pipe_label(r->of.pipe), r->of.pipe_id, r->of.flop}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bool at_least = lines[i].id < RFT_CEILING_COUNT && r->all->run->ceilings.items[lines[i].id].at_least;
        if (!(lines[i].rate > 0)) {
            rft_finding_note(f, RFT_IN_TEXT, "%s: no line (%s)", lines[i].name,
                             at_least ? "only a lower bound was measured" : "no ceiling was measured");
        }
    }
}

/* Points above their roof, with the cause that the run's own facts show. */
static void add_overs(rft_finding *f, const roofs *all, rft_pipe pipe) {
    const rft_run *run = all->run;
    size_t over_count = 0, shown = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_work_main_pipe(&run->points[i].work) == pipe && rft_run_is_candidate(run, &run->points[i])) {
            over_count += rft_over_roof_of(run, &run->points[i], all->arena).cause != RFT_OVER_NOT;
        }
    }
    if (over_count > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "%s above the measured roof by more than the uncertainty.",
                         rft_words_plural(over_count, "point lies", "points lie", all->arena));
    }
    for (size_t i = 0; i < all->best_count && shown < OVERS_MOST; i++) {
        const rft_point *best = all->bests[i];
        if (rft_work_main_pipe(&best->work) != pipe) {
            continue;
        }
        rft_over_roof over = rft_over_roof_of(run, best, all->arena);
        if (over.cause != RFT_OVER_NOT) {
            rft_finding_note(f, RFT_ON_PAGE, "%s, %s times its roof: %s.",
                             rft_words_problem(run, best->sweep, best->problem, all->arena),
                             rft_figure_plain(all->arena, over.factor, 3), over.text);
            shown++;
        }
    }
}

/* ---- for programs ---- */

static const rft_finding *ceiling_data(rft_ceiling_id id, double rate, double sheet, rft_arena *arena) {
    if (id >= RFT_CEILING_COUNT) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "name", rft_datum_text(rft_ceiling_name(id)));
    rft_finding_set(f, "unit", rft_datum_text(rft_ceiling_unit(id)));
    rft_finding_set(f, "rate", rft_datum_number(rate));
    rft_finding_set(f, "datasheet", rft_datum_number(sheet));
    return f;
}

enum { POINT, INTENSITY, RATE, SWEEP, PROBLEM, MEDIAN, FRAC, FIELDS };

static const rft_trait fields[FIELDS] = {
    {.key = "point"},   {.key = "intensity_ops_byte"}, {.key = "rate_ops_s"},     {.key = "sweep"},
    {.key = "problem"}, {.key = "median_s"},           {.key = "efficiency_frac"}};

/* The first three fields; false where it is not on the chart. */
static bool add_point(const roof *r, rft_cell_table *table, const rft_point *point, rft_placement *place) {
    if (!rft_roofline_chart_has(point, r->of.pipe) || !rft_run_is_candidate(r->all->run, point)) {
        return false;
    }
    *place = rft_placement_of(r->all->run, point);
    if (place->intensity > 0) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[POINT] = rft_datum_count(point->id);
        cells[INTENSITY] = rft_datum_number(place->intensity);
        cells[RATE] = rft_datum_number(place->rate_ops_s);
    }
    return place->intensity > 0;
}

static void add_points(rft_finding *f, const roof *r) {
    const rft_run *run = r->all->run;
    rft_placement place;
    rft_cell_table *table = rft_finding_table(f, "best", fields, FIELDS);
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_point *best = sweep->problems[p].odd ? NULL : rft_run_best(run, s, SIZE_MAX, p);
            if (best && add_point(r, table, best, &place)) {
                rft_datum *cells = table->rows[table->row_count - 1].cells;
                cells[SWEEP] = rft_datum_text(sweep->name);
                cells[PROBLEM] = rft_datum_finding(rft_finding_problem(sweep, p, r->all->arena));
                cells[MEDIAN] = rft_datum_number(rft_point_median_s(best));
                cells[FRAC] = rft_datum_number(place.efficiency_frac);
            }
        }
    }
    table = rft_finding_table(f, "points", fields, RATE + 1);
    for (size_t i = 0; i < run->point_count; i++) {
        add_point(r, table, &run->points[i], &place);
    }
}

static void add_roof_data(rft_finding *f, const roof *r) {
    const rft_roofline_chart *of = &r->of;
    rft_arena *arena = r->all->arena;
    rft_finding *ceilings = rft_finding_new(arena), *ridges = rft_finding_new(arena);
    rft_finding_set(f, "pipe", rft_datum_text(rft_pipe_name(of->pipe)));
    rft_finding_set(f, "unit", rft_datum_text(rft_roofline_chart_unit(of)));
    rft_finding_set(f, "x_low", rft_datum_number(of->x_low));
    rft_finding_set(f, "x_high", rft_datum_number(of->x_high));
    rft_finding_set(f, "y_low", rft_datum_number(of->y_low));
    rft_finding_set(f, "y_high", rft_datum_number(of->y_high));
    rft_finding_add(ceilings, "pipe", ceiling_data(of->pipe_id, of->flop, of->flop_sheet, arena));
    rft_finding_add(ceilings, "dram", ceiling_data(of->dram_id, of->dram, of->dram_sheet, arena));
    rft_finding_add(
        ceilings, "l2",
        ceiling_data(RFT_CEILING_L2_READ, of->l2, r->all->run->ceilings.items[RFT_CEILING_L2_READ].datasheet, arena));
    rft_finding_set(ridges, "dram", rft_datum_number(of->flop / of->dram));
    rft_finding_set(ridges, "l2", rft_datum_number(of->flop / of->l2));
    rft_finding_add(f, "ceilings", ceilings);
    rft_finding_add(f, "ridges", ridges);
    add_points(f, r);
}

/* ---- the charts ---- */

static void draw_roofline(roof *r) {
    const roofs *all = r->all;
    const char *unit = rft_roofline_chart_unit(&r->of);
    double reference = r->of.flop > 0 ? r->of.flop : r->of.y_high;
    r->scale = rft_figure_scale_of(all->arena, &reference, 1, unit);
    r->chart = rft_chart_new(all->arena, "", all->height);
    r->chart->x = (rft_chart_axis){.title = rft_arena_printf(all->arena, "intensity of the work (%s per byte)",
                                                             unit[0] == 'F' ? "FLOP" : "operations"),
                                   .log = true,
                                   .low = r->of.x_low,
                                   .high = r->of.x_high};
    r->chart->y = (rft_chart_axis){.title = rft_arena_printf(all->arena, "useful rate (%s)", r->scale.unit),
                                   .log = true,
                                   .low = r->of.y_low / r->scale.factor,
                                   .high = r->of.y_high / r->scale.factor};
    add_cloud(r);
    add_ridges(r);
    add_ceilings(r);
    for (size_t s = 0; s < all->run->sweep_count; s++) {
        rft_tone tone = (rft_tone)(RFT_TONE_A + (int)(s % RFT_TONES));
        add_curve(r, s, tone);
        add_bests(r, s, tone);
    }
    r->chart->caption = caption(r);
}

static rft_finding *roofline_of(const roofs *all, const rft_roofline_chart *of) {
    rft_finding *f = rft_finding_new(all->arena);
    roof r = {.all = all, .of = *of};
    draw_roofline(&r);
    add_roof_data(f, &r);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "%s", rft_pipe_label(of->pipe));
    rft_finding_heading(f, RFT_IN_TEXT, 2, "Roofline, %s: %s over intensity (%s/byte)", rft_pipe_label(of->pipe),
                        r.chart->y.title, rft_roofline_chart_unit(of)[0] == 'F' ? "FLOP" : "op");
    rft_finding_plot(f, r.chart);
    add_missing_lines(f, &r);
    rft_finding_note(f, RFT_IN_TEXT, "capital: the best of a sweep's longest problem; small: of its other problems");
    add_overs(f, all, of->pipe);
    return f;
}

/* On how many pipes anything ran: so many charts. */
static size_t count_pipes(const roofs *r) {
    bool seen[RFT_PIPE_COUNT] = {false};
    size_t count = 0;
    for (size_t i = 0; i < r->best_count; i++) {
        rft_pipe pipe = rft_work_main_pipe(&r->bests[i]->work);
        if (pipe < RFT_PIPE_COUNT && rft_work_bytes(&r->bests[i]->work) > 0 && !seen[pipe]) {
            seen[pipe] = true;
            count++;
        }
    }
    return count;
}

rft_finding *rft_finding_rooflines(const rft_run *run, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    roofs r = {.run = run, .arena = arena};
    size_t without = 0;
    collect_bests(&r);
    r.height = count_pipes(&r) > 1 ? HEIGHT_PAIRED : HEIGHT_ALONE;
    r.fit_count = rft_fitted_lines(run, arena, &r.fits, &r.fits_left_out);
    rft_finding_chapter(f, 1, "Rooflines", "rooflines");
    rft_item *list = rft_finding_list(f, "");
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_roofline_chart of;
        if (rft_roofline_chart_of(run, (rft_pipe)pipe, &of)) {
            rft_finding_append(f, list, roofline_of(&r, &of));
        }
    }
    for (size_t i = 0; i < r.best_count; i++) {
        without += !(rft_work_intensity(&r.bests[i]->work) > 0);
    }
    if (list->finding_count == 0) {
        rft_finding_body(f, RFT_ON_PAGE,
                         "No roofline is drawn: no measured point has both operations and bytes in its work.");
    }
    if (without > 0) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "On no roofline");
        rft_finding_note(f, 0,
                         "%s without operations or without bytes in the work: they have no place on a roofline and are "
                         "judged by the ceiling of what they do have.",
                         rft_words_plural(without, "problem is", "problems are", arena));
    }
    rft_finding_add(f, NULL, rft_finding_fits_of(run, r.fits, r.fit_count, r.fits_left_out, arena));
    return f;
}
