/* SPDX-License-Identifier: Apache-2.0 */
/* pen.h - the small drawing verbs tables, charts and pages share: text with an alignment, wrapped lines, rules, marks.
 * A pen with a NULL canvas measures. */
#ifndef RFT_REPORTS_PEN_H
#define RFT_REPORTS_PEN_H

#include "reports/doc.h"
#include "reports/page/canvas.h"

/* The few greys of a page, and what a tone looks like. */
#define RFT_COLOUR_INK 0x1a1a1aU
#define RFT_COLOUR_QUIET 0x595959U
#define RFT_COLOUR_RULE 0xa6a6a6U
#define RFT_COLOUR_FAINT 0xdededeU
#define RFT_COLOUR_BAND 0xf0f0f0U
#define RFT_COLOUR_LINK 0x1f4e8cU
rft_colour rft_pen_tone(rft_tone tone);

typedef struct rft_pen {
    rft_canvas *canvas;           /* NULL = measuring */
    rft_arena *arena;             /* of the block in hand */
    size_t replaced;              /* characters that became '?' since it was last set to 0 */
    rft_rect cell;                /* what is put must stay in; width 0: nothing is said of that */
    const rft_truetypes *foreign; /* have characters that the base fonts lack; NULL = there are none */
} rft_pen;

typedef struct rft_pen_style {
    rft_font font;
    double size;
    rft_colour colour;
} rft_pen_style;

/* A piece of WinAnsi text that lives in the pen's arena. */
typedef struct rft_line {
    const char *text;
    size_t length;
} rft_line;

typedef struct rft_lines {
    rft_line *items;
    size_t count;
} rft_lines;

rft_line rft_pen_encode(rft_pen *pen, const char *utf8);
double rft_pen_width(const rft_line *line, const rft_pen_style *style);

/* The line as a canvas draws it: `at` is its begin, middle or end for share 0, 0.5, 1, on the baseline; upright: read
 * upwards. */
rft_text_run rft_pen_run(rft_spot at, double share, bool upright, const rft_pen_style *style, const rft_line *line);
/* Draws it, level. */
void rft_pen_put(rft_pen *pen, rft_spot at, double share, const rft_pen_style *style, const rft_line *line);
void rft_pen_text(rft_pen *pen, rft_spot at, double share, const rft_pen_style *style, const char *utf8);

/* Breaks at spaces, and after / , ; = _ or anywhere where a word is longer than the width. At least one line. */
rft_lines rft_pen_wrap(rft_pen *pen, const rft_pen_style *style, const char *utf8, double width);
/* The longest piece that rft_pen_wrap() would rather not break. */
double rft_pen_longest_word(rft_pen *pen, const rft_pen_style *style, const char *utf8);
/* Cuts to at most `most` lines; the last one then ends in an ellipsis. */
void rft_pen_shorten(rft_pen *pen, const rft_pen_style *style, rft_lines *lines, size_t most, double width);

void rft_pen_rule(rft_pen *pen, rft_spot from, rft_spot to, rft_colour colour, double width);
/* The dashes of the tone's lines, so that they are told apart in grey: whole points, 0 = solid. One with marks has its
 * marks for that: A..H are solid, I..P dotted. */
void rft_pen_dashes(rft_tone tone, bool marks, rft_stroke *stroke);
/* A mark of the tone's own shape, `size` points across, with an edge that parts it from what lies behind: disc, square,
 * diamond, triangle, filled for A..D and hollow for E..H; stars and the other triangles for I..P. */
void rft_pen_mark(rft_pen *pen, rft_spot at, rft_tone tone, double size);
/* How far it reaches from its middle, points. */
double rft_pen_mark_reach(double size);

#endif
