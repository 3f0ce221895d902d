/* SPDX-License-Identifier: Apache-2.0 */
/* entry_text.c - parameters as text: in entries and in macros. Nothing here knows Lua. */
#include "script/sweep_parts.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *rft_entry_substitute(rft_arena *arena, const char *entry, const char *const *names,
                                 const char *const *texts, size_t count, bool *used) {
    rft_str out = RFT_STR_INIT;
    const char *at = entry;
    while (*at) {
        size_t length = 1;
        while (is_word(at[0]) && is_word(at[length])) {
            length++;
        }
        /* ns::NAME is another name, and a digit begins a number. */
        bool whole =
            is_word(at[0]) && !isdigit((unsigned char)at[0]) && !(at >= entry + 2 && at[-1] == ':' && at[-2] == ':');
        size_t found = count;
        for (size_t i = 0; whole && i < count && found == count; i++) {
            if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0) {
                found = i;
            }
        }
        if (found < count) {
            rft_str_add(&out, texts ? texts[found] : "");
            used[found] = true;
        } else {
            rft_str_add_n(&out, at, length);
        }
        at += length;
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

size_t rft_alternative_number(const rft_alternatives *alternatives, const char *text) {
    for (size_t i = 0; i < alternatives->count; i++) {
        if (strcmp(alternatives->texts[i], text) == 0) {
            return i + 1;
        }
    }
    return 0;
}

const char *rft_macro_text(rft_arena *arena, const rft_value *value, const rft_alternatives *alternatives) {
    switch (value->kind) {
    case RFT_VALUE_INT:
    case RFT_VALUE_BOOL:
        return rft_arena_printf(arena, "%lld", (long long)value->as.integer);
    case RFT_VALUE_TEXT:
        if (alternatives->is_ctype) {
            return value->as.text;
        }
        return rft_arena_printf(arena, "%zu", rft_alternative_number(alternatives, value->as.text));
    case RFT_VALUE_REAL:
        break;
    }
    rft_str digits = RFT_STR_INIT;
    rft_str_add_double(&digits, value->as.real);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&digits));
    rft_str_clear(&digits);
    return kept;
}
