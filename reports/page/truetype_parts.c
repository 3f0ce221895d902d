/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/truetype_file.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 8        /* composed of composed ones; real fonts have two levels */
#define CODES_MOST 8000u /* that a table of format 4 has room for */
#define PRIVATE_USE 0xe000u
#define PRIVATE_USE_END 0xf8ffu

typedef struct glyphs {
    rft_font_piece loca, glyf;
    bool long_offsets;
    rft_codes seen; /* parts met so far */
} glyphs;

static rft_font_piece glyph_at(const glyphs *g, unsigned glyph) {
    size_t at = glyph, width = g->long_offsets ? 4 : 2;
    if ((at + 2) * width > g->loca.size) {
        return (rft_font_piece){g->glyf.at, 0};
    }
    size_t from = g->long_offsets ? rft_font_u32(&g->loca, 4 * at) : 2 * (size_t)rft_font_u16(&g->loca, 2 * at);
    size_t to = g->long_offsets ? rft_font_u32(&g->loca, 4 * at + 4) : 2 * (size_t)rft_font_u16(&g->loca, 2 * at + 2);
    return rft_font_part(&g->glyf, from, to > from ? to - from : 0);
}

/* Everything that a glyph is composed of. Flags of a part: OpenType specification, "glyf", composite glyphs. */
static void add_parts(glyphs *g, unsigned glyph, int depth) {
    enum { WORDS = 0x1, SCALE = 0x8, MORE = 0x20, TWO_SCALES = 0x40, MATRIX = 0x80 };
    rft_font_piece data = glyph_at(g, glyph);
    bool composed = data.size > 10 && (rft_font_u16(&data, 0) & 0x8000) != 0;
    unsigned flags = MORE;
    for (size_t at = 10; composed && depth < DEEPEST && (flags & MORE) && at + 4 <= data.size;) {
        flags = rft_font_u16(&data, at);
        unsigned made_of = rft_font_u16(&data, at + 2);
        at += 4 + (flags & WORDS ? 4u : 2u);
        at += flags & SCALE ? 2u : flags & TWO_SCALES ? 4u : flags & MATRIX ? 8u : 0u;
        if (!rft_codes_has(&g->seen, made_of)) {
            rft_codes_add(&g->seen, made_of);
            add_parts(g, made_of, depth + 1);
        }
    }
}

static void put_u16(rft_str *out, uint32_t value) {
    rft_str_add_char(out, (char)(value >> 8 & 0xff));
    rft_str_add_char(out, (char)(value & 0xff));
}

static void put_u32(rft_str *out, size_t value) {
    put_u16(out, (uint32_t)(value >> 16));
    put_u16(out, (uint32_t)(value & 0xffff));
}

/* A segment for each character: simple, and few of them are used. */
static void put_table(rft_str *out, const uint16_t *codes, const uint16_t *glyph, size_t count) {
    size_t segments = count + 1;
    put_u16(out, 0);
    put_u16(out, 1);
    put_u16(out, 3);
    put_u16(out, 1);
    put_u32(out, 12);
    put_u16(out, 4);
    put_u16(out, (uint32_t)(16 + 8 * segments));
    put_u16(out, 0);
    put_u16(out, (uint32_t)(2 * segments));
    for (int i = 0; i < 3; i++) {
        put_u16(out, 0); /* for a binary search, which readers do without */
    }
    for (size_t i = 0; i < segments; i++) {
        put_u16(out, i < count ? codes[i] : 0xffff);
    }
    put_u16(out, 0);
    for (size_t i = 0; i < segments; i++) {
        put_u16(out, i < count ? codes[i] : 0xffff);
    }
    for (size_t i = 0; i < segments; i++) {
        put_u16(out, i < count ? (uint32_t)(glyph[i] - codes[i]) & 0xffff : 1);
    }
    for (size_t i = 0; i < segments; i++) {
        put_u16(out, 0);
    }
}

/* The file with this table of characters behind its end; the old one is no longer told of. */
static void put_file(const rft_truetype *font, const rft_str *table, rft_str *out) {
    size_t entry = 0, begin = out->length, at = (font->file.size + 3) / 4 * 4;
    rft_str place = RFT_STR_INIT;
    rft_font_table(&font->file, "cmap", &entry);
    rft_str_add_n(out, (const char *)font->file.at, font->file.size);
    while (out->length - begin < at) {
        rft_str_add_char(out, '\0');
    }
    rft_str_add_n(out, table->data, table->length);
    put_u32(&place, at);
    put_u32(&place, table->length);
    memcpy(out->data + begin + entry + 8, place.data, place.length);
    rft_str_clear(&place);
}

void rft_truetype_with_parts(const rft_truetype *font, const rft_codes *used, rft_codes *parts, rft_str *out) {
    rft_font_piece head = rft_font_table(&font->file, "head", NULL);
    glyphs *g = rft_calloc(1, sizeof *g);
    uint16_t *codes = rft_calloc(CODES_MOST, sizeof *codes), *glyph = rft_calloc(CODES_MOST, sizeof *glyph);
    rft_codes *whole = rft_calloc(1, sizeof *whole); /* every character of the new table, so that they come in order */
    uint16_t *glyph_of = rft_calloc(0x10000, sizeof *glyph_of);
    rft_str table = RFT_STR_INIT;
    size_t count = 0;
    g->loca = rft_font_table(&font->file, "loca", NULL);
    g->glyf = rft_font_table(&font->file, "glyf", NULL);
    g->long_offsets = rft_font_u16(&head, 50) != 0;
    for (uint32_t code = 0; code < 0xffff; code++) {
        glyph_of[code] = rft_codes_has(used, code) ? (uint16_t)rft_font_glyph(font, code) : 0;
        if (glyph_of[code]) {
            rft_codes_add(whole, code);
            add_parts(g, glyph_of[code], 0);
        }
    }
    uint32_t spare = PRIVATE_USE;
    for (uint32_t part = 1; part < 0xffff; part++) {
        if (rft_codes_has(&g->seen, part)) {
            while (spare <= PRIVATE_USE_END && rft_codes_has(whole, spare)) {
                spare++;
            }
            if (spare > PRIVATE_USE_END) {
                break; /* thousands of parts: the last ones stay as libharu finds them */
            }
            rft_codes_add(whole, spare);
            rft_codes_add(parts, spare);
            glyph_of[spare] = (uint16_t)part;
        }
    }
    for (uint32_t code = 0; code < 0xffff && count < CODES_MOST; code++) {
        if (rft_codes_has(whole, code)) {
            codes[count] = (uint16_t)code;
            glyph[count++] = glyph_of[code];
        }
    }
    put_table(&table, codes, glyph, count);
    put_file(font, &table, out);
    rft_str_clear(&table);
    free(g);
    free(codes);
    free(glyph);
    free(whole);
    free(glyph_of);
}
