/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - cells and paragraphs of text for a terminal of 80 columns. Columns are those a terminal
 * gives UTF-8: two for the wide characters of East Asia, none for combining marks, whatever the locale. */
#ifndef RFT_REPORTS_LAYOUT_H
#define RFT_REPORTS_LAYOUT_H

#include "base/str.h"

#define RFT_LAYOUT_WIDTH 80

/* A space at which no paragraph is broken but where what it holds together is longer than a line; printed as a plain
 * one. */
#define RFT_LAYOUT_JOINT "\xc2\xa0"

size_t rft_layout_columns(const char *text);
/* The bytes of `text` that fit into so many columns: whole characters only. */
size_t rft_layout_fitting(const char *text, size_t columns);
void rft_layout_spaces(rft_str *out, size_t count);
/* A cell of at least `width` columns; what is longer is not cut. */
void rft_layout_left(rft_str *out, const char *cell, size_t width);
void rft_layout_right(rft_str *out, const char *cell, size_t width);
/* Exactly `width` columns: what is longer ends in "..". */
void rft_layout_cut(rft_str *out, const char *cell, size_t width);
/* "6.24 us" in a column of its kind, decimal points below each other: columns before the point, of point and digits
 * behind it, and of the unit with its space. What does not fit, or is no number, is right-aligned in all of them. */
typedef struct rft_layout_number {
    size_t whole, fraction, unit;
} rft_layout_number;
/* The parts of a number as it is written, with a sign before it; false where the text is no number. */
bool rft_layout_split(const char *cell, rft_layout_number *parts);
void rft_layout_decimal(rft_str *out, const char *cell, const rft_layout_number *room);
/* A paragraph: words wrapped at 80 columns, `hang` more columns in from its second line on. A word longer
 * than a line is broken. Ends the line. */
void rft_layout_wrapped(rft_str *out, size_t indent, size_t hang, const char *words);
/* The same for a line that stands at column `at` - 1 already: a space, then words, every line of them from `at` on.
 * With little room left of 80 they begin on the next line. */
void rft_layout_continued(rft_str *out, size_t at, const char *words);
/* Replaces what is not ASCII from byte `from` on by "?", as wide as it was. */
void rft_layout_to_ascii(rft_str *out, size_t from);

#endif
