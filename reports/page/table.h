/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a table fitted into a width: first measured whole, then drawn row by row, so that pages can break it. */
#ifndef RFT_REPORTS_TABLE_H
#define RFT_REPORTS_TABLE_H

#include "reports/doc.h"
#include "reports/page/pen.h"

typedef struct rft_table_row {
    rft_lines *cells; /* one per column */
    rft_lines detail; /* under them */
    double height;    /* points */
} rft_table_row;

/* In the pen's arena. */
typedef struct rft_table_plan {
    const rft_table *table;
    double width;  /* of the whole: of its rules, where it has a header */
    double room;   /* that it was fitted into: details may use all of it */
    double *lefts; /* per column, from the table's left edge */
    double *widths;
    double *fractions;    /* DECIMAL: the widest part from the decimal point on */
    rft_lines *headers;   /* title and unit, wrapped */
    size_t *title_lines;  /* how many of them are the title's */
    double header_height; /* 0 for a plain table */
    rft_table_row *rows;
} rft_table_plan;

rft_table_plan rft_table_fit(rft_pen *pen, const rft_table *table, double width);

/* Both draw with their upper left corner at (x, y). */
void rft_table_draw_header(rft_pen *pen, const rft_table_plan *plan, double x, double y);
void rft_table_draw_row(rft_pen *pen, const rft_table_plan *plan, size_t row, double x, double y);

#endif
