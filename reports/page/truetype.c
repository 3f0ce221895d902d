/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/truetype_file.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20)

unsigned rft_font_u16(const rft_font_piece *p, size_t at) {
    return at + 2 <= p->size ? (unsigned)p->at[at] << 8 | p->at[at + 1] : 0;
}

size_t rft_font_u32(const rft_font_piece *p, size_t at) {
    return (size_t)rft_font_u16(p, at) << 16 | rft_font_u16(p, at + 2);
}

rft_font_piece rft_font_part(const rft_font_piece *p, size_t at, size_t size) {
    if (at >= p->size) {
        return (rft_font_piece){p->at, 0};
    }
    size_t left = p->size - at;
    return (rft_font_piece){p->at + at, size < left ? size : left};
}

rft_font_piece rft_font_table(const rft_font_piece *file, const char *tag, size_t *where) {
    unsigned count = rft_font_u16(file, 4);
    for (unsigned i = 0; i < count; i++) {
        size_t entry = 12 + 16 * (size_t)i;
        if (entry + 16 <= file->size && memcmp(file->at + entry, tag, 4) == 0) {
            if (where) {
                *where = entry;
            }
            return rft_font_part(file, rft_font_u32(file, entry + 8), rft_font_u32(file, entry + 12));
        }
    }
    return (rft_font_piece){file->at, 0};
}

/* The characters up to U+FFFF: Windows' table, else Unicode's. */
static rft_font_piece format_4_of(const rft_font_piece *cmap) {
    rft_font_piece found = {cmap->at, 0};
    unsigned count = rft_font_u16(cmap, 2);
    for (unsigned i = 0; i < count; i++) {
        size_t entry = 4 + 8 * (size_t)i;
        unsigned platform = rft_font_u16(cmap, entry), encoding = rft_font_u16(cmap, entry + 2);
        rft_font_piece table = rft_font_part(cmap, rft_font_u32(cmap, entry + 4), cmap->size);
        bool windows = platform == 3 && encoding == 1;
        if (rft_font_u16(&table, 0) == 4 && (windows || (platform == 0 && found.size == 0))) {
            found = rft_font_part(&table, 0, rft_font_u16(&table, 2));
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
    rft_font_piece file = {bytes, size};
    size_t kind = size >= 12 ? rft_font_u32(&file, 0) : 0;
    if (kind == 0x74746366) {
        return refuse(err, name, "is a collection of fonts", "take one font out of it, as a .ttf");
    }
    if (kind == 0x4f54544f) {
        return refuse(err, name, "has PostScript outlines, which cannot be embedded here", other);
    }
    rft_font_piece head = rft_font_table(&file, "head", NULL), hhea = rft_font_table(&file, "hhea", NULL),
                   cmap = rft_font_table(&file, "cmap", NULL);
    rft_truetype *font = rft_arena_calloc(arena, 1, sizeof *font);
    font->file = file;
    font->hmtx = rft_font_table(&file, "hmtx", NULL);
    font->cmap = format_4_of(&cmap);
    font->units_per_em = rft_font_u16(&head, 18);
    font->metric_count = rft_font_u16(&hhea, 34);
    font->segment_count = rft_font_u16(&font->cmap, 6) / 2;
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

unsigned rft_font_glyph(const rft_truetype *font, uint32_t code) {
    const rft_font_piece *map = &font->cmap;
    size_t ends = 14, starts = ends + 2 * (size_t)font->segment_count + 2;
    size_t deltas = starts + 2 * (size_t)font->segment_count, offsets = deltas + 2 * (size_t)font->segment_count;
    size_t low = 0, high = font->segment_count;
    while (low < high) { /* the first segment that ends at or behind the code */
        size_t middle = (low + high) / 2;
        if (rft_font_u16(map, ends + 2 * middle) < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    unsigned start = low < font->segment_count ? rft_font_u16(map, starts + 2 * low) : 0xffff;
    if (low >= font->segment_count || code < start) {
        return 0;
    }
    unsigned delta = rft_font_u16(map, deltas + 2 * low), offset = rft_font_u16(map, offsets + 2 * low);
    if (offset == 0) {
        return (code + delta) & 0xffff;
    }
    unsigned glyph = rft_font_u16(map, offsets + 2 * low + offset + 2 * (size_t)(code - start));
    return glyph ? (glyph + delta) & 0xffff : 0;
}

int rft_truetype_width(const rft_truetype *font, uint32_t code) {
    unsigned glyph = code < 0xffff ? rft_font_glyph(font, code) : 0;
    if (glyph == 0) {
        return -1;
    }
    /* Those behind the last one with a width of its own share it. */
    size_t metric = glyph < font->metric_count ? glyph : font->metric_count - 1;
    return (int)(rft_font_u16(&font->hmtx, 4 * metric) * 1000UL / font->units_per_em);
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
