/* SPDX-License-Identifier: Apache-2.0 */
/* truetype_file.h - reading a font's tables with every offset checked; for truetype*.c alone. */
#ifndef RFT_REPORTS_TRUETYPE_FILE_H
#define RFT_REPORTS_TRUETYPE_FILE_H

#include "reports/page/truetype.h"

/* Some bytes of the file. */
typedef struct rft_font_piece {
    const unsigned char *at;
    size_t size;
} rft_font_piece;

struct rft_truetype {
    rft_font_piece file, hmtx, cmap; /* cmap: the subtable of format 4 */
    unsigned units_per_em, metric_count, segment_count;
};

/* Big-endian; 0 beyond the end. */
unsigned rft_font_u16(const rft_font_piece *p, size_t at);
size_t rft_font_u32(const rft_font_piece *p, size_t at);
/* From `at` on, at most `size`; empty where that is outside. */
rft_font_piece rft_font_part(const rft_font_piece *p, size_t at, size_t size);
/* A table by its tag; empty when there is none. *entry (may be NULL) is where the directory tells of it. */
rft_font_piece rft_font_table(const rft_font_piece *file, const char *tag, size_t *entry);
/* 0: none. */
unsigned rft_font_glyph(const rft_truetype *font, uint32_t code);

#endif
