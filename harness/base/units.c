/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"

#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* One table of each kind; rft_units_constants() leaves out "m", "h" and "d": a
 * problem has dimensions of those names. */
static const rft_unit durations[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60},
                                     {"min", 60},  {"h", 3600},  {"d", 86400}, {NULL, 0}};
static const rft_unit sizes[] = {{"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
                                 {"kB", 1e3}, {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {NULL, 0}};

const rft_unit *rft_units_constants(void) {
    static const rft_unit constants[] = {
        {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
        {"TB", 1e12},    {"ns", 1e-9},    {"us", 1e-6},    {"ms", 1e-3},    {"s", 1},    {"min", 60}, {NULL, 0}};
    return constants;
}

typedef struct quantity_kind {
    const char *noun;
    const rft_unit *units;
    const char *remedy;
} quantity_kind;

static const quantity_kind duration_kind = {
    "a duration", durations, "write a number and ns, us, ms, s, m (minutes), h or d, as in 250us, 2s, 10m, 1.5h"};
static const quantity_kind size_kind = {
    "a size", sizes, "write a number and B, KiB, MiB, GiB, TiB, kB, MB, GB or TB, as in 64MiB, 2GB, 512"};

/* Bytes of the decimal number at the start of text: strtod would also take "0x1p3", "inf" and "nan". */
static size_t number_length(const char *text) {
    size_t digits = strspn(text, "0123456789");
    size_t length = digits;
    if (text[length] == '.') {
        size_t decimals = strspn(text + length + 1, "0123456789");
        digits += decimals;
        length += 1 + decimals;
    }
    if (!digits) {
        return 0;
    }
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = length + 1;
        sign += text[sign] == '+' || text[sign] == '-';
        size_t exponent = strspn(text + sign, "0123456789");
        length = exponent ? sign + exponent : length;
    }
    return length;
}

static int refuse_quantity(rft_err *err, const quantity_kind *kind, const char *text, const char *why,
                           const char *what) {
    rft_err_set(err, RFT_E_USAGE, "\"%.60s\" is not %s: %s%.40s", text, kind->noun, why, what);
    rft_err_remedy(err, "%s", kind->remedy);
    return RFT_E_USAGE;
}

static int parse_quantity(double *out, const char *text, const quantity_kind *kind, rft_err *err) {
    const char *at = text + strspn(text, " ");
    if (*at == '-') {
        return refuse_quantity(err, kind, text, "it is negative", "");
    }
    char number[64];
    size_t length = number_length(at);
    double value = 0;
    if (!length) {
        return refuse_quantity(err, kind, text, "it does not start with a number", "");
    }
    if (length >= sizeof number) {
        return refuse_quantity(err, kind, text, "the number is too long", "");
    }
    memcpy(number, at, length);
    number[length] = '\0';
    if (!rft_text_to_double(number, &value)) {
        return refuse_quantity(err, kind, text, "the number is too large", "");
    }
    const char *unit = at + length + strspn(at + length, " ");
    double factor = *unit ? 0 : 1;
    for (const rft_unit *known = kind->units; known->name && factor == 0; known++) {
        if (strcmp(known->name, unit) == 0) {
            factor = known->factor;
        }
    }
    if (factor == 0) {
        return refuse_quantity(err, kind, text, "unknown unit ", unit);
    }
    *out = value * factor;
    return isfinite(*out) ? 0 : refuse_quantity(err, kind, text, "the number is too large", "");
}

int rft_units_parse_seconds(double *out_s, const char *text, rft_err *err) {
    double seconds = 0;
    int code = parse_quantity(&seconds, text, &duration_kind, err);
    if (!code) {
        *out_s = seconds;
    }
    return code;
}

int rft_units_parse_bytes(uint64_t *out_bytes, const char *text, rft_err *err) {
    double bytes = 0;
    int code = parse_quantity(&bytes, text, &size_kind, err);
    if (code) {
        return code;
    }
    bytes = round(bytes);
    if (bytes >= 0x1p64) {
        return refuse_quantity(err, &size_kind, text, "it is 2^64 bytes or more", "");
    }
    *out_bytes = (uint64_t)bytes;
    return 0;
}

/* Rounds to `digits` significant digits: 999.96 must become "1.00 k", not "1000". */
static double round_digits(double value, int digits) {
    char text[40];
    double rounded = value;
    rft_text_format(text, sizeof text, "%.*e", digits - 1, value);
    return rft_text_to_double(text, &rounded) ? rounded : value;
}

char *rft_units_format_si(char *out, size_t size, double value, int digits, const char *unit) {
    static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    digits = digits < 1 ? 1 : digits > 9 ? 9 : digits;
    if (isnan(value)) {
        snprintf(out, size, "n/a");
        return out;
    }
    if (value == 0 || isinf(value)) {
        snprintf(out, size, "%s%s%s", value == 0 ? "0" : value > 0 ? "inf" : "-inf", *unit ? " " : "", unit);
        return out;
    }
    double rounded = round_digits(value, digits);
    int group = 0;
    while (group < 6 && fabs(rounded) >= pow(10, 3 * (group + 1))) {
        group++;
    }
    while (group > -3 && fabs(rounded) < pow(10, 3 * group)) {
        group--;
    }
    double scaled = group < 0 ? rounded * pow(10, -3 * group) : rounded / pow(10, 3 * group);
    int whole = (int)floor(log10(fabs(scaled)) + 1e-9) + 1;
    int decimals = digits > whole ? digits - whole : 0;
    const char *prefix = prefixes[group + 3];
    rft_text_format(out, size, "%.*f%s%s%s", decimals, scaled, *prefix || *unit ? " " : "", prefix, unit);
    return out;
}

char *rft_units_format_bytes(char *out, size_t size, uint64_t bytes) {
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t name = 0;
    while (name < 6 && round(value * 100) >= 102400) {
        value /= 1024;
        name++;
    }
    char number[40];
    rft_text_format(number, sizeof number, "%.2f", value);
    size_t length = strlen(number);
    while (number[length - 1] == '0') {
        number[--length] = '\0';
    }
    if (number[length - 1] == '.') {
        number[length - 1] = '\0';
    }
    snprintf(out, size, "%s %s", number, names[name]);
    return out;
}

static void two_parts(char *out, size_t size, uint64_t total, uint64_t ratio, const char *units[2]) {
    if (total % ratio) {
        snprintf(out, size, "%" PRIu64 " %s %" PRIu64 " %s", total / ratio, units[0], total % ratio, units[1]);
    } else {
        snprintf(out, size, "%" PRIu64 " %s", total / ratio, units[0]);
    }
}

char *rft_units_format_seconds(char *out, size_t size, double seconds, int digits) {
    digits = digits < 1 ? 1 : digits > 9 ? 9 : digits;
    if (!(round_digits(fabs(seconds), digits < 2 ? 2 : digits) >= 60) || !(seconds < 1e15)) {
        return rft_units_format_si(out, size, seconds, digits, "s");
    }
    if (seconds < 0) {
        return rft_units_format_si(out, size, seconds, digits, "s");
    }
    if (seconds < 3599.5) {
        two_parts(out, size, (uint64_t)round(seconds), 60, (const char *[]){"min", "s"});
    } else if (seconds < 86370) {
        two_parts(out, size, (uint64_t)round(seconds / 60), 60, (const char *[]){"h", "min"});
    } else {
        two_parts(out, size, (uint64_t)round(seconds / 3600), 24, (const char *[]){"d", "h"});
    }
    return out;
}

char *rft_units_format_count(char *out, size_t size, uint64_t value) {
    char digits[24], grouped[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) {
            grouped[used++] = ',';
        }
        grouped[used++] = digits[i];
    }
    snprintf(out, size, "%.*s", (int)used, grouped);
    return out;
}

static void format_time(char *out, size_t size, int64_t unix_ns, const char *between, const char *after) {
    int64_t whole = unix_ns / 1000000000;
    time_t seconds = (time_t)(unix_ns % 1000000000 < 0 ? whole - 1 : whole);
    struct tm parts = {0};
    gmtime_r(&seconds, &parts);
    snprintf(out, size, "%04d-%02d-%02d%s%02d:%02d:%02d%s", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
             between, parts.tm_hour, parts.tm_min, parts.tm_sec, after);
}

char *rft_units_format_utc(char *out, size_t size, int64_t unix_ns) {
    format_time(out, size, unix_ns, " ", " UTC");
    return out;
}

char *rft_units_format_iso(char *out, size_t size, int64_t unix_ns) {
    format_time(out, size, unix_ns, "T", "Z");
    return out;
}
