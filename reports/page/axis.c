/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/axis.h"

#include "base/str.h"

#include <math.h>

#define TICKS_MOST 400
#define SPAN_LEAST 0.04 /* of the values: an axis that ends nearer to them would make much of noise */

static rft_plot_axis fit_log(double low, double high, bool fixed_low, bool fixed_high) {
    rft_plot_axis axis = {.log = true, .low = low, .high = high};
    double room = pow(high / low, 0.06);
    if (room < 1.02) {
        room = high > low * 1.02 ? 1.02 : 1.15;
    }
    axis.low = fixed_low ? low : low / room;
    axis.high = fixed_high ? high : high * room;
    if (!(axis.high > axis.low * 1.001)) {
        axis.high = axis.low * 2;
    }
    return axis;
}

rft_plot_axis rft_axis_fit(const rft_chart_axis *spec, double low, double high) {
    rft_plot_axis axis = {.log = spec->log};
    if (spec->names) {
        return (rft_plot_axis){.low = -0.6, .high = (double)(spec->name_count ? spec->name_count : 1) - 0.4};
    }
    bool fixed_low = !isnan(spec->low), fixed_high = !isnan(spec->high);
    low = fixed_low ? spec->low : low;
    high = fixed_high ? spec->high : high;
    if (isnan(low) || isnan(high) || (spec->log && !(low > 0 && high >= low))) {
        axis.low = spec->log ? 1 : 0;
        axis.high = spec->log ? 10 : 1;
        return axis;
    }
    if (spec->log) {
        return fit_log(low, high, fixed_low, fixed_high);
    }
    double room = (high - low) * 0.06, size = fmax(fabs(low), fabs(high));
    if (!(room > 0)) {
        room = high != 0 ? fabs(high) * 0.1 : 1;
    } else if (!fixed_low && !fixed_high && high - low < SPAN_LEAST * size) {
        room = (SPAN_LEAST * size - (high - low)) / 2; /* next to nothing is no cliff */
    }
    axis.low = fixed_low ? low : low - room;
    axis.high = fixed_high && high > axis.low ? high : high + room;
    return axis;
}

double rft_axis_at(const rft_plot_axis *axis, double value) {
    if (axis->log) {
        if (!(value > 0)) {
            return NAN;
        }
        return axis->start + (axis->end - axis->start) * log(value / axis->low) / log(axis->high / axis->low);
    }
    return axis->start + (axis->end - axis->start) * (value - axis->low) / (axis->high - axis->low);
}

bool rft_axis_holds(const rft_plot_axis *axis, double value) {
    double slack = axis->log ? 0 : (axis->high - axis->low) * 1e-9;
    double factor = axis->log ? 1 + 1e-9 : 1;
    return value >= axis->low / factor - slack && value <= axis->high * factor + slack;
}

const char *rft_axis_label(double value, rft_arena *arena) {
    static const struct {
        double factor;
        const char *suffix;
    } big[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    rft_str text = RFT_STR_INIT;
    int exponent;
    double size = fabs(value);
    value = size > 0 ? value : 0; /* no "-0" */
    if (size >= 65536 && frexp(value, &exponent) == 0.5) {
        rft_str_addf(&text, "2^%d", exponent - 1);
    } else if (size >= 1e5 && size < 1e15) {
        size_t i = 0;
        while (i < 3 && size < big[i].factor) {
            i++;
        }
        rft_str_add_double(&text, round(value / big[i].factor * 1000) / 1000);
        rft_str_add(&text, big[i].suffix);
    } else {
        /* Ten digits hide what binary fractions leave behind 0.3. */
        double scale = size > 0 ? pow(10, 9 - floor(log10(size))) : 1;
        rft_str_add_double(&text, round(value * scale) / scale);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_tick(rft_ticks *ticks, double value, const char *label) {
    if (ticks->count < TICKS_MOST) {
        ticks->items[ticks->count++] = (rft_tick){value, label};
    }
}

/* Decades with a number, 2..9 without; numbers at 1, 2, 5 where decades are wide, and only every second or third decade
 * where they are narrow. */
static void log_ticks(rft_ticks *ticks, const rft_plot_axis *axis, double gap, rft_arena *arena) {
    double decade = fabs(axis->end - axis->start) / log10(axis->high / axis->low);
    int every = decade >= gap ? 1 : (int)ceil(gap / decade);
    bool all = decade * 0.1 >= gap, some = decade * 0.3 >= gap;
    for (int e = (int)floor(log10(axis->low)) - 1; e <= (int)ceil(log10(axis->high)); e++) {
        for (int m = 1; m <= 9; m++) {
            double value = m * pow(10, e);
            if (!rft_axis_holds(axis, value) || (every > 1 && m > 1)) {
                continue;
            }
            bool major = m == 1 ? e % every == 0 : all ? m <= 5 || m == 7 : some && (m == 2 || m == 5);
            add_tick(ticks, value, major ? rft_axis_label(value, arena) : NULL);
        }
    }
}

static void linear_ticks(rft_ticks *ticks, const rft_chart_axis *spec, const rft_plot_axis *axis, double gap,
                         rft_arena *arena) {
    double most = fabs(axis->end - axis->start) / gap;
    double raw = (axis->high - axis->low) / (most < 2 ? 2 : most);
    double power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    if (spec->whole && step < 1) {
        step = 1;
    }
    for (double i = ceil(axis->low / step - 1e-9); i * step <= axis->high + step * 1e-9; i++) {
        if (ticks->count >= TICKS_MOST) {
            break;
        }
        add_tick(ticks, i * step, rft_axis_label(i * step, arena));
    }
}

/* Numbers at the given places, as many as there is room for; the others stay as minor ticks. */
static void given_ticks(rft_ticks *ticks, const rft_chart_axis *spec, const rft_plot_axis *axis, double gap,
                        rft_arena *arena) {
    double last = -INFINITY;
    for (size_t i = 0; i < spec->tick_count; i++) {
        if (!rft_axis_holds(axis, spec->ticks[i])) {
            continue;
        }
        double at = fabs(rft_axis_at(axis, spec->ticks[i]) - axis->start);
        bool room = at - last >= gap;
        last = room ? at : last;
        add_tick(ticks, spec->ticks[i], room ? rft_axis_label(spec->ticks[i], arena) : NULL);
    }
}

/* Even steps crowd at one end of a logarithmic axis: a number without room becomes a minor tick. */
static void thin_out(rft_ticks *ticks, const rft_plot_axis *axis, double gap) {
    double last = -INFINITY;
    for (size_t i = 0; i < ticks->count; i++) {
        double at = fabs(rft_axis_at(axis, ticks->items[i].value) - axis->start);
        if (ticks->items[i].label && at - last < gap * 0.999) {
            ticks->items[i].label = NULL;
        } else if (ticks->items[i].label) {
            last = at;
        }
    }
}

rft_ticks rft_axis_ticks(const rft_chart_axis *spec, const rft_plot_axis *axis, double gap, rft_arena *arena) {
    rft_ticks ticks = {rft_arena_calloc(arena, TICKS_MOST, sizeof *ticks.items), 0};
    if (spec->names) {
        for (size_t i = 0; i < spec->name_count; i++) {
            add_tick(&ticks, (double)i, spec->names[i]);
        }
    } else if (spec->ticks) {
        given_ticks(&ticks, spec, axis, gap, arena);
    } else if (axis->log && log10(axis->high / axis->low) > 0.7) {
        log_ticks(&ticks, axis, gap, arena);
    } else {
        linear_ticks(&ticks, spec, axis, gap, arena);
        thin_out(&ticks, axis, gap);
    }
    return ticks;
}
