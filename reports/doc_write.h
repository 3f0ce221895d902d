/* SPDX-License-Identifier: Apache-2.0 */
/* doc_write.h - a finished document as a file, in one of its forms */
#ifndef RFT_REPORTS_DOC_WRITE_H
#define RFT_REPORTS_DOC_WRITE_H

#include "reports/doc.h"
#include "reports/report.h"

/* To a temporary file first: an error leaves an older file as it was. RFT_E_IO, RFT_E_REPORT. */
int rft_doc_write(const rft_doc *doc, rft_report_form form, const char *path, rft_err *err);

#endif
