/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/truetype.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20)
#define DEEPEST 8        /* composed of composed ones; real fonts have two levels */
#define CODES_MOST 8000u /* that a table of format 4 has room for */
#define PRIVATE_USE 0xe000u
#define PRIVATE_USE_END 0xf8ffu

/* Some bytes of the file. */
typedef struct font_piece {
    const unsigned char *at;
    size_t size;
} font_piece;

struct rft_truetype {
    font_piece file, hmtx, cmap; /* cmap: the subtable of format 4 */
    unsigned units_per_em, metric_count, segment_count;
    bool any; /* no file: rft_truetype_of_any() */
};

/* Big-endian; 0 beyond the end. */
static unsigned font_u16(const font_piece *p, size_t at) {
    return at + 2 <= p->size ? (unsigned)p->at[at] << 8 | p->at[at + 1] : 0;
}

static size_t font_u32(const font_piece *p, size_t at) {
    return (size_t)font_u16(p, at) << 16 | font_u16(p, at + 2);
}

/* From `at` on, at most `size`; empty where that is outside. */
static font_piece font_part(const font_piece *p, size_t at, size_t size) {
    if (at >= p->size) {
        return (font_piece){p->at, 0};
    }
    size_t left = p->size - at;
    return (font_piece){p->at + at, size < left ? size : left};
}

/* A table by its tag; empty when there is none. *entry (may be NULL) is where the directory tells of it. */
static font_piece font_table(const font_piece *file, const char *tag, size_t *where) {
    unsigned count = font_u16(file, 4);
    for (unsigned i = 0; i < count; i++) {
        size_t entry = 12 + 16 * (size_t)i;
        if (entry + 16 <= file->size && memcmp(file->at + entry, tag, 4) == 0) {
            if (where) {
                *where = entry;
            }
            return font_part(file, font_u32(file, entry + 8), font_u32(file, entry + 12));
        }
    }
    return (font_piece){file->at, 0};
}

/* The characters up to U+FFFF: Windows' table, else Unicode's. */
static font_piece format_4_of(const font_piece *cmap) {
    font_piece found = {cmap->at, 0};
    unsigned count = font_u16(cmap, 2);
    for (unsigned i = 0; i < count; i++) {
        size_t entry = 4 + 8 * (size_t)i;
        unsigned platform = font_u16(cmap, entry), encoding = font_u16(cmap, entry + 2);
        font_piece table = font_part(cmap, font_u32(cmap, entry + 4), cmap->size);
        bool windows = platform == 3 && encoding == 1;
        if (font_u16(&table, 0) == 4 && (windows || (platform == 0 && found.size == 0))) {
            found = font_part(&table, 0, font_u16(&table, 2));
            if (windows) {
                break;
            }
        }
    }
    return found;
}

static int refuse(rft_err *err, const char *name, const char *why, const char *remedy) {
    rft_err_set(err, RFT_E_REPORT, "%s %s", name, why);
    return rft_err_remedy(err, "%s", remedy);
}

int rft_truetype_read(const rft_truetype **out, const void *bytes, size_t size, const char *name, rft_arena *arena,
                      rft_err *err) {
    static const char other[] = "give a TrueType font (.ttf) that has the characters, such as DejaVuSans.ttf";
    font_piece file = {bytes, size};
    size_t kind = size >= 12 ? font_u32(&file, 0) : 0;
    if (kind == 0x74746366) {
        return refuse(err, name, "is a collection of fonts", "take one font out of it, as a .ttf");
    }
    if (kind == 0x4f54544f) {
        return refuse(err, name, "has PostScript outlines, which cannot be embedded here", other);
    }
    font_piece head = font_table(&file, "head", NULL), hhea = font_table(&file, "hhea", NULL),
               cmap = font_table(&file, "cmap", NULL);
    rft_truetype *font = rft_arena_calloc(arena, 1, sizeof *font);
    font->file = file;
    font->hmtx = font_table(&file, "hmtx", NULL);
    font->cmap = format_4_of(&cmap);
    font->units_per_em = font_u16(&head, 18);
    font->metric_count = font_u16(&hhea, 34);
    font->segment_count = font_u16(&font->cmap, 6) / 2;
    if ((kind != 0x00010000 && kind != 0x74727565) || font->units_per_em == 0 || font->metric_count == 0 ||
        font->hmtx.size < 4 * (size_t)font->metric_count || font->segment_count == 0) {
        return refuse(err, name, "is not a TrueType font, or it is damaged", other);
    }
    *out = font;
    return 0;
}

int rft_truetype_open(const rft_truetype **out, const char *path, rft_arena *arena, rft_err *err) {
    char *bytes = NULL;
    size_t size = 0;
    int rc = rft_fs_read(&bytes, &size, path, MOST_BYTES, err);
    if (rc == 0) {
        rc = rft_truetype_read(out, rft_arena_memdup(arena, bytes, size), size, path, arena, err);
    }
    free(bytes);
    return rc;
}

/* 0: none. */
static unsigned font_glyph(const rft_truetype *font, uint32_t code) {
    const font_piece *map = &font->cmap;
    size_t ends = 14, starts = ends + 2 * (size_t)font->segment_count + 2;
    size_t deltas = starts + 2 * (size_t)font->segment_count, offsets = deltas + 2 * (size_t)font->segment_count;
    size_t low = 0, high = font->segment_count;
    while (low < high) { /* the first segment that ends at or behind the code */
        size_t middle = (low + high) / 2;
        if (font_u16(map, ends + 2 * middle) < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    unsigned start = low < font->segment_count ? font_u16(map, starts + 2 * low) : 0xffff;
    if (low >= font->segment_count || code < start) {
        return 0;
    }
    unsigned delta = font_u16(map, deltas + 2 * low), offset = font_u16(map, offsets + 2 * low);
    if (offset == 0) {
        return (code + delta) & 0xffff;
    }
    unsigned glyph = font_u16(map, offsets + 2 * low + offset + 2 * (size_t)(code - start));
    return glyph ? (glyph + delta) & 0xffff : 0;
}

const rft_truetype *rft_truetype_of_any(void) {
    static const rft_truetype any = {.any = true};
    return &any;
}

int rft_truetype_width(const rft_truetype *font, uint32_t code) {
    if (font->any) {
        bool none =
            code < ' ' || code > 0xffff || (code >= 0xd800 && code < 0xe000); /* surrogates stand for no character */
        return none ? -1 : code < 0x1100 ? 556 : 1000;
    }
    unsigned glyph = code < 0xffff ? font_glyph(font, code) : 0;
    if (glyph == 0) {
        return -1;
    }
    /* Those behind the last one with a width of its own share it. */
    size_t metric = glyph < font->metric_count ? glyph : font->metric_count - 1;
    return (int)(font_u16(&font->hmtx, 4 * metric) * 1000UL / font->units_per_em);
}

bool rft_codes_any(const rft_codes *set) {
    for (size_t i = 0; i < sizeof set->bits; i++) {
        if (set->bits[i]) {
            return true;
        }
    }
    return false;
}

int rft_truetypes_width(const rft_truetypes *fonts, uint32_t code, size_t *index) {
    int width = -1;
    for (*index = 0; fonts && *index < fonts->count; ++*index) {
        width = rft_truetype_width(fonts->items[*index], code);
        if (width >= 0) {
            break;
        }
    }
    return width;
}

/* ---- a font of the glyphs that are used ---- */

typedef struct glyphs {
    font_piece loca, glyf;
    bool long_offsets;
    rft_codes seen; /* parts met so far */
} glyphs;

static font_piece glyph_at(const glyphs *g, unsigned glyph) {
    size_t at = glyph, width = g->long_offsets ? 4 : 2;
    if ((at + 2) * width > g->loca.size) {
        return (font_piece){g->glyf.at, 0};
    }
    size_t from = g->long_offsets ? font_u32(&g->loca, 4 * at) : 2 * (size_t)font_u16(&g->loca, 2 * at);
    size_t to = g->long_offsets ? font_u32(&g->loca, 4 * at + 4) : 2 * (size_t)font_u16(&g->loca, 2 * at + 2);
    return font_part(&g->glyf, from, to > from ? to - from : 0);
}

/* Everything that a glyph is composed of. Flags of a part: OpenType specification, "glyf", composite glyphs. */
static void add_parts(glyphs *g, unsigned glyph, int depth) {
    enum { WORDS = 0x1, SCALE = 0x8, MORE = 0x20, TWO_SCALES = 0x40, MATRIX = 0x80 };
    font_piece data = glyph_at(g, glyph);
    bool composed = data.size > 10 && (font_u16(&data, 0) & 0x8000) != 0;
    unsigned flags = MORE;
    for (size_t at = 10; composed && depth < DEEPEST && (flags & MORE) && at + 4 <= data.size;) {
        flags = font_u16(&data, at);
        unsigned made_of = font_u16(&data, at + 2);
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
    font_table(&font->file, "cmap", &entry);
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
    font_piece head = font_table(&font->file, "head", NULL);
    glyphs *g = rft_calloc(1, sizeof *g);
    uint16_t *codes = rft_calloc(CODES_MOST, sizeof *codes), *glyph = rft_calloc(CODES_MOST, sizeof *glyph);
    rft_codes *whole = rft_calloc(1, sizeof *whole); /* every character of the new table, so that they come in order */
    uint16_t *glyph_of = rft_calloc(0x10000, sizeof *glyph_of);
    rft_str table = RFT_STR_INIT;
    size_t count = 0;
    g->loca = font_table(&font->file, "loca", NULL);
    g->glyf = font_table(&font->file, "glyf", NULL);
    g->long_offsets = font_u16(&head, 50) != 0;
    for (uint32_t code = 0; code < 0xffff; code++) {
        glyph_of[code] = rft_codes_has(used, code) ? (uint16_t)font_glyph(font, code) : 0;
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
