/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/canvas.h"

void rft_canvas_page(rft_canvas *canvas, double width, double height) {
    if (canvas) {
        canvas->vt->page(canvas->self, width, height);
    }
}

void rft_canvas_text(rft_canvas *canvas, const rft_text_run *run) {
    if (canvas && run->length > 0) {
        canvas->vt->text(canvas->self, run);
    }
}

void rft_canvas_line(rft_canvas *canvas, const rft_spot *spots, size_t count, const rft_stroke *stroke) {
    if (canvas && count > 1) {
        canvas->vt->line(canvas->self, spots, count, stroke);
    }
}

void rft_canvas_area(rft_canvas *canvas, const rft_spot *spots, size_t count, rft_colour colour) {
    if (canvas && count > 2) {
        canvas->vt->area(canvas->self, spots, count, colour);
    }
}

void rft_canvas_rects(rft_canvas *canvas, const rft_rect *rects, size_t count, rft_colour colour) {
    if (canvas && count > 0) {
        canvas->vt->rects(canvas->self, rects, count, colour);
    }
}

void rft_canvas_place(rft_canvas *canvas, const char *anchor, double y) {
    if (canvas && anchor) {
        canvas->vt->place(canvas->self, anchor, y);
    }
}

void rft_canvas_link(rft_canvas *canvas, const rft_rect *box, const char *anchor) {
    if (canvas && anchor) {
        canvas->vt->link(canvas->self, box, anchor);
    }
}

void rft_canvas_bookmark(rft_canvas *canvas, int level, const char *title, double y) {
    if (canvas) {
        canvas->vt->bookmark(canvas->self, level, title, y);
    }
}

int rft_canvas_finish(rft_canvas *canvas, rft_str *out, rft_err *err) {
    return canvas->vt->finish(canvas->self, out, err);
}

void rft_canvas_free(rft_canvas *canvas) {
    if (canvas && canvas->vt) {
        canvas->vt->free(canvas->self);
        canvas->vt = NULL;
        canvas->self = NULL;
    }
}
