/* SPDX-License-Identifier: Apache-2.0 */
/* chart_parts.h - what the files of a chart share: the plot area with its two axes, and the labels that want a place.
 */
#ifndef RFT_REPORTS_CHART_PARTS_H
#define RFT_REPORTS_CHART_PARTS_H

#include "reports/page/axis.h"
#include "reports/page/label.h"
#include "reports/page/pen.h"

/* A label and where it might go, best place first. */
typedef struct rft_plot_label {
    const char *text; /* UTF-8 */
    bool bold;
    rft_tone tone; /* for the legend, when there is no place */
    bool line, dashed, marks, band;
    bool clear; /* must not lie on a line */
    int rank;   /* 0: placed first */
    rft_label_spots spots;
} rft_plot_label;

typedef struct rft_plot {
    rft_pen *pen;
    const rft_chart *chart;
    rft_rect area;
    rft_rect lines; /* the part of it lines may enter: not the row of the bands' names */
    rft_plot_axis x, y;
    double below;      /* height under the area: names and title of x */
    size_t name_lines; /* of x */
    bool upright;      /* names of x */
    double names_most; /* height of such names */
    rft_label_field field;
    rft_plot_label *labels; /* placed by rank, then in this order */
    size_t label_count, label_capacity;
    rft_plot_label *left_over; /* for the legend */
    size_t left_over_count;
} rft_plot;

/* chart_series.c: the bands, which lie under the grid; then every other series, asking for labels. */
void rft_plot_shading(rft_plot *plot);
void rft_plot_series(rft_plot *plot);
/* chart_cells.c: a heat map, and its scale at the right end of the title's line; returns the room that takes. */
void rft_plot_cells(rft_plot *plot, const rft_series *series);
double rft_plot_cells_scale(rft_plot *plot, const rft_rect *box);
/* chart_cloud.c */
void rft_plot_cloud(rft_plot *plot, const rft_series *series);
/* chart_label.c: asks for a label beside a mark, along a line, beside a vertical line, of a band; and places what was
 * asked. */
void rft_plot_label_mark(rft_plot *plot, const char *text, rft_spot at, bool bold, rft_tone tone);
void rft_plot_label_line(rft_plot *plot, const rft_series *series, const rft_spot *spots, size_t count);
void rft_plot_label_upright(rft_plot *plot, const char *text, double x, bool dashed);
/* For the key: of a band too narrow for its name. */
void rft_plot_label_band(rft_plot *plot, const char *text);
void rft_plot_place_labels(rft_plot *plot);

#define RFT_PLOT_LABEL_SIZE RFT_SIZE_SMALL

#endif
