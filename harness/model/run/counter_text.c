/* SPDX-License-Identifier: Apache-2.0 */
/* counter_text.c - counted values in words (counters.h). */
#include "model/run/counters.h"

#include "base/str.h"
#include "base/units.h"

#include <math.h>

#define DIGITS 4

static const char *fixed(double value, int decimals, const char *after, rft_arena *arena) {
    rft_str number = RFT_STR_INIT;
    rft_str_add_fixed(&number, value, decimals);
    const char *text = rft_arena_printf(arena, "%s%s", rft_str_get(&number), after);
    rft_str_clear(&number);
    return text;
}

/* Bytes and hertz with a prefix; numbers of things as they are up to five digits, then "33.55 M sectors". */
static const char *amount(double value, const char *unit, rft_arena *arena) {
    char text[64];
    bool thing = !rft_text_equal(unit, "B") && !rft_text_equal(unit, "Hz");
    if (thing && fabs(value) < 99999.5 && value == floor(value)) {
        return rft_arena_printf(arena, "%.0f %s", value, unit);
    }
    rft_units_format_si(text, sizeof text, value, DIGITS, thing ? "" : unit);
    return thing ? rft_arena_printf(arena, "%s %s", text, unit) : rft_arena_strdup(arena, text);
}

const char *rft_counter_text(rft_counter counter, double value, rft_arena *arena) {
    const char *unit = rft_counter_unit(counter);
    char text[64];
    if (!isfinite(value)) {
        return "n/a";
    }
    if (rft_text_equal(unit, "1")) {
        return fixed(value * 100.0, 1, " %", arena);
    }
    if (rft_text_equal(unit, "s")) {
        return rft_arena_strdup(arena, rft_units_format_seconds(text, sizeof text, value, DIGITS));
    }
    if (rft_text_equal(unit, "1/cycle")) {
        return fixed(value, 2, " per cycle", arena);
    }
    if (rft_text_equal(unit, "warps")) {
        return fixed(value, 2, " warps", arena);
    }
    bool ratio = value != floor(value) && fabs(value) < 1000.0; /* bytes or sectors of one access */
    return ratio ? fixed(value, 1, rft_arena_printf(arena, " %s", unit), arena) : amount(value, unit, arena);
}

const char *rft_counter_raw_text(const rft_counter_raw *raw, rft_arena *arena) {
    rft_str number = RFT_STR_INIT;
    if (isnan(raw->value)) {
        return "n/a";
    }
    rft_str_add_double(&number, raw->value);
    const char *text = rft_arena_strdup(arena, rft_str_get(&number));
    rft_str_clear(&number);
    return text;
}
