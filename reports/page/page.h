/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - lays a document out on A4 pages: one column, headings that stay with what follows, tables that break
 * between rows and repeat their header, and a footer with the run's short id and the page's number. */
#ifndef RFT_REPORTS_PAGE_H
#define RFT_REPORTS_PAGE_H

#include "base/err.h"
#include "reports/doc.h"
#include "reports/page/canvas.h"

#define RFT_PAGE_WIDTH 595.28 /* points: A4 */
#define RFT_PAGE_HEIGHT 841.89
#define RFT_PAGE_MARGIN 48.0
#define RFT_PAGE_GUTTER 16.0 /* between charts side by side */

/* Measures (counts pages, finds each heading's), then draws. Does not finish the canvas. Returns the page count. */
int rft_page_layout(const rft_doc *doc, rft_canvas *canvas);
/* More pages than that? Thousands are not laid out to know it. */
bool rft_page_exceeds(const rft_doc *doc, int most);

#endif
