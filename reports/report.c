/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/report.h"

#include "base/arena.h"
#include "reports/doc_build.h"
#include "reports/doc_write.h"
#include "reports/page/doc_draw.h"
#include "reports/page/font_family.h"

/* The document, with the further fonts. */
static int build(rft_doc **out, const rft_run *run, const rft_report_opts *opts, rft_arena *arena, rft_err *err) {
    *out = rft_doc_build(run, opts, arena);
    return rft_doc_set_fonts(*out, opts ? opts->fonts : NULL, opts ? opts->font_count : 0, err);
}

const char *rft_report_fonts(void) {
    const rft_font_family *family = rft_font_family_built_in();
    return family ? family->name : NULL;
}

int rft_report_pdf(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, run, opts, arena, err);
    code = code == 0 ? rft_doc_pdf(doc, out, err) : code;
    rft_arena_free(arena);
    return code;
}

int rft_report_write(const rft_run *run, const rft_report_opts *opts, rft_report_form form, const char *path,
                     rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, run, opts, arena, err);
    code = code == 0 ? rft_doc_write(doc, form, path, err) : code;
    rft_arena_free(arena);
    return code;
}

int rft_report_trace(const rft_run *run, const rft_report_opts *opts, rft_str *out, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = NULL;
    int code = build(&doc, run, opts, arena, err);
    code = code == 0 ? rft_doc_trace(doc, out, err) : code;
    rft_arena_free(arena);
    return code;
}
