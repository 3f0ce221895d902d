/* SPDX-License-Identifier: Apache-2.0 */
/* A canvas that draws nothing and notes which characters of further fonts come up, so that these can be embedded. */
#include "reports/page/canvas.h"

static void used_page(void *self, double width, double height) {
    (void)self;
    (void)width;
    (void)height;
}

static void note(rft_used *used, const char *text, size_t length) {
    for (size_t i = 0, bytes; i < length; i += bytes) {
        int index;
        uint32_t code = rft_font_code_at(text + i, length - i, &index, &bytes);
        if (index >= 0 && (size_t)index < RFT_TRUETYPE_MOST) {
            rft_codes_add(&used->fonts[index], code);
        }
    }
}

static void used_text(void *self, const rft_text_run *run) {
    note(self, run->text, run->length);
}

static void used_line(void *self, const rft_spot *spots, size_t count, const rft_stroke *stroke) {
    (void)self;
    (void)spots;
    (void)count;
    (void)stroke;
}

static void used_area(void *self, const rft_spot *spots, size_t count, rft_colour colour) {
    (void)self;
    (void)spots;
    (void)count;
    (void)colour;
}

static void used_rects(void *self, const rft_rect *rects, size_t count, rft_colour colour) {
    (void)self;
    (void)rects;
    (void)count;
    (void)colour;
}

static void used_place(void *self, const char *anchor, double y) {
    (void)self;
    (void)anchor;
    (void)y;
}

static void used_link(void *self, const rft_rect *box, const char *anchor) {
    (void)self;
    (void)box;
    (void)anchor;
}

static void used_bookmark(void *self, int level, const char *title, double y) {
    (void)self;
    (void)level;
    (void)title;
    (void)y;
}

static int used_finish(void *self, rft_str *out, rft_err *err) {
    (void)self;
    (void)out;
    (void)err;
    return 0;
}

static void used_free(void *self) {
    (void)self; /* the caller's */
}

void rft_canvas_used_new(rft_canvas *out, rft_used *used) {
    static const rft_canvas_vt vt = {used_page,  used_text, used_line,     used_area,   used_rects,
                                     used_place, used_link, used_bookmark, used_finish, used_free};
    out->vt = &vt;
    out->self = used;
}
