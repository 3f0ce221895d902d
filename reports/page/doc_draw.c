/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/doc_draw.h"

#include "reports/page/canvas.h"
#include "reports/page/font_family.h"
#include "reports/page/page.h"

int rft_doc_set_fonts(rft_doc *doc, const char *const *paths, size_t count, rft_err *err) {
    const rft_font_family *family = rft_font_family_built_in();
    rft_truetypes *fonts = rft_arena_calloc(doc->arena, 1, sizeof *fonts);
    int code = 0;
    for (size_t i = 0; i < count && i + 1 < RFT_TRUETYPE_MOST && code == 0; i++) {
        code = rft_truetype_open(&fonts->items[fonts->count++], paths[i], doc->arena, err);
    }
    if (family && code == 0) {
        const rft_font_file *own = &family->files[RFT_FONT_REGULAR];
        code = rft_truetype_read(&fonts->items[fonts->count++], own->bytes, *own->size, family->name, doc->arena, err);
    }
    doc->foreign = fonts->count ? fonts : NULL;
    return code;
}

static int draw(const rft_doc *doc, rft_canvas *canvas, int opened, rft_str *out, rft_err *err) {
    int code = opened;
    if (code == 0) {
        rft_page_layout(doc, canvas);
        code = rft_canvas_finish(canvas, out, err);
    }
    rft_canvas_free(canvas);
    return code;
}

/* The characters that are to be embedded: one more layout. */
static const rft_used *used_of(const rft_doc *doc) {
    rft_used *used = rft_arena_calloc(doc->arena, 1, sizeof *used);
    if (doc->foreign) {
        rft_canvas collecting = {0};
        rft_canvas_used_new(&collecting, used);
        rft_page_layout(doc, &collecting);
    }
    return used;
}

int rft_doc_pdf(const rft_doc *doc, rft_str *out, rft_err *err) {
    rft_canvas canvas = {0};
    rft_canvas_info info = {.title = doc->title,
                            .subject = doc->subject,
                            .author = doc->author,
                            .keywords = doc->keywords,
                            .creator = doc->creator,
                            .language = RFT_DOC_LANGUAGE,
                            .created_unix_ns = doc->created_unix_ns,
                            .family = rft_font_family_built_in(),
                            .foreign = doc->foreign,
                            .used = used_of(doc)};
    return draw(doc, &canvas, rft_canvas_haru_new(&canvas, &info, err), out, err);
}

int rft_doc_trace(const rft_doc *doc, rft_str *out, rft_err *err) {
    rft_canvas canvas = {0};
    return draw(doc, &canvas, rft_canvas_trace_new(&canvas, err), out, err);
}
