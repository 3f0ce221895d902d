/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"
#include "model/mix/mix_total.h"
#include "model/stats/interval_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define DECIMALS_MOST 12

static const char *significant(double value, int digits, rft_arena *arena) {
    int decimals = value > 0.0 ? digits - 1 - (int)floor(log10(value)) : digits - 1;
    return rft_arena_fixed(arena, value, decimals < 0 ? 0 : decimals > DECIMALS_MOST ? DECIMALS_MOST : decimals, "");
}

const char *rft_mix_number_text(double value, rft_arena *arena) {
    if (!isfinite(value)) {
        return "n/a";
    }
    if (value >= 999.5) {
        char text[32];
        return rft_arena_strdup(arena, rft_units_format_count(text, sizeof text, (uint64_t)llround(value)));
    }
    return significant(value, 3, arena);
}

const char *rft_mix_exact_text(double value, rft_arena *arena) {
    char text[32];
    if (value >= 1000.0 && value < 1e15 && value == floor(value)) {
        return rft_arena_strdup(arena, rft_units_format_count(text, sizeof text, (uint64_t)value));
    }
    rft_str plain = RFT_STR_INIT;
    rft_str_add_double(&plain, value);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&plain));
    rft_str_clear(&plain);
    return kept;
}

const char *rft_mix_device_text(const rft_mix_total *total, rft_arena *arena) {
    const char *device = total->gpu->name ? total->gpu->name : "unknown device";
    return total->called ? rft_arena_printf(arena, "%s (%s)", device, total->called) : device;
}

const char *rft_mix_bound_text(const rft_mix_line *line, rft_arena *arena) {
    return line->by_vendor ? line->bound_name : rft_bound_text(&line->bound, arena);
}

const char *rft_mix_units_text(const rft_mix *mix, rft_arena *arena) {
    const char *unit = mix->unit;
    size_t length = strlen(unit);
    char last = length ? unit[length - 1] : '\0';
    if (!islower((unsigned char)last)) {
        return unit;
    }
    if (last == 'y' && length > 1 && !strchr("aeiou", unit[length - 2])) {
        return rft_arena_printf(arena, "%.*sies", (int)length - 1, unit);
    }
    return rft_arena_printf(arena, "%s%s", unit, strchr("sxzh", last) ? "es" : "s");
}

/* With a prefix of `unit`; NULL: a plain number, of thousands in groups, and `after` behind it. */
static rft_mix_fact fact_of(const char *label, const rft_mix_figure *of, const char *unit, const char *after,
                            rft_arena *arena) {
    if (of->missing) {
        return (rft_mix_fact){label, "n/a", of->missing};
    }
    rft_interval_text text = rft_interval_text_of(of->value, of->low, of->high, unit ? 0.0 : 1.0, unit, arena);
    bool grouped = !unit && of->value >= 999.5;
    return (rft_mix_fact){label,
                          rft_arena_printf(arena, "%s%s%s%s",
                                           grouped ? rft_mix_number_text(of->value, arena) : text.value, after,
                                           text.interval ? " " : "", text.interval ? text.interval : ""),
                          of->no_interval};
}

static const char *money_text(const rft_mix_total *total, const char *amount, rft_arena *arena) {
    return rft_arena_printf(arena, "%s %s", amount, total->book->currency ? total->book->currency : "");
}

static rft_mix_fact cost_fact(const rft_mix_total *total, const char *label, const rft_mix_figure *of,
                              rft_arena *arena) {
    return fact_of(label, of, NULL, money_text(total, "", arena), arena);
}

/* "32,000 EUR (2026-11)" */
static const char *dated_text(const rft_mix_total *total, double amount, const char *date, rft_arena *arena) {
    return rft_arena_printf(arena, "%s (%s)", money_text(total, rft_mix_exact_text(amount, arena), arena), date);
}

static const char *card_note(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    const char *price = dated_text(total, total->price->amount, total->price->date, arena);
    const char *years = rft_mix_exact_text(book->years, arena);
    if (!isnan(book->host_price)) {
        price = rft_arena_printf(arena, "%s and %s of its host", price,
                                 dated_text(total, book->host_price, book->host_date, arena));
    }
    return isnan(book->utilisation) ? rft_arena_printf(arena, "%s over %s years of continuous use", price, years)
                                    : rft_arena_printf(arena, "%s over %s years, %s %% of them at work", price, years,
                                                       rft_mix_exact_text(book->utilisation * 100.0, arena));
}

static const char *energy_note(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    const rft_mix_terms *terms = &total->terms;
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s a kWh; the board", dated_text(total, book->kwh, book->kwh_date, arena));
    rft_str_addf(&text, terms->host_watts > 0.0 ? ", %s W of its host" : " alone",
                 rft_mix_exact_text(terms->host_watts, arena));
    if (terms->utilisation < 1.0) {
        rft_str_addf(&text, ", %s W idle", rft_mix_number_text(terms->idle_watts, arena));
    }
    if (!isnan(book->pue)) {
        rft_str_addf(&text, ", PUE %s", rft_mix_exact_text(book->pue, arena));
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static size_t add_costs(const rft_mix_total *total, rft_arena *arena, rft_mix_fact *out) {
    const rft_mix_book *book = total->book;
    const char *label = rft_arena_printf(arena, "cost per million %s", rft_mix_units_text(total->mix, arena));
    if (!book->currency) {
        out[0] = (rft_mix_fact){label, "n/a", "no prices are given"};
        return 1;
    }
    out[0] = cost_fact(total, label, &total->cost, arena);
    out[1] = cost_fact(total, isnan(book->host_price) ? "of it the device" : "of it device and host", &total->card_cost,
                       arena);
    out[2] = cost_fact(total, "of it energy", &total->energy_cost, arena);
    if (total->cost.missing) {
        out[0].note = "a part of it is not known";
    }
    if (!total->card_cost.missing) {
        out[1].note = card_note(total, arena);
    }
    if (!total->energy_cost.missing) {
        out[2].note = energy_note(total, arena);
    } else if (total->energy_cost.missing == total->joules.missing) { /* why is said above */
        out[2].note = "the energy of a pass is not known";
    }
    return 3;
}

/* Where the mix says what it keeps. */
static size_t add_room(const rft_mix_total *total, rft_arena *arena, rft_mix_fact *out) {
    if (isnan(total->room.need_bytes)) {
        return 0;
    }
    *out = (rft_mix_fact){"memory",
                          total->room.missing ? "n/a"
                          : total->room.fits  ? "fits"
                                              : "does not fit",
                          rft_mix_room_note(&total->room, total->mix, arena)};
    return 1;
}

size_t rft_mix_facts(const rft_mix_total *total, rft_arena *arena, rft_mix_fact out[RFT_MIX_FACTS]) {
    const char *unit = rft_mix_units_text(total->mix, arena);
    if (total->missing_count) {
        out[0] = (rft_mix_fact){"total", "none", total->time_s.missing};
        return 1 + add_room(total, arena, &out[1]);
    }
    out[0] = fact_of("time of a pass", &total->time_s, "s", "", arena);
    out[1] = fact_of(rft_arena_printf(arena, "%s/s", unit), &total->units_s, NULL, "", arena);
    if (!out[1].note && strcmp(total->mix->unit, "pass") != 0) {
        out[1].note = rft_arena_printf(arena, "%s %s a pass", rft_mix_exact_text(total->mix->per, arena),
                                       total->mix->per == 1.0 ? total->mix->unit : unit);
    }
    out[2] = fact_of("energy of a pass", &total->joules, "J", "", arena);
    out[3] = fact_of(rft_arena_printf(arena, "%s/J", unit), &total->units_j, NULL, "", arena);
    if (total->joules.missing) { /* said once */
        out[3].note = NULL;
    }
    size_t count = 4 + add_costs(total, arena, &out[4]);
    return count + add_room(total, arena, &out[count]);
}
