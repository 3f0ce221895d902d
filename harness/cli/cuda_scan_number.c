/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_number.c - the value of a constant expression: the length of an array. Constants may name constants, as
 * deep as NESTED_MAX. */
#include "cli/cuda_scan_parts.h"

#include <stdlib.h>

#define NUMBER_MOST (1l << 31)
#define NESTED_MAX 16
#define CONSTANTS_MAX 16

typedef struct expression {
    const rft_cuda_words *words;
    size_t at, end, nested;
    size_t *left; /* constants that may still be looked for: they may name each other without end */
} expression;

static long sum_of(expression *e);

/* `const int BINS = 180 / STEP;`, if it is the only one of that name. */
static long constant_of(expression *e, const char *name) {
    const rft_cuda_word *items = e->words->items;
    long value = 0;
    size_t count = 0;
    bool more = e->nested<NESTED_MAX && * e->left> 0;
    *e->left -= more;
    for (size_t i = 1; i + 3 < e->words->count && more; i++) {
        if (!rft_cuda_is(&items[i], name) || items[i - 1].kind != RFT_CUDA_NAME || !rft_cuda_is(&items[i + 1], "=")) {
            continue;
        }
        size_t end = i + 2;
        while (end < e->words->count && end < i + 24 && !rft_cuda_is(&items[end], ";")) {
            end++;
        }
        expression inner = {e->words, i + 2, end, e->nested + 1, e->left};
        value = sum_of(&inner);
        value = inner.at == end ? value : 0;
        count++;
    }
    return count == 1 ? value : 0;
}

/* 0: not known, as everywhere here. */
static long factor_of(expression *e) {
    const rft_cuda_word *word = &e->words->items[e->at];
    if (e->at >= e->end || e->nested > NESTED_MAX) {
        return 0;
    }
    e->at++;
    if (rft_cuda_is(word, "(")) {
        e->nested++;
        long value = sum_of(e);
        e->nested--;
        bool closed = e->at < e->end && rft_cuda_is(&e->words->items[e->at++], ")");
        return closed ? value : 0;
    }
    const char *text = word->kind == RFT_CUDA_NUMBER ? word->text
                       : word->kind == RFT_CUDA_NAME ? rft_cuda_constant(e->words, word->text)
                                                     : NULL;
    long value = text ? strtol(text, NULL, 0) : word->kind == RFT_CUDA_NAME ? constant_of(e, word->text) : 0;
    return value > 0 && value < NUMBER_MOST ? value : 0;
}

static long product_of(expression *e) {
    long value = factor_of(e);
    while (e->at < e->end && (rft_cuda_is(&e->words->items[e->at], "*") || rft_cuda_is(&e->words->items[e->at], "/"))) {
        bool times = rft_cuda_is(&e->words->items[e->at++], "*");
        long other = factor_of(e);
        value = other == 0 ? 0 : times ? value * other : value / other;
        value = value < NUMBER_MOST ? value : 0;
    }
    return value;
}

static long sum_of(expression *e) {
    long value = product_of(e);
    while (e->at < e->end && (rft_cuda_is(&e->words->items[e->at], "+") || rft_cuda_is(&e->words->items[e->at], "-"))) {
        bool plus = rft_cuda_is(&e->words->items[e->at++], "+");
        long other = product_of(e);
        value = value == 0 || other == 0 ? 0 : plus ? value + other : value - other;
        value = value > 0 && value < NUMBER_MOST ? value : 0;
    }
    return value;
}

size_t rft_cuda_number(const rft_cuda_words *words, size_t from, size_t to) {
    size_t left = CONSTANTS_MAX;
    expression e = {words, from, to, 0, &left};
    long value = sum_of(&e);
    return e.at == to ? (size_t)value : 0;
}
