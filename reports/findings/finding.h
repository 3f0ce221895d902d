/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.h - what a run shows of one subject, as data: made once, and printed on a page, on a terminal and as JSON by
 * reports/print. A finding holds no layout: widths, alignment and line breaks are the printers'.
 *
 * To add a subject:
 *   1. finding_SUBJECT.c: a function from the run to a finding; its prototype goes into findings.h. It returns NULL
 *      where there is nothing to say (JSON null).
 *   2. Add its items in the order in which they are read: headings, tables of typed cells, facts, sentences, charts,
 *      bars, other findings. JSON has the same order.
 *   3. A field's `key` is its JSON member (NULL: not for programs), `title` its heading (NULL: not for people).
 *      Numbers are given as they are, in base units; `style` and `digits` say how people read them.
 *   4. `where` names the readers of an item or field; 0 is all of them.
 *   5. Print it: a line in rft_finding_closing() (finding_run.c) has it at the end of a sweep on page, terminal and in
 *      JSON. Elsewhere: rft_print_page() in the chapter, rft_print_text() in the section of `show`, a key in
 *      finding_run.c.
 * Absent is a value of its own: "n/a" on page and terminal, null in JSON. A number that is NaN is
 * absent.
 */
#ifndef RFT_REPORTS_FINDING_H
#define RFT_REPORTS_FINDING_H

#include "model/sweep/value.h"
#include "reports/findings/chart_data.h"

/* Readers. A terminal shows either the brief form or, with --full, the full one; so does a page, where the full one has
 * all that the other has, too. */
enum {
    RFT_ON_PAGE = 1,
    RFT_IN_BRIEF = 2,
    RFT_IN_FULL = 4,
    RFT_IN_DATA = 8, /* JSON */
    RFT_IN_CSV = 16,
    RFT_ON_FULL_PAGE = 32, /* of a report with --full alone */
    RFT_IN_TEXT = RFT_IN_BRIEF | RFT_IN_FULL,
    RFT_TO_PEOPLE = RFT_ON_PAGE | RFT_IN_TEXT
};

/* ---- cells ---- */
typedef enum rft_datum_kind {
    RFT_DATUM_BLANK, /* nothing belongs here: an empty cell, null */
    RFT_DATUM_ABSENT,
    RFT_DATUM_TEXT,
    RFT_DATUM_COUNT, /* a whole number */
    RFT_DATUM_NUMBER,
    RFT_DATUM_FLAG,
    RFT_DATUM_BARS,   /* on a terminal: a row of bars */
    RFT_DATUM_FINDING /* for programs: an object of its own */
} rft_datum_kind;

/* A row of numbers for a terminal: bars from `low` to `high` (spark.h). */
typedef struct rft_bars {
    const double *values;
    size_t count;
    double low, high;
} rft_bars;

typedef struct rft_datum {
    rft_datum_kind kind;
    union {
        const char *text;
        int64_t count;
        double number;
        bool flag;
        rft_bars bars;
        const struct rft_finding *finding;
    } as;
    const char *words; /* what people read in its place; NULL: what follows from the value and its field */
    const char *brief; /* the same on a terminal; NULL = words */
    const char *note;  /* under the table, with a mark at the cell; NULL = none */
    const char *unit;  /* of this cell alone; NULL: its field's */
} rft_datum;

rft_datum rft_datum_absent(void);
rft_datum rft_datum_text(const char *text); /* not copied; NULL is blank */
rft_datum rft_datum_count(int64_t count);
rft_datum rft_datum_number(double number);
rft_datum rft_datum_flag(bool flag);
rft_datum rft_datum_bars(const rft_bars *bars);                 /* the values are not copied */
rft_datum rft_datum_finding(const struct rft_finding *finding); /* NULL is blank */
rft_datum rft_datum_value(const rft_value *value);              /* of a parameter or an axis */
rft_datum rft_datum_said(rft_datum cell, const char *words);    /* the same value, in other words for people */
rft_datum rft_datum_or(rft_datum cell, const char *words);      /* in these words where it is absent */
rft_datum rft_datum_noted(rft_datum cell, const char *note);
rft_datum rft_datum_rate(double number, const char *unit); /* with a unit of its own */

/* ---- fields: what a column of a table, or a fact, is ---- */
typedef enum rft_datum_style {
    RFT_AS_PLAIN,   /* `digits` significant ones, `unit` behind the number */
    RFT_AS_FIXED,   /* `digits` decimals, `unit` behind the number */
    RFT_AS_SI,      /* `digits` significant ones, a prefix and `unit`: "4.05 TB/s" */
    RFT_AS_PERCENT, /* of a fraction, `digits` decimals */
    RFT_AS_RATIO,   /* "1.50x" */
    RFT_AS_BYTES    /* "64 KiB" */
} rft_datum_style;

typedef struct rft_trait {
    const char *key;   /* member in JSON; NULL: not for programs */
    const char *title; /* heading of its column or name of its fact; NULL: not for people */
    const char *brief; /* the same on a terminal; NULL = title */
    const char *unit;  /* NULL = none; of PERCENT NULL = "%" */
    bool headed;       /* on a page the unit stands under the title, not behind numbers; PERCENT always does */
    rft_datum_style style;
    int digits;      /* 0: three, of PERCENT one (on a terminal none) */
    int text_digits; /* on a terminal; 0 = digits */
    rft_align align;
    unsigned where;   /* readers; 0 = all that key and title allow */
    bool wraps;       /* may be narrower than its text */
    bool meter;       /* on a page a bar stands before the number, full at 1; of one column of a table */
    bool bar;         /* on a terminal: a vertical line before it */
    bool below;       /* on a terminal: in a line of its own under the cells */
    bool under;       /* likewise on a page: grey, under the cells, no column */
    const char *lead; /* in a table of lines: what stands before it; NULL = ", " */
} rft_trait;

/* ---- tables ---- */
typedef struct rft_cell_row {
    rft_datum *cells;                /* one per field; blank ones at first */
    const char *key;                 /* of a keyed table */
    unsigned where;                  /* readers; 0 = all */
    const char *link, *detail;       /* as of rft_row: anchor on a page; words under the cells */
    bool strong, quiet, rule, spans; /* as of rft_row */
} rft_cell_row;

typedef struct rft_cell_table {
    rft_arena *arena;
    rft_trait *fields;
    size_t field_count;
    rft_cell_row *rows;
    size_t row_count, row_capacity;
    unsigned where; /* readers; 0 = all */
    bool keyed;     /* JSON: an object by the rows' keys, not an array */
    bool lines;     /* on a terminal a paragraph a row, the cells that are there joined by their leads */
    size_t heads;   /* of lines: a terminal's first fields that are columns; the paragraphs stand behind them */
} rft_cell_table;

/* ---- the finding ---- */
typedef enum rft_item_kind {
    RFT_ITEM_HEADING,
    RFT_ITEM_SENTENCE,
    RFT_ITEM_TABLE,
    RFT_ITEM_FACT,
    RFT_ITEM_CHARTS,
    RFT_ITEM_BARS,
    RFT_ITEM_FINDING,
    RFT_ITEM_LIST /* findings; an array */
} rft_item_kind;

typedef struct rft_item {
    rft_item_kind kind;
    unsigned where;  /* readers; 0 = all */
    const char *key; /* JSON; NULL: not for programs; "": the item is the whole finding, arrays are joined */
    int level;       /* HEADING: level and anchor as of rft_doc_heading() */
    const char *anchor;
    rft_text_style style; /* SENTENCE */
    const char *text;     /* HEADING, SENTENCE; CHARTS: the caption, NULL = none */
    rft_cell_table *table;
    rft_trait field; /* FACT */
    rft_datum cell;
    rft_chart **charts; /* CHARTS: side by side */
    size_t chart_count;
    rft_bars bars;
    const struct rft_finding **findings; /* FINDING: one, which may be NULL; LIST */
    size_t finding_count, finding_capacity;
} rft_item;

typedef struct rft_finding {
    rft_arena *arena; /* borrowed; everything lives in it */
    rft_item *items;
    size_t item_count, item_capacity;
} rft_finding;

rft_finding *rft_finding_new(rft_arena *arena);

/* Texts are formatted; other texts and arrays of the caller are not copied unless it says so. */
void rft_finding_heading(rft_finding *f, unsigned where, int level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* On a page, where links lead to. */
void rft_finding_chapter(rft_finding *f, int level, const char *text, const char *anchor);
/* A note (small on a page). */
void rft_finding_note(rft_finding *f, unsigned where, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* On a page: what words and marks mean, the same in every sweep. */
void rft_finding_legend(rft_finding *f, const char *text);
void rft_finding_strong(rft_finding *f, unsigned where, const char *text);
/* Without words it is an empty line on a terminal. */
void rft_finding_body(rft_finding *f, unsigned where, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Preformatted text, such as a compiler's log: lines stay as they are. Not copied. */
void rft_finding_mono(rft_finding *f, unsigned where, const char *text);
/* `fields` are copied (their texts are not). A table without rows is not seen by people; one whose titles are all empty
 * has no headings. */
rft_cell_table *rft_finding_table(rft_finding *f, const char *key, const rft_trait *fields, size_t count);
/* Appends a row of blank cells. The pointer dies with the next row. */
rft_cell_row *rft_cell_table_row(rft_cell_table *table);
/* How many rows these readers have. */
size_t rft_cell_table_rows(const rft_cell_table *table, unsigned readers);
bool rft_cell_table_headed(const rft_cell_table *table);
void rft_finding_fact(rft_finding *f, const rft_trait *field, rft_datum cell);
/* One of several sentences that are a list for programs: `key` names an array of texts. NULL: none, the array is there
 * all the same. */
void rft_finding_listed(rft_finding *f, unsigned where, const char *key, const char *text);
/* For programs alone. */
void rft_finding_set(rft_finding *f, const char *key, rft_datum cell);
/* An array of texts, for programs. */
rft_finding *rft_finding_texts(const char *const *texts, size_t count, rft_arena *arena);
/* On a page. The array is copied. */
void rft_finding_charts(rft_finding *f, rft_chart *const *charts, size_t count, const char *caption);
/* One over the whole width, on a terminal too (print/plot.h says which). */
void rft_finding_plot(rft_finding *f, rft_chart *chart);
/* The same as rft_finding_charts() in rows of `columns` (1..4), the last one filled up, so that columns stay in line.
 */
void rft_finding_chart_rows(rft_finding *f, rft_chart *const *charts, size_t count, size_t columns);
/* Columns for so many charts without holes: 1, 2, 3, 2 x 2, 3 x 2 ... */
size_t rft_finding_chart_columns(size_t count);
/* Where bars should begin for values between both: at zero, unless that would hide all there is to see. */
double rft_bars_floor(double lowest, double highest);
/* On a terminal. The values are copied. */
void rft_finding_bars(rft_finding *f, unsigned where, const rft_bars *bars);
void rft_finding_add(rft_finding *f, const char *key, const rft_finding *child);
/* Appends the items of another finding, as if they had been added to `f`. */
void rft_finding_join(rft_finding *f, const rft_finding *other);
/* An empty list, which rft_finding_append() adds to; it dies with the next item. */
rft_item *rft_finding_list(rft_finding *f, const char *key);
void rft_finding_append(rft_finding *f, rft_item *list, const rft_finding *child);

/* The first item of a kind; NULL. Also of no finding. */
const rft_item *rft_finding_find(const rft_finding *f, rft_item_kind kind);

/* What people read of a cell; "" for a blank one. `text`: on a terminal (ASCII units, its digits). */
const char *rft_datum_words(const rft_datum *cell, const rft_trait *field, bool text, rft_arena *arena);
/* Whether a `where`, or a field, is for one of these readers. */
bool rft_is_for(unsigned where, unsigned readers);
bool rft_trait_is_for(const rft_trait *field, unsigned readers);

#endif
