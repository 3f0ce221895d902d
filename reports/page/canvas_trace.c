/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "reports/page/canvas.h"

#include <stdlib.h>

typedef struct trace {
    rft_arena *arena;
    rft_str out;
    int pages;
} trace;

static void add_number(trace *self, double value) {
    rft_str_add_char(&self->out, ' ');
    rft_str_add_fixed(&self->out, value, 2);
}

static void trace_page(void *opaque, double width, double height) {
    trace *self = opaque;
    rft_str_addf(&self->out, "page %d", ++self->pages);
    add_number(self, width);
    add_number(self, height);
    rft_str_add_char(&self->out, '\n');
}

static void add_rect(trace *self, const char *what, const rft_rect *rect) {
    rft_str_add(&self->out, what);
    add_number(self, rect->x);
    add_number(self, rect->y);
    add_number(self, rect->width);
    add_number(self, rect->height);
}

static void trace_text(void *opaque, const rft_text_run *run) {
    static const char *const names[RFT_FONT_COUNT] = {"regular", "bold", "mono"};
    trace *self = opaque;
    if (run->cell.width > 0) {
        add_rect(self, "cell", &run->cell);
        rft_str_add_char(&self->out, '\n');
    }
    rft_str_add(&self->out, "text");
    add_number(self, run->x);
    add_number(self, run->y);
    add_number(self, rft_font_width(run->font, run->size, run->text, run->length));
    add_number(self, run->size);
    rft_str_addf(&self->out, " %s", names[run->font]);
    add_number(self, run->angle);
    rft_str_addf(&self->out, " |%s\n", rft_font_decode(self->arena, run->text, run->length));
}

static void add_spots(trace *self, const char *what, const rft_spot *spots, size_t count) {
    rft_str_add(&self->out, what);
    for (size_t i = 0; i < count; i++) {
        add_number(self, spots[i].x);
        add_number(self, spots[i].y);
    }
    rft_str_add_char(&self->out, '\n');
}

static void trace_line(void *opaque, const rft_spot *spots, size_t count, const rft_stroke *stroke) {
    (void)stroke;
    add_spots(opaque, "line", spots, count);
}

static void trace_area(void *opaque, const rft_spot *spots, size_t count, rft_colour colour) {
    (void)colour;
    add_spots(opaque, "area", spots, count);
}

static void trace_rects(void *opaque, const rft_rect *rects, size_t count, rft_colour colour) {
    trace *self = opaque;
    (void)colour;
    for (size_t i = 0; i < count; i++) {
        add_rect(self, "rect", &rects[i]);
        rft_str_add_char(&self->out, '\n');
    }
}

static void trace_place(void *opaque, const char *anchor, double y) {
    trace *self = opaque;
    rft_str_addf(&self->out, "place %s", anchor);
    add_number(self, y);
    rft_str_add_char(&self->out, '\n');
}

static void trace_link(void *opaque, const rft_rect *box, const char *anchor) {
    trace *self = opaque;
    add_rect(self, "link", box);
    rft_str_addf(&self->out, " %s\n", anchor);
}

static void trace_bookmark(void *opaque, int level, const char *title, double y) {
    trace *self = opaque;
    size_t length = 0;
    while (title[length]) {
        length++;
    }
    rft_str_addf(&self->out, "bookmark %d", level);
    add_number(self, y);
    rft_str_addf(&self->out, " |%s\n", rft_font_decode(self->arena, title, length));
}

static int trace_finish(void *opaque, rft_str *out, rft_err *err) {
    trace *self = opaque;
    (void)err;
    rft_str_add_n(out, rft_str_get(&self->out), self->out.length);
    return 0;
}

static void trace_free(void *opaque) {
    trace *self = opaque;
    rft_str_clear(&self->out);
    rft_arena_free(self->arena);
    free(self);
}

int rft_canvas_trace_new(rft_canvas *out, rft_err *err) {
    static const rft_canvas_vt vt = {trace_page,  trace_text, trace_line,     trace_area,   trace_rects,
                                     trace_place, trace_link, trace_bookmark, trace_finish, trace_free};
    (void)err;
    trace *self = rft_alloc(sizeof *self);
    self->arena = rft_arena_new();
    out->vt = &vt;
    out->self = self;
    return 0;
}
