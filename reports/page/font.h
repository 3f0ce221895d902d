/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font.h - the three fonts of every page, their character set (WinAnsi) and their widths.
 *
 * Layout measures text with these tables alone, so that the text trace and the PDF break lines at the same places
 * whatever draws them. Widths: Liberation Sans and Mono (font_family.h), in 1/1000 of the size (tests/report compares
 * them with libharu's own). Helvetica and Courier, which take their place where a program was built without them, have
 * the same to 1/1000, but for six signs (soft hyphen, macron, plus-minus, micro, middle dot, division).
 */
#ifndef RFT_REPORTS_FONT_H
#define RFT_REPORTS_FONT_H

#include "base/arena.h"
#include "reports/page/truetype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rft_font { RFT_FONT_REGULAR, RFT_FONT_BOLD, RFT_FONT_MONO, RFT_FONT_COUNT } rft_font;

/* The three sizes of a report, in points. */
#define RFT_SIZE_SMALL 8.0
#define RFT_SIZE_BODY 10.0
#define RFT_SIZE_TITLE 16.0

/* Height over and depth under the baseline, in units of the size. */
#define RFT_FONT_ASCENT 0.72
#define RFT_FONT_DESCENT 0.21

/*
 * A character outside WinAnsi that a further font has (truetype.h) stands in the text as RFT_FONT_FOREIGN_BYTES bytes:
 * RFT_FONT_FOREIGN, then the font's index and its code, and its width, seven bits a byte with the high bit set. So a
 * text is measured and broken without the font at hand.
 */
#define RFT_FONT_FOREIGN '\x01'
#define RFT_FONT_FOREIGN_BYTES 6u

/* UTF-8 -> WinAnsi bytes in `arena`. Line breaks and tabs become spaces. A few signs outside the set are spelled out
 * (>= <= -> and typographic spaces); what is left becomes '?', and *replaced (may be NULL) is increased for each. */
const char *rft_font_encode(rft_arena *arena, const char *utf8, size_t *replaced);

/* The same; what `foreign` (may be NULL) has is not replaced. */
const char *rft_font_encode_with(rft_arena *arena, const rft_truetypes *foreign, const char *utf8, size_t *replaced);

/* Length of the first run of `text` that is drawn with one font: the base font (*foreign is -1), or the further one of
 * that index. */
size_t rft_font_run(const char *text, size_t length, int *foreign);

/* The character at `text` and how many bytes it takes: *index is that of its font, -1 a base font (then the WinAnsi
 * byte is returned). length > 0. */
uint32_t rft_font_code_at(const char *text, size_t length, int *index, size_t *bytes);

/* The code of a WinAnsi byte from 0x20 on; '?' where the set has nothing. */
uint32_t rft_font_unicode(unsigned char c);

/* The way back, for the text trace. Text in `arena`. */
const char *rft_font_decode(rft_arena *arena, const char *winansi, size_t length);

/* Width in points of `length` WinAnsi bytes. */
double rft_font_width(rft_font font, double size, const char *winansi, size_t length);

/* How many of `length` bytes fit into `width` points; at least 1 when length > 0. */
size_t rft_font_fit(rft_font font, double size, const char *winansi, size_t length, double width);

#endif
