/* SPDX-License-Identifier: Apache-2.0 */
/* show_layout.h - cells and paragraphs of text for a terminal of 80 columns. A UTF-8 character counts as one column. */
#ifndef RFT_CLI_SHOW_LAYOUT_H
#define RFT_CLI_SHOW_LAYOUT_H

#include "base/str.h"

size_t rft_layout_columns(const char *text);
void rft_layout_spaces(rft_str *out, size_t count);
/* A cell of at least `width` columns; what is longer is not cut. */
void rft_layout_left(rft_str *out, const char *cell, size_t width);
void rft_layout_right(rft_str *out, const char *cell, size_t width);
/* A paragraph: words wrapped at 80 columns, `hang` more columns in from its second line on. Ends the line. */
void rft_layout_wrapped(rft_str *out, size_t indent, size_t hang, const char *words);

#endif
