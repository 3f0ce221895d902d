/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font.h - the three base fonts every PDF reader has, their character set (WinAnsi) and their widths.
 *
 * Layout measures text with these tables alone, so that the text trace and the PDF break lines at the same places
 * whatever draws them. Widths: Adobe's metrics of the base 14 fonts, in 1/1000 of the size (tests/report compares them
 * with libharu's own).
 */
#ifndef RFT_REPORTS_FONT_H
#define RFT_REPORTS_FONT_H

#include "base/arena.h"

#include <stddef.h>

typedef enum rft_font { RFT_FONT_REGULAR, RFT_FONT_BOLD, RFT_FONT_MONO, RFT_FONT_COUNT } rft_font;

/* The three sizes of a report, in points. */
#define RFT_SIZE_SMALL 8.0
#define RFT_SIZE_BODY 10.0
#define RFT_SIZE_TITLE 16.0

/* Height over and depth under the baseline, in units of the size. */
#define RFT_FONT_ASCENT 0.72
#define RFT_FONT_DESCENT 0.21

/* UTF-8 -> WinAnsi bytes in `arena`. Line breaks and tabs become spaces. A few signs outside the set are spelled out
 * (>= <= -> and typographic spaces); what is left becomes '?', and *replaced (may be NULL) is increased for each. */
const char *rft_font_encode(rft_arena *arena, const char *utf8, size_t *replaced);

/* The way back, for the text trace. Text in `arena`. */
const char *rft_font_decode(rft_arena *arena, const char *winansi, size_t length);

/* Width in points of `length` WinAnsi bytes. */
double rft_font_width(rft_font font, double size, const char *winansi, size_t length);

/* How many of `length` bytes fit into `width` points; at least 1 when length > 0. */
size_t rft_font_fit(rft_font font, double size, const char *winansi, size_t length, double width);

#endif
