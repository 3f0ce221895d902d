/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/report.h"

#include "base/arena.h"
#include "base/fs.h"
#include "reports/canvas.h"
#include "reports/doc_build.h"
#include "reports/page.h"

static int draw(const rft_doc *doc, rft_canvas *canvas, rft_str *out, rft_err *err) {
    rft_page_layout(doc, canvas);
    return rft_canvas_finish(canvas, out, err);
}

/* The document, with the further fonts if some were asked for. */
static int build(const rft_doc **out, const rft_run *run, const rft_report_opts *opts, rft_arena *arena, rft_err *err) {
    rft_truetypes *fonts = rft_arena_calloc(arena, 1, sizeof *fonts);
    rft_doc *doc = rft_doc_build(run, opts, arena);
    int code = 0;
    for (size_t i = 0; opts && i < opts->font_count && i < RFT_TRUETYPE_MOST && code == 0; i++) {
        code = rft_truetype_open(&fonts->items[fonts->count++], opts->fonts[i], arena, err);
    }
    doc->foreign = fonts->count ? fonts : NULL;
    *out = doc;
    return code;
}

int rft_report_pdf(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_canvas canvas = {0};
    const rft_doc *doc = NULL;
    int code = build(&doc, run, opts, arena, err);
    rft_canvas_info info = {0};
    rft_used *used = rft_arena_calloc(arena, 1, sizeof *used);
    if (code == 0 && doc->foreign) {
        rft_canvas collecting = {0};
        rft_canvas_used_new(&collecting, used);
        rft_page_layout(doc, &collecting);
    }
    info.foreign = doc->foreign;
    info.used = used;
    info.title = rft_font_encode(arena, doc->title, NULL);
    info.subject = rft_font_encode(arena, doc->subject, NULL);
    info.keywords = rft_font_encode(arena, doc->keywords, NULL);
    info.creator = rft_font_encode(arena, doc->creator, NULL);
    info.author = info.creator;
    info.created_unix_ns = doc->created_unix_ns;
    code = code == 0 ? rft_canvas_haru_new(&canvas, &info, err) : code;
    if (code == 0) {
        code = draw(doc, &canvas, out, err);
    }
    rft_canvas_free(&canvas);
    rft_arena_free(arena);
    return code;
}

int rft_report_write_pdf(const rft_run *run, const rft_report_opts *opts, const char *path, rft_err *err) {
    rft_str bytes = RFT_STR_INIT;
    int code = rft_report_pdf(run, opts, &bytes, err);
    if (code == 0) {
        code = rft_fs_write_atomic(path, rft_str_get(&bytes), bytes.length, err);
    }
    rft_str_clear(&bytes);
    return code;
}

int rft_report_trace(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_canvas canvas = {0};
    const rft_doc *doc = NULL;
    int code = build(&doc, run, opts, arena, err);
    code = code == 0 ? rft_canvas_trace_new(&canvas, err) : code;
    if (code == 0) {
        code = draw(doc, &canvas, out, err);
    }
    rft_canvas_free(&canvas);
    rft_arena_free(arena);
    return code;
}
