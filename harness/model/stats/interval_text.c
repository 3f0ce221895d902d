/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/interval_text.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-6 /* of a unit of the last digit: what was computed is that exact */
#define DECIMALS_MOST 12
#define ALIKE_FRAC 0.05      /* of half the width: so far apart may two sides be that read alike */
#define LEAST_HALF_FRAC 3e-4 /* no more digits than that asks for */

static double unit_of(int decimals) {
    return pow(10.0, -decimals);
}

static double rounded(double value, double unit) {
    return round(value / unit) * unit;
}

/* Decimals that three digits of a value need. */
static int three_digits(double value) {
    return 2 - (int)floor(log10(fabs(value)) + 1e-12);
}

/* 1000 to the power that rft_units_format_si() prints the value by, at three digits. */
static double prefix_factor(double value) {
    double factor = 1.0, shown = fabs(rounded(value, unit_of(three_digits(value))));
    while (shown >= 1000.0 * factor && factor < 1e18) {
        factor *= 1000.0;
    }
    while (shown < factor && factor > 1e-9) {
        factor /= 1000.0;
    }
    return factor;
}

/* " ms" of "3.23 ms". */
static const char *suffix(double value, const char *unit, rft_arena *arena) {
    char text[64];
    const char *space = strchr(rft_units_format_si(text, sizeof text, value, 3, unit), ' ');
    return rft_arena_strdup(arena, space ? space : "");
}

/* A third of half the width is told, and three digits of the value. */
static int decimals_of(double value, double half) {
    int for_value = three_digits(value);
    int for_half = (int)ceil(-log10(fmax(half, LEAST_HALF_FRAC * fabs(value)) / 3.0) - 1e-9);
    int decimals = for_value > for_half ? for_value : for_half;
    return decimals < 0 ? 0 : decimals > DECIMALS_MOST ? DECIMALS_MOST : decimals;
}

/* "±0.11 %", or NULL where the sides differ. In per cent of the value: two digits. */
static const char *symmetric(double down, double up, rft_arena *arena) {
    double half = fmax(down, up);
    int decimals = half < 0.995 ? 2 : half < 9.95 ? 1 : 0;
    double unit = unit_of(decimals);
    if (!(fabs(up - down) <= fmax(unit, ALIKE_FRAC * half) * (1.0 + ROUNDING)) || down < 0.0 || up < 0.0) {
        return NULL;
    }
    return rft_arena_printf(arena, "\xc2\xb1%s",
                            rft_arena_fixed(arena, fmax(ceil(half / unit - ROUNDING), 0.0) * unit, decimals, " %"));
}

static const char *ends(double low, double high, int decimals, const char *between, rft_arena *arena) {
    double unit = unit_of(decimals);
    return rft_arena_printf(arena, "%s%s%s", rft_arena_fixed(arena, floor(low / unit + ROUNDING) * unit, decimals, ""),
                            between, rft_arena_fixed(arena, ceil(high / unit - ROUNDING) * unit, decimals, ""));
}

rft_interval_text rft_interval_text_of(double value, double low, double high, double factor, const char *unit,
                                       rft_arena *arena) {
    char plain[64];
    bool scaled = factor > 0.0, known = isfinite(low) && isfinite(high) && low <= high;
    if (!isfinite(value) || value == 0.0 || (!known && !scaled)) {
        rft_units_format_si(plain, sizeof plain, value, 3, scaled ? "" : unit);
        return (rft_interval_text){rft_arena_strdup(arena, plain), NULL};
    }
    double scale = scaled ? factor : prefix_factor(value), mine = value / scale;
    int decimals = decimals_of(mine, known ? (high - low) / 2.0 / scale : fabs(mine));
    rft_interval_text out = {rft_arena_fixed(arena, mine, decimals, scaled ? "" : suffix(value, unit, arena)), NULL};
    if (known) {
        double of = fabs(value) / 100.0;
        const char *plus_minus = symmetric((value - low) / of, (high - value) / of, arena);
        out.interval = plus_minus
                           ? plus_minus
                           : rft_arena_printf(arena, "[%s]", ends(low / scale, high / scale, decimals, ", ", arena));
    }
    return out;
}

rft_interval_text rft_stats_text(const rft_stats *stats, double factor, const char *unit, rft_arena *arena) {
    double low = stats->interval_is_95 ? stats->low : (double)NAN, high = stats->interval_is_95 ? stats->high : low;
    return rft_interval_text_of(stats->median, low, high, factor, unit, arena);
}

const char *rft_interval_ends_text(double low, double high, const char *unit, rft_arena *arena) {
    double middle = (low + high) / 2.0;
    if (!isfinite(middle) || middle == 0.0) {
        return NULL;
    }
    double scale = *unit ? prefix_factor(middle) : 1.0;
    int decimals = decimals_of(middle / scale, (high - low) / 2.0 / scale);
    return rft_arena_printf(arena, "%s%s", ends(low / scale, high / scale, decimals, " to ", arena),
                            *unit ? suffix(middle, unit, arena) : "");
}
