/* SPDX-License-Identifier: Apache-2.0 */
/* compare_pages.h - the chapters of a comparison's document, one file each; what several need. Inside of reports. */
#ifndef RFT_REPORTS_COMPARE_PAGES_H
#define RFT_REPORTS_COMPARE_PAGES_H

#include "model/compare/compare.h"
#include "reports/doc.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/print/print.h"

typedef struct rft_compare_pages {
    const rft_compare *compare;
    rft_doc *doc;
    rft_arena *arena;
} rft_compare_pages;

/* The matrix of so many runs stands on the cover; that of more, which fill it, behind it. */
#define RFT_COMPARE_COVER_MATRIX 4

/* The whole document, in `arena`. */
rft_doc *rft_compare_doc(const rft_compare *compare, rft_arena *arena);

void rft_compare_page_cover(rft_compare_pages *p);
void rft_compare_page_rooflines(rft_compare_pages *p);
void rft_compare_page_trust(rft_compare_pages *p);

#endif
