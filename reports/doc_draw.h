/* SPDX-License-Identifier: Apache-2.0 */
/* doc_draw.h - a finished document as bytes, whatever it is about */
#ifndef RFT_REPORTS_DOC_DRAW_H
#define RFT_REPORTS_DOC_DRAW_H

#include "base/err.h"
#include "base/str.h"
#include "reports/doc.h"

/* Appends the PDF. RFT_E_REPORT names the first thing that failed. */
int rft_doc_pdf(const rft_doc *doc, rft_str *out, rft_err *err);
/* Appends the text trace (canvas.h) of the same pages. */
int rft_doc_trace(const rft_doc *doc, rft_str *out, rft_err *err);

#endif
