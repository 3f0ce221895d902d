/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_words.c - a CUDA source as words: comments, strings and the preprocessor's lines. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <string.h>

typedef struct word_reader {
    const char *at;
    size_t line;
    rft_cuda_words *out;
    rft_arena *arena;
    size_t skipped;        /* #if levels since the one that NVRTC leaves out; 0: nothing is left out */
    const char *asked_for; /* NAME of an #ifndef in the line before */
    bool directive;        /* until the end of the line */
} word_reader;

bool rft_cuda_is(const rft_cuda_word *word, const char *text) {
    return strcmp(word->text, text) == 0;
}

static void put_word(word_reader *r, rft_cuda_kind kind, const char *from, size_t length) {
    rft_cuda_words *out = r->out;
    if (r->skipped == 0) {
        RFT_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] =
            (rft_cuda_word){rft_arena_strndup(r->arena, from, length), r->line, kind, r->directive};
    }
}

static bool is_name_char(char c) {
    return c == '_' || isalnum((unsigned char)c);
}

static size_t name_length(const char *at) {
    size_t length = 0;
    while (is_name_char(at[length])) {
        length++;
    }
    return length;
}

/* Past blanks, comments and continued lines; past the line's end only outside of a directive. */
static void skip_blanks(word_reader *r) {
    for (;;) {
        if (r->at[0] == '\\' && (r->at[1] == '\n' || (r->at[1] == '\r' && r->at[2] == '\n'))) {
            r->at += r->at[1] == '\n' ? 2 : 3;
            r->line++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            for (r->at += 2; *r->at && !(r->at[0] == '*' && r->at[1] == '/'); r->at++) {
                r->line += *r->at == '\n';
            }
            r->at += *r->at ? 2 : 0;
        } else if (*r->at == '\n' && !r->directive) {
            r->line++;
            r->at++;
        } else if (*r->at && *r->at != '\n' && (isspace((unsigned char)*r->at) || (unsigned char)*r->at < 0x20)) {
            r->at++;
        } else {
            return;
        }
    }
}

static size_t text_length(const char *at) {
    size_t length = 1;
    while (at[length] && at[length] != '\n' && at[length] != at[0]) {
        length += at[length] == '\\' && at[length + 1] && at[length + 1] != '\n' ? 2 : 1;
    }
    return length + (at[length] == at[0]);
}

static void read_word(word_reader *r) {
    static const char *const signs[] = {"<<<", "<<=", ">>=", "::", "->", "==", "!=", "<=", "+=", "-=", "*=",
                                        "/=",  "%=",  "|=",  "&=", "^=", "++", "--", "&&", "||", "<<"};
    size_t length = 1;
    rft_cuda_kind kind = RFT_CUDA_SIGN;
    if (isdigit((unsigned char)*r->at)) {
        kind = RFT_CUDA_NUMBER;
        while (is_name_char(r->at[length]) || r->at[length] == '.' || r->at[length] == '\'') {
            length++;
        }
    } else if (is_name_char(*r->at)) {
        kind = RFT_CUDA_NAME;
        length = name_length(r->at);
    } else if (*r->at == '"' || *r->at == '\'') {
        kind = RFT_CUDA_TEXT;
        length = text_length(r->at);
    } else {
        for (size_t i = 0; i < sizeof signs / sizeof *signs && length == 1; i++) {
            length = rft_text_starts(r->at, signs[i]) ? strlen(signs[i]) : 1;
        }
    }
    put_word(r, kind, r->at, length);
    r->at += length;
}

/* ---- the preprocessor's lines ---- */

/* `#ifndef __CUDACC_RTC__`, `#if !defined(__CUDACC_RTC__)`, `#if 0`: `line` is what stands behind the '#'. */
static bool never_seen(const char *line, size_t length) {
    rft_str plain = RFT_STR_INIT;
    for (size_t i = 0; i < length; i++) {
        if (!isspace((unsigned char)line[i]) && line[i] != '(' && line[i] != ')') {
            rft_str_add_char(&plain, line[i]);
        }
    }
    const char *text = rft_str_get(&plain);
    bool never = strcmp(text, "ifndef__CUDACC_RTC__") == 0 || strcmp(text, "if!defined__CUDACC_RTC__") == 0 ||
                 strcmp(text, "if0") == 0;
    rft_str_clear(&plain);
    return never;
}

static void read_define(word_reader *r) {
    rft_cuda_words *out = r->out;
    skip_blanks(r);
    size_t length = name_length(r->at);
    if (length == 0 || r->skipped || out->define_count == sizeof out->defines / sizeof *out->defines) {
        return;
    }
    const char *name = rft_arena_strndup(r->arena, r->at, length);
    bool function = r->at[length] == '(';
    r->at += length;
    if (function) { /* its parameters are no macros: they and the body are left out */
        r->at += strcspn(r->at, "\n");
    }
    skip_blanks(r);
    size_t first = out->count;
    while (*r->at && *r->at != '\n') {
        read_word(r);
        skip_blanks(r);
    }
    const char *number =
        out->count == first + 1 && out->items[first].kind == RFT_CUDA_NUMBER ? out->items[first].text : NULL;
    bool own = r->asked_for && strcmp(r->asked_for, name) == 0;
    out->defines[out->define_count++] = (rft_cuda_macro){
        .name = name, .given = own ? (number ? number : "") : NULL, .fixed = own ? NULL : (number ? number : "")};
    if (own) { /* its value is a default, no use of other macros */
        out->count = first;
    }
}

static void read_condition_level(word_reader *r, const char *line, size_t length) {
    bool opens = rft_text_starts(line, "if");
    if (r->skipped) {
        bool turns = r->skipped == 1 && (rft_text_starts(line, "el") || rft_text_starts(line, "endif"));
        r->skipped = turns ? 0 : opens ? r->skipped + 1 : rft_text_starts(line, "endif") ? r->skipped - 1 : r->skipped;
    } else if (opens && never_seen(line, length)) {
        r->skipped = 1;
    }
}

/* At the word behind '#'. */
static void read_directive(word_reader *r) {
    size_t length = name_length(r->at);
    const char *line = r->at;
    r->directive = true;
    read_condition_level(r, line, strcspn(line, "\n\r"));
    r->at += length;
    if (length == 6 && strncmp(line, "define", 6) == 0) {
        read_define(r);
        r->asked_for = NULL;
    } else if (length == 7 && strncmp(line, "include", 7) == 0) {
        skip_blanks(r);
        r->out->has_headers = r->out->has_headers || (*r->at == '"' && r->skipped == 0);
    } else if (length == 6 && strncmp(line, "ifndef", 6) == 0) {
        skip_blanks(r);
        r->asked_for = rft_arena_strndup(r->arena, r->at, name_length(r->at));
    } else if (strncmp(line, "if", length) == 0 || strncmp(line, "elif", length) == 0 ||
               strncmp(line, "pragma", length) == 0) { /* `#pragma unroll UNROLL` */
        for (skip_blanks(r); *r->at && *r->at != '\n'; skip_blanks(r)) {
            read_word(r);
        }
    }
    while (*r->at && *r->at != '\n') { /* includes and what is left: of no interest */
        size_t before = r->line;
        skip_blanks(r);
        r->at += r->line == before && *r->at && *r->at != '\n';
    }
    r->directive = false;
}

void rft_cuda_words_read(rft_cuda_words *out, const char *text, rft_arena *arena) {
    word_reader r = {.at = text, .line = 1, .out = out, .arena = arena};
    for (skip_blanks(&r); *r.at; skip_blanks(&r)) {
        if (*r.at == '#') {
            r.at++;
            r.directive = true;
            skip_blanks(&r);
            read_directive(&r);
        } else {
            r.asked_for = NULL;
            read_word(&r);
        }
    }
    r.skipped = 0;
    put_word(&r, RFT_CUDA_END, "", 0);
}

size_t rft_cuda_skip(const rft_cuda_words *words, size_t at) {
    size_t depth = 0;
    char open = words->items[at].text[0], close = open == '(' ? ')' : open == '{' ? '}' : open == '[' ? ']' : '>';
    for (; words->items[at].kind != RFT_CUDA_END; at++) {
        const rft_cuda_word *word = &words->items[at];
        if (word->kind != RFT_CUDA_SIGN || word->directive) {
            continue;
        }
        depth += word->text[0] == open && word->text[1] == '\0';
        if (word->text[0] == close && word->text[1] == '\0' && --depth == 0) {
            return at + 1;
        }
        if (open == '<' && (word->text[0] == ';' || word->text[0] == '{')) {
            return at; /* it was no bracket */
        }
    }
    return at;
}
