/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_text.h"

#include <ctype.h>
#include <string.h>

static bool is_plain(const char *word) {
    for (const char *c = word; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("%+,-./:=@_", *c)) {
            return false;
        }
    }
    return *word != '\0';
}

void rft_command_add_word(rft_str *out, const char *word) {
    if (is_plain(word)) {
        rft_str_add(out, word);
        return;
    }
    rft_str_add_char(out, '\'');
    for (const char *c = word; *c; c++) {
        if (*c == '\'') {
            rft_str_add(out, "'\\''");
        } else {
            rft_str_add_char(out, *c);
        }
    }
    rft_str_add_char(out, '\'');
}

void rft_command_add_words(rft_str *out, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            rft_str_add_char(out, ' ');
        }
        rft_command_add_word(out, words[i]);
    }
}
