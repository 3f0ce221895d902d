/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_launch.c - what the file's own host code launches a template with: better guesses than any other. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *rft_cuda_constant(const rft_cuda_words *words, const char *name) {
    const char *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < words->define_count; i++) {
        const rft_cuda_macro *macro = &words->defines[i];
        if (strcmp(macro->name, name) == 0 && macro->fixed && isdigit((unsigned char)*macro->fixed)) {
            found = macro->fixed;
            count++;
        }
    }
    for (size_t i = 1; i + 3 < words->count; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool declared = rft_cuda_is(word, name) && word[-1].kind == RFT_CUDA_NAME && rft_cuda_is(&word[1], "=");
        if (declared) {
            bool number = word[2].kind == RFT_CUDA_NUMBER && rft_cuda_is(&word[3], ";");
            found = number ? word[2].text : NULL;
            count += number ? 1 : 2;
        }
    }
    return count == 1 ? found : NULL;
}

/* The argument at words [from, to) as a default of a number's or truth value's; NULL: nothing that stands for itself.
 */
static const char *argument_of(const rft_cuda_words *words, const rft_cuda_template *one, size_t from, size_t to) {
    const rft_cuda_word *word = &words->items[from];
    bool type = rft_text_starts(one->kind, "typename") || rft_text_starts(one->kind, "class");
    if (to != from + 1 || type) {
        return NULL;
    }
    bool literal = word->kind == RFT_CUDA_NUMBER || rft_cuda_is(word, "true") || rft_cuda_is(word, "false");
    return literal ? word->text : word->kind == RFT_CUDA_NAME ? rft_cuda_constant(words, word->text) : NULL;
}

static bool is_type(const rft_cuda_template *one) {
    return strcmp(one->kind, "typename") == 0 || strcmp(one->kind, "class") == 0;
}

/* Is it named in the type, as T in "const T*"? */
static bool has_type(const rft_cuda_param *param, const char *name) {
    size_t length = strlen(name);
    bool found = false;
    for (const char *at = strstr(param->written, name); at && !found && length; at = strstr(at + 1, name)) {
        found = (at == param->written || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
                !(isalnum((unsigned char)at[length]) || at[length] == '_');
    }
    return found;
}

/* half of `scale<half, 128><<<...>>>`, where it is a type of rooftune's: its parameters were taken for float. */
static void take_type(rft_cuda_entry *entry, rft_cuda_template *one, const rft_cuda_words *words, size_t from,
                      size_t to, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    bool names = to > from;
    for (size_t i = from; i < to; i++) {
        names = names && words->items[i].kind == RFT_CUDA_NAME;
        rft_str_addf(&text, "%s%s", i > from ? " " : "", words->items[i].text);
    }
    const char *type = rft_arena_strdup(arena, rft_str_get(&text));
    rft_cuda_param known = {0};
    rft_str_clear(&text);
    if (!names || !rft_cuda_set_type(&known, type)) {
        return;
    }
    one->given = type;
    for (size_t i = 0; i < entry->param_count; i++) {
        rft_cuda_param *param = &entry->params[i];
        if (param->aliased && has_type(param, one->name)) {
            rft_cuda_set_type(param, type);
        }
    }
}

/* At the '<' behind the kernel's name; false: it is no launch. */
static bool take_arguments(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena) {
    size_t end = rft_cuda_skip(words, at);
    if (end < at + 2 || !rft_cuda_is(&words->items[end], "<<<")) {
        return false;
    }
    for (size_t from = at + 1, k = 0; from < end - 1 && k < entry->template_count; k++) {
        size_t to = from;
        while (to < end - 1 && !rft_cuda_is(&words->items[to], ",")) {
            bool opens = strchr("(<", words->items[to].text[0]) && words->items[to].text[1] == '\0';
            size_t behind = opens ? rft_cuda_skip(words, to) : to + 1;
            to = behind > to ? behind : to + 1;
        }
        rft_cuda_template *one = &entry->templates[k];
        if (!one->given && is_type(one)) {
            take_type(entry, one, words, from, to, arena);
        } else {
            one->given = one->given ? one->given : argument_of(words, one, from, to);
        }
        from = to + 1;
    }
    return true;
}

void rft_cuda_take_launches(rft_cuda_entry *entry, const char *text, rft_arena *arena) {
    const char *colon = strrchr(entry->name, ':'), *name = colon ? colon + 1 : entry->name;
    rft_cuda_words *words = rft_calloc(1, sizeof *words);
    rft_cuda_words_read(words, text, arena);
    bool taken = entry->template_count == 0;
    for (size_t i = 0; i + 1 < words->count && !taken; i++) {
        taken = rft_cuda_is(&words->items[i], name) && rft_cuda_is(&words->items[i + 1], "<") &&
                take_arguments(entry, words, i + 1, arena);
    }
    free(words->items);
    free(words);
}
