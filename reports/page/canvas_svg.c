/* SPDX-License-Identifier: Apache-2.0 */
/* A single picture as SVG 1.1: for READMEs and slides. Plain shapes and text, no scripts, no styles from outside. */
#include "reports/page/canvas.h"

#include "base/arena.h"
#include "base/plain.h"

#include <stdlib.h>

typedef struct svg {
    rft_arena *arena;
    rft_str out;
} svg;

static void add_number(svg *self, const char *before, double value) {
    rft_str_add(&self->out, before);
    rft_str_add_fixed(&self->out, value, 2);
}

static void add_colour(svg *self, const char *name, rft_colour colour) {
    rft_str_addf(&self->out, " %s=\"#%06x\"", name, (unsigned)(colour & 0xffffff));
}

static void svg_page(void *opaque, double width, double height) {
    svg *self = opaque;
    rft_str_add(
        &self->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"Liberation Sans, Arial, Helvetica, sans-serif\"");
    add_number(self, " width=\"", width);
    add_number(self, "pt\" height=\"", height);
    add_number(self, "pt\" viewBox=\"0 0 ", width);
    add_number(self, " ", height);
    rft_str_add(&self->out, "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

/* textLength: a reader's font may be wider or narrower than the one that the places were found with. */
static void svg_text(void *opaque, const rft_text_run *run) {
    svg *self = opaque;
    if (run->length == 0) {
        return;
    }
    if (run->angle != 0) { /* in two steps, which every reader knows */
        add_number(self, "<text stroke=\"none\" transform=\"translate(", run->x);
        add_number(self, " ", run->y);
        add_number(self, ") rotate(", -run->angle);
        rft_str_add(&self->out, ")");
    } else {
        add_number(self, "<text stroke=\"none\" x=\"", run->x);
        add_number(self, "\" y=\"", run->y);
    }
    add_number(self, "\" font-size=\"", run->size);
    add_number(self, "\" lengthAdjust=\"spacingAndGlyphs\" textLength=\"",
               rft_font_width(run->font, run->size, run->text, run->length));
    rft_str_add_char(&self->out, '"');
    add_colour(self, "fill", run->colour);
    if (run->font != RFT_FONT_REGULAR) {
        rft_str_add(&self->out, run->font == RFT_FONT_BOLD
                                    ? " font-weight=\"bold\""
                                    : " font-family=\"Liberation Mono, Courier New, monospace\"");
    }
    rft_str_add_char(&self->out, '>');
    rft_plain_add_xml(&self->out, rft_font_decode(self->arena, run->text, run->length));
    rft_str_add(&self->out, "</text>\n");
}

static void add_spots(svg *self, const rft_spot *spots, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add_number(self, i ? " " : "", spots[i].x);
        add_number(self, ",", spots[i].y);
    }
}

static void svg_line(void *opaque, const rft_spot *spots, size_t count, const rft_stroke *stroke) {
    svg *self = opaque;
    rft_str_add(&self->out, "<polyline fill=\"none\" stroke-linejoin=\"round\" points=\"");
    add_spots(self, spots, count);
    rft_str_add_char(&self->out, '"');
    add_colour(self, "stroke", stroke->colour);
    add_number(self, " stroke-width=\"", stroke->width);
    rft_str_add_char(&self->out, '"');
    if (stroke->dash_on > 0) {
        add_number(self, " stroke-dasharray=\"", stroke->dash_on);
        add_number(self, " ", stroke->dash_off);
        rft_str_add_char(&self->out, '"');
    }
    rft_str_add(&self->out, "/>\n");
}

static void svg_area(void *opaque, const rft_spot *spots, size_t count, rft_colour colour) {
    svg *self = opaque;
    rft_str_add(&self->out, "<polygon stroke=\"none\" points=\"");
    add_spots(self, spots, count);
    rft_str_add_char(&self->out, '"');
    add_colour(self, "fill", colour);
    rft_str_add(&self->out, "/>\n");
}

static void svg_rects(void *opaque, const rft_rect *rects, size_t count, rft_colour colour) {
    svg *self = opaque;
    rft_str_add(&self->out, "<path stroke=\"none\" d=\"");
    for (size_t i = 0; i < count; i++) {
        add_number(self, "M", rects[i].x);
        add_number(self, ",", rects[i].y);
        add_number(self, "h", rects[i].width);
        add_number(self, "v", rects[i].height);
        add_number(self, "h", -rects[i].width);
        rft_str_add_char(&self->out, 'z');
    }
    rft_str_add_char(&self->out, '"');
    add_colour(self, "fill", colour);
    rft_str_add(&self->out, "/>\n");
}

/* A picture has no anchors, links and bookmarks. */
static void svg_place(void *opaque, const char *anchor, double y) {
    (void)opaque;
    (void)anchor;
    (void)y;
}

static void svg_link(void *opaque, const rft_rect *box, const char *anchor) {
    (void)opaque;
    (void)box;
    (void)anchor;
}

static void svg_bookmark(void *opaque, int level, const char *title, double y) {
    (void)opaque;
    (void)level;
    (void)title;
    (void)y;
}

static int svg_finish(void *opaque, rft_str *out, rft_err *err) {
    svg *self = opaque;
    (void)err;
    rft_str_add(&self->out, "</svg>\n");
    rft_str_add_n(out, self->out.data, self->out.length);
    return 0;
}

static void svg_free(void *opaque) {
    svg *self = opaque;
    rft_str_clear(&self->out);
    rft_arena_free(self->arena);
    free(self);
}

void rft_canvas_svg_new(rft_canvas *out) {
    static const rft_canvas_vt vt = {svg_page,  svg_text, svg_line,     svg_area,   svg_rects,
                                     svg_place, svg_link, svg_bookmark, svg_finish, svg_free};
    svg *self = rft_calloc(1, sizeof *self);
    self->arena = rft_arena_new();
    out->vt = &vt;
    out->self = self;
}
