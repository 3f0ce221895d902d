/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/ptx_scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PARAM_BYTES_MAX 32764 /* of all parameters of a kernel */

static const char nothing[] = "";

rft_ptx_text rft_ptx_begin(const char *text, size_t bytes) {
    return text ? (rft_ptx_text){text, text + bytes} : (rft_ptx_text){nothing, nothing};
}

static bool is_word_byte(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static bool begins(const rft_ptx_text *t, const char *mark) {
    return t->end - t->at >= 2 && memcmp(t->at, mark, 2) == 0;
}

static void skip_blanks(rft_ptx_text *t) {
    while (t->at < t->end) {
        if (begins(t, "//")) {
            const char *line = memchr(t->at, '\n', (size_t)(t->end - t->at));
            t->at = line ? line : t->end;
        } else if (begins(t, "/*")) {
            t->at += 2;
            while (t->at < t->end && !begins(t, "*/")) {
                t->at++;
            }
            t->at += begins(t, "*/") ? 2 : 0;
        } else if (isspace((unsigned char)*t->at)) {
            t->at++;
        } else {
            return;
        }
    }
}

/* A name, number or directive, or one other character. */
static rft_ptx_word next_word(rft_ptx_text *t) {
    skip_blanks(t);
    rft_ptx_word word = {t->at, 0};
    while (t->at < t->end && is_word_byte(*t->at)) {
        t->at++;
    }
    t->at += t->at == word.text && t->at < t->end ? 1 : 0;
    word.length = (size_t)(t->at - word.text);
    return word;
}

static bool is(rft_ptx_word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* 0: it is no number, or one that nothing here can have. */
static uint32_t number_of(rft_ptx_word word) {
    uint32_t number = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.text[i] < '0' || word.text[i] > '9' || number > PARAM_BYTES_MAX) {
            return 0;
        }
        number = 10 * number + (uint32_t)(word.text[i] - '0');
    }
    return number;
}

/* Of ".f32", ".b8x2": the bits are the digits behind the letter. */
static uint32_t type_bytes(rft_ptx_word word) {
    if (word.length < 3 || word.text[0] != '.' || !strchr("busf", word.text[1])) {
        return 0;
    }
    uint32_t bits = number_of((rft_ptx_word){word.text + 2, word.length - 2});
    return bits % 8 == 0 ? bits / 8 : 0;
}

static void copy(char *out, size_t size, rft_ptx_word word) {
    snprintf(out, size, "%.*s", word.length < size ? (int)word.length : 0, word.text);
}

bool rft_ptx_head(const char *text, size_t bytes, char version[16], char target[16]) {
    rft_ptx_text t = rft_ptx_begin(text, bytes);
    *version = *target = '\0';
    if (!is(next_word(&t), ".version")) {
        return false;
    }
    copy(version, 16, next_word(&t));
    if (is(next_word(&t), ".target")) {
        copy(target, 16, next_word(&t));
    }
    return true;
}

bool rft_ptx_has_functions(const char *text, size_t bytes) {
    rft_ptx_text t = rft_ptx_begin(text, bytes);
    rft_ptx_word word = next_word(&t);
    while (word.length > 0 && !is(word, ".func")) {
        word = next_word(&t);
    }
    return word.length > 0;
}

/* One parameter, up to the comma or bracket behind it: .param [.align N] .TYPE [.ptr ...] NAME[COUNT]. */
static uint32_t read_param(rft_ptx_text *t, rft_ptx_word *ended_by) {
    uint32_t each = 0, count = 1;
    rft_ptx_word word = next_word(t);
    while (word.length > 0 && !is(word, ",") && !is(word, ")")) {
        if (is(word, ".align")) {
            next_word(t);
        } else if (is(word, "[")) {
            count = number_of(next_word(t));
        } else if (each == 0) {
            each = type_bytes(word);
        }
        word = next_word(t);
    }
    *ended_by = word;
    return count <= PARAM_BYTES_MAX ? each * count : 0;
}

/* Behind the "(". */
static void read_params(rft_ptx_text *t, rft_ptx_entry *out) {
    rft_ptx_text before = *t;
    rft_ptx_word word = next_word(t);
    bool readable = true;
    if (is(word, ")")) {
        return;
    }
    *t = before;
    for (word = (rft_ptx_word){",", 1}; is(word, ",");) {
        uint32_t bytes = read_param(t, &word);
        readable = readable && bytes > 0 && out->param_count < RFT_PARAMS_MAX;
        if (readable) {
            out->param_bytes[out->param_count++] = bytes;
        }
    }
    out->param_count = readable ? out->param_count : 0;
}

/* Up to three numbers; the others are 1. Returns what stands behind them. */
static rft_ptx_word read_sizes(rft_ptx_text *t, uint32_t out[3]) {
    rft_ptx_word word = {0};
    out[0] = out[1] = out[2] = 1;
    for (size_t i = 0; i < 3 && (i == 0 || is(word, ",")); i++) {
        out[i] = number_of(next_word(t));
        word = next_word(t);
    }
    return word;
}

static void read_needs(rft_ptx_text *t, rft_kernel_needs *out) {
    uint32_t most[3];
    rft_ptx_word word = next_word(t);
    while (word.length > 0 && !is(word, "{") && !is(word, ";")) {
        if (is(word, ".reqntid")) {
            word = read_sizes(t, out->block);
        } else if (is(word, ".reqnctapercluster")) {
            word = read_sizes(t, out->cluster);
        } else if (is(word, ".maxntid")) {
            word = read_sizes(t, most);
            out->threads_max = (uint64_t)most[0] * most[1] * most[2];
        } else {
            word = next_word(t);
        }
    }
}

bool rft_ptx_next(rft_ptx_text *t, rft_ptx_entry *out) {
    rft_ptx_word word = next_word(t);
    while (word.length > 0 && !is(word, ".entry")) {
        word = next_word(t);
    }
    *out = (rft_ptx_entry){.name = word.length ? next_word(t) : word};
    if (out->name.length == 0) {
        return false;
    }
    rft_ptx_text before = *t;
    if (is(next_word(t), "(")) {
        read_params(t, out);
    } else {
        *t = before;
    }
    read_needs(t, &out->needs);
    return true;
}

bool rft_ptx_find(const char *text, size_t bytes, const char *name, rft_ptx_entry *out) {
    rft_ptx_text t = rft_ptx_begin(text, bytes);
    while (rft_ptx_next(&t, out)) {
        if (is(out->name, name)) {
            return true;
        }
    }
    return false;
}

/* ---- variables ---- */

#define VARIABLE_BYTES_MAX (1ull << 48)

/* 0: too many for any memory. */
static uint64_t times(uint64_t bytes, rft_ptx_word word) {
    uint64_t number = 0;
    for (size_t i = 0; i < word.length && number <= VARIABLE_BYTES_MAX; i++) {
        number = isdigit((unsigned char)word.text[i]) ? 10 * number + (uint64_t)(word.text[i] - '0') : UINT64_MAX;
    }
    bool fits = bytes > 0 && number <= VARIABLE_BYTES_MAX / bytes;
    return fits ? bytes * number : 0;
}

/* [.align N] [.v4] .TYPE NAME[COUNT][COUNT] [= ...];, from behind .const or .global. False: it has no size. */
static bool read_variable(rft_ptx_text *t, rft_ptx_variable *out) {
    uint64_t vector = 1;
    rft_ptx_word word = next_word(t);
    for (; word.length > 0 && word.text[0] == '.'; word = next_word(t)) {
        if (is(word, ".align")) {
            next_word(t);
        } else if (is(word, ".v2") || is(word, ".v4")) {
            vector = (uint64_t)(word.text[2] - '0');
        } else if (out->bytes == 0) {
            out->bytes = type_bytes(word);
        }
    }
    out->name = word;
    out->bytes *= vector;
    for (word = next_word(t); is(word, "["); word = next_word(t)) {
        out->bytes = times(out->bytes, next_word(t));
        next_word(t); /* ] */
    }
    out->is_zero = !is(word, "=");
    while (word.length > 0 && !is(word, ";")) {
        word = next_word(t);
    }
    return out->bytes > 0 && out->name.length > 0;
}

bool rft_ptx_next_variable(rft_ptx_text *t, rft_ptx_variable *out) {
    size_t depth = 0;
    for (rft_ptx_word word = next_word(t); word.length > 0; word = next_word(t)) {
        depth += is(word, "{") ? 1 : 0;
        depth -= is(word, "}") && depth > 0 ? 1 : 0;
        *out = (rft_ptx_variable){.is_constant = is(word, ".const")};
        if (depth == 0 && (out->is_constant || is(word, ".global")) && read_variable(t, out)) {
            return true;
        }
    }
    return false;
}
