/* SPDX-License-Identifier: Apache-2.0 */
/* plot.h - a chart over two logarithmic axes in characters. Lines in ink are drawn: the bold ones, and dotted the
 * others; dashed ones and other tones are told apart on a page alone. Every bold series of marks has a letter, a
 * capital at the marks with a name; other grey ones are small marks; a cloud is shaded by how many points lie in a
 * place. */
#ifndef RFT_REPORTS_PLOT_H
#define RFT_REPORTS_PLOT_H

#include "base/str.h"
#include "reports/findings/chart_data.h"

/* The drawing area in cells, for tests that compute where a point must be: both axes from edge to edge, behind so many
 * columns. */
#define RFT_PLOT_COLUMNS 68
#define RFT_PLOT_ROWS 16
#define RFT_PLOT_MARGIN 10

typedef struct rft_plot_opts {
    bool ascii, full; /* full: the legend has all letters */
} rft_plot_opts;
/* Its axes have limits. The chart, then its legend. */
void rft_plot_add(rft_str *out, const rft_chart *chart, const rft_plot_opts *opts);

#endif
