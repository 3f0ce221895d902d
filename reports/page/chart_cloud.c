/* SPDX-License-Identifier: Apache-2.0 */
/* A few hundred points are drawn as points; more as a grid of cells whose grey says how many lie there. */
#include "reports/page/chart_parts.h"

#include <math.h>

#define POINTS_MOST 400
#define CELL 3.0 /* points across */
#define SHADES 5
#define COARSE 5.0 /* labels stay off the cloud on a grid of this size */

/* Lighter than every mark and line, in grey too. */
static const rft_colour shades[SHADES] = {0xe2e2e2U, 0xd0d0d0U, 0xbcbcbcU, 0xa8a8a8U, 0x949494U};

static bool spot_of(const rft_plot *plot, const rft_series *series, size_t i, rft_spot *spot) {
    if (!rft_axis_holds(&plot->x, series->x[i]) || !rft_axis_holds(&plot->y, series->y[i])) {
        return false;
    }
    *spot = (rft_spot){rft_axis_at(&plot->x, series->x[i]), rft_axis_at(&plot->y, series->y[i])};
    return isfinite(spot->x) && isfinite(spot->y);
}

/* Counts per cell; columns * rows entries. */
static unsigned *count_cells(rft_plot *plot, const rft_series *series, double cell, size_t *columns, size_t *rows) {
    *columns = (size_t)ceil(plot->area.width / cell) + 1;
    *rows = (size_t)ceil(plot->area.height / cell) + 1;
    unsigned *counts = rft_arena_calloc(plot->pen->arena, *columns * *rows, sizeof *counts);
    for (size_t i = 0; i < series->count; i++) {
        rft_spot spot;
        if (spot_of(plot, series, i, &spot)) {
            size_t c = (size_t)fmax(0, (spot.x - plot->area.x) / cell);
            size_t r = (size_t)fmax(0, (spot.y - plot->area.y) / cell);
            counts[(r < *rows ? r : *rows - 1) * *columns + (c < *columns ? c : *columns - 1)]++;
        }
    }
    return counts;
}

static void draw_density(rft_plot *plot, const rft_series *series) {
    size_t columns, rows, most = 1;
    unsigned *counts = count_cells(plot, series, CELL, &columns, &rows);
    rft_rect *rects = rft_arena_calloc(plot->pen->arena, columns * rows, sizeof *rects);
    for (size_t i = 0; i < columns * rows; i++) {
        most = counts[i] > most ? counts[i] : most;
    }
    for (int shade = 0; shade < SHADES; shade++) {
        size_t used = 0;
        for (size_t i = 0; i < columns * rows; i++) {
            /* By the logarithm: a lone point stays visible beside a heap. */
            int own = counts[i] ? (int)(SHADES * log(counts[i]) / log((double)most + 1)) : -1;
            if (own == shade) {
                size_t row = i / columns;
                double x = plot->area.x + (double)(i % columns) * CELL, y = plot->area.y + (double)row * CELL;
                rects[used++] = (rft_rect){x, y, fmin(CELL, plot->area.x + plot->area.width - x + 0.5),
                                           fmin(CELL, plot->area.y + plot->area.height - y + 0.5)};
            }
        }
        rft_canvas_rects(plot->pen->canvas, rects, used, shades[shade]);
    }
}

static void draw_points(rft_plot *plot, const rft_series *series) {
    rft_rect *rects = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *rects);
    size_t used = 0;
    for (size_t i = 0; i < series->count; i++) {
        rft_spot spot;
        if (spot_of(plot, series, i, &spot)) {
            rects[used++] = (rft_rect){spot.x - 0.9, spot.y - 0.9, 1.8, 1.8};
        }
    }
    rft_canvas_rects(plot->pen->canvas, rects, used, shades[2]);
}

void rft_plot_cloud(rft_plot *plot, const rft_series *series) {
    if (series->count > POINTS_MOST) {
        draw_density(plot, series);
    } else {
        draw_points(plot, series);
    }
    size_t columns, rows;
    unsigned *counts = count_cells(plot, series, COARSE, &columns, &rows);
    for (size_t i = 0; i < columns * rows; i++) {
        if (counts[i]) {
            size_t row = i / columns;
            rft_rect rect = {plot->area.x + (double)(i % columns) * COARSE, plot->area.y + (double)row * COARSE, COARSE,
                             COARSE};
            rft_quad quad = rft_quad_of_rect(&rect);
            rft_label_avoid_faint(&plot->field, &quad);
        }
    }
}
