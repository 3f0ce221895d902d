/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_report.h - a comparison (model/compare.h) as a PDF, or as the text form of the same pages. What is on them:
 * docs/compare.md. The same runs in the same order give the same bytes; the document's date is that of the latest run.
 */
#ifndef RFT_REPORTS_COMPARE_REPORT_H
#define RFT_REPORTS_COMPARE_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "model/compare.h"

/* Writes to `path` (to a temporary file first). RFT_E_IO: cannot be written; RFT_E_REPORT: libharu failed. */
int rft_compare_write_pdf(const rft_compare *compare, const char *path, rft_err *err);
/* Appends the PDF's bytes to `out`. */
int rft_compare_pdf(const rft_compare *compare, rft_str *out, rft_err *err);
/* Appends the text trace of the same pages (canvas.h): for tests. */
int rft_compare_trace(const rft_compare *compare, rft_str *out, rft_err *err);

#endif
