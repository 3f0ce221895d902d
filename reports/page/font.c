/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/font.h"

#include "base/str.h"

#include <stdint.h>
#include <string.h>

#define FIRST 32
#define MONO_WIDTH 600
#define INDEX_SHIFT 16 /* a foreign character is one of the first 65,536: its font's index is above */

/* Advance widths of Liberation Sans 2.1.5, rounded down as libharu writes them into a PDF; 0: the set has nothing
 * there. */
static const short widths_regular[224] = {
    277,  277, 354, 556,  556, 889, 666, 190, 333, 333, 389, 583,  277, 333, 277,  277, 556,  556,  556, 556,  556,
    556,  556, 556, 556,  556, 277, 277, 583, 583, 583, 556, 1015, 666, 666, 722,  722, 666,  610,  777, 722,  277,
    500,  666, 556, 833,  722, 777, 666, 777, 722, 666, 610, 722,  666, 943, 666,  666, 610,  277,  277, 277,  469,
    556,  333, 556, 556,  500, 556, 556, 277, 556, 556, 222, 222,  500, 222, 833,  556, 556,  556,  556, 333,  500,
    277,  556, 500, 722,  500, 500, 500, 333, 259, 333, 583, 0,    556, 0,   222,  556, 333,  1000, 556, 556,  333,
    1000, 666, 333, 1000, 0,   610, 0,   0,   222, 222, 333, 333,  350, 556, 1000, 333, 1000, 500,  333, 943,  0,
    500,  666, 277, 333,  556, 556, 556, 556, 259, 556, 333, 736,  370, 556, 583,  333, 736,  552,  399, 548,  333,
    333,  333, 576, 537,  333, 333, 333, 365, 556, 833, 833, 833,  610, 666, 666,  666, 666,  666,  666, 1000, 722,
    666,  666, 666, 666,  277, 277, 277, 277, 722, 722, 777, 777,  777, 777, 777,  583, 777,  722,  722, 722,  722,
    666,  666, 610, 556,  556, 556, 556, 556, 556, 889, 500, 556,  556, 556, 556,  277, 277,  277,  277, 556,  556,
    556,  556, 556, 556,  556, 548, 610, 556, 556, 556, 556, 500,  556, 500};
static const short widths_bold[224] = {
    277,  333, 474, 556,  556, 889, 722, 237, 333, 333, 389, 583, 277, 333, 277,  277, 556,  556,  556, 556,  556,
    556,  556, 556, 556,  556, 333, 333, 583, 583, 583, 610, 975, 722, 722, 722,  722, 666,  610,  777, 722,  277,
    556,  722, 610, 833,  722, 777, 666, 777, 722, 666, 610, 722, 666, 943, 666,  666, 610,  333,  277, 333,  583,
    556,  333, 556, 610,  556, 610, 556, 333, 610, 610, 277, 277, 556, 277, 889,  610, 610,  610,  610, 389,  556,
    333,  610, 556, 777,  556, 556, 500, 389, 279, 389, 583, 0,   556, 0,   277,  556, 500,  1000, 556, 556,  333,
    1000, 666, 333, 1000, 0,   610, 0,   0,   277, 277, 500, 500, 350, 556, 1000, 333, 1000, 556,  333, 943,  0,
    500,  666, 277, 333,  556, 556, 556, 556, 279, 556, 333, 736, 370, 556, 583,  333, 736,  552,  399, 548,  333,
    333,  333, 576, 556,  333, 333, 333, 365, 556, 833, 833, 833, 610, 722, 722,  722, 722,  722,  722, 1000, 722,
    666,  666, 666, 666,  277, 277, 277, 277, 722, 722, 777, 777, 777, 777, 777,  583, 777,  722,  722, 722,  722,
    666,  666, 610, 556,  556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556,  277, 277,  277,  277, 610,  610,
    610,  610, 610, 610,  610, 548, 610, 610, 610, 610, 610, 556, 610, 556};

/* WinAnsi 0x80..0x9f; 0 = not used. The rest of the set is Latin-1. */
static const uint16_t high_block[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

/* What the set lacks but can be spelled. */
static const struct {
    uint32_t code;
    const char *text;
} spelled[] = {
    {0x2264, "<="}, {0x2265, ">="},   {0x2192, "->"}, {0x2190, "<-"},   {0x2212, "-"}, {0x2010, "-"},
    {0x2011, "-"},  {0x03bc, "\xb5"}, {0x2002, " "},  {0x2003, " "},    {0x2009, " "}, {0x200a, " "},
    {0x202f, " "},  {0x2248, "~"},    {0x2260, "!="}, {0x221e, "inf"},  {0x2032, "'"}, {0x2033, "\""},
    {0x00ad, "-"},  {0x2215, "/"},    {0x2044, "/"},  {0x22c5, "\xb7"}, {0x2217, "*"}, {0xfeff, ""},
};

/* Decodes one UTF-8 character at `text`; *step is its length, 1 for a broken one (then the result is 0xfffd). */
static uint32_t next_character(const unsigned char *text, size_t *step) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xf8 ? 0 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    *step = 1;
    if (length == 1) {
        return text[0];
    }
    if (length == 0 || text[0] < 0xc2) {
        return 0xfffd;
    }
    uint32_t code = text[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0xfffd;
        }
        code = code << 6 | (text[i] & 0x3fU);
    }
    if (code < smallest[length] || code > 0x10ffff) {
        return 0xfffd;
    }
    *step = length;
    return code;
}

/* The WinAnsi text for a character, "" when it vanishes, NULL when there is none. `byte` holds one character. */
static const char *winansi_for(uint32_t code, char byte[2]) {
    byte[1] = '\0';
    if (code >= 0x20 && code < 0x7f) { /* nearly all */
        byte[0] = (char)code;
        return byte;
    }
    if (code == '\t' || code == '\n' || code == '\r' || code == 0xa0) {
        return " ";
    }
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
        if (spelled[i].code == code) {
            return spelled[i].text;
        }
    }
    if (code > 0xa0 && code <= 0xff) {
        byte[0] = (char)code;
        return byte;
    }
    for (size_t i = 0; i < 32; i++) {
        if (code != 0 && high_block[i] == code) {
            byte[0] = (char)(0x80 + i);
            return byte;
        }
    }
    return NULL;
}

/* Six bytes; the width is cut to 14 bits. */
static size_t put_foreign(char *out, uint32_t code, int width) {
    const uint32_t parts[] = {code >> 14, code >> 7, code, (uint32_t)width >> 7, (uint32_t)width};
    out[0] = RFT_FONT_FOREIGN;
    for (size_t i = 0; i < 5; i++) {
        out[i + 1] = (char)(0x80 | (parts[i] & 0x7f));
    }
    return RFT_FONT_FOREIGN_BYTES;
}

static bool is_foreign(const char *text, size_t length) {
    return length >= RFT_FONT_FOREIGN_BYTES && text[0] == RFT_FONT_FOREIGN;
}

static uint32_t seven(const char *text, size_t from, size_t count) {
    uint32_t value = 0;
    for (size_t i = from; i < from + count; i++) {
        value = value << 7 | ((unsigned char)text[i] & 0x7fU);
    }
    return value;
}

const char *rft_font_encode_with(rft_arena *arena, const rft_truetypes *foreign, const char *utf8, size_t *replaced) {
    const unsigned char *text = (const unsigned char *)(utf8 ? utf8 : "");
    /* The longest spelling of a character is never longer than its UTF-8 form; a foreign one has two bytes or more. */
    size_t length = strlen((const char *)text);
    char *out = rft_arena_alloc(arena, (foreign ? RFT_FONT_FOREIGN_BYTES / 2 : 1) * length + 1);
    size_t used = 0;
    while (*text) {
        size_t step;
        char byte[2];
        uint32_t code = next_character(text, &step);
        const char *part = winansi_for(code, byte);
        size_t index = 0;
        int width = part ? -1 : rft_truetypes_width(foreign, code, &index);
        text += step;
        if (width >= 0) {
            used += put_foreign(out + used, (uint32_t)index << INDEX_SHIFT | code, width < 0x3fff ? width : 0x3fff);
            continue;
        }
        if (!part) {
            part = "?";
            if (replaced) {
                ++*replaced;
            }
        }
        for (; *part; part++) {
            out[used++] = *part;
        }
    }
    out[used] = '\0';
    return out;
}

const char *rft_font_encode(rft_arena *arena, const char *utf8, size_t *replaced) {
    return rft_font_encode_with(arena, NULL, utf8, replaced);
}

/* Which further font the character is of; -1: the base font. */
static int index_at(const char *text, size_t length) {
    return is_foreign(text, length) ? (int)(seven(text, 1, 3) >> INDEX_SHIFT) : -1;
}

uint32_t rft_font_code_at(const char *text, size_t length, int *index, size_t *bytes) {
    *index = index_at(text, length);
    *bytes = *index >= 0 ? RFT_FONT_FOREIGN_BYTES : 1;
    return *index >= 0 ? seven(text, 1, 3) & 0xffffU : (unsigned char)text[0];
}

size_t rft_font_run(const char *text, size_t length, int *foreign) {
    size_t i = 0;
    *foreign = index_at(text, length);
    while (i < length && index_at(text + i, length - i) == *foreign) {
        i += *foreign >= 0 ? RFT_FONT_FOREIGN_BYTES : 1;
    }
    return i;
}

static void add_utf8(rft_str *out, uint32_t code) {
    if (code < 0x80) {
        rft_str_add_char(out, (char)code);
    } else if (code < 0x800) {
        rft_str_add_char(out, (char)(0xc0 | code >> 6));
        rft_str_add_char(out, (char)(0x80 | (code & 0x3f)));
    } else {
        rft_str_add_char(out, (char)(0xe0 | code >> 12));
        rft_str_add_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
        rft_str_add_char(out, (char)(0x80 | (code & 0x3f)));
    }
}

uint32_t rft_font_unicode(unsigned char c) {
    return c < 0x80 || c >= 0xa0 ? c : high_block[c - 0x80] ? high_block[c - 0x80] : '?';
}

const char *rft_font_decode(rft_arena *arena, const char *winansi, size_t length) {
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)winansi[i];
        if (is_foreign(winansi + i, length - i)) {
            add_utf8(&out, seven(winansi + i, 1, 3) & 0xffffU);
            i += RFT_FONT_FOREIGN_BYTES - 1;
            continue;
        }
        add_utf8(&out, rft_font_unicode(c));
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

static int glyph_width(rft_font font, unsigned char c) {
    if (font == RFT_FONT_MONO) {
        return MONO_WIDTH;
    }
    return c < FIRST ? 0 : font == RFT_FONT_BOLD ? widths_bold[c - FIRST] : widths_regular[c - FIRST];
}

/* Of the character at `text`, in 1/1000 of the size; *bytes is what it takes. */
static int width_at(rft_font font, const char *text, size_t length, size_t *bytes) {
    bool foreign = is_foreign(text, length);
    *bytes = foreign ? RFT_FONT_FOREIGN_BYTES : 1;
    return foreign ? (int)seven(text, 4, 2) : glyph_width(font, (unsigned char)text[0]);
}

double rft_font_width(rft_font font, double size, const char *winansi, size_t length) {
    long sum = 0;
    for (size_t i = 0, bytes; i < length; i += bytes) {
        sum += width_at(font, winansi + i, length - i, &bytes);
    }
    return (double)sum * size / 1000.0;
}

size_t rft_font_fit(rft_font font, double size, const char *winansi, size_t length, double width) {
    double used = 0;
    for (size_t i = 0, bytes; i < length; i += bytes) {
        used += width_at(font, winansi + i, length - i, &bytes) * size / 1000.0;
        if (used > width + 1e-6) {
            return i ? i : bytes;
        }
    }
    return length;
}
