/* SPDX-License-Identifier: Apache-2.0 */
/* chart_svg.h - a chart alone, as a picture of its own */
#ifndef RFT_REPORTS_CHART_SVG_H
#define RFT_REPORTS_CHART_SVG_H

#include "base/str.h"
#include "reports/doc.h"

/* Appends it as SVG (rft_canvas_svg_new()), as wide as one of `beside` charts side by side on a page, 1 or more. Names
 * keep every character up to U+FFFF: who looks at it has fonts. */
void rft_chart_svg(rft_str *out, const rft_chart *chart, size_t beside);

#endif
