/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/arena.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc answers this from static storage: nothing is allocated and nothing has to be freed. */
static locale_t c_locale(void) {
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int rft_text_vformat(char *out, size_t size, const char *format, va_list args) {
    locale_t before = uselocale(c_locale());
    int length = vsnprintf(out, size, format, args);
    uselocale(before);
    return length;
}

int rft_text_format(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = rft_text_vformat(out, size, format, args);
    va_end(args);
    return length;
}

void rft_str_clear(rft_str *str) {
    free(str->data);
    *str = (rft_str)RFT_STR_INIT;
}

void rft_str_truncate(rft_str *str, size_t length) {
    if (length < str->length) {
        str->length = length;
        str->data[length] = '\0';
    }
}

const char *rft_str_get(const rft_str *str) {
    return str->data ? str->data : "";
}

char *rft_str_take(rft_str *str) {
    char *text = str->data ? str->data : rft_strdup("");
    *str = (rft_str)RFT_STR_INIT;
    return text;
}

void rft_str_add_n(rft_str *str, const char *text, size_t length) {
    RFT_GROW(str->data, str->capacity, str->length + length + 1);
    if (length) {
        memcpy(str->data + str->length, text, length);
    }
    str->length += length;
    str->data[str->length] = '\0';
}

void rft_str_add(rft_str *str, const char *text) {
    rft_str_add_n(str, text, strlen(text));
}

void rft_str_add_char(rft_str *str, char c) {
    rft_str_add_n(str, &c, 1);
}

void rft_str_addv(rft_str *str, const char *format, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int length = rft_text_vformat(small, sizeof small, format, args);
    if (length >= 0 && (size_t)length < sizeof small) {
        rft_str_add_n(str, small, (size_t)length);
    } else if (length >= 0) {
        RFT_GROW(str->data, str->capacity, str->length + (size_t)length + 1);
        rft_text_vformat(str->data + str->length, (size_t)length + 1, format, again);
        str->length += (size_t)length;
    }
    va_end(again);
}

void rft_str_addf(rft_str *str, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_str_addv(str, format, args);
    va_end(args);
}

void rft_str_add_lua(rft_str *str, const char *text) {
    rft_str_add_char(str, '"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\' || *text == 0x7f) {
            rft_str_addf(str, "\\%03d", (unsigned char)*text);
        } else {
            rft_str_add_char(str, *text);
        }
    }
    rft_str_add_char(str, '"');
}

void rft_str_add_int(rft_str *str, int64_t value) {
    char text[20]; /* the longest: -9223372036854775808 */
    size_t at = sizeof text;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        text[--at] = '-';
    }
    rft_str_add_n(str, text + at, sizeof text - at);
}

void rft_str_add_fixed(rft_str *str, double value, int decimals) {
    if (isnan(value)) {
        rft_str_add(str, "nan");
    } else {
        size_t at = str->length;
        rft_str_addf(str, "%.*f", decimals < 0 ? 0 : decimals, value);
        if (str->data[at] == '-' && strspn(str->data + at, "-0.") == str->length - at) { /* "-0.00" is no number */
            memmove(str->data + at, str->data + at + 1, str->length - at);               /* with the NUL */
            str->length--;
        }
    }
}

void rft_str_add_double(rft_str *str, double value) {
    if (isnan(value)) {
        rft_str_add(str, "nan");
        return;
    }
    if (value == 0) {
        rft_str_add(str, signbit(value) ? "-0" : "0");
        return;
    }
    if (fabs(value) < 9007199254740992.0 && value == trunc(value)) {
        rft_str_add_int(str, (int64_t)value);
        return;
    }
    char text[40];
    double back = NAN;
    /* %g drops trailing zeros, so 15 digits already are the shortest for all but subnormal values. */
    for (int digits = fabs(value) < 1e-300 ? 1 : 15; digits <= 17 && back != value; digits++) {
        rft_text_format(text, sizeof text, "%.*g", digits, value);
        back = strtod_l(text, NULL, c_locale());
    }
    rft_str_add(str, text);
}

bool rft_text_to_double(const char *text, double *out) {
    if (!text || !*text || isspace((unsigned char)*text)) {
        return false;
    }
    char *end = NULL;
    double value = strtod_l(text, &end, c_locale());
    if (end == text || *end || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool rft_text_to_int64(const char *text, int64_t *out) {
    if (!text || !*text || isspace((unsigned char)*text)) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno) {
        return false;
    }
    *out = value;
    return true;
}

bool rft_text_equal(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool rft_text_starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool rft_text_ends(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return tail <= length && strcmp(text + length - tail, suffix) == 0;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool same_letter(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits (insert, delete, replace, swap two neighbours) from a to b; letters differing in case only count as equal.
 * `rows` is scratch of 3 * (length of b + 1). */
static size_t edit_distance(const char *a, const char *b, size_t *rows) {
    size_t b_length = strlen(b);
    size_t *older = rows, *before = rows + (b_length + 1), *row = rows + 2 * (b_length + 1);
    for (size_t j = 0; j <= b_length; j++) {
        before[j] = j;
    }
    for (size_t i = 1; a[i - 1]; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(before[j] + 1, row[j - 1] + 1);
            row[j] = least(row[j], before[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
                row[j] = least(row[j], older[j - 2] + 1);
            }
        }
        size_t *spare = older;
        older = before;
        before = row;
        row = spare;
    }
    return before[b_length];
}

const char *rft_text_nearest(const char *word, const char *const *candidates, size_t count) {
    size_t longest = 0, length = strlen(word);
    for (size_t i = 0; i < count; i++) {
        size_t candidate = strlen(candidates[i]);
        longest = candidate > longest ? candidate : longest;
    }
    const char *nearest = NULL;
    size_t best = 1 + length / 3;
    size_t *rows = rft_calloc(3 * (longest + 1), sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        size_t candidate = strlen(candidates[i]);
        size_t apart = candidate > length ? candidate - length : length - candidate;
        if (apart > best) {
            continue;
        }
        size_t distance = edit_distance(word, candidates[i], rows);
        bool shares_something = distance < (candidate > length ? candidate : length);
        if (shares_something && (distance < best || (!nearest && distance == best))) {
            nearest = candidates[i];
            best = distance;
        }
    }
    for (size_t i = 0; i < count && !nearest && length >= 4; i++) { /* max_threads of max_threads_per_block */
        nearest = rft_text_starts(candidates[i], word) ? candidates[i] : NULL;
    }
    free(rows);
    return nearest;
}

void rft_text_of_bytes(char *out, const void *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[from[i] >> 4];
        out[2 * i + 1] = digits[from[i] & 15];
    }
    out[2 * count] = '\0';
}

bool rft_text_to_bytes(const char *hex, void *out, size_t count) {
    unsigned char *to = out;
    if (strlen(hex) / 2 != count || strspn(hex, "0123456789abcdef") != strlen(hex) || strlen(hex) % 2) {
        return false;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        int value = hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10;
        to[i / 2] = (unsigned char)(i % 2 ? to[i / 2] << 4 | value : value);
    }
    return true;
}
