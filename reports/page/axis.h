/* SPDX-License-Identifier: Apache-2.0 */
/* axis.h - from values to points along a line, linear or logarithmic, and where its ticks are. */
#ifndef RFT_REPORTS_AXIS_H
#define RFT_REPORTS_AXIS_H

#include "base/arena.h"
#include "reports/findings/chart_data.h"

typedef struct rft_plot_axis {
    bool log;
    double low, high;  /* values; low < high, both > 0 when log */
    double start, end; /* where they are, in points; start > end for an axis that grows upwards */
} rft_plot_axis;

typedef struct rft_tick {
    double value;
    const char *label; /* UTF-8; NULL = a minor one */
} rft_tick;

typedef struct rft_ticks {
    rft_tick *items; /* ascending */
    size_t count;
} rft_ticks;

/* Sound limits for data in [low, high] (NaN when there are none): never empty, with room at both ends.
 * A fixed limit (not NaN in `spec`) is kept. */
rft_plot_axis rft_axis_fit(const rft_chart_axis *spec, double low, double high);

double rft_axis_at(const rft_plot_axis *axis, double value); /* not clipped; NaN for what has no place */
bool rft_axis_holds(const rft_plot_axis *axis, double value);

/* Ticks for an axis of this length; `gap` is the room a label needs, in points. */
rft_ticks rft_axis_ticks(const rft_chart_axis *spec, const rft_plot_axis *axis, double gap, rft_arena *arena);

/* "4096", "2^20", "1.5M": short text of an axis value. */
const char *rft_axis_label(double value, rft_arena *arena);

#endif
