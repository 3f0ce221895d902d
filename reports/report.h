/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - a run as a PDF, as Markdown, as HTML, or as the text form of the same pages. What is on them:
 * docs/report.md.
 *
 * The same run gives the same bytes, on any day and under any locale: dates and ids come from the run.
 */
#ifndef RFT_REPORTS_REPORT_H
#define RFT_REPORTS_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "model/acceptance/accept.h"
#include "model/compare/compare.h"
#include "model/compare/fleet.h"
#include "model/mix/mix_total.h"
#include "model/run/run.h"

#define RFT_REPORT_FONTS_MOST 4u

typedef struct rft_report_opts {
    int part;     /* 0: both; 1: the buyer's pages; 2: the engineer's */
    bool full;    /* every problem in detail and the table of all points, not the chosen ones alone */
    bool summary; /* half a page a sweep; not with `full` */
    const rft_run *const *references;      /* stored runs of other cards, to stand beside; borrowed */
    size_t reference_count, shipped_count; /* the last so many come with the program */
    const rft_run *const *cards;           /* other cards that come with it, their ceilings alone; borrowed */
    size_t card_count;
    const rft_run *const *joined; /* the runs that were joined; NULL: it is one. Borrowed */
    size_t joined_count;
    const char *const *fonts; /* TrueType files, embedded for characters that the pages' own lack, asked in turn */
    size_t font_count;        /* at most RFT_REPORT_FONTS_MOST */
    const char *author;       /* for the document's information; NULL: not told */
    const rft_mix_book *book; /* of --mix; NULL: none was given. Borrowed, as is what follows */
    rft_mix_total *const *mixes;
    size_t mix_count;
    const rft_limits *limits; /* made beside this report, for a page of them; NULL. Borrowed */
} rft_report_opts;
#define RFT_REPORT_OPTS_INIT                                                                                           \
    { .part = 0 }

/* What a document is written as. */
typedef enum rft_report_form { RFT_REPORT_PDF, RFT_REPORT_MARKDOWN, RFT_REPORT_HTML } rft_report_form;
/* By the end of its name: .md, .html, anything else. */
rft_report_form rft_report_form_of(const char *path);

/* Writes the report to `path` (to a temporary file first: an error leaves an older report as it was).
 * `opts` may be NULL. Errors: RFT_E_IO (cannot be written), RFT_E_REPORT (libharu failed, or one of opts->fonts
 * is none). A run without points,
 * without ceilings or with nothing but failures is no error: the report says so. */
int rft_report_write(const rft_run *run, const rft_report_opts *opts, rft_report_form form, const char *path,
                     rft_err *err);

/* The family that a PDF has in it, with its release; NULL: this program was built without, and PDFs name what their
 * reader has. Static storage. */
const char *rft_report_fonts(void);

/* Appends a PDF's bytes to `out`. */
int rft_report_pdf(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err);

/* Appends the text trace of the same pages (canvas.h) to `out`: for tests. */
int rft_report_trace(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err);

/* Appends the page of a package (store.h) as Markdown: what is in it, the mixes, what was not checked, the hashes of
 * what was run. `book` may be NULL. */
void rft_report_package_page(const rft_run *run, const rft_mix_book *book, rft_mix_total *const *mixes,
                             size_t mix_count, rft_str *out);

/* Appends one chart as SVG: the first whose name ("Rooflines, FP32") has `name` in it, whatever the letters' case.
 * RFT_E_USAGE with the names there are when none has. */
int rft_report_chart_svg(const rft_run *run, const rft_report_opts *opts, const char *name, rft_str *out, rft_err *err);

/* A comparison of runs (docs/compare.md) likewise. The same runs in the same order give the same bytes; the document's
 * date is that of the latest run. Errors as above. */
int rft_compare_write(const rft_compare *compare, rft_report_form form, const char *path, rft_err *err);
int rft_compare_pdf(const rft_compare *compare, rft_str *out, rft_err *err);
int rft_compare_trace(const rft_compare *compare, rft_str *out, rft_err *err);

/* A fleet on one page, likewise. */
int rft_fleet_write(const rft_fleet *fleet, rft_report_form form, const char *path, rft_err *err);

/* Cards held to limits (docs/acceptance.md) likewise. */
int rft_acceptance_write_pdf(const rft_acceptance *acceptance, const char *path, rft_err *err);
int rft_acceptance_pdf(const rft_acceptance *acceptance, rft_str *out, rft_err *err);
void rft_acceptance_markdown(const rft_acceptance *acceptance, rft_str *out);
void rft_acceptance_html(const rft_acceptance *acceptance, rft_str *out);

#endif
