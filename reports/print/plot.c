/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/plot.h"

#include "base/units.h"
#include "reports/print/layout.h"
#include "reports/print/raster.h"

#include <math.h>
#include <string.h>

#define COLUMNS RFT_PLOT_COLUMNS
#define ROWS RFT_PLOT_ROWS
#define LABEL (RFT_PLOT_MARGIN - 2) /* columns of the numbers left of the chart */
#define NAMES_MOST 8                /* named below it without --full */

typedef struct plot {
    const rft_chart *chart;
    const rft_plot_opts *opts;
    rft_arena *arena;
    rft_raster raster;
} plot;

static double share_of(const rft_chart_axis *axis, double value) {
    return log(value / axis->low) / log(axis->high / axis->low);
}

/* ---- lines and marks ---- */

static bool is_flat(const rft_series *series) {
    return series->y[0] == series->y[series->count - 1];
}

static bool is_drawn(const rft_series *series, bool flat) {
    return series->kind == RFT_SERIES_LINE && series->tone == RFT_TONE_INK && !series->dashed && series->count > 1 &&
           is_flat(series) == flat;
}

static bool is_small(const rft_series *series) {
    return series->kind == RFT_SERIES_DOTS && series->tone == RFT_TONE_GREY && !series->bold;
}

static void draw_plot_line(plot *p, const rft_series *series) {
    char stroke = '/';
    if (!series->bold) {
        stroke = '\'';
    } else if (is_flat(series)) {
        stroke = '-';
    }
    for (size_t i = 1; i < series->count; i++) {
        const double from[2] = {share_of(&p->chart->x, series->x[i - 1]), share_of(&p->chart->y, series->y[i - 1])};
        const double to[2] = {share_of(&p->chart->x, series->x[i]), share_of(&p->chart->y, series->y[i])};
        rft_raster_line(&p->raster, from, to, series->bold ? 1 : 4, stroke);
    }
}

static void put_mark(plot *p, const rft_series *series, size_t i, const char *mark) {
    rft_raster_mark(&p->raster, share_of(&p->chart->x, series->x[i]), share_of(&p->chart->y, series->y[i]), mark);
}

static const char *small_mark(const plot *p) {
    return p->opts->ascii ? "+" : "\xe2\x97\x87";
}

/* How many points lie in a cell, in three steps: from 1, 10 and 100. */
static const char *shade(const plot *p, int step) {
    static const char *const plain[] = {".", ":", "#"}, *const braille[] = {"\xc2\xb7", "\xe2\x96\x91", "\xe2\x96\x93"};
    return p->opts->ascii ? plain[step] : braille[step];
}

static void draw_cloud(plot *p, const rft_series *series) {
    size_t *counts = rft_arena_calloc(p->arena, (size_t)COLUMNS * ROWS, sizeof *counts), column, row;
    for (size_t i = 0; i < series->count; i++) {
        double x = share_of(&p->chart->x, series->x[i]), y = share_of(&p->chart->y, series->y[i]);
        if (rft_raster_cell(&p->raster, x, y, &column, &row)) {
            size_t count = ++counts[row * COLUMNS + column];
            put_mark(p, series, i, shade(p, count < 10 ? 0 : count < 100 ? 1 : 2));
        }
    }
}

static bool has_letter(const rft_series *series) {
    return series->kind == RFT_SERIES_DOTS && series->bold;
}

static const char *letter(const plot *p, size_t index, bool named) {
    return rft_arena_printf(p->arena, "%c", (int)((named ? 'A' : 'a') + index % 26));
}

static void draw_letters(plot *p, bool named) {
    for (size_t s = 0, index = 0; s < p->chart->series_count; s++) {
        const rft_series *series = &p->chart->series[s];
        for (size_t i = 0; has_letter(series) && i < series->count; i++) {
            if ((series->names[i] != NULL) == named) {
                put_mark(p, series, i, letter(p, index, named));
            }
        }
        index += has_letter(series);
    }
}

static void draw_plot_lines(plot *p, bool flat) {
    for (size_t s = 0; s < p->chart->series_count; s++) {
        if (is_drawn(&p->chart->series[s], flat)) {
            draw_plot_line(p, &p->chart->series[s]);
        }
    }
}

/* What lies above comes later. */
static void draw_plot(plot *p) {
    draw_plot_lines(p, false);
    draw_plot_lines(p, true);
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const rft_series *series = &p->chart->series[s];
        for (size_t i = 0; is_small(series) && i < series->count; i++) {
            put_mark(p, series, i, small_mark(p));
        }
    }
    for (size_t s = 0; s < p->chart->series_count; s++) {
        if (p->chart->series[s].kind == RFT_SERIES_CLOUD) {
            draw_cloud(p, &p->chart->series[s]);
        }
    }
    draw_letters(p, false);
    draw_letters(p, true);
}

/* ---- axes ---- */

/* "100", "1e-6": a power of ten. */
static const char *decade_text(const plot *p, int exponent) {
    char text[48];
    rft_text_format(text, sizeof text, exponent < -3 || exponent > 5 ? "1e%.0f" : "%g",
                    exponent < -3 || exponent > 5 ? (double)exponent : pow(10, exponent));
    return rft_arena_strdup(p->arena, text);
}

static void add_rows(const plot *p, rft_str *out) {
    const char *labels[ROWS] = {NULL};
    size_t column, row;
    for (int e = (int)ceil(log10(p->chart->y.low)); pow(10, e) <= p->chart->y.high; e++) {
        if (rft_raster_cell(&p->raster, 0, share_of(&p->chart->y, pow(10, e)), &column, &row)) {
            labels[row] = decade_text(p, e);
        }
    }
    for (row = 0; row < ROWS; row++) {
        rft_layout_right(out, labels[row] ? labels[row] : "", LABEL);
        rft_str_add(out, p->opts->ascii ? (labels[row] ? " +" : " |")
                         : labels[row]  ? " \xe2\x94\xa4"
                                        : " \xe2\x94\x82");
        rft_raster_row(&p->raster, row, out);
        rft_str_add_char(out, '\n');
    }
}

static void add_foot(const plot *p, rft_str *out) {
    bool ascii = p->opts->ascii;
    const char *labels[COLUMNS] = {NULL};
    size_t column, row, used = 0;
    for (int e = (int)ceil(log10(p->chart->x.low)); pow(10, e) <= p->chart->x.high; e++) {
        if (rft_raster_cell(&p->raster, share_of(&p->chart->x, pow(10, e)), 0, &column, &row)) {
            labels[column] = decade_text(p, e);
        }
    }
    rft_layout_spaces(out, LABEL + 1);
    rft_str_add(out, ascii ? "+" : "\xe2\x94\x94");
    for (column = 0; column < COLUMNS; column++) {
        rft_str_add(out, ascii ? (labels[column] ? "+" : "-") : labels[column] ? "\xe2\x94\xac" : "\xe2\x94\x80");
    }
    rft_str_add_char(out, '\n');
    rft_layout_spaces(out, LABEL + 2);
    for (column = 0; column < COLUMNS; column++) {
        size_t wide = labels[column] ? rft_layout_columns(labels[column]) : 0;
        size_t start = column >= wide / 2 ? column - wide / 2 : 0;
        if (wide > 0 && start >= used && start + wide <= COLUMNS) {
            rft_layout_spaces(out, start - used);
            rft_str_add(out, labels[column]);
            used = start + wide;
        }
    }
    rft_str_add_char(out, '\n');
}

/* ---- the legend ---- */

static void add_part(rft_str *line, const char *look, const char *words) {
    rft_str_addf(line, "%s%s %s", line->length ? "; " : "", look, words);
}

static void end_part(rft_str *out, rft_str *line) {
    if (line->length) {
        rft_layout_wrapped(out, 2, 2, rft_str_get(line));
    }
    rft_str_truncate(line, 0);
}

/* "slope: memory, measured 4.28 TB/s; dotted: L2, measured 9.61 TB/s" */
static void add_line_names(const plot *p, rft_str *line, bool flat) {
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const rft_series *series = &p->chart->series[s];
        if (is_drawn(series, flat) && series->label) {
            add_part(line,
                     !series->bold    ? p->opts->ascii ? "':" : "dotted:"
                     : flat           ? p->opts->ascii ? "-:" : "flat:"
                     : p->opts->ascii ? "/:"
                                      : "slope:",
                     series->label);
        }
    }
}

static const char *told_of(const rft_series *series, size_t i) {
    return series->told[i] ? series->told[i] : "";
}

/* Lines; small marks and the cloud; then a line a letter. */
static void add_legend(const plot *p, rft_str *out) {
    rft_str line = RFT_STR_INIT;
    add_line_names(p, &line, false);
    add_line_names(p, &line, true);
    end_part(out, &line);
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const rft_series *series = &p->chart->series[s];
        for (size_t i = 0, named = 0; is_small(series) && i < series->count; i++) {
            if (series->names[i]) {
                rft_str_addf(&line, "%s%s%s%s%s", line.length && !named ? "; " : "", named ? ", " : small_mark(p),
                             named ? "" : " ", series->names[i], told_of(series, i));
                named++;
            }
        }
        if (series->kind == RFT_SERIES_CLOUD) {
            char count[32];
            rft_units_format_count(count, sizeof count, series->count);
            add_part(&line, shade(p, 0),
                     rft_arena_printf(p->arena, "%s measured points (%s: 10 and more in a place, %s: 100)", count,
                                      shade(p, 1), shade(p, 2)));
        }
    }
    end_part(out, &line);
    size_t shown = 0, left_out = 0, index = 0;
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const rft_series *series = &p->chart->series[s];
        for (size_t i = 0; has_letter(series) && i < series->count; i++) {
            if (series->names[i] && (shown < NAMES_MOST || p->opts->full)) {
                add_part(&line, letter(p, index, true),
                         rft_arena_printf(p->arena, "%s%s", series->names[i], told_of(series, i)));
                end_part(out, &line);
                shown++;
            } else {
                left_out += series->names[i] != NULL;
            }
        }
        index += has_letter(series);
    }
    if (left_out > 0) {
        rft_str_addf(out, "  %zu more: --full\n", left_out);
    }
    rft_str_clear(&line);
}

void rft_plot_add(rft_str *out, const rft_chart *chart, const rft_plot_opts *opts) {
    rft_arena *arena = rft_arena_new();
    plot p = {.chart = chart, .opts = opts, .arena = arena};
    p.raster = rft_raster_new(COLUMNS, ROWS, opts->ascii, arena);
    draw_plot(&p);
    add_rows(&p, out);
    add_foot(&p, out);
    add_legend(&p, out);
    rft_arena_free(arena);
}
