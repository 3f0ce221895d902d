/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - findings on a page, on a terminal, as JSON and as CSV; documents as Markdown and HTML. Printers write to
 * what they are handed; widths, alignment and line breaks are theirs. */
#ifndef RFT_REPORTS_PRINT_H
#define RFT_REPORTS_PRINT_H

#include "base/json.h"
#include "base/str.h"
#include "reports/findings/finding.h"

struct rft_doc;

typedef struct rft_print_opts {
    bool ascii;        /* bars of plain characters */
    bool full;         /* with what is RFT_IN_FULL, without what is only RFT_IN_BRIEF */
    size_t indent;     /* columns */
    const char *label; /* before the first line, in the indent; "": none; NULL: an empty line comes first */
} rft_print_opts;

/* All of these take NULL for a finding that has nothing to say: nothing is printed, JSON is null. */

/* Appends its headings, tables, texts and charts. */
void rft_print_page(struct rft_doc *doc, const rft_finding *f);
/* Its tables as a sentence each, of the strong row or the first; no headings, notes and charts. */
void rft_print_page_briefly(struct rft_doc *doc, const rft_finding *f);
/* Text of 80 columns at most, names that are longer than a line broken. */
void rft_print_text(rft_str *out, const rft_finding *f, const rft_print_opts *opts);
/* Owned: json_decref(). Texts that are no UTF-8 are null. */
json_t *rft_print_json(const rft_finding *f);
/* A JSON text and the end of its line. `root` is taken. */
void rft_print_json_line(rft_str *out, json_t *root);
/* Its tables for RFT_IN_CSV, which have the same fields: a header line, then a line a row (RFC 4180). */
void rft_print_csv(rft_str *out, const rft_finding *f);
/* One cell, in quotes where it needs them, and a ' before what a spreadsheet would compute; NULL is empty. The comma
 * before it is the caller's. */
void rft_csv_add_text(rft_str *out, const char *text);

/* Its first table that has the fields "card", "limit", "verdict" and "reason", as JUnit XML: a suite a card, a case a
 * limit; FAIL is a failure, UNDECIDED is skipped. `name` is that of the whole. */
void rft_print_junit(rft_str *out, const char *name, const rft_finding *f);

/* A whole document as Markdown of GitHub's kind: tables, and charts by their titles. */
void rft_print_markdown(rft_str *out, const struct rft_doc *doc);

/* Appends a chart as SVG, as wide as one of `beside` on a page. */
typedef void rft_print_chart(rft_str *out, const rft_chart *chart, size_t beside);
/* A whole document as one HTML file without scripts, its charts drawn by `draw`. */
void rft_print_html(rft_str *out, const struct rft_doc *doc, rft_print_chart *draw);

#endif
