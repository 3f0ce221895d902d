/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_charts.h - draws the rooflines of finding_rooflines.c: ceilings, points, bests and fits on one chart. All of
 * it lives in the arena of the roofs. */
#ifndef RFT_REPORTS_ROOFLINE_CHARTS_H
#define RFT_REPORTS_ROOFLINE_CHARTS_H

#include "model/roofline/roofline_chart.h"
#include "reports/figures.h"
#include "reports/findings/profile_charts.h"

typedef struct rft_roofs {
    const rft_run *run;
    rft_arena *arena;
    const rft_point **bests; /* of every problem, odd ones left out; by sweep, then in the order of refine() */
    size_t best_count;
    rft_fitted *fits;
    size_t fit_count, fits_left_out;
    double height;
} rft_roofs;

typedef struct rft_roof {
    const rft_roofs *all;
    rft_roofline_chart of;
    rft_figure_scale scale;
    rft_chart *chart;
    const size_t *sweeps; /* that are on it; where there are families, with the tone of their place here */
    size_t sweep_count;
    bool small;
    rft_ceiling_id memory[RFT_CEILING_COUNT]; /* that their bests are judged by, in the order of the ceilings */
    size_t memory_count;
    size_t curves, dashed, own_roofs;
} rft_roof;

/* Whether the point is of the chart's sweeps and pipe, and has a place on it. */
bool rft_roof_has(const rft_roof *roof, const rft_point *point);
/* Fills `chart`, `memory` and the counts; the rest of it is given. `height` is points. */
void rft_roof_draw(rft_roof *roof, const char *title, double height);
/* "memory, measured 4.61 TB/s (datasheet 4.80 TB/s)": rates in `unit`, `sheet` NaN where there is none. */
const char *rft_roof_line_name(const rft_roof *roof, const char *name, double rate, double sheet, const char *unit);
/* What is said under the charts of a pipe. `of`: with all its lines; `drawn`: what its charts have of what is not
 * everywhere. */
const char *rft_roof_caption(const rft_roof *of, const rft_roof *drawn);

#endif
