/* SPDX-License-Identifier: Apache-2.0 */
/* doc_draw.h - a finished document as bytes, whatever it is about */
#ifndef RFT_REPORTS_DOC_DRAW_H
#define RFT_REPORTS_DOC_DRAW_H

#include "base/err.h"
#include "base/str.h"
#include "reports/doc.h"

/* Fonts for characters outside of the pages' set (font.h): those given, fewer than RFT_TRUETYPE_MOST, the first of
 * more; behind them the family's own regular, which has Greek and Cyrillic. RFT_E_REPORT names the file that is none.
 */
int rft_doc_set_fonts(rft_doc *doc, const char *const *paths, size_t count, rft_err *err);

/* Appends the PDF. RFT_E_REPORT names the first thing that failed. */
int rft_doc_pdf(const rft_doc *doc, rft_str *out, rft_err *err);
/* Appends the text trace (canvas.h) of the same pages. */
int rft_doc_trace(const rft_doc *doc, rft_str *out, rft_err *err);

#endif
