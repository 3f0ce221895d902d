/* SPDX-License-Identifier: Apache-2.0 */
/* show_layout.h - cells and paragraphs of text for a terminal of 80 columns. Columns are those a terminal
 * gives UTF-8: two for the wide characters of East Asia, none for combining marks, whatever the locale. */
#ifndef RFT_CLI_SHOW_LAYOUT_H
#define RFT_CLI_SHOW_LAYOUT_H

#include "base/str.h"

#define RFT_LAYOUT_WIDTH 80

size_t rft_layout_columns(const char *text);
/* The bytes of `text` that fit into so many columns: whole characters only. */
size_t rft_layout_fitting(const char *text, size_t columns);
void rft_layout_spaces(rft_str *out, size_t count);
/* A cell of at least `width` columns; what is longer is not cut. */
void rft_layout_left(rft_str *out, const char *cell, size_t width);
void rft_layout_right(rft_str *out, const char *cell, size_t width);
/* Exactly `width` columns: what is longer ends in "..". */
void rft_layout_cut(rft_str *out, const char *cell, size_t width);
/* A paragraph: words wrapped at 80 columns, `hang` more columns in from its second line on. A word longer
 * than a line is broken. Ends the line. */
void rft_layout_wrapped(rft_str *out, size_t indent, size_t hang, const char *words);

#endif
