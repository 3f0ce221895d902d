/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_layout.h"

#include <string.h>

#define WIDTH 80

size_t rft_layout_columns(const char *at) {
    size_t columns = 0;
    for (; *at; at++) {
        columns += ((unsigned char)*at & 0xc0) != 0x80;
    }
    return columns;
}

void rft_layout_spaces(rft_str *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_str_add_char(out, ' ');
    }
}

void rft_layout_left(rft_str *out, const char *cell, size_t width) {
    size_t columns = rft_layout_columns(cell);
    rft_str_add(out, cell);
    rft_layout_spaces(out, columns < width ? width - columns : 0);
}

void rft_layout_right(rft_str *out, const char *cell, size_t width) {
    size_t columns = rft_layout_columns(cell);
    rft_layout_spaces(out, columns < width ? width - columns : 0);
    rft_str_add(out, cell);
}

void rft_layout_wrapped(rft_str *out, size_t indent, size_t hang, const char *words) {
    size_t at = indent;
    bool first = true;
    rft_layout_spaces(out, indent);
    while (*words) {
        words += strspn(words, " \n\t");
        size_t length = strcspn(words, " \n\t");
        if (length == 0) {
            break;
        }
        char word[256];
        rft_text_format(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), words);
        size_t columns = rft_layout_columns(word);
        if (!first && at + 1 + columns > WIDTH) {
            rft_str_add_char(out, '\n');
            rft_layout_spaces(out, indent + hang);
            at = indent + hang;
        } else if (!first) {
            rft_str_add_char(out, ' ');
            at++;
        }
        rft_str_add_n(out, words, length);
        at += columns;
        words += length;
        first = false;
    }
    rft_str_add_char(out, '\n');
}
