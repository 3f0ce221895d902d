/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_draw.h"

#include "reports/canvas.h"
#include "reports/page.h"

static int draw(const rft_doc *doc, rft_canvas *canvas, int opened, rft_str *out, rft_err *err) {
    int code = opened;
    if (code == 0) {
        rft_page_layout(doc, canvas);
        code = rft_canvas_finish(canvas, out, err);
    }
    rft_canvas_free(canvas);
    return code;
}

int rft_doc_pdf(const rft_doc *doc, rft_str *out, rft_err *err) {
    rft_canvas canvas = {0};
    rft_canvas_info info = {.title = rft_font_encode(doc->arena, doc->title, NULL),
                            .subject = rft_font_encode(doc->arena, doc->subject, NULL),
                            .keywords = rft_font_encode(doc->arena, doc->keywords, NULL),
                            .creator = rft_font_encode(doc->arena, doc->creator, NULL),
                            .created_unix_ns = doc->created_unix_ns};
    info.author = info.creator;
    return draw(doc, &canvas, rft_canvas_haru_new(&canvas, &info, err), out, err);
}

int rft_doc_trace(const rft_doc *doc, rft_str *out, rft_err *err) {
    rft_canvas canvas = {0};
    return draw(doc, &canvas, rft_canvas_trace_new(&canvas, err), out, err);
}
