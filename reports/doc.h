/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.h - a report as data: headings, paragraphs, tables and charts in reading order. No layout, no fonts, no PDF.
 * All text is UTF-8 in the document's arena; doc_build.h makes one from a run, page.h lays it out.
 */
#ifndef RFT_REPORTS_DOC_H
#define RFT_REPORTS_DOC_H

#include "reports/findings/chart_data.h"

#define RFT_DOC_LANGUAGE "en" /* of every text in it, as BCP 47 has it */

/* ---- tables ---- */
typedef struct rft_column {
    const char *title; /* "" = none */
    const char *unit;  /* under the title; NULL = none */
    rft_align align;
    bool wraps; /* may be narrower than its text; takes what room is left */
    bool meter; /* a bar stands before the number */
} rft_column;

typedef struct rft_row {
    const char **cells; /* one per column; NULL prints nothing */
    bool strong;        /* bold: the best one */
    bool rule;          /* a line above: another group starts */
    bool quiet;         /* grey: belongs to the row above it */
    bool span;          /* the first cell, bold, runs over the whole width; the rows of its group follow */
    const char *link;   /* anchor the first cell leads to; NULL = none */
    double meter;       /* of the column with bars: its length, 1 = full; not positive: none */
    const char *detail; /* grey, under the cells, over the whole width; NULL = none */
} rft_row;

typedef struct rft_table {
    rft_column *columns;
    size_t column_count;
    rft_row *rows;
    size_t row_count, row_capacity;
    const char **notes; /* printed under it as (a), (b) ... */
    size_t note_count, note_capacity;
    bool plain; /* no header: names and values */
} rft_table;

/* ---- the document ---- */
typedef enum rft_block_kind {
    RFT_BLOCK_HEADING,
    RFT_BLOCK_TEXT,
    RFT_BLOCK_TABLE,
    RFT_BLOCK_CHARTS,
    RFT_BLOCK_CONTENTS, /* chapters with their page numbers */
    RFT_BLOCK_FIGURES,  /* the few numbers a reader takes away */
    RFT_BLOCK_NEW_PAGE,
    RFT_BLOCK_NEW_CHAPTER /* a new page, unless most of this one is empty */
} rft_block_kind;

/* One of them: "4.62 TB/s", and below it what that is. */
typedef struct rft_figure_box {
    const char *value, *label;
} rft_figure_box;

typedef struct rft_block {
    rft_block_kind kind;
    int level;            /* HEADING: 1 chapter, 2 section, 3 part of one. CONTENTS: chapters; 0: as many as follow */
    rft_text_style style; /* TEXT */
    const char *text;     /* HEADING, TEXT */
    const char *anchor;   /* HEADING: where links lead to; NULL = none */
    rft_table *table;
    rft_chart **charts; /* side by side */
    size_t chart_count;
    bool optional;           /* CHARTS: left out on paper where they do not fit on the page that is begun */
    rft_figure_box *figures; /* side by side */
    size_t figure_count;
} rft_block;

typedef struct rft_doc {
    rft_arena *arena; /* borrowed */
    const char *title, *subject, *keywords, *creator;
    const char *author; /* who answers for it; NULL = not told */
    int64_t created_unix_ns;
    const struct rft_truetypes *foreign; /* have characters that the base fonts lack; NULL = there are none */
    const char *footer_left;             /* "rooftune 0.1.0, run 0123456789ab" */
    const char *footer_extra;            /* second line of every footer: the replay notice; NULL = none */
    bool full;                           /* what findings have RFT_ON_FULL_PAGE is taken, too */
    bool tight;                          /* pages are scarce: a heading may stay with fewer paragraphs */
    rft_block *blocks;
    size_t block_count, block_capacity;
} rft_doc;

/* Everything is allocated from doc->arena and dies with it. Texts are copied. */
void rft_doc_heading(rft_doc *doc, int level, const char *text, const char *anchor);
void rft_doc_text(rft_doc *doc, rft_text_style style, const char *text);
void rft_doc_textf(rft_doc *doc, rft_text_style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
void rft_doc_contents(rft_doc *doc);
/* Side by side, 1..4; their texts are not copied. */
void rft_doc_figures(rft_doc *doc, const rft_figure_box *figures, size_t count);
/* Appends a block of another document in the same arena. */
void rft_doc_append(rft_doc *doc, const rft_block *block);
void rft_doc_new_page(rft_doc *doc);
void rft_doc_new_chapter(rft_doc *doc);

/* Makes a table and appends it. `columns` are copied (their texts are not). */
rft_table *rft_doc_table(rft_doc *doc, const rft_column *columns, size_t count);
/* Appends a row with empty cells. The pointer dies with the next row. */
rft_row *rft_doc_row(rft_doc *doc, rft_table *table);
/* A row of a plain table with two columns. Both texts are copied. */
void rft_doc_pair(rft_doc *doc, rft_table *table, const char *name, const char *value);
/* The last step of such a table: what is short stands in two columns of pairs, in order down the left one first; longer
 * values follow in a table of their own. Nothing is done to a table that is not the document's last block. */
void rft_doc_fold(rft_doc *doc, rft_table *table);
/* The mark of a table's note: "(a)", "(b)", ... "(aa)". Returns `out`. */
#define RFT_NOTE_MARK 16
const char *rft_doc_note_mark(char out[RFT_NOTE_MARK], size_t index);
/* Registers a note (once) and returns its mark: " (a)". */
const char *rft_doc_note(rft_doc *doc, rft_table *table, const char *text);

/* The last step of every document: "us" and "uJ" get their sign, but in preformatted text. All words before it are
 * ASCII, and so is what a terminal and JSON have. */
void rft_doc_spell_units(rft_doc *doc);

/* Appends charts side by side (1..4). The block dies with the next one. */
rft_block *rft_doc_charts(rft_doc *doc, rft_chart *const *charts, size_t count);

#endif
