/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline_chart.h - what a roofline of one pipe shows, wherever it is drawn: the ceilings, how far the axes go, and
 * whose points are on it. The PDF and the terminal draw the same chart.
 */
#ifndef RFT_MODEL_ROOFLINE_CHART_H
#define RFT_MODEL_ROOFLINE_CHART_H

#include "model/roofline/bound.h"

typedef struct rft_roofline_chart {
    rft_pipe pipe;
    rft_ceiling_id pipe_id;      /* RFT_CEILING_COUNT: the pipe has no ceiling of its own */
    rft_ceiling_id dram_id;      /* the memory ceiling that most bests of the pipe are judged by */
    double flop, flop_sheet;     /* op/s, measured and by datasheet; NaN when not known */
    double dram, dram_sheet, l2; /* B/s; NaN when not known */
    double x_low, x_high;        /* intensity of the work, op/B; logarithmic */
    double y_low, y_high;        /* useful rate, op/s; logarithmic */
    size_t point_count;          /* measured points of the pipe, aliases and odd problems left out */
} rft_roofline_chart;

/* Is the point's work, declared or implied, mostly on this pipe? Its alone: not that it was measured. */
bool rft_roofline_chart_has(const rft_point *point, rft_pipe pipe);
/* False where no measured point has both operations of this pipe and bytes: there is nothing to draw. */
bool rft_roofline_chart_of(const rft_run *run, rft_pipe pipe, rft_roofline_chart *out);
/* "FLOP/s" or "op/s"; static. */
const char *rft_roofline_chart_unit(const rft_roofline_chart *chart);

#endif
