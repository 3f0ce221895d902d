/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map: one hue from light to dark, so that it reads the same in grey, with the numbers in it where they fit. */
#include "reports/page/chart_parts.h"

#include <math.h>

#define SHADES 24
#define EDGE 0.35        /* points of white around a cell */
#define EDGE_LEAST 4.0   /* smaller cells have none: they would fade */
#define SCALE_WIDTH 54.0 /* of the strip of shades */
#define SCALE_MOST 0.2   /* of the chart's width */
#define SCALE_HEIGHT 6.0
#define TEXT_AIR 1.5

static const rft_pen_style style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_INK};

/* 0 = the least value, lightest. Lightness falls evenly. */
static rft_colour shade_colour(int shade) {
    static const int light[3] = {0xe9, 0xee, 0xf5}, dark[3] = {0x16, 0x29, 0x5c};
    double part = (double)shade / (SHADES - 1);
    rft_colour colour = 0;
    for (int i = 0; i < 3; i++) {
        colour = colour << 8 | (rft_colour)lround(light[i] + part * (dark[i] - light[i]));
    }
    return colour;
}

static void range_of(const rft_series *series, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < series->count; i++) {
        *low = fmin(*low, series->y2[i]); /* fmin and fmax pass NaN over */
        *high = fmax(*high, series->y2[i]);
    }
}

static int shade_of(double value, double low, double high) {
    return high > low ? (int)lround((value - low) / (high - low) * (SHADES - 1)) : SHADES - 1;
}

static rft_rect cell_of(const rft_plot *plot, double x, double y) {
    double left = rft_axis_at(&plot->x, x - 0.5), right = rft_axis_at(&plot->x, x + 0.5);
    double bottom = rft_axis_at(&plot->y, y - 0.5), top = rft_axis_at(&plot->y, y + 0.5);
    double edge = fmin(right - left, bottom - top) > EDGE_LEAST ? EDGE : 0;
    return (rft_rect){left + edge, top + edge, right - left - 2 * edge, bottom - top - 2 * edge};
}

static void write_in(rft_plot *plot, const rft_rect *cell, const char *text, int shade) {
    rft_line line = rft_pen_encode(plot->pen, text);
    rft_pen_style own = style;
    own.colour = shade > SHADES / 2 ? 0xffffffU : RFT_COLOUR_INK;
    if (rft_pen_width(&line, &own) + 2 * TEXT_AIR > cell->width || own.size + TEXT_AIR > cell->height) {
        return;
    }
    double middle = cell->y + cell->height / 2 + own.size * (RFT_FONT_ASCENT - RFT_FONT_DESCENT) / 2;
    rft_pen_put(plot->pen, (rft_spot){cell->x + cell->width / 2, middle}, 0.5, &own, &line);
}

void rft_plot_cells(rft_plot *plot, const rft_series *series) {
    double low, high;
    range_of(series, &low, &high);
    rft_rect *rects = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *rects);
    for (int shade = 0; shade < SHADES; shade++) {
        size_t used = 0;
        for (size_t i = 0; i < series->count; i++) {
            if (isfinite(series->y2[i]) && shade_of(series->y2[i], low, high) == shade) {
                rects[used++] = cell_of(plot, series->x[i], series->y[i]);
            }
        }
        rft_canvas_rects(plot->pen->canvas, rects, used, shade_colour(shade));
    }
    for (size_t i = 0; i < series->count; i++) {
        if (isfinite(series->y2[i]) && series->names[i]) {
            rft_rect cell = cell_of(plot, series->x[i], series->y[i]);
            write_in(plot, &cell, series->names[i], shade_of(series->y2[i], low, high));
        }
    }
}

static const rft_series *cells_of(const rft_chart *chart) {
    for (size_t i = 0; i < chart->series_count; i++) {
        if (chart->series[i].kind == RFT_SERIES_CELLS) {
            return &chart->series[i];
        }
    }
    return NULL;
}

/* Three digits, as everywhere. */
static const char *end_text(rft_plot *plot, double value, const char *unit) {
    int whole = value != 0 ? (int)floor(log10(fabs(value))) + 1 : 1;
    const char *text = rft_arena_fixed(plot->pen->arena, value, whole >= 3 ? 0 : 3 - whole, "");
    return unit ? rft_arena_printf(plot->pen->arena, "%s %s", text, unit) : text;
}

double rft_plot_cells_scale(rft_plot *plot, const rft_rect *box) {
    const rft_series *series = cells_of(plot->chart);
    double low, high;
    if (!series) {
        return 0;
    }
    range_of(series, &low, &high);
    if (!(high > low)) {
        return 0;
    }
    rft_line least = rft_pen_encode(plot->pen, end_text(plot, low, NULL));
    rft_line most = rft_pen_encode(plot->pen, end_text(plot, high, series->label));
    double right = box->x + box->width, base = box->y + 8;
    double wide = fmin(SCALE_WIDTH, box->width * SCALE_MOST);
    double strip = right - rft_pen_width(&most, &style) - 3 - wide;
    rft_pen_put(plot->pen, (rft_spot){right, base}, 1, &style, &most);
    for (int i = 0; i < SHADES; i++) {
        rft_rect rect = {strip + i * wide / SHADES, base - SCALE_HEIGHT, wide / SHADES + 0.1, SCALE_HEIGHT};
        rft_canvas_rects(plot->pen->canvas, &rect, 1, shade_colour(i));
    }
    rft_pen_put(plot->pen, (rft_spot){strip - 3, base}, 1, &style, &least);
    return right - strip + 3 + rft_pen_width(&least, &style) + 8;
}
