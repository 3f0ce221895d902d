/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h - what pages are drawn on. Everything is in points, the origin is the page's upper left corner, y grows
 * downwards. Text arrives in WinAnsi (font.h). Implementations: canvas_haru (PDF), canvas_svg (one
 * picture), canvas_trace (text, for tests), canvas_used (only takes notes).
 * A NULL canvas is accepted by every function and draws nothing: the measuring pass.
 *
 * Drawing functions return nothing: an implementation remembers its first error and finish() reports it.
 */
#ifndef RFT_REPORTS_CANVAS_H
#define RFT_REPORTS_CANVAS_H

#include "base/err.h"
#include "base/str.h"
#include "reports/page/font.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t rft_colour; /* 0xrrggbb */

typedef struct rft_spot {
    double x, y;
} rft_spot;

typedef struct rft_rect {
    double x, y, width, height; /* upper left corner */
} rft_rect;

typedef struct rft_text_run {
    double x, y;  /* left end of the baseline */
    double angle; /* degrees, counter-clockwise */
    rft_font font;
    double size;
    rft_colour colour;
    const char *text; /* WinAnsi, not NUL-terminated */
    size_t length;
    rft_rect cell; /* what it must stay in, for who checks that; width 0: nothing is said */
} rft_text_run;

typedef struct rft_stroke {
    rft_colour colour;
    double width;
    double dash_on, dash_off; /* points; 0 = solid */
} rft_stroke;

/* Document information: the same run gives the same values. */
typedef struct rft_canvas_info {
    const char *title, *subject, *author, *creator, *keywords; /* UTF-8; NULL and "": not told */
    const char *language;                                      /* of its text, as BCP 47 has it: "en" */
    int64_t created_unix_ns;                                   /* 0: not told */
    const struct rft_font_family
        *family;                  /* embedded; NULL: Helvetica and Courier are named, as every reader has them */
    const rft_truetypes *foreign; /* the fonts of RFT_FONT_FOREIGN characters; NULL = none come up */
    const struct rft_used *used;  /* which of their characters come up */
} rft_canvas_info;

typedef struct rft_canvas_vt {
    void (*page)(void *self, double width, double height);
    void (*text)(void *self, const rft_text_run *run);
    void (*line)(void *self, const rft_spot *spots, size_t count, const rft_stroke *stroke);
    void (*area)(void *self, const rft_spot *spots, size_t count, rft_colour colour);
    void (*rects)(void *self, const rft_rect *rects, size_t count, rft_colour colour);
    void (*place)(void *self, const char *anchor, double y);
    void (*link)(void *self, const rft_rect *box, const char *anchor);
    void (*bookmark)(void *self, int level, const char *title, double y);
    /* Completes the document and appends its bytes. RFT_E_REPORT names the first thing that failed. */
    int (*finish)(void *self, rft_str *out, rft_err *err);
    void (*free)(void *self);
} rft_canvas_vt;

typedef struct rft_canvas {
    const rft_canvas_vt *vt;
    void *self;
} rft_canvas;

/* Starts a page; everything else draws on the last one started. */
void rft_canvas_page(rft_canvas *canvas, double width, double height);
void rft_canvas_text(rft_canvas *canvas, const rft_text_run *run);
/* An open path of two or more spots. */
void rft_canvas_line(rft_canvas *canvas, const rft_spot *spots, size_t count, const rft_stroke *stroke);
/* A filled polygon, the same colour without an edge. */
void rft_canvas_area(rft_canvas *canvas, const rft_spot *spots, size_t count, rft_colour colour);
void rft_canvas_rects(rft_canvas *canvas, const rft_rect *rects, size_t count, rft_colour colour);
/* Names the height y of this page, as the target of links. A link to a name never placed is dropped. */
void rft_canvas_place(rft_canvas *canvas, const char *anchor, double y);
void rft_canvas_link(rft_canvas *canvas, const rft_rect *box, const char *anchor);
/* level 1.. ; title in WinAnsi. */
void rft_canvas_bookmark(rft_canvas *canvas, int level, const char *title, double y);
int rft_canvas_finish(rft_canvas *canvas, rft_str *out, rft_err *err);
void rft_canvas_free(rft_canvas *canvas); /* NULL, and one that never came to be, are accepted */

/* Characters of further fonts that a document has, by the font's index. */
typedef struct rft_used {
    rft_codes fonts[RFT_TRUETYPE_MOST];
} rft_used;

/* A canvas that only notes them in `used`, which the caller keeps and clears first. */
void rft_canvas_used_new(rft_canvas *out, rft_used *used);

/* A PDF through libharu. RFT_E_REPORT when it cannot be set up. `info` is copied. */
int rft_canvas_haru_new(rft_canvas *out, const rft_canvas_info *info, rft_err *err);
/* libharu's own widths of the WinAnsi bytes from 0x20 on in 1/1000 of the size, -1 for none: for the test that compares
 * them with font.h. `family` as in rft_canvas_info. */
void rft_canvas_haru_widths(const struct rft_font_family *family, rft_font font, int out[256]);

/* A text form, one line an operation, for tests:
 *   page NUMBER WIDTH HEIGHT
 *   cell X Y WIDTH HEIGHT                     (what the text that follows must stay in)
 *   text X Y WIDTH SIZE FONT ANGLE |TEXT      (X Y = left end of the baseline)
 *   line X Y X Y ... / area X Y X Y ... / rect X Y WIDTH HEIGHT
 *   place ANCHOR Y / link X Y WIDTH HEIGHT ANCHOR / bookmark LEVEL Y |TITLE
 * Coordinates have two decimals; text is UTF-8. */
int rft_canvas_trace_new(rft_canvas *out, rft_err *err);

/* A picture as SVG 1.1, in UTF-8; one page. Never fails. */
void rft_canvas_svg_new(rft_canvas *out);

#endif
