/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/ncu_number.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 60

/* ---- the locale ---- */

/* Bytes of what parts groups of digits in some locale, beside point and comma; 0: nothing of the kind. */
static size_t group_mark(const char *at) {
    static const char *const marks[] = {" ", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (rft_text_starts(at, marks[i]) && isdigit((unsigned char)at[strlen(marks[i])])) {
            return strlen(marks[i]);
        }
    }
    return 0;
}

/* Digits and what may part them, from the first digit on; up to where something else begins. */
static size_t number_length(const char *text) {
    size_t length = 0;
    while (isdigit((unsigned char)text[length]) || text[length] == '.' || text[length] == ',' ||
           group_mark(text + length) > 0) {
        length += group_mark(text + length) > 0 ? group_mark(text + length) : 1;
    }
    return length;
}

static size_t count_of(const char *text, size_t length, char c) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += text[i] == c ? 1 : 0;
    }
    return count;
}

/* Which of the two the number shows to be its decimal one; 0: neither. */
static char proven_decimal(const char *text, size_t length, bool is_whole) {
    size_t points = count_of(text, length, '.'), commas = count_of(text, length, ',');
    if (points > 0 && commas > 0) {
        size_t last = length;
        while (text[last - 1] != '.' && text[last - 1] != ',') {
            last--;
        }
        return text[last - 1];
    }
    if (points + commas != 1) {
        return points > 1 ? ',' : commas > 1 ? '.' : '\0';
    }
    char mark = points ? '.' : ',';
    size_t before = strcspn(text, ".,"), behind = length - before - 1;
    bool could_group = behind == 3 && before >= 1 && before <= 3 && text[0] != '0';
    return !could_group ? mark : !is_whole ? '\0' : mark == '.' ? ',' : '.';
}

bool rft_ncu_is_whole(const char *metric, const char *unit) {
    static const char *const units[] = {"",       "byte",  "B",       "ns",   "nsecond", "inst",
                                        "sector", "cycle", "request", "warp", "thread",  "block"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        is_known = is_known || strcmp(unit, units[i]) == 0;
    }
    return is_known && rft_text_ends(metric, ".sum");
}

void rft_ncu_style_look(rft_ncu_style *style, const char *text, bool is_whole) {
    text += *text == '-' ? 1 : 0;
    size_t length = isdigit((unsigned char)*text) ? number_length(text) : 0;
    char proven = length > 0 ? proven_decimal(text, length, is_whole) : '\0';
    style->contradictory = style->contradictory || (proven && style->decimal && proven != style->decimal);
    style->decimal = style->decimal ? style->decimal : proven;
}

/* ---- a number ---- */

static bool is_nothing(const char *text) {
    static const char *const words[] = {"",          "n/a", "nan",  "-nan", "nan(ind)",
                                        "-nan(ind)", "inf", "-inf", "+inf", "no data"};
    text += rft_text_starts(text, "(!) ") ? 4 : 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The number at `text` without its groups and with a point, into `plain`; false when no number stands there. */
static bool to_plain(const char *text, char decimal, char plain[DIGITS_MAX + 1]) {
    size_t length = number_length(text), used = 0, group = 0;
    bool grouped = false, behind = false;
    for (size_t i = 0; i < length; i++) {
        bool digit = isdigit((unsigned char)text[i]);
        size_t mark = group_mark(text + i);
        bool is_decimal = text[i] == decimal;
        if (used == DIGITS_MAX || (!digit && behind) ||
            (!digit && !is_decimal && grouped && (group < 2 || group > 3)) || (is_decimal && grouped && group != 3)) {
            return false;
        }
        if (digit || is_decimal) {
            plain[used++] = digit ? text[i] : '.';
            group++;
            behind = behind || is_decimal;
        } else {
            grouped = true;
            group = 0;
            i += mark > 1 ? mark - 1 : 0;
        }
    }
    const char *rest = text + length;
    while (*rest && *rest != ' ' && used < DIGITS_MAX) { /* an exponent */
        plain[used++] = *rest++;
    }
    plain[used] = '\0';
    return length > 0 && (behind || !grouped || group == 3) && (*rest == '\0' || rest[1] == '(');
}

rft_ncu_reading rft_ncu_number(const char *text, const rft_ncu_style *style, double *out) {
    char plain[DIGITS_MAX + 1];
    if (is_nothing(text)) {
        return RFT_NCU_NOTHING;
    }
    bool negative = *text == '-';
    text += negative ? 1 : 0;
    if (!isdigit((unsigned char)*text) || !to_plain(text, style->decimal == ',' ? ',' : '.', plain) ||
        !rft_text_to_double(plain, out)) {
        return RFT_NCU_DAMAGED;
    }
    *out = negative ? -*out : *out;
    return RFT_NCU_NUMBER;
}

/* ---- units ---- */

typedef struct unit_word {
    const char *word;
    double factor;
} unit_word;

static const unit_word times[] = {{"nsecond", 1},   {"ns", 1},   {"usecond", 1e3}, {"us", 1e3}, {"\xC2\xB5s", 1e3},
                                  {"msecond", 1e6}, {"ms", 1e6}, {"second", 1e9},  {"s", 1e9}};
static const unit_word prefixes[] = {{"", 1}, {"K", 1e3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

static bool find_time(const char *unit, double *factor) {
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (strcmp(unit, times[i].word) == 0) {
            *factor = times[i].factor;
            return true;
        }
    }
    return false;
}

/* "Gbyte" of "byte"; letters of either case. */
static bool find_scaled(const char *unit, const char *base, double *factor) {
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (rft_text_starts(unit, prefixes[i].word) && strcasecmp(unit + strlen(prefixes[i].word), base) == 0) {
            *factor = prefixes[i].factor;
            return true;
        }
    }
    return false;
}

/* "Ghz", "cycle/nsecond". */
static bool find_rate(const char *unit, double *factor) {
    double scale = 1, per_ns = 1;
    const char *slash = strchr(unit, '/');
    if (!slash) {
        return find_scaled(unit, "hz", factor);
    }
    char before[16];
    rft_text_format(before, sizeof before, "%.*s", (int)(slash - unit < 15 ? slash - unit : 15), unit);
    if (!find_scaled(before, "cycle", &scale) || !find_time(slash + 1, &per_ns)) {
        return false;
    }
    *factor = scale * 1e9 / per_ns;
    return true;
}

/* A count or a quotient: "inst", "sector/request", "Kinst", nothing. */
static bool find_plain(const char *unit, double *factor) {
    double other = 1;
    bool scaled = strchr("KMGT", unit[0]) && unit[0] && islower((unsigned char)unit[1]);
    if (strchr(unit, '%') || find_time(unit, &other) || find_rate(unit, &other)) {
        return false;
    }
    return !scaled || find_scaled(unit, unit + 1, factor);
}

const char *rft_ncu_scale(const char *metric, const char *unit, double *factor) {
    *factor = 1;
    if (rft_text_starts(metric, "gpu__time")) {
        return find_time(unit, factor) ? NULL : "ns, us, ms, s (or nsecond, usecond, msecond, second)";
    }
    if (rft_text_ends(metric, ".per_second")) {
        return find_rate(unit, factor) ? NULL : "hz, Mhz, Ghz, cycle/nsecond";
    }
    if (strstr(metric, ".pct")) {
        return strcmp(unit, "%") == 0 || !*unit ? NULL : "%";
    }
    if (strstr(metric, "bytes") && rft_text_ends(metric, ".sum")) {
        bool known = find_scaled(unit, "byte", factor) || find_scaled(unit, "B", factor);
        return known ? NULL : "byte, Kbyte, Mbyte, Gbyte";
    }
    return find_plain(unit, factor) ? NULL : "a count, or nothing";
}
