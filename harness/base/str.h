/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.h - a growing string, and the few text operations that every room needs.
 *
 * Numbers are always formatted in the C locale, whatever LC_ALL says (a German decimal comma in a store or a PDF
 * would be a bug): use rft_str_add_double(), never printf("%f"), for text that leaves the program.
 */
#ifndef RFT_BASE_STR_H
#define RFT_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_str {
    char *data;      /* NUL-terminated, never NULL after the first add; owned */
    size_t length;   /* bytes without the NUL */
    size_t capacity; /* bytes */
} rft_str;

#define RFT_STR_INIT                                                                                                   \
    { 0 }

void rft_str_clear(rft_str *str); /* frees; the struct is ready for reuse */
void rft_str_truncate(rft_str *str, size_t length);
const char *rft_str_get(const rft_str *str); /* "" when nothing was added; dies with the next add */
char *rft_str_take(rft_str *str);            /* heap string owned by the caller; never NULL */

void rft_str_add(rft_str *str, const char *text);
void rft_str_add_n(rft_str *str, const char *text, size_t length);
void rft_str_add_char(rft_str *str, char c);
/* printf in the C locale. */
void rft_str_addf(rft_str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rft_str_addv(rft_str *str, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* As a text of Lua, in its quotes: nothing of `text` ends them. */
void rft_str_add_lua(rft_str *str, const char *text);
void rft_str_add_int(rft_str *str, int64_t value);
/* Fixed decimals in the C locale. NaN is "nan", infinities "inf" / "-inf". */
void rft_str_add_fixed(rft_str *str, double value, int decimals);
/* Shortest text that reads back as the same double. Integral values below 2^53 have no fraction: "4096". */
void rft_str_add_double(rft_str *str, double value);

/* snprintf and vsnprintf in the C locale: what to use for "%g" into a buffer of one's own. */
int rft_text_format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int rft_text_vformat(char *out, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* strtod in the C locale; false unless all of `text` is a finite number. */
bool rft_text_to_double(const char *text, double *out);
bool rft_text_to_int64(const char *text, int64_t *out);

/* Two lower-case digits a byte; `out` has 2 * count + 1 bytes. */
void rft_text_of_bytes(char *out, const void *bytes, size_t count);
/* Back again: false unless `hex` is such text of exactly `count` bytes. */
bool rft_text_to_bytes(const char *hex, void *out, size_t count);

bool rft_text_equal(const char *a, const char *b); /* NULL equals only NULL */
bool rft_text_starts(const char *text, const char *prefix);
bool rft_text_ends(const char *text, const char *suffix);

/* The candidate nearest to `word` by edit distance, NULL if none is near (distance > 1 + length/3, or nothing in
 * common). Swapped neighbours are one edit; letters that differ in case only are equal.
 * For messages: unknown key "blok", did you mean "block"? */
const char *rft_text_nearest(const char *word, const char *const *candidates, size_t count);

#endif
