/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truetype.h - which characters a TrueType font has and how wide they are: for names that the base fonts lack. Only
 * what layout needs is read (head, hhea, hmtx, cmap of format 4: the characters up to U+FFFF, which is also all that
 * libharu embeds). The file is not trusted: every offset is checked. OpenType specification 1.9, chapters of these
 * names.
 */
#ifndef RFT_REPORTS_TRUETYPE_H
#define RFT_REPORTS_TRUETYPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_truetype rft_truetype;

/* From a file; everything lives in `arena`. RFT_E_IO: it cannot be read. RFT_E_REPORT with a remedy: it is no TrueType
 * font, a collection, has PostScript outlines, or is damaged. */
int rft_truetype_open(const rft_truetype **out, const char *path, rft_arena *arena, rft_err *err);
/* The same from its bytes, which must outlive it; `name` is for messages. */
int rft_truetype_read(const rft_truetype **out, const void *bytes, size_t size, const char *name, rft_arena *arena,
                      rft_err *err);

/* One that has every character up to U+FFFF, an em wide, or as wide as a digit before U+1100: for canvases whose reader
 * has fonts of his own. Never embedded. Static storage. */
const rft_truetype *rft_truetype_of_any(void);

/* Fonts at once, in the order in which they are asked. */
#define RFT_TRUETYPE_MOST 5u

typedef struct rft_truetypes {
    const rft_truetype *items[RFT_TRUETYPE_MOST];
    size_t count;
} rft_truetypes;

/* Width in 1/1000 of the size; -1 where the font has no such character. */
int rft_truetype_width(const rft_truetype *font, uint32_t code);
/* Of the first that has it; *index says which. NULL and none have nothing. */
int rft_truetypes_width(const rft_truetypes *fonts, uint32_t code, size_t *index);

/* A set of characters up to U+FFFF, or of glyphs. */
typedef struct rft_codes {
    uint8_t bits[8192];
} rft_codes;
static inline bool rft_codes_has(const rft_codes *set, uint32_t code) {
    return code < 0x10000 && (set->bits[code / 8] >> code % 8 & 1) != 0;
}
bool rft_codes_any(const rft_codes *set);
static inline void rft_codes_add(rft_codes *set, uint32_t code) {
    if (code < 0x10000) {
        set->bits[code / 8] |= (uint8_t)(1 << code % 8);
    }
}

/*
 * The font's file again with another table of characters: those of `used` that it has, and one from
 * the private use area for every glyph that these are composed of, which is added to `parts`. libharu keeps only glyphs
 * that were asked for by a character, and loses most parts of composed ones (its glyph numbers are signed, and it looks
 * one level deep): a caller that asks for the characters in `parts` too gets whole glyphs.
 */
void rft_truetype_with_parts(const rft_truetype *font, const rft_codes *used, rft_codes *parts, rft_str *out);

#endif
