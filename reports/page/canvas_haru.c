/* SPDX-License-Identifier: Apache-2.0 */
/* The PDF, through libharu: the only file that knows it. Its error handler only takes notes; nothing jumps. */
#include "reports/page/canvas.h"

#include "base/arena.h"
#include "reports/page/canvas_haru_info.h"
#include "reports/page/font_family.h"

#include <errno.h>
#include <hpdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEVELS 4
#define UNSET 0xffffffffU /* no colour */

/* libharu 2.4 takes dashes as reals, 2.3 as whole points. */
#if HPDF_MAJOR_VERSION > 2 || (HPDF_MAJOR_VERSION == 2 && HPDF_MINOR_VERSION >= 4)
typedef HPDF_REAL dash_length;
#else
typedef HPDF_UINT16 dash_length;
#endif

typedef struct target {
    const char *anchor;
    HPDF_Destination destination;
} target;

typedef struct pending_link {
    HPDF_Page page;
    HPDF_Rect box;
    const char *anchor;
} pending_link;

typedef struct haru {
    rft_arena *arena;
    HPDF_Doc doc;
    HPDF_STATUS error, detail; /* the first one */
    HPDF_Font fonts[RFT_FONT_COUNT];
    HPDF_Encoder encoder;
    HPDF_Font foreign[RFT_TRUETYPE_MOST];
    size_t foreign_count;
    HPDF_Encoder utf8;
    HPDF_Outline outline[LEVELS]; /* the last one of each level */
    HPDF_Page page;
    double height;
    rft_colour fill, stroke; /* as set on this page */
    double line_width, dash_on, dash_off;
    target *targets;
    size_t target_count, target_capacity;
    pending_link *links;
    size_t link_count, link_capacity;
} haru;

static const char *const font_names[RFT_FONT_COUNT] = {"Helvetica", "Helvetica-Bold", "Courier"};

static void HPDF_STDCALL note_error(HPDF_STATUS error, HPDF_STATUS detail, void *opaque) {
    haru *self = opaque;
    if (self && self->error == HPDF_OK) {
        self->error = error;
        self->detail = detail;
    }
}

static int failed(const haru *self, rft_err *err, const char *doing) {
    if (self->error == HPDF_FAILD_TO_ALLOC_MEM) {
        return rft_err_set(err, RFT_E_REPORT, "%s: libharu is out of memory", doing);
    }
    if (self->error == HPDF_FILE_IO_ERROR ||
        self->error == HPDF_FILE_OPEN_ERROR) { /* load_font(): no other is a file */
        rft_err_set(err, RFT_E_IO, "%s: a font cannot be kept in memory: %s", doing, strerror((int)self->detail));
        return rft_err_remedy(err, "allow %s, or write another format: -o FILE.md",
                              self->detail == EFBIG    ? "larger files (ulimit -f)"
                              : self->detail == EMFILE ? "more open files (ulimit -n)"
                                                       : "memfd_create and /proc (a container may refuse them)");
    }
    rft_err_set(err, RFT_E_REPORT, "%s: libharu reports error 0x%04lx (detail %lu)", doing, (unsigned long)self->error,
                (unsigned long)self->detail);
    return rft_err_remedy(err, "libharu %s; its error codes are listed in hpdf_consts.h", HPDF_GetVersion());
}

/* Hundredths of a point are finer than any printer; shorter numbers make a smaller file. */
static HPDF_REAL short_number(double value) {
    return (HPDF_REAL)(round(value * 100.0) / 100.0);
}

static HPDF_REAL flip(const haru *self, double y) {
    return short_number(self->height - y);
}

static void set_fill(haru *self, rft_colour colour) {
    if (self->fill != colour) {
        HPDF_Page_SetRGBFill(self->page, (HPDF_REAL)(colour >> 16 & 0xff) / 255, (HPDF_REAL)(colour >> 8 & 0xff) / 255,
                             (HPDF_REAL)(colour & 0xff) / 255);
        self->fill = colour;
    }
}

static void set_stroke(haru *self, const rft_stroke *stroke) {
    rft_colour colour = stroke->colour;
    if (self->stroke != colour) {
        HPDF_Page_SetRGBStroke(self->page, (HPDF_REAL)(colour >> 16 & 0xff) / 255,
                               (HPDF_REAL)(colour >> 8 & 0xff) / 255, (HPDF_REAL)(colour & 0xff) / 255);
        self->stroke = colour;
    }
    if (self->line_width != stroke->width) {
        HPDF_Page_SetLineWidth(self->page, short_number(stroke->width));
        self->line_width = stroke->width;
    }
    if (self->dash_on != stroke->dash_on || self->dash_off != stroke->dash_off) {
        dash_length dash[2] = {(dash_length)stroke->dash_on, (dash_length)stroke->dash_off};
        HPDF_Page_SetDash(self->page, stroke->dash_on > 0 ? dash : NULL, stroke->dash_on > 0 ? 2 : 0, 0);
        self->dash_on = stroke->dash_on;
        self->dash_off = stroke->dash_off;
    }
}

static void haru_page(void *opaque, double width, double height) {
    haru *self = opaque;
    if (self->error != HPDF_OK) {
        return;
    }
    self->page = HPDF_AddPage(self->doc);
    self->height = height;
    self->fill = self->stroke = UNSET;
    self->line_width = -1;
    self->dash_on = self->dash_off = 0;
    if (self->page) {
        HPDF_Page_SetWidth(self->page, (HPDF_REAL)width);
        HPDF_Page_SetHeight(self->page, (HPDF_REAL)height);
        HPDF_Page_SetLineJoin(self->page, HPDF_ROUND_JOIN);
    }
}

static bool may_draw(const haru *self) {
    return self->error == HPDF_OK && self->page;
}

/* Piece by piece, each with the font that has it; the place moves on by itself. */
static void show(haru *self, const rft_text_run *run) {
    for (size_t i = 0, bytes; i < run->length; i += bytes) {
        int foreign;
        bytes = rft_font_run(run->text + i, run->length - i, &foreign);
        if (foreign >= 0 && (size_t)foreign < self->foreign_count && self->foreign[foreign]) {
            HPDF_Page_SetFontAndSize(self->page, self->foreign[foreign], short_number(run->size));
            HPDF_Page_ShowText(self->page, rft_font_decode(self->arena, run->text + i, bytes));
        } else if (foreign < 0) {
            HPDF_Page_SetFontAndSize(self->page, self->fonts[run->font], short_number(run->size));
            HPDF_Page_ShowText(self->page, rft_arena_strndup(self->arena, run->text + i, bytes));
        }
    }
}

static void haru_text(void *opaque, const rft_text_run *run) {
    haru *self = opaque;
    if (!may_draw(self)) {
        return;
    }
    double turn = run->angle * 3.14159265358979323846 / 180.0;
    set_fill(self, run->colour);
    HPDF_Page_BeginText(self->page);
    HPDF_Page_SetFontAndSize(self->page, self->fonts[run->font], short_number(run->size));
    if (run->angle == 0) {
        HPDF_Page_MoveTextPos(self->page, short_number(run->x), flip(self, run->y));
    } else {
        HPDF_Page_SetTextMatrix(self->page, (HPDF_REAL)cos(turn), (HPDF_REAL)sin(turn), (HPDF_REAL)-sin(turn),
                                (HPDF_REAL)cos(turn), short_number(run->x), flip(self, run->y));
    }
    show(self, run);
    HPDF_Page_EndText(self->page);
}

static void trace_path(haru *self, const rft_spot *spots, size_t count) {
    HPDF_Page_MoveTo(self->page, short_number(spots[0].x), flip(self, spots[0].y));
    for (size_t i = 1; i < count; i++) {
        HPDF_Page_LineTo(self->page, short_number(spots[i].x), flip(self, spots[i].y));
    }
}

static void haru_line(void *opaque, const rft_spot *spots, size_t count, const rft_stroke *stroke) {
    haru *self = opaque;
    if (may_draw(self)) {
        set_stroke(self, stroke);
        trace_path(self, spots, count);
        HPDF_Page_Stroke(self->page);
    }
}

static void haru_area(void *opaque, const rft_spot *spots, size_t count, rft_colour colour) {
    haru *self = opaque;
    if (may_draw(self)) {
        set_fill(self, colour);
        trace_path(self, spots, count);
        HPDF_Page_ClosePath(self->page);
        HPDF_Page_Fill(self->page);
    }
}

static void haru_rects(void *opaque, const rft_rect *rects, size_t count, rft_colour colour) {
    haru *self = opaque;
    if (!may_draw(self)) {
        return;
    }
    set_fill(self, colour);
    for (size_t i = 0; i < count; i++) {
        HPDF_Page_Rectangle(self->page, short_number(rects[i].x), flip(self, rects[i].y + rects[i].height),
                            short_number(rects[i].width), short_number(rects[i].height));
    }
    HPDF_Page_Fill(self->page);
}

static HPDF_Destination destination_here(haru *self, double y) {
    HPDF_Destination destination = HPDF_Page_CreateDestination(self->page);
    if (destination) {
        HPDF_Destination_SetFitH(destination, flip(self, y));
    }
    return destination;
}

static void haru_place(void *opaque, const char *anchor, double y) {
    haru *self = opaque;
    if (may_draw(self)) {
        RFT_GROW(self->targets, self->target_capacity, self->target_count + 1);
        self->targets[self->target_count++] =
            (target){rft_arena_strdup(self->arena, anchor), destination_here(self, y)};
    }
}

static void haru_link(void *opaque, const rft_rect *box, const char *anchor) {
    haru *self = opaque;
    if (may_draw(self)) {
        HPDF_Rect rect = {short_number(box->x), flip(self, box->y + box->height), short_number(box->x + box->width),
                          flip(self, box->y)};
        RFT_GROW(self->links, self->link_capacity, self->link_count + 1);
        self->links[self->link_count++] = (pending_link){self->page, rect, rft_arena_strdup(self->arena, anchor)};
    }
}

static void haru_bookmark(void *opaque, int level, const char *title, double y) {
    haru *self = opaque;
    if (!may_draw(self) || level < 1 || level >= LEVELS) {
        return;
    }
    HPDF_Outline parent = NULL;
    for (int i = 1; i < level; i++) {
        parent = self->outline[i] ? self->outline[i] : parent;
    }
    bool foreign = self->utf8 && strchr(title, RFT_FONT_FOREIGN);
    HPDF_Outline made =
        HPDF_CreateOutline(self->doc, parent, foreign ? rft_font_decode(self->arena, title, strlen(title)) : title,
                           foreign ? self->utf8 : self->encoder);
    HPDF_Destination destination = destination_here(self, y);
    if (made && destination) {
        HPDF_Outline_SetDestination(made, destination);
        HPDF_Outline_SetOpened(made, level == 1 ? HPDF_TRUE : HPDF_FALSE);
    }
    self->outline[level] = made;
    for (int i = level + 1; i < LEVELS; i++) {
        self->outline[i] = NULL;
    }
}

/* Targets may come after the links to them, so links are made last. */
static void make_links(haru *self) {
    for (size_t i = 0; i < self->link_count && self->error == HPDF_OK; i++) {
        const pending_link *link = &self->links[i];
        for (size_t k = 0; k < self->target_count; k++) {
            if (self->targets[k].destination && strcmp(self->targets[k].anchor, link->anchor) == 0) {
                HPDF_Annotation made = HPDF_Page_CreateLinkAnnot(link->page, link->box, self->targets[k].destination);
                if (made) {
                    HPDF_LinkAnnot_SetBorderStyle(made, 0, 0, 0);
                }
                break;
            }
        }
    }
}

static int haru_finish(void *opaque, rft_str *out, rft_err *err) {
    haru *self = opaque;
    make_links(self);
    if (self->error == HPDF_OK) {
        HPDF_SaveToStream(self->doc);
        HPDF_ResetStream(self->doc);
    }
    if (self->error != HPDF_OK) {
        return failed(self, err, "drawing the report");
    }
    HPDF_UINT32 left = HPDF_GetStreamSize(self->doc);
    while (left > 0) {
        HPDF_BYTE buffer[4096];
        HPDF_UINT32 size = left < sizeof buffer ? left : (HPDF_UINT32)sizeof buffer;
        HPDF_ReadFromStream(self->doc, buffer, &size);
        if (size == 0) {
            return failed(self, err, "reading the finished report");
        }
        rft_str_add_n(out, (const char *)buffer, size);
        left -= size;
    }
    return 0;
}

static void haru_free(void *opaque) {
    haru *self = opaque;
    if (self->doc) {
        HPDF_Free(self->doc);
    }
    free(self->targets);
    free(self->links);
    rft_arena_free(self->arena);
    free(self);
}

/* libharu takes a font from a file only: this one lives in memory. NULL: it did not work (a note is taken). */
static HPDF_Font load_font(haru *self, const rft_truetype *font, const rft_codes *used, const char *encoding) {
    rft_str bytes = RFT_STR_INIT;
    rft_codes parts = {{0}};
    char path[40];
    rft_truetype_with_parts(font, used, &parts, &bytes);
    int file = memfd_create("font", MFD_CLOEXEC);
    ssize_t put = file >= 0 ? write(file, bytes.data, bytes.length) : -1;
    int why = put < 0 ? errno : EFBIG; /* a part of it: up to the limit */
    bool written = put == (ssize_t)bytes.length;
    rft_str_clear(&bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const char *name = written ? HPDF_LoadTTFontFromFile(self->doc, path, HPDF_TRUE) : NULL;
    HPDF_Font made = name ? HPDF_GetFont(self->doc, name, encoding) : NULL;
    for (uint32_t code = 0; made && code < 0xffff; code++) {
        if (rft_codes_has(&parts, code)) {
            HPDF_Font_GetUnicodeWidth(made, (HPDF_UNICODE)code); /* so that the glyph is kept */
        }
    }
    if (file >= 0) {
        close(file);
    }
    if (!written) {
        note_error(HPDF_FILE_IO_ERROR, (HPDF_STATUS)why, self);
    }
    return made;
}

/*
 * Every character of the set: libharu drops the glyphs that never come up. A font given with --font may have the same
 * name, and libharu then takes the one that it knows: so the characters of those are in the table, too.
 */
static HPDF_Font load_family(haru *self, const rft_canvas_info *info, rft_font font) {
    const rft_font_file *file = &info->family->files[font];
    const rft_truetype *opened = NULL;
    rft_codes wanted = {{0}};
    rft_err err = RFT_ERR_INIT;
    if (rft_truetype_read(&opened, file->bytes, *file->size, info->family->name, self->arena, &err) != 0) {
        note_error(HPDF_TTF_INVALID_FOMAT, 0, self);
        return NULL;
    }
    for (unsigned c = ' '; c < 256; c++) {
        rft_codes_add(&wanted, rft_font_unicode((unsigned char)c));
    }
    for (size_t i = 0; info->used && i < RFT_TRUETYPE_MOST; i++) {
        for (size_t byte = 0; byte < sizeof wanted.bits; byte++) {
            wanted.bits[byte] |= info->used->fonts[i].bits[byte];
        }
    }
    return load_font(self, opened, &wanted, "WinAnsiEncoding");
}

static void load_fonts(haru *self, const rft_canvas_info *info) {
    for (int i = 0; i < RFT_FONT_COUNT; i++) {
        self->fonts[i] = info->family ? load_family(self, info, (rft_font)i)
                                      : HPDF_GetFont(self->doc, font_names[i], "WinAnsiEncoding");
    }
    self->encoder = HPDF_GetEncoder(self->doc, "WinAnsiEncoding");
    if (!info->foreign || !info->used || HPDF_UseUTFEncodings(self->doc) != HPDF_OK) {
        return;
    }
    self->utf8 = HPDF_GetEncoder(self->doc, "UTF-8");
    for (size_t i = 0; i < info->foreign->count; i++) {
        const rft_codes *used = &info->used->fonts[i];
        self->foreign[self->foreign_count++] =
            rft_codes_any(used) ? load_font(self, info->foreign->items[i], used, "UTF-8") : NULL;
    }
}

int rft_canvas_haru_new(rft_canvas *out, const rft_canvas_info *info, rft_err *err) {
    static const rft_canvas_vt vt = {haru_page,  haru_text, haru_line,     haru_area,   haru_rects,
                                     haru_place, haru_link, haru_bookmark, haru_finish, haru_free};
    haru *self = rft_alloc(sizeof *self);
    self->arena = rft_arena_new();
    self->doc = HPDF_New(note_error, self);
    if (self->doc) {
        HPDF_SetCompressionMode(self->doc, HPDF_COMP_ALL);
        HPDF_SetPageMode(self->doc, HPDF_PAGE_MODE_USE_OUTLINE);
        load_fonts(self, info);
        rft_canvas_haru_info(self->doc, info, self->arena);
    }
    if (!self->doc || self->error != HPDF_OK) {
        int code = failed(self, err, "setting up the PDF");
        haru_free(self);
        return code;
    }
    out->vt = &vt;
    out->self = self;
    return 0;
}

void rft_canvas_haru_widths(const rft_font_family *family, rft_font font, int out[256]) {
    haru self = {.arena = rft_arena_new(), .doc = HPDF_New(note_error, &self)};
    if (self.doc) {
        load_fonts(&self, &(rft_canvas_info){.family = family});
    }
    for (int c = 0; c < 256; c++) {
        HPDF_BYTE byte = (HPDF_BYTE)c;
        out[c] = c >= ' ' && self.fonts[font] ? (int)HPDF_Font_TextWidth(self.fonts[font], &byte, 1).width : -1;
    }
    if (self.doc) {
        HPDF_Free(self.doc);
    }
    rft_arena_free(self.arena);
}
