/* SPDX-License-Identifier: Apache-2.0 */
/* chart_data.h - charts as data, and what findings and pages share of tables and texts. No layout, no drawing. */
#ifndef RFT_REPORTS_CHART_DATA_H
#define RFT_REPORTS_CHART_DATA_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rft_align {
    RFT_ALIGN_LEFT,
    RFT_ALIGN_RIGHT,
    RFT_ALIGN_DECIMAL /* right, with the decimal points under each other */
} rft_align;

typedef enum rft_text_style {
    RFT_TEXT_BODY,
    RFT_TEXT_LEAD, /* the cover's title and verdict */
    RFT_TEXT_STRONG,
    RFT_TEXT_NOTE,   /* small, grey */
    RFT_TEXT_LEGEND, /* a note that explains words and marks: said once where several chapters have it */
    RFT_TEXT_MONO    /* commands and hashes; lines stay as they are */
} rft_text_style;

typedef enum rft_series_kind {
    RFT_SERIES_LINE,     /* y over x, joined */
    RFT_SERIES_DOTS,     /* marks, each with a label where `names` has one */
    RFT_SERIES_CLOUD,    /* many faint marks; drawn as density when they are too many to tell apart */
    RFT_SERIES_RANGE,    /* a bar from y to y2 at each x */
    RFT_SERIES_BARS,     /* x = left edge, x2 = right edge, y = height; y2 = its limit: what is over it stands out */
    RFT_SERIES_BAND,     /* shaded from x to x2 over the whole height, `names` on top */
    RFT_SERIES_AT_X,     /* a vertical line at each x, `names` on top */
    RFT_SERIES_WHISKERS, /* an interval from y to y2 at each x, with caps */
    RFT_SERIES_CELLS     /* heat map over two axes of names: y2 at (x, y) by darkness; `names` inside where they fit;
                          * `label` is the unit of its scale */
} rft_series_kind;

/* What a series stands for; the palette follows from it. Readable in grey: marks differ in shape, A..D are filled and
 * E..H hollow, I..P have the colours of A..H, other shapes and dotted lines; lines without marks differ in their
 * dashes. */
typedef enum rft_tone {
    RFT_TONE_INK,
    RFT_TONE_A,
    RFT_TONE_B,
    RFT_TONE_C,
    RFT_TONE_D,
    RFT_TONE_E,
    RFT_TONE_F,
    RFT_TONE_G,
    RFT_TONE_H,
    RFT_TONE_I,
    RFT_TONE_J,
    RFT_TONE_K,
    RFT_TONE_L,
    RFT_TONE_M,
    RFT_TONE_N,
    RFT_TONE_O,
    RFT_TONE_P,
    RFT_TONE_GREY
} rft_tone;
#define RFT_TONES 16 /* A..P tell series apart */
/* The tone of the n-th of several series; they repeat. */
rft_tone rft_tone_of(size_t n);

typedef struct rft_series {
    rft_series_kind kind;
    const char *label; /* put beside it; NULL = none */
    rft_tone tone;
    bool dashed, bold, marks; /* marks: a LINE shows its points too */
    size_t count;
    double *x, *y;      /* NaN breaks a line and skips a mark */
    double *x2, *y2;    /* where the kind has them; else NaN */
    const char **names; /* per point; NULL = none, entries may be NULL */
    const char *
        *told; /* per point: what the legend of a plot on a terminal says behind the name; entries may be NULL */
} rft_series;

typedef struct rft_chart_axis {
    const char *title; /* with its unit in brackets */
    bool log;
    bool whole;             /* counts: no ticks between whole numbers */
    double low, high;       /* NaN: from the data, with room */
    const char **names;     /* categories at 0, 1, 2 ...; NULL = numbers */
    const char **sub_names; /* second line under each; NULL = none */
    const char *sub_title;  /* left of that line; NULL = none */
    bool names_wrap;        /* on more lines where they need it */
    bool names_upright;     /* of x: each under its tick, read upwards, its second line beside it */
    size_t name_count;
    const double *ticks; /* where to put numbers; NULL = where they are round */
    size_t tick_count;
} rft_chart_axis;

typedef struct rft_chart {
    const char *title;
    rft_chart_axis x, y;
    rft_series *series;
    size_t series_count, series_capacity;
    double height;       /* points, with title and axis titles */
    const char *caption; /* NULL = none */
} rft_chart;

/* A chart that no document has yet. */
rft_chart *rft_chart_new(rft_arena *arena, const char *title, double height);
/* Room for `count` points: x, y, x2 and y2 are NaN, names NULL. The pointer dies with the next series. */
rft_series *rft_chart_series(rft_arena *arena, rft_chart *chart, rft_series_kind kind, size_t count);

#endif
