/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/pen.h"

#include <math.h>
#include <string.h>

#define DISC_CORNERS 12
#define TEXT_MAX 8192 /* bytes of one text on pages: three of them. A file from anywhere may have megabytes */

static bool is_second(rft_tone tone) {
    return tone >= RFT_TONE_I && tone <= RFT_TONE_P;
}

/* Told apart with every kind of colour vision (after Okabe & Ito), and by lightness in grey: of 100, the filled ones
 * 16, 35, 50, 72, the hollow ones 22, 32, 44, 51, which is dark enough for an edge. There are no more than these. */
rft_colour rft_pen_tone(rft_tone tone) {
    static const rft_colour tones[] = {
        [RFT_TONE_INK] = RFT_COLOUR_INK, [RFT_TONE_A] = 0x16295cU,   [RFT_TONE_B] = 0xb5380aU, [RFT_TONE_C] = 0x2f97cfU,
        [RFT_TONE_D] = 0xf0b72bU,        [RFT_TONE_E] = 0x7a2f8fU,   [RFT_TONE_F] = 0x27937aU, [RFT_TONE_G] = 0x4d3312U,
        [RFT_TONE_H] = 0xd4588eU,        [RFT_TONE_GREY] = 0x8c8c8cU};
    return tones[is_second(tone) ? tone - RFT_TONE_I + RFT_TONE_A : tone];
}

void rft_pen_dashes(rft_tone tone, bool marks, rft_stroke *stroke) {
    static const double dashes[][2] = {
        [RFT_TONE_B] = {8, 2}, [RFT_TONE_C] = {4, 2},  [RFT_TONE_D] = {2, 2}, [RFT_TONE_E] = {12, 3},
        [RFT_TONE_F] = {6, 4}, [RFT_TONE_G] = {1, 1},  [RFT_TONE_H] = {1, 3}, [RFT_TONE_I] = {16, 2},
        [RFT_TONE_J] = {8, 6}, [RFT_TONE_K] = {10, 1}, [RFT_TONE_L] = {3, 1}, [RFT_TONE_M] = {4, 8},
        [RFT_TONE_N] = {2, 5}, [RFT_TONE_O] = {2, 1},  [RFT_TONE_P] = {1, 6}, [RFT_TONE_GREY] = {0, 0}};
    static const double solid[] = {0, 0}, dotted[] = {1, 2};
    const double *chosen = !marks ? dashes[tone] : is_second(tone) ? dotted : solid;
    stroke->dash_on = chosen[0];
    stroke->dash_off = chosen[1];
}

rft_line rft_pen_encode(rft_pen *pen, const char *utf8) {
    size_t length = utf8 ? strlen(utf8) : 0, keep = TEXT_MAX;
    if (length > TEXT_MAX) {
        while (keep > 0 && ((unsigned char)utf8[keep] & 0xc0) == 0x80) {
            keep--;
        }
        utf8 = rft_arena_printf(pen->arena, "%.*s \xe2\x80\xa6 (%zu bytes more)", (int)keep, utf8, length - keep);
    }
    rft_line line = {rft_font_encode_with(pen->arena, pen->foreign, utf8, &pen->replaced), 0};
    line.length = strlen(line.text);
    return line;
}

double rft_pen_width(const rft_line *line, const rft_pen_style *style) {
    return rft_font_width(style->font, style->size, line->text, line->length);
}

rft_text_run rft_pen_run(rft_spot at, double share, bool upright, const rft_pen_style *style, const rft_line *line) {
    double shift = share * rft_pen_width(line, style);
    return (rft_text_run){.x = upright ? at.x : at.x - shift,
                          .y = upright ? at.y + shift : at.y,
                          .angle = upright ? 90 : 0,
                          .font = style->font,
                          .size = style->size,
                          .colour = style->colour,
                          .text = line->text,
                          .length = line->length};
}

void rft_pen_put(rft_pen *pen, rft_spot at, double share, const rft_pen_style *style, const rft_line *line) {
    rft_text_run run = rft_pen_run(at, share, false, style, line);
    run.cell = pen->cell;
    rft_canvas_text(pen->canvas, &run);
}

void rft_pen_text(rft_pen *pen, rft_spot at, double share, const rft_pen_style *style, const char *utf8) {
    rft_line line = rft_pen_encode(pen, utf8);
    rft_pen_put(pen, at, share, style, &line);
}

/* Length of the piece at `text` that should stay together, with the break sign it ends in but without the space. */
static size_t piece_length(const char *text, size_t length) {
    size_t i = 0;
    /* A percent sign stays with its number. */
    while (i < length && !(text[i] == ' ' && !(i + 1 < length && text[i + 1] == '%'))) {
        i++;
        /* Only a long word is broken inside: "4/8" stays whole. */
        if (i > 12 && strchr("/,;_=", text[i - 1])) {
            break;
        }
    }
    return i;
}

/* How much of `text` goes on a line of this width, without trailing spaces. At least 1 byte. */
static size_t line_length(const rft_pen_style *style, const char *text, size_t length, double width) {
    size_t fits = rft_font_fit(style->font, style->size, text, length, width);
    if (fits >= length) {
        return length;
    }
    size_t taken = 0;
    length = length < fits + 2 ? length : fits + 2; /* a piece that goes beyond is not taken, however long it is */
    while (taken < length) {
        size_t spaces = 0;
        while (taken + spaces < length && text[taken + spaces] == ' ') {
            spaces++;
        }
        size_t piece = piece_length(text + taken + spaces, length - taken - spaces);
        if (taken + spaces + piece > fits || piece == 0) {
            break;
        }
        taken += spaces + piece;
    }
    /* A word longer than the line: after a sign that joins its parts, if there is one. */
    for (size_t i = fits; taken == 0 && i > fits / 3 && i > 1; i--) {
        if (strchr("-/,;_=.", text[i - 1])) {
            return i;
        }
    }
    return taken ? taken : fits;
}

rft_lines rft_pen_wrap(rft_pen *pen, const rft_pen_style *style, const char *utf8, double width) {
    rft_line all = rft_pen_encode(pen, utf8);
    rft_lines lines = {0};
    size_t capacity = 0;
    const char *text = all.text;
    size_t left = all.length;
    do {
        while (left > 0 && *text == ' ') {
            text++;
            left--;
        }
        size_t take = left ? line_length(style, text, left, width) : 0;
        lines.items = rft_arena_grown(pen->arena, lines.items, lines.count, &capacity, sizeof *lines.items);
        size_t shown = take;
        while (shown > 0 && text[shown - 1] == ' ') {
            shown--;
        }
        if (take > 0 || lines.count == 0) {
            lines.items[lines.count++] = (rft_line){text, shown};
        }
        text += take;
        left -= take;
    } while (left > 0);
    return lines;
}

double rft_pen_longest_word(rft_pen *pen, const rft_pen_style *style, const char *utf8) {
    rft_line all = rft_pen_encode(pen, utf8);
    double longest = 0;
    for (size_t i = 0; i < all.length;) {
        size_t piece = piece_length(all.text + i, all.length - i);
        longest = fmax(longest, rft_font_width(style->font, style->size, all.text + i, piece));
        i += piece ? piece : 1;
    }
    return longest;
}

void rft_pen_shorten(rft_pen *pen, const rft_pen_style *style, rft_lines *lines, size_t most, double width) {
    static const char ellipsis = '\x85'; /* WinAnsi */
    if (lines->count <= most) {
        return;
    }
    lines->count = most;
    rft_line *last = &lines->items[most - 1];
    double room = width - rft_font_width(style->font, style->size, &ellipsis, 1);
    size_t keep = last->length ? rft_font_fit(style->font, style->size, last->text, last->length, room) : 0;
    char *text = rft_arena_alloc(pen->arena, keep + 2);
    memcpy(text, last->text, keep);
    text[keep] = ellipsis;
    *last = (rft_line){text, keep + 1};
}

void rft_pen_rule(rft_pen *pen, rft_spot from, rft_spot to, rft_colour colour, double width) {
    rft_spot spots[2] = {from, to};
    rft_stroke stroke = {colour, width, 0, 0};
    rft_canvas_line(pen->canvas, spots, 2, &stroke);
}

#define WHITE 0xffffffU
#define MARK_HALO 0.7 /* points of white around a mark */
#define MARK_EDGE 0.5
#define MARK_RING 0.4 /* of a hollow mark's radius is edge */
#define CORNER_REACH 1.2
#define STAR_WAIST 0.45
#define STAR_EDGE 0.3

double rft_pen_mark_reach(double size) {
    return (size / 2 + MARK_HALO) * CORNER_REACH;
}

typedef struct mark_shape {
    size_t corners;
    double start_degrees;
    bool hollow, edged, star;
} mark_shape;

/* Corners on a circle: fewer than a disc's have them a little farther out; every second one of a star's is drawn in. */
static void fill_shape(rft_pen *pen, rft_spot at, const mark_shape *shape, double radius, rft_colour colour) {
    rft_spot spots[DISC_CORNERS];
    radius *= shape->corners < DISC_CORNERS || shape->star ? CORNER_REACH : 1.0;
    for (size_t i = 0; i < shape->corners; i++) {
        double turn = (shape->start_degrees + 360.0 * (double)i / (double)shape->corners) * 3.14159265358979 / 180.0;
        double reach = shape->star && i % 2 == 1 ? STAR_WAIST * radius : radius;
        spots[i] = (rft_spot){at.x + reach * cos(turn), at.y - reach * sin(turn)};
    }
    rft_canvas_area(pen->canvas, spots, shape->corners, colour);
}

void rft_pen_mark(rft_pen *pen, rft_spot at, rft_tone tone, double size) {
    static const mark_shape shapes[] = {[RFT_TONE_INK] = {DISC_CORNERS, 0, false, false, false},
                                        [RFT_TONE_A] = {DISC_CORNERS, 0, false, true, false},
                                        [RFT_TONE_B] = {4, 45, false, true, false},
                                        [RFT_TONE_C] = {4, 0, false, true, false},
                                        [RFT_TONE_D] = {3, 90, false, true, false},
                                        [RFT_TONE_E] = {DISC_CORNERS, 0, true, true, false},
                                        [RFT_TONE_F] = {4, 45, true, true, false},
                                        [RFT_TONE_G] = {4, 0, true, true, false},
                                        [RFT_TONE_H] = {3, 270, true, true, false},
                                        [RFT_TONE_I] = {DISC_CORNERS, 90, false, true, true},
                                        [RFT_TONE_J] = {8, 45, false, true, true},
                                        [RFT_TONE_K] = {8, 0, false, true, true},
                                        [RFT_TONE_L] = {6, 90, false, true, true},
                                        [RFT_TONE_M] = {3, 270, false, true, false},
                                        [RFT_TONE_N] = {3, 0, false, true, false},
                                        [RFT_TONE_O] = {3, 180, false, true, false},
                                        [RFT_TONE_P] = {6, 270, false, true, true},
                                        [RFT_TONE_GREY] = {DISC_CORNERS, 0, false, false, false}};
    const mark_shape *shape = &shapes[tone];
    double radius = size / 2;
    if (shape->edged) {
        fill_shape(pen, at, shape, radius + MARK_HALO, WHITE);
    }
    if (shape->edged && !shape->hollow) {
        fill_shape(pen, at, shape, radius, RFT_COLOUR_INK);
        radius -= shape->star ? STAR_EDGE : MARK_EDGE;
    }
    fill_shape(pen, at, shape, radius, rft_pen_tone(tone));
    if (shape->hollow) {
        fill_shape(pen, at, shape, radius * (1 - MARK_RING), WHITE);
    }
}
