/* SPDX-License-Identifier: Apache-2.0 */
/* chart.h - draws a chart into a box: axes, then series from the back to the front, then labels where there is room. */
#ifndef RFT_REPORTS_CHART_H
#define RFT_REPORTS_CHART_H

#include "reports/doc.h"
#include "reports/page/pen.h"

/* Draws within `box` (chart->height is the caller's business); the caption is not drawn here. */
void rft_chart_draw(rft_pen *pen, const rft_chart *chart, const rft_rect *box);

#endif
