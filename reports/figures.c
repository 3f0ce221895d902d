/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures.h"

#include "base/str.h"
#include "base/units.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rft_figure_si(rft_arena *arena, double value, const char *unit) {
    char text[64];
    if (isnan(value)) {
        return "n/a";
    }
    rft_units_format_si(text, sizeof text, value, 3, unit);
    return rft_arena_strdup(arena, text);
}

const char *rft_figure_plain(rft_arena *arena, double value, int digits) {
    if (isnan(value)) {
        return "n/a";
    }
    if (isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    if (value == 0) {
        return "0";
    }
    int exponent = (int)floor(log10(fabs(value)));
    double step = pow(10, exponent - digits + 1);
    double rounded = round(value / step) * step;
    /* 9.996 rounds into the next decade and then needs one decimal less. */
    if (fabs(rounded) >= pow(10, exponent + 1) * (1 - 1e-12)) {
        exponent++;
    }
    int decimals = digits - 1 - exponent;
    return rft_arena_fixed(arena, rounded, decimals > 0 ? decimals : 0, "");
}

const char *rft_figure_small(rft_arena *arena, double value, int digits) {
    if (!(fabs(value) > 0 && fabs(value) < 1e-3)) {
        return rft_figure_plain(arena, value, digits);
    }
    int exponent = (int)floor(log10(fabs(value)));
    const char *lead = rft_figure_plain(arena, value / pow(10, exponent), digits);
    return rft_arena_printf(arena, "%se%d", lead, exponent);
}

const char *rft_figure_percent_bare(rft_arena *arena, double frac) {
    if (isnan(frac)) {
        return "n/a";
    }
    return isinf(frac) ? "inf" : rft_arena_fixed(arena, frac * 100, fabs(frac) < 10 ? 1 : 0, "");
}

const char *rft_figure_percent(rft_arena *arena, double frac) {
    return isnan(frac) ? "n/a" : rft_arena_printf(arena, "%s %%", rft_figure_percent_bare(arena, frac));
}

const char *rft_figure_ratio(rft_arena *arena, double ratio) {
    return isnan(ratio) ? "n/a" : rft_arena_printf(arena, "%s\xc3\x97", rft_figure_plain(arena, ratio, 3));
}

const char *rft_figure_count(rft_arena *arena, uint64_t count) {
    char text[40];
    return rft_arena_strdup(arena, rft_units_format_count(text, sizeof text, count));
}

const char *rft_figure_bytes(rft_arena *arena, int64_t bytes) {
    char text[40];
    return bytes < 0 ? "n/a" : rft_arena_strdup(arena, rft_units_format_bytes(text, sizeof text, (uint64_t)bytes));
}

const char *rft_figure_time(rft_arena *arena, int64_t unix_ns) {
    char text[40];
    return unix_ns <= 0 ? "unknown" : rft_arena_strdup(arena, rft_units_format_utc(text, sizeof text, unix_ns));
}

const char *rft_figure_date(rft_arena *arena, int64_t unix_ns) {
    return unix_ns <= 0 ? "unknown" : rft_arena_strndup(arena, rft_figure_time(arena, unix_ns), 10);
}

rft_figure_scale rft_figure_scale_of(rft_arena *arena, const double *values, size_t count, const char *unit) {
    static const struct {
        double factor;
        const char *prefix;
    } prefixes[] = {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""},    {1e3, "k"},
                    {1e6, "M"},  {1e9, "G"},  {1e12, "T"}, {1e15, "P"}};
    double *known = rft_calloc(count ? count : 1, sizeof *known);
    size_t n = 0, pick = 3;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i]) && values[i] > 0) {
            known[n++] = values[i];
        }
    }
    if (n > 0) {
        rft_sort_doubles(known, n);
        for (pick = 0; pick + 1 < sizeof prefixes / sizeof *prefixes; pick++) {
            if (known[n / 2] < prefixes[pick + 1].factor * 0.9995) {
                break;
            }
        }
    }
    free(known);
    return (rft_figure_scale){prefixes[pick].factor, rft_arena_printf(arena, "%s%s", prefixes[pick].prefix, unit)};
}
