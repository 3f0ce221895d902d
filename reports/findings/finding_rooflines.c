/* SPDX-License-Identifier: Apache-2.0 */
/* One chart for every pipe the sweeps' work runs on: Williams, Waterman and Patterson's roofline, with this card's own
 * ceilings. Intensity and rate count work alone, so a configuration moves a point up or down, never sideways. Where
 * many sweeps run on a pipe, a page has small charts over the same axes, one a family: the sweeps whose kernels one
 * source file has. Every chart draws the memory ceilings that its own bests are judged by. */
#include "base/str.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/roofline/roofline_chart.h"
#include "model/run/run_family.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/roofline_charts.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define OVERS_MOST 4
#define HEIGHT_ALONE 360.0
#define HEIGHT_PAIRED 268.0 /* two stand on a page with their captions */
#define HEIGHT_AMONG 172.0  /* of a pipe that few of many sweeps run on */
#define HEIGHT_SMALL 132.0  /* of a family: five rows on a page, */
#define HEIGHT_LEAST 92.0   /* or six lower ones */
#define HEIGHT_ROWS 640.0   /* of all rows on a page, */
#define HEIGHT_BETWEEN 12.0 /* with what is between two */
#define COLUMNS_SMALL 3
#define TOGETHER_MOST 4 /* more sweeps are parted into families, and a family's into as many charts as it needs */

static void collect_bests(rft_roofs *r) {
    size_t capacity = 0;
    for (size_t s = 0; s < r->run->sweep_count; s++) {
        const rft_sweep *sweep = &r->run->sweeps[s].sweep;
        const size_t *order = rft_refine_order(sweep, r->arena);
        for (size_t i = 0; i < sweep->problem_count; i++) {
            const rft_point *best = sweep->problems[order[i]].odd ? NULL : rft_run_best(r->run, s, SIZE_MAX, order[i]);
            if (best) {
                r->bests = rft_arena_grown(r->arena, r->bests, r->best_count, &capacity, sizeof(const rft_point *));
                r->bests[r->best_count++] = best;
            }
        }
    }
}

/* A terminal's legend has the lines that are there. */
static void add_missing_lines(rft_finding *f, const rft_roof *r) {
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

/* On a page how many points lie above their roof and why; those that only their kernel's figures put there do not. */
static void note_overs(rft_finding *f, const rft_roofs *all, rft_pipe pipe) {
    const rft_run *run = all->run;
    size_t counts[RFT_OVER_UNKNOWN + 1] = {0}, above = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_work_main_pipe(&run->points[i].work) == pipe && rft_run_is_candidate(run, &run->points[i])) {
            counts[rft_over_roof_of(run, &run->points[i], all->arena).cause]++;
        }
    }
    rft_str causes = RFT_STR_INIT;
    for (int cause = RFT_OVER_NOT + 1; cause <= RFT_OVER_UNKNOWN; cause++) {
        if (cause != RFT_OVER_MODELLED && counts[cause] > 0) {
            rft_str_addf(&causes, "%s%s (%zu)", above ? ", " : "", rft_over_cause_name((rft_over_cause)cause),
                         counts[cause]);
            above += counts[cause];
        }
    }
    if (above > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "%s above the measured roof by more than the uncertainty, by cause: %s.",
                         rft_words_plural(above, "point lies", "points lie", all->arena), rft_str_get(&causes));
    }
    if (counts[RFT_OVER_MODELLED] > 0) {
        rft_finding_note(
            f, RFT_ON_PAGE,
            "%s under the roof but took less time than the traffic that the kernel's author modelled: caches "
            "served part of it, so that it is no bound there.",
            rft_words_plural(counts[RFT_OVER_MODELLED], "point lies", "points lie", all->arena));
    }
    rft_str_clear(&causes);
}

/* Points above their roof, with the cause that the run's own facts show. */
static void add_overs(rft_finding *f, const rft_roofs *all, rft_pipe pipe) {
    const rft_run *run = all->run;
    size_t shown = 0;
    note_overs(f, all, pipe);
    for (size_t i = 0; i < all->best_count && shown < OVERS_MOST; i++) {
        const rft_point *best = all->bests[i];
        if (rft_work_main_pipe(&best->work) != pipe) {
            continue;
        }
        rft_over_roof over = rft_over_roof_of(run, best, all->arena);
        if (over.cause != RFT_OVER_NOT) {
            rft_finding_note(f, RFT_ON_PAGE, "%s, %s times its roof: %s.",
                             rft_words_problem(run, best->sweep, best->problem, all->arena),
                             rft_figure_plain(all->arena, over.factor, 4), over.text);
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
static bool add_point(const rft_roof *r, rft_cell_table *table, const rft_point *point, rft_placement *place) {
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

static void add_points(rft_finding *f, const rft_roof *r) {
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

static void add_roof_data(rft_finding *f, const rft_roof *r) {
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

/* ---- families ---- */

static const char *family_of(const rft_roofs *all, size_t sweep) {
    return rft_sweep_family(&all->run->sweeps[sweep].sweep, all->arena);
}

/* The sweeps of one family, TOGETHER_MOST to a chart; a part of them is named by its own. */
static void add_family(const rft_roof *of, const size_t *sweeps, size_t count, rft_chart **charts, size_t *used,
                       rft_roof *drawn) {
    const rft_roofs *all = of->all;
    for (size_t first = 0; first < count; first += TOGETHER_MOST) {
        rft_roof r = {.all = all, .of = of->of, .sweeps = sweeps + first, .small = true};
        r.sweep_count = count - first < TOGETHER_MOST ? count - first : TOGETHER_MOST;
        rft_roof_draw(&r, rft_run_family_name(all->run, r.sweeps, r.sweep_count, all->arena), HEIGHT_SMALL);
        charts[(*used)++] = r.chart;
        drawn->curves += r.curves;
        drawn->own_roofs += r.own_roofs;
    }
}

static void add_families(rft_finding *f, const rft_roof *of) {
    const rft_roofs *all = of->all;
    rft_roof drawn = {.small = true};
    rft_chart **charts = rft_arena_calloc(all->arena, of->sweep_count + 1, sizeof(rft_chart *));
    bool *taken = rft_arena_calloc(all->arena, of->sweep_count + 1, sizeof *taken);
    size_t *family = rft_arena_calloc(all->arena, of->sweep_count + 1, sizeof *family), used = 0;
    for (size_t i = 0; i < of->sweep_count; i++) {
        size_t count = 0;
        const char *name = family_of(all, of->sweeps[i]);
        for (size_t k = i; k < of->sweep_count; k++) {
            if (!taken[k] && (k == i || strcmp(name, family_of(all, of->sweeps[k])) == 0)) {
                taken[k] = true;
                family[count++] = of->sweeps[k];
            }
        }
        if (count > 0) {
            size_t *kept = rft_arena_calloc(all->arena, count, sizeof *kept);
            memcpy(kept, family, count * sizeof *kept);
            add_family(of, kept, count, charts, &used, &drawn);
        }
    }
    if (of->of.flop > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "The level line of every chart: %s.",
                         rft_roof_line_name(of, rft_pipe_label(of->of.pipe), of->of.flop, of->of.flop_sheet,
                                            rft_roofline_chart_unit(&of->of)));
    }
    double rows = (double)((used + COLUMNS_SMALL - 1) / COLUMNS_SMALL);
    double height = fmin(HEIGHT_SMALL, HEIGHT_ROWS / rows - HEIGHT_BETWEEN);
    for (size_t i = 0; i < used && height >= HEIGHT_LEAST; i++) {
        charts[i]->height = height;
    }
    rft_finding_chart_rows(f, charts, used, COLUMNS_SMALL);
    rft_finding_note(f, RFT_ON_PAGE, "%s", rft_roof_caption(of, &drawn));
}

/* The sweeps with a best on the pipe. */
static size_t sweeps_on(const rft_roofs *all, rft_pipe pipe, size_t *sweeps) {
    size_t count = 0;
    for (size_t i = 0; i < all->best_count; i++) {
        bool on = rft_roofline_chart_has(all->bests[i], pipe) && rft_work_intensity(&all->bests[i]->work) > 0;
        if (on && (count == 0 || sweeps[count - 1] != all->bests[i]->sweep)) {
            sweeps[count++] = all->bests[i]->sweep;
        }
    }
    return count;
}

static rft_finding *roofline_of(const rft_roofs *all, const rft_roofline_chart *of) {
    rft_finding *f = rft_finding_new(all->arena);
    size_t *sweeps = rft_arena_calloc(all->arena, all->run->sweep_count + 1, sizeof *sweeps);
    rft_roof r = {.all = all, .of = *of, .sweeps = sweeps, .sweep_count = sweeps_on(all, of->pipe, sweeps)};
    if (r.sweep_count == 0) { /* its configurations are nowhere the best */
        add_roof_data(f, &r);
        rft_finding_note(f, RFT_TO_PEOPLE, "%s has no chart: no best is among its %s.", rft_pipe_label(of->pipe),
                         rft_words_plural(of->point_count, "measured point", "measured points", all->arena));
        return f;
    }
    rft_roof_draw(&r, "", all->height);
    add_roof_data(f, &r);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "%s", rft_pipe_label(of->pipe));
    rft_finding_heading(f, RFT_IN_TEXT, 2, "Roofline, %s: %s over intensity (%s/byte)", rft_pipe_label(of->pipe),
                        r.chart->y.title, rft_roofline_chart_unit(of)[0] == 'F' ? "FLOP" : "op");
    if (r.sweep_count > TOGETHER_MOST) {
        add_families(f, &r);
        rft_finding_plot(f, r.chart);
        f->items[f->item_count - 1].where = RFT_IN_TEXT;
    } else {
        r.chart->caption = rft_roof_caption(&r, &r);
        rft_finding_plot(f, r.chart);
    }
    add_missing_lines(f, &r);
    rft_finding_note(f, RFT_IN_TEXT, "capital: the best of a sweep's longest problem; small: of its other problems");
    add_overs(f, all, of->pipe);
    return f;
}

/* On how many pipes anything ran: so many charts. */
static size_t count_pipes(const rft_roofs *r) {
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
    rft_roofs r = {.run = run, .arena = arena};
    size_t without = 0;
    collect_bests(&r);
    r.height = run->sweep_count > RFT_SWEEPS_MANY ? HEIGHT_AMONG : count_pipes(&r) > 1 ? HEIGHT_PAIRED : HEIGHT_ALONE;
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
