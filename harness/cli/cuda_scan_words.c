/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_words.c - a CUDA source as words: comments, strings and the preprocessor's lines. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <string.h>

#define MACRO_PARAMS_MAX 8
#define MAKERS_MAX 32
#define GUARDS_MAX 32

/* #define KERNEL(name, T) __global__ void name(T *x) { ... }, or #define KERNEL extern "C" __global__ void */
typedef struct kernel_maker {
    const char *name, *params[MACRO_PARAMS_MAX], *body;
    size_t param_count;
    bool takes_none; /* no brackets behind the name */
} kernel_maker;

typedef struct word_reader {
    const char *text;
    kernel_maker *makers; /* MAKERS_MAX of them; NULL: within what one of them made */
    size_t maker_count, made_at;
    const char *at;
    size_t line;
    rft_cuda_words *out;
    rft_arena *arena;
    size_t skipped;                 /* #if levels since the one that NVRTC leaves out; 0: nothing is left out */
    const char *guards[GUARDS_MAX]; /* of the #if levels that are open: NAME of #ifndef NAME, else NULL */
    bool guarded[GUARDS_MAX];       /* and the level defines NAME as a number: all in it are defaults */
    size_t level;
    bool directive; /* until the end of the line */
    bool in_define; /* the same, of a #define */
} word_reader;

bool rft_cuda_is(const rft_cuda_word *word, const char *text) {
    return strcmp(word->text, text) == 0;
}

const char *rft_cuda_join(const rft_cuda_words *words, size_t from, size_t to, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    for (size_t i = from; i < to && words->items[i].kind != RFT_CUDA_END; i++) {
        rft_str_add(&out, words->items[i].text);
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

static void put_word(word_reader *r, rft_cuda_kind kind, const char *from, size_t length) {
    rft_cuda_words *out = r->out;
    if (r->skipped == 0) {
        RFT_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = (rft_cuda_word){rft_arena_strndup(r->arena, from, length),
                                                   r->line,
                                                   (size_t)(from - r->text),
                                                   kind,
                                                   r->directive,
                                                   r->in_define,
                                                   r->level};
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

/* At a backslash: the bytes up to and with the line's end, blanks between them too, as compilers take it; 0: others. */
static size_t continuation(const char *at) {
    size_t blanks = at[0] == '\\' ? 1 + strspn(at + 1, " \t\r") : 0;
    return blanks && at[blanks] == '\n' ? blanks + 1 : 0;
}

/* Past blanks, comments and continued lines; past the line's end only outside of a directive. */
static void skip_blanks(word_reader *r) {
    for (;;) {
        if (continuation(r->at)) {
            r->at += continuation(r->at);
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

/* ---- kernels that macros make ---- */

static const char *one_line(char *body) {
    for (char *c = body; *c; c++) {
        *c = continuation(c) || *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    return body;
}

/* At the '(' of a function-like macro: kept where its body has a kernel. Stops behind the logical line. */
static void read_function_macro(word_reader *r, const char *name) {
    kernel_maker maker = {.name = name};
    const char *from = r->at, *at = from + 1;
    while (*r->at && *r->at != '\n') {
        const char *before = r->at;
        skip_blanks(r);
        r->at += r->at == before;
    }
    while (at < r->at && *at != ')') {
        size_t length = name_length(at);
        if (length && maker.param_count < MACRO_PARAMS_MAX) {
            maker.params[maker.param_count++] = rft_arena_strndup(r->arena, at, length);
        }
        at += length ? length : 1;
    }
    char *body = rft_arena_strndup(r->arena, at + (at < r->at), (size_t)(r->at - at) - (at < r->at));
    if (r->makers && r->maker_count < MAKERS_MAX && strstr(body, "__global__")) {
        maker.body = one_line(body);
        r->makers[r->maker_count++] = maker;
    }
}

/* The arguments at the '(' of a call; false: more than a macro here has, or no end. */
static bool read_arguments(word_reader *r, const char *out[MACRO_PARAMS_MAX], size_t *count) {
    const char *from = r->at + 1;
    size_t depth = 1;
    *count = 0;
    for (r->at++; *r->at && depth; r->at++) {
        bool ends = depth == 1 && (*r->at == ',' || *r->at == ')');
        depth += *r->at == '(';
        depth -= *r->at == ')';
        r->line += *r->at == '\n';
        if (ends && *count == MACRO_PARAMS_MAX) {
            return false;
        }
        if (ends) {
            from += strspn(from, " \t\n");
            out[(*count)++] = rft_arena_strndup(r->arena, from, (size_t)(r->at - from));
            from = r->at + 1;
        }
    }
    return depth == 0;
}

/* `KERNEL(scale, float)` at r->at: its words, as if they stood there. */
static bool expand_kernel(word_reader *r) {
    size_t length = name_length(r->at), i = 0, count = 0;
    while (r->makers && i < r->maker_count &&
           (strncmp(r->makers[i].name, r->at, length) != 0 || r->makers[i].name[length])) {
        i++;
    }
    const char *start = r->at, *arguments[MACRO_PARAMS_MAX];
    size_t line = r->line;
    if (!r->makers || i == r->maker_count || r->directive || r->skipped ||
        (start[length] != '(' && !r->makers[i].takes_none)) {
        return false;
    }
    const kernel_maker *maker = &r->makers[i];
    r->at += length;
    if (!maker->takes_none && (!read_arguments(r, arguments, &count) || count != maker->param_count)) {
        r->at = start;
        r->line = line;
        return false;
    }
    rft_str text = RFT_STR_INIT;
    for (const char *at = maker->body; *at;) {
        size_t name = name_length(at), p = 0;
        while (p < count && !(name && strlen(maker->params[p]) == name && strncmp(maker->params[p], at, name) == 0)) {
            p++;
        }
        bool joins = rft_text_starts(at, "##");
        if (joins) { /* a##b: one word */
            while (text.length && text.data[text.length - 1] == ' ') {
                rft_str_truncate(&text, text.length - 1);
            }
            at += 2 + strspn(at + 2, " ");
            continue;
        }
        rft_str_add_n(&text, p < count ? arguments[p] : at, p < count ? strlen(arguments[p]) : name ? name : 1);
        at += name ? name : 1;
    }
    const char *made = rft_arena_strdup(r->arena, rft_str_get(&text));
    word_reader inner = {
        .text = made, .at = made, .line = line, .out = r->out, .arena = r->arena, .made_at = (size_t)(start - r->text)};
    for (skip_blanks(&inner); *inner.at; skip_blanks(&inner)) {
        read_word(&inner);
    }
    rft_str_clear(&text);
    return true;
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

static bool is_include_guard(const char *name) {
    static const char *const ends[] = {"_H", "_H_", "_H__", "_HPP", "_HPP_", "_CUH", "_CUH_", "_CUH__", "_CU", "_CU_"};
    bool guard = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        guard = guard || rft_text_ends(name, ends[i]);
    }
    return guard;
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
        read_function_macro(r, name);
    }
    skip_blanks(r);
    const char *value = r->at;
    size_t first = out->count;
    r->in_define = true;
    while (*r->at && *r->at != '\n') {
        read_word(r);
        skip_blanks(r);
    }
    r->in_define = false;
    const char *number =
        out->count == first + 1 && out->items[first].kind == RFT_CUDA_NUMBER ? out->items[first].text : NULL;
    bool device = false;
    for (size_t i = first; i < out->count; i++) {
        device = device || rft_cuda_is(&out->items[i], "__device__") || rft_cuda_is(&out->items[i], "__global__");
    }
    const char *body = function ? "" : one_line(rft_arena_strndup(r->arena, value, (size_t)(r->at - value)));
    if (r->makers && r->maker_count < MAKERS_MAX && strstr(body, "__global__")) {
        r->makers[r->maker_count++] = (kernel_maker){.name = name, .body = body, .takes_none = true};
    }
    const char *word =
        out->count == first + 1 && out->items[first].kind == RFT_CUDA_NAME ? out->items[first].text : NULL;
    size_t level = r->level < GUARDS_MAX ? r->level : 0;
    const char *asked = r->guards[level];
    bool itself = asked && strcmp(asked, name) == 0 && !is_include_guard(name);
    r->guarded[level] = r->guarded[level] || (itself && number);
    bool own = itself || (asked && r->guarded[level]);
    out->defines[out->define_count++] = (rft_cuda_macro){.name = name,
                                                         .device = device,
                                                         .word = word,
                                                         .given = own ? (number ? number : "") : NULL,
                                                         .fixed = own ? NULL : (number ? number : "")};
    if (own) { /* its value is a default, no use of other macros */
        out->count = first;
    }
}

/* NAME of `#ifndef NAME` and `#if !defined(NAME)`; NULL: it asks for something else. */
static const char *guard_of(const char *line, size_t length, rft_arena *arena) {
    static const char *const begins[] = {"ifndef", "if!defined"};
    rft_str plain = RFT_STR_INIT;
    const char *name = NULL;
    for (size_t i = 0; i < length && !(line[i] == '/' && i + 1 < length && strchr("/*", line[i + 1])); i++) {
        if (!isspace((unsigned char)line[i]) && !strchr("()", line[i])) {
            rft_str_add_char(&plain, line[i]);
        }
    }
    for (size_t i = 0; i < 2 && !name; i++) {
        const char *at =
            rft_str_get(&plain) + (rft_text_starts(rft_str_get(&plain), begins[i]) ? strlen(begins[i]) : 0);
        bool whole = at != rft_str_get(&plain) && *at && at[name_length(at)] == '\0';
        name = whole ? rft_arena_strdup(arena, at) : NULL;
    }
    rft_str_clear(&plain);
    return name;
}

static void read_condition_level(word_reader *r, const char *line, size_t length) {
    bool opens = rft_text_starts(line, "if"), ends = rft_text_starts(line, "endif");
    r->level += opens;
    if (r->level < GUARDS_MAX && (opens || rft_text_starts(line, "el"))) {
        r->guards[r->level] = opens ? guard_of(line, length, r->arena) : NULL;
        r->guarded[r->level] = false;
    }
    r->level -= ends && r->level > 0;
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
    } else if (length == 7 && strncmp(line, "include", 7) == 0) {
        skip_blanks(r);
        if (r->skipped == 0 && r->out->include_count < sizeof r->out->includes / sizeof *r->out->includes) {
            r->out->includes[r->out->include_count++] = (size_t)(r->at - r->text);
        }
        r->out->has_headers = r->out->has_headers || (*r->at == '"' && r->skipped == 0);
    } else if (length == 6 && strncmp(line, "ifndef", 6) == 0) {
        skip_blanks(r);
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

static bool begins_line(const word_reader *r) {
    const char *at = r->at;
    while (at > r->text && (at[-1] == ' ' || at[-1] == '\t')) {
        at--;
    }
    return at == r->text || at[-1] == '\n' || at[-1] == '/' ||
           (unsigned char)at[-1] >= 0x80; /* behind a comment, a BOM */
}

void rft_cuda_words_read(rft_cuda_words *out, const char *text, rft_arena *arena) {
    kernel_maker makers[MAKERS_MAX];
    word_reader r = {.text = text, .makers = makers, .at = text, .line = 1, .out = out, .arena = arena};
    for (skip_blanks(&r); *r.at; skip_blanks(&r)) {
        if (*r.at == '#' && begins_line(&r)) {
            r.at++;
            r.directive = true;
            skip_blanks(&r);
            read_directive(&r);
        } else {
            if (!expand_kernel(&r)) {
                read_word(&r);
            }
        }
    }
    r.skipped = 0;
    put_word(&r, RFT_CUDA_END, r.at, 0);
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
