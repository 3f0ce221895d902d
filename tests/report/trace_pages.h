/* SPDX-License-Identifier: Apache-2.0 */
/* trace_pages.h - reads the text trace of a report back: boxes of text on pages, and what they say. */
#ifndef RFT_TESTS_TRACE_PAGES_H
#define RFT_TESTS_TRACE_PAGES_H

#include "model/run/run.h"
#include "reports/page/label.h"
#include "reports/report.h"

typedef struct trace_text {
    int page;
    double x, y, width, size, angle;
    char text[512];
    rft_rect cell; /* what it must stay in; width 0: nothing was said */
    rft_quad box;
} trace_text;

/* What was filled with corners: a mark of a chart. */
typedef struct trace_mark {
    int page;
    size_t corners;
    rft_spot spots[16];
    rft_quad box; /* upright */
} trace_mark;

typedef struct trace_pages {
    rft_str raw;
    trace_text *texts;
    size_t count, capacity;
    trace_mark *marks;
    size_t mark_count, mark_capacity;
    int pages;
    char *joined; /* all texts of all pages in order, one space between */
} trace_pages;

/* Draws the run's trace (asserts success) and reads it. */
trace_pages trace_of(const rft_run *run, const rft_report_opts *opts);
/* The same of a trace already drawn, whose bytes it takes over. */
trace_pages trace_read(rft_str *raw);
void trace_clear(trace_pages *pages);

bool trace_says(const trace_pages *pages, const char *text);
/* On this page (1..). */
bool trace_page_says(const trace_pages *pages, int page, const char *text);
/* How many pages have it in a single run of text. */
int trace_pages_saying(const trace_pages *pages, const char *text);

/* Asserts that no two texts of a page lie on each other, that none lies on a mark of a chart, and that all text, lines
 * and areas are inside the page, each text inside its cell. */
void trace_assert_sound(const trace_pages *pages);
/* Asserts that text is cut nowhere on the pages' own tables and paragraphs. */
void trace_assert_whole(const trace_pages *pages);
/* Asserts that no page but the last is less than a third full. */
void trace_assert_filled(const trace_pages *pages);

#endif
