/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/layout.h"

#include <stdint.h>
#include <string.h>

#define LEAST_ROOM 24 /* columns worth beginning words in */
#define NEXT_INDENT 6
#define PLUS_MINUS "\xc2\xb1"

typedef struct range {
    uint32_t first, last;
} range;

/* Unicode's East Asian Width W and F, in blocks: what is unassigned between them does no harm. */
static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},  {0x3400, 0x4dbf},
                             {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},  {0xac00, 0xd7a3},
                             {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                             {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
static const range combining[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                  {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

static bool is_in(uint32_t c, const range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (c >= ranges[i].first && c <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* The columns of the character at `at`, and its bytes. A stray byte is one column. */
static size_t columns_of(const char *at, size_t *bytes) {
    unsigned char lead = (unsigned char)*at;
    size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t c = length == 1 ? lead : lead & (0xffu >> (length + 1));
    *bytes = 1;
    for (size_t i = 1; i < length; i++, (*bytes)++) {
        unsigned char next = (unsigned char)at[i];
        if ((next & 0xc0) != 0x80) {
            return 1;
        }
        c = c << 6 | (next & 0x3f);
    }
    if (is_in(c, combining, sizeof combining / sizeof *combining)) {
        return 0;
    }
    return is_in(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

static size_t columns_in(const char *text, size_t length) {
    size_t columns = 0, bytes = 0;
    for (const char *at = text; at < text + length; at += bytes) {
        columns += columns_of(at, &bytes);
    }
    return columns;
}

size_t rft_layout_columns(const char *text) {
    return columns_in(text, strlen(text));
}

size_t rft_layout_fitting(const char *text, size_t columns) {
    size_t fitting = 0, used = 0, bytes = 0;
    while (text[fitting]) {
        used += columns_of(text + fitting, &bytes);
        if (used > columns) {
            break;
        }
        fitting += bytes;
    }
    return fitting;
}

void rft_layout_spaces(rft_str *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_str_add_char(out, ' ');
    }
}

void rft_layout_left(rft_str *out, const char *cell, size_t width) {
    size_t columns = rft_layout_columns(cell);
    rft_str_add(out, cell);
    rft_layout_spaces(out, columns < width ? width - columns : 0);
}

void rft_layout_right(rft_str *out, const char *cell, size_t width) {
    size_t columns = rft_layout_columns(cell);
    rft_layout_spaces(out, columns < width ? width - columns : 0);
    rft_str_add(out, cell);
}

void rft_layout_cut(rft_str *out, const char *cell, size_t width) {
    if (rft_layout_columns(cell) <= width) {
        rft_layout_left(out, cell, width);
        return;
    }
    size_t room = width > 2 ? width - 2 : 0, fitting = rft_layout_fitting(cell, room);
    rft_str_add_n(out, cell, fitting);
    rft_str_add(out, width > 2 ? ".." : "");
    rft_layout_spaces(out, room - columns_in(cell, fitting));
}

static const char *digits_of(const char *cell) {
    return cell + (strncmp(cell, PLUS_MINUS, strlen(PLUS_MINUS)) == 0 ? strlen(PLUS_MINUS) : 0);
}

static const char *after_number(const char *cell) {
    return digits_of(cell) + strspn(digits_of(cell), "-0123456789.");
}

bool rft_layout_split(const char *cell, rft_layout_number *parts) {
    const char *digits = digits_of(cell), *after = after_number(cell);
    size_t whole = strspn(digits, "-0123456789");
    *parts = (rft_layout_number){columns_in(cell, (size_t)(digits - cell) + whole), (size_t)(after - digits) - whole,
                                 rft_layout_columns(after)};
    return whole > 0;
}

void rft_layout_decimal(rft_str *out, const char *cell, const rft_layout_number *room) {
    rft_layout_number parts;
    bool fits = rft_layout_split(cell, &parts) && parts.whole <= room->whole && parts.fraction <= room->fraction &&
                parts.unit <= room->unit;
    if (!fits) {
        rft_layout_right(out, cell, room->whole + room->fraction + room->unit);
        return;
    }
    size_t number = strlen(cell) - strlen(after_number(cell));
    rft_layout_spaces(out, room->whole - parts.whole);
    rft_str_add_n(out, cell, number);
    rft_layout_spaces(out, room->fraction - parts.fraction);
    rft_layout_left(out, cell + number, room->unit);
}

static void add_word(rft_str *out, const char *word, size_t length) {
    while (length > 0) {
        bool joint = length > 1 && memcmp(word, RFT_LAYOUT_JOINT, 2) == 0;
        rft_str_add_char(out, joint ? ' ' : *word);
        word += joint ? 2 : 1;
        length -= joint ? 2 : 1;
    }
}

/* The first line of what is longer than a line: up to its last joint, and a word without one wherever the line ends. */
static size_t first_piece(const char *word, size_t length, size_t columns) {
    size_t joint = strlen(RFT_LAYOUT_JOINT), fitting = rft_layout_fitting(word, columns), piece = fitting;
    if (fitting >= length) {
        return length;
    }
    while (piece > 0 && memcmp(word + piece, RFT_LAYOUT_JOINT, joint) != 0) {
        piece--;
    }
    return piece > 0 ? piece : fitting;
}

/* Words held together that are longer than a whole line, in pieces; returns the column they end at. */
static size_t add_broken(rft_str *out, const char *word, size_t length, size_t margin) {
    size_t at = margin, joint = strlen(RFT_LAYOUT_JOINT);
    while (length > 0) {
        size_t piece = first_piece(word, length, RFT_LAYOUT_WIDTH - margin);
        at = margin + columns_in(word, piece);
        add_word(out, word, piece);
        piece += piece < length && memcmp(word + piece, RFT_LAYOUT_JOINT, joint) == 0 ? joint : 0;
        word += piece;
        length -= piece;
        if (length > 0) {
            rft_str_add_char(out, '\n');
            rft_layout_spaces(out, margin);
        }
    }
    return at;
}

/* From column `at` on, further lines from `margin` on. */
static void add_wrapped(rft_str *out, size_t at, size_t margin, const char *words) {
    bool first = true;
    while (*words) {
        words += strspn(words, " \n\t");
        size_t length = strcspn(words, " \n\t");
        if (length == 0) {
            break;
        }
        size_t columns = columns_in(words, length);
        if (!first && at + 1 + columns > RFT_LAYOUT_WIDTH) {
            rft_str_add_char(out, '\n');
            rft_layout_spaces(out, margin);
            at = margin;
        } else if (!first) {
            rft_str_add_char(out, ' ');
            at++;
        }
        if (at + columns > RFT_LAYOUT_WIDTH) {
            at = add_broken(out, words, length, at);
        } else {
            add_word(out, words, length);
            at += columns;
        }
        words += length;
        first = false;
    }
    rft_str_add_char(out, '\n');
}

void rft_layout_wrapped(rft_str *out, size_t indent, size_t hang, const char *words) {
    rft_layout_spaces(out, indent);
    add_wrapped(out, indent, indent + hang, words);
}

void rft_layout_continued(rft_str *out, size_t at, const char *words) {
    if (at + LEAST_ROOM > RFT_LAYOUT_WIDTH) {
        rft_str_add_char(out, '\n');
        rft_layout_wrapped(out, NEXT_INDENT, 0, words);
        return;
    }
    rft_str_add_char(out, ' ');
    add_wrapped(out, at, at, words);
}

void rft_layout_to_ascii(rft_str *out, size_t from) {
    rft_str plain = RFT_STR_INIT;
    size_t bytes = 0;
    for (const char *at = rft_str_get(out) + from; *at; at += bytes) {
        size_t columns = columns_of(at, &bytes);
        for (size_t i = 0; (unsigned char)*at >= 0x80 && i < columns; i++) {
            rft_str_add_char(&plain, '?');
        }
        rft_str_add_n(&plain, at, (unsigned char)*at < 0x80 ? 1 : 0);
    }
    rft_str_truncate(out, from);
    rft_str_add(out, rft_str_get(&plain));
    rft_str_clear(&plain);
}
