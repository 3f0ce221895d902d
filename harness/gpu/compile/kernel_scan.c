/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/kernel_scan.h"

#include "base/str.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct kernel_scanner {
    rft_seen_kernels *kernels;
    rft_arena *arena;
    const char *at;
    const char *head, *word; /* the last template head and word; NULL: none, or none that still counts */
    size_t head_length, word_length;
    bool after_global; /* between __global__ and the kernel's name */
} kernel_scanner;

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool word_is(const kernel_scanner *s, const char *text) {
    return s->word && strlen(text) == s->word_length && memcmp(s->word, text, s->word_length) == 0;
}

/* Past a comment or a literal that begins here; false: none does. */
static bool skip_comment_or_literal(kernel_scanner *s) {
    const char *p = s->at;
    if (p[0] == '/' && p[1] == '/') {
        p += strcspn(p, "\n");
    } else if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        p = end ? end + 2 : p + strlen(p);
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (*p && *p != quote && *p != '\n') {
            p += p[0] == '\\' && p[1] ? 2 : 1;
        }
        p += *p == quote;
    } else {
        return false;
    }
    s->at = p;
    return true;
}

/* Past what closes the bracket that opens here. */
static void skip_brackets(kernel_scanner *s, char open, char close) {
    int depth = 0;
    while (*s->at) {
        if (skip_comment_or_literal(s)) {
            continue;
        }
        depth += *s->at == open ? 1 : *s->at == close ? -1 : 0;
        s->at++;
        if (depth == 0) {
            return;
        }
    }
}

static void read_word(kernel_scanner *s) {
    s->word = s->at;
    while (is_name_char(*s->at)) {
        s->at++;
    }
    s->word_length = (size_t)(s->at - s->word);
    if (word_is(s, "__global__")) {
        s->after_global = true;
    } else if (word_is(s, "template")) {
        const char *start = s->word;
        s->at += strspn(s->at, " \t\r\n");
        s->head = NULL;
        if (*s->at == '<') {
            skip_brackets(s, '<', '>');
            s->head = start;
            s->head_length = (size_t)(s->at - start);
        }
    }
}

static const char *on_one_line(const char *text, size_t length, rft_arena *arena) {
    char *out = rft_arena_strndup(arena, text, length), *end = out;
    for (const char *p = out; *p; p++) {
        bool space = isspace((unsigned char)*p);
        if (!space || (end > out && end[-1] != ' ')) {
            *end++ = space ? ' ' : *p;
        }
    }
    *end = '\0';
    return out;
}

static void add_kernel(kernel_scanner *s) {
    rft_seen_kernels *k = s->kernels;
    k->items = rft_arena_grown(s->arena, k->items, k->count, &k->capacity, sizeof *k->items);
    k->items[k->count++] =
        (rft_seen_kernel){.name = rft_arena_strndup(s->arena, s->word, s->word_length),
                          .template_head = s->head ? on_one_line(s->head, s->head_length, s->arena) : NULL};
    s->after_global = false;
    s->head = NULL;
}

/* __launch_bounds__(256) and the like stand between __global__ and the name. */
static void read_sign(kernel_scanner *s) {
    if (s->after_global && *s->at == '(' && s->word && rft_text_starts(s->word, "__")) {
        skip_brackets(s, '(', ')');
        s->word = NULL;
        return;
    }
    if (s->after_global && (*s->at == '(' || *s->at == '<') && s->word) {
        add_kernel(s);
    } else if (*s->at == ';' || *s->at == '{' || *s->at == '}') {
        s->after_global = false;
        s->head = NULL;
    }
    s->at++;
}

void rft_kernel_scan(rft_seen_kernels *kernels, const char *text, rft_arena *arena) {
    kernel_scanner s = {.kernels = kernels, .arena = arena, .at = text};
    while (*s.at) {
        if (is_name_char(*s.at)) {
            read_word(&s);
        } else if (isspace((unsigned char)*s.at)) {
            s.at++;
        } else if (!skip_comment_or_literal(&s)) {
            read_sign(&s);
        }
    }
}
