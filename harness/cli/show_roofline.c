/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_roofline.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "cli/show_grid.h"
#include "model/roofline/placement.h"
#include "model/roofline/roofline_chart.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define COLUMNS RFT_SHOW_ROOFLINE_COLUMNS
#define ROWS RFT_SHOW_ROOFLINE_ROWS
#define LABEL 8      /* columns of the numbers left of the chart */
#define SWEEPS 26    /* letters */
#define NAMES_MOST 8 /* bests named below the chart without --full */

typedef struct drawing {
    const rft_show_page *t;
    const rft_roofline_chart *of;
    rft_grid grid;
} drawing;

static double x_share(const rft_roofline_chart *c, double intensity) {
    return log(intensity / c->x_low) / log(c->x_high / c->x_low);
}

static double y_share(const rft_roofline_chart *c, double rate) {
    return log(rate / c->y_low) / log(c->y_high / c->y_low);
}

/* ---- who is on it ---- */

static bool is_on(const rft_run *run, const rft_point *point, rft_pipe pipe, rft_placement *place) {
    if (!rft_roofline_chart_has(point, pipe) || !rft_run_is_candidate(run, point)) {
        return false;
    }
    *place = rft_placement_of(run, point);
    return place->intensity > 0 && place->rate_ops_s > 0;
}

/* The best of a problem, if it is on this chart. */
static const rft_point *best_on(const rft_run *run, rft_pipe pipe, size_t sweep, size_t problem, rft_placement *place) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    const rft_point *best = data->problems[problem].odd ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
    return best && is_on(run, best, pipe, place) ? best : NULL;
}

/* Of a sweep the one that takes longest: the others are marked, this one is named. */
static const rft_point *named_on(const rft_run *run, rft_pipe pipe, size_t sweep) {
    const rft_point *named = NULL;
    rft_placement place;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = best_on(run, pipe, sweep, p, &place);
        named = best && (!named || rft_point_median_s(best) > rft_point_median_s(named)) ? best : named;
    }
    return named;
}

static const char *letter(size_t sweep, bool named) {
    static const char upper[SWEEPS][2] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
                                          "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z"};
    static const char lower[SWEEPS][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                          "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
    return named ? upper[sweep % SWEEPS] : lower[sweep % SWEEPS];
}

/* ---- the drawing ---- */

static void draw_line(drawing *d, const double x[2], const double y[2], int every, char stroke) {
    const double from[2] = {x_share(d->of, x[0]), y_share(d->of, y[0])};
    const double to[2] = {x_share(d->of, x[1]), y_share(d->of, y[1])};
    rft_grid_line(&d->grid, from, to, every, stroke);
}

/* Up to the pipe's own roof; without one, across the chart. */
static void draw_slope(drawing *d, double bytes_s, int every, char stroke) {
    const rft_roofline_chart *c = d->of;
    if (bytes_s > 0) {
        double end = c->flop > 0 ? fmin(c->flop / bytes_s, c->x_high) : c->x_high;
        draw_line(d, (const double[]){c->x_low, end}, (const double[]){c->x_low * bytes_s, end * bytes_s}, every,
                  stroke);
    }
}

static void draw_ceilings(drawing *d) {
    const rft_roofline_chart *c = d->of;
    draw_slope(d, c->l2, 4, '\'');
    draw_slope(d, c->dram, 1, '/');
    if (c->flop > 0) {
        double fastest = fmax(isnan(c->l2) ? 0 : c->l2, isnan(c->dram) ? 0 : c->dram);
        double start = fastest > 0 ? fmax(c->flop / fastest, c->x_low) : c->x_low;
        draw_line(d, (const double[]){start, c->x_high}, (const double[]){c->flop, c->flop}, 1, '-');
        const char *mark = d->t->ascii ? "+" : "\xe2\x97\x87";
        rft_grid_mark(&d->grid, x_share(c, c->flop / c->l2), y_share(c, c->flop), mark);
        rft_grid_mark(&d->grid, x_share(c, c->flop / c->dram), y_share(c, c->flop), mark);
    }
}

/* How many points lie in a cell, in three steps. */
static const char *shade(const drawing *d, size_t count) {
    static const char *const plain[] = {".", ":", "#"};
    static const char *const braille[] = {"\xc2\xb7", "\xe2\x96\x91", "\xe2\x96\x93"};
    size_t step = count < 10 ? 0 : count < 100 ? 1 : 2;
    return d->t->ascii ? plain[step] : braille[step];
}

static void draw_cloud(drawing *d) {
    const rft_run *run = d->t->run;
    size_t *counts = rft_arena_calloc(d->t->arena, COLUMNS * ROWS, sizeof *counts), column, row;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_placement place;
        if (is_on(run, &run->points[i], d->of->pipe, &place)) {
            double x = x_share(d->of, place.intensity), y = y_share(d->of, place.rate_ops_s);
            if (rft_grid_cell(&d->grid, x, y, &column, &row)) {
                counts[row * COLUMNS + column]++;
                rft_grid_mark(&d->grid, x, y, shade(d, counts[row * COLUMNS + column]));
            }
        }
    }
}

static void draw_bests(drawing *d, bool named) {
    const rft_run *run = d->t->run;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_point *name = named_on(run, d->of->pipe, s);
        for (size_t p = 0; p < run->sweeps[s].sweep.problem_count; p++) {
            rft_placement place;
            const rft_point *best = best_on(run, d->of->pipe, s, p, &place);
            if (best && (best == name) == named) {
                rft_grid_mark(&d->grid, x_share(d->of, place.intensity), y_share(d->of, place.rate_ops_s),
                              letter(s, named));
            }
        }
    }
}

/* ---- axes ---- */

/* "100 G", "1 T": a power of ten. */
static const char *decade_text(const rft_show_page *t, int exponent, bool prefixed) {
    char text[48];
    if (prefixed) {
        rft_units_format_si(text, sizeof text, pow(10, exponent), 1, "");
    } else if (exponent < -3 || exponent > 5) {
        rft_text_format(text, sizeof text, "1e%d", exponent);
    } else {
        rft_text_format(text, sizeof text, "%g", pow(10, exponent));
    }
    size_t length = strlen(text);
    if (length && text[length - 1] == ' ') {
        text[length - 1] = '\0';
    }
    return rft_arena_strdup(t->arena, text);
}

static void add_rows(const drawing *d) {
    const rft_show_page *t = d->t;
    const char *labels[ROWS] = {NULL};
    size_t column, row;
    for (int e = (int)ceil(log10(d->of->y_low)); pow(10, e) <= d->of->y_high; e++) {
        if (rft_grid_cell(&d->grid, 0, y_share(d->of, pow(10, e)), &column, &row)) {
            labels[row] = decade_text(t, e, true);
        }
    }
    for (row = 0; row < ROWS; row++) {
        rft_layout_right(t->out, labels[row] ? labels[row] : "", LABEL);
        rft_str_add(t->out, t->ascii ? (labels[row] ? " +" : " |") : labels[row] ? " \xe2\x94\xa4" : " \xe2\x94\x82");
        rft_grid_row(&d->grid, row, t->out);
        rft_str_add_char(t->out, '\n');
    }
}

static void add_foot(const drawing *d) {
    const rft_show_page *t = d->t;
    const char *labels[COLUMNS] = {NULL};
    size_t column, row, used = 0;
    for (int e = (int)ceil(log10(d->of->x_low)); pow(10, e) <= d->of->x_high; e++) {
        if (rft_grid_cell(&d->grid, x_share(d->of, pow(10, e)), 0, &column, &row)) {
            labels[column] = decade_text(t, e, false);
        }
    }
    rft_layout_spaces(t->out, LABEL + 1);
    rft_str_add(t->out, t->ascii ? "+" : "\xe2\x94\x94");
    for (column = 0; column < COLUMNS; column++) {
        rft_str_add(t->out, t->ascii ? (labels[column] ? "+" : "-") : labels[column] ? "\xe2\x94\xac" : "\xe2\x94\x80");
    }
    rft_str_add_char(t->out, '\n');
    rft_layout_spaces(t->out, LABEL + 2);
    for (column = 0; column < COLUMNS; column++) {
        size_t wide = labels[column] ? rft_layout_columns(labels[column]) : 0;
        size_t start = column >= wide / 2 ? column - wide / 2 : 0;
        if (wide > 0 && start >= used && start + wide <= COLUMNS) {
            rft_layout_spaces(t->out, start - used);
            rft_str_add(t->out, labels[column]);
            used = start + wide;
        }
    }
    rft_str_add_char(t->out, '\n');
}

/* ---- words below ---- */

static const char *si(const rft_show_page *t, double value, const char *unit) {
    char text[48];
    return rft_arena_strdup(t->arena, rft_units_format_si(text, sizeof text, value, 3, unit));
}

/* "device memory, copy (1:1) 4.28 TB/s" or that there is no line. */
static void add_ceiling(rft_str *line, const rft_show_page *t, const char *look, rft_ceiling_id id, double rate) {
    rft_str_addf(line, "%s%s: %s", line->length ? "; " : "", look, rft_ceiling_label(id));
    if (rate > 0) {
        rft_str_addf(line, " %s", si(t, rate, rft_ceiling_unit(id)));
    } else {
        const rft_ceiling *ceiling = &t->run->ceilings.items[id];
        rft_str_addf(line, ", no line (%s)",
                     ceiling->at_least ? "only a lower bound was measured" : "no ceiling was measured");
    }
}

static void add_ridge(rft_str *line, const rft_show_page *t, const char *of, double ridge) {
    if (isfinite(ridge)) {
        rft_str_addf(line, "%s%s at %s",
                     line->length ? ", "
                     : t->ascii   ? "+ ridge: "
                                  : "\xe2\x97\x87 ridge: ",
                     rft_show_number(t, ridge,
                                     ridge < 9.995   ? 2
                                     : ridge < 99.95 ? 1
                                                     : 0,
                                     ""),
                     of);
    }
}

static void add_lines(const drawing *d) {
    const rft_show_page *t = d->t;
    const rft_roofline_chart *c = d->of;
    rft_str line = RFT_STR_INIT;
    add_ceiling(&line, t, t->ascii ? "/" : "slope", c->dram_id, c->dram);
    add_ceiling(&line, t, t->ascii ? "'" : "dotted", RFT_CEILING_L2_READ, c->l2);
    if (c->pipe_id < RFT_CEILING_COUNT) {
        add_ceiling(&line, t, t->ascii ? "-" : "flat", c->pipe_id, c->flop);
    } else {
        rft_str_addf(&line, "; %s: no ceiling was measured", rft_pipe_label(c->pipe));
    }
    rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
    rft_str_truncate(&line, 0);
    add_ridge(&line, t, "device memory", c->flop / c->dram);
    add_ridge(&line, t, "the L2", c->flop / c->l2);
    rft_str_addf(&line, "%s%s %s measured points (%s: 10 and more in a place, %s: 100)", line.length ? "; " : "",
                 t->ascii ? "." : "\xc2\xb7", rft_show_count(t, c->point_count), t->ascii ? ":" : "\xe2\x96\x91",
                 t->ascii ? "#" : "\xe2\x96\x93");
    rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
    rft_str_clear(&line);
}

static void add_names(const drawing *d) {
    const rft_show_page *t = d->t;
    size_t shown = 0, left_out = 0;
    for (size_t s = 0; s < t->run->sweep_count; s++) {
        const rft_point *named = named_on(t->run, d->of->pipe, s);
        if (!named || (shown >= NAMES_MOST && !t->full)) {
            left_out += named != NULL;
            continue;
        }
        shown++;
        rft_placement place = rft_placement_of(t->run, named);
        const char *problem = rft_run_problem_text(t->run, s, named->problem, true, t->arena);
        rft_layout_wrapped(t->out, 2, 4,
                           rft_arena_printf(t->arena, "%s %s%s%s: %s, %s of the roof", letter(s, true),
                                            t->run->sweeps[s].sweep.name, *problem ? ", " : "", problem,
                                            si(t, place.rate_ops_s, rft_roofline_chart_unit(d->of)),
                                            rft_show_number(t, place.efficiency_frac * 100.0, 1, " %")));
    }
    if (left_out > 0) {
        rft_str_addf(t->out, "  %zu more: --full\n", left_out);
    }
    rft_layout_wrapped(t->out, 2, 4, "capital: the best of a sweep's longest problem; small: of its other problems");
}

static void draw(const rft_show_page *t, const rft_roofline_chart *chart) {
    drawing d = {.t = t, .of = chart, .grid = rft_grid_new(COLUMNS, ROWS, t->ascii, t->arena)};
    const char *unit = rft_roofline_chart_unit(chart);
    draw_ceilings(&d);
    draw_cloud(&d);
    draw_bests(&d, false);
    draw_bests(&d, true);
    rft_str_addf(t->out, "\nRoofline, %s: useful rate (%s) over intensity (%s/byte)\n", rft_pipe_label(chart->pipe),
                 unit, unit[0] == 'F' ? "FLOP" : "op");
    add_rows(&d);
    add_foot(&d);
    add_lines(&d);
    add_names(&d);
}

/* Problems with a best that has no place on any chart, and how many have a best at all. */
static size_t count_without(const rft_run *run, size_t *all) {
    size_t without = 0;
    *all = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *data = &run->sweeps[s].sweep;
        for (size_t p = 0; p < data->problem_count; p++) {
            const rft_point *best = data->problems[p].odd ? NULL : rft_run_best(run, s, SIZE_MAX, p);
            *all += best != NULL;
            without += best && !(rft_work_intensity(&best->work) > 0);
        }
    }
    return without;
}

void rft_show_rooflines(const rft_show_page *t) {
    size_t all, without = count_without(t->run, &all);
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_roofline_chart chart;
        if (rft_roofline_chart_of(t->run, (rft_pipe)pipe, &chart)) {
            draw(t, &chart);
        }
    }
    if (without > 0) {
        rft_str_add_char(t->out, '\n');
        rft_layout_wrapped(t->out, 0, 2,
                           rft_arena_printf(t->arena,
                                            "On no roofline: the bests of %zu of %zu problems, whose work has no "
                                            "operations or no bytes",
                                            without, all));
    }
}
