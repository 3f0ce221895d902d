/* SPDX-License-Identifier: Apache-2.0 */
/* finding_break_even.c - below which price a card is the cheaper one for a mix, and what would turn that round
 * (model/compare/break_even.h). */
#include "base/str.h"
#include "model/compare/compare_mix.h"
#include "reports/findings/compare_findings.h"

#include <math.h>

#define FLIPS_SHOWN 6

/* ---- numbers ---- */

/* In steps that leave two digits to half of the interval; without one, to three digits of the value. */
static const char *stepped(double value, double half, rft_arena *arena) {
    double scale = half > 0.0 ? half * 10.0 : fabs(value);
    double step = scale > 0.0 ? pow(10.0, floor(log10(scale)) - 2.0) : 1.0;
    if (step >= 1.0) {
        double rounded = nearbyint(value / step) * step;
        const char *digits = rft_mix_exact_text(fabs(rounded), arena);
        return rounded < 0.0 ? rft_arena_printf(arena, "-%s", digits) : digits;
    }
    return rft_arena_fixed(arena, value, (int)fmin(-nearbyint(log10(step)), 9.0), "");
}

static double half_of(double low, double high) {
    return isfinite(low) && isfinite(high) ? (high - low) / 2.0 : 0.0;
}

/* "27,400 EUR (26,100 to 28,900)" */
static const char *price_text(const rft_break_even *even, const char *currency, rft_arena *arena) {
    double half = half_of(even->low, even->high);
    const char *price = stepped(even->price, half, arena);
    return half > 0.0 ? rft_arena_printf(arena, "%s %s (%s to %s)", price, currency, stepped(even->low, half, arena),
                                         stepped(even->high, half, arena))
                      : rft_arena_printf(arena, "%s %s", price, currency);
}

const char *rft_break_even_at_text(const rft_break_even_flip *flip, rft_arena *arena) {
    double factor = rft_text_equal(flip->unit, "%") ? 100.0 : 1.0;
    const char *number = stepped(flip->at * factor, half_of(flip->low, flip->high) * factor, arena);
    return flip->unit ? rft_arena_printf(arena, "%s %s", number, flip->unit) : number;
}

const char *rft_break_even_now_text(const rft_break_even_flip *flip, rft_arena *arena) {
    double factor = rft_text_equal(flip->unit, "%") ? 100.0 : 1.0;
    const char *number = rft_mix_exact_text(flip->now * factor, arena);
    const char *text = flip->unit ? rft_arena_printf(arena, "%s %s", number, flip->unit) : number;
    return flip->given ? text : rft_arena_printf(arena, "%s, not given", text);
}

static const char *interval_of_flip(const rft_break_even_flip *flip, rft_arena *arena) {
    double half = half_of(flip->low, flip->high);
    double factor = rft_text_equal(flip->unit, "%") ? 100.0 : 1.0;
    return half > 0.0 ? rft_arena_printf(arena, "%s to %s", stepped(flip->low * factor, half * factor, arena),
                                         stepped(flip->high * factor, half * factor, arena))
                      : "";
}

/* ---- sentences ---- */

static const char *decision_text(const rft_break_even *even, const char *first, const char *currency,
                                 rft_arena *arena) {
    const char *price = rft_mix_exact_text(even->given_price, arena);
    switch (even->decision) {
    case RFT_BREAK_EVEN_WINS:
        return rft_arena_printf(arena, " At its %s %s it does.", price, currency);
    case RFT_BREAK_EVEN_LOSES:
        return rft_arena_printf(arena, " At its %s %s, %s wins.", price, currency, first);
    case RFT_BREAK_EVEN_OPEN:
        return rft_arena_printf(arena, " Its %s %s lie within the interval: this does not decide.", price, currency);
    default:
        break;
    }
    return even->doubt                ? rft_arena_printf(arena, " The times do not decide: %s.", even->doubt)
           : isnan(even->given_price) ? " Its own price is not given."
                                      : rft_arena_printf(arena, " No decision: %s.", even->no_interval);
}

const char *rft_break_even_text(const rft_break_even *even, const char *other, const char *first, const char *currency,
                                rft_arena *arena) {
    const char *where =
        rft_arena_printf(arena, "where %s costs %s %s", first, rft_mix_exact_text(even->first_price, arena), currency);
    return even->missing ? NULL
           : even->price > 0.0
               ? rft_arena_printf(arena, "%s wins below %s, %s.%s", other, price_text(even, currency, arena), where,
                                  decision_text(even, first, currency, arena))
               : rft_arena_printf(arena, "%s wins at no price, %s: its energy and its host alone cost more.", other,
                                  where);
}

static void add_basis(rft_finding *f, const rft_break_even *even) {
    if (even->no_energy) {
        rft_finding_note(f, RFT_TO_PEOPLE, "Prices and times alone are weighed, energy is not in it: %s.",
                         even->no_energy);
    }
    rft_finding_note(
        f, RFT_TO_PEOPLE,
        "Winning is a lower cost of a pass. In brackets the 95 %% interval, from those of the times%s. How "
        "cards of one model differ is not in it.",
        even->no_energy ? "" : " and energies");
}

/* ---- what would flip it ---- */

enum { WHAT, UNIT, GIVEN, NOW, NOW_TEXT, AT, AT_TEXT, LOW, HIGH, INTERVAL, FLIP_FIELDS };

static void add_flips(rft_finding *f, const rft_break_even *even) {
    static const rft_trait fields[FLIP_FIELDS] = {
        [WHAT] = {.key = "what", .title = "Assumption", .brief = "assumption", .wraps = true},
        [UNIT] = {.key = "unit"},
        [GIVEN] = {.key = "given"},
        [NOW] = {.key = "now"},
        [NOW_TEXT] = {.title = "As it is", .brief = "as it is", .align = RFT_ALIGN_RIGHT},
        [AT] = {.key = "at"},
        [AT_TEXT] = {.title = "Turns at", .brief = "turns at", .align = RFT_ALIGN_RIGHT},
        [LOW] = {.key = "low"},
        [HIGH] = {.key = "high"},
        [INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
    };
    rft_cell_table *table = rft_finding_table(f, "flips", fields, FLIP_FIELDS);
    for (size_t i = 0; i < even->flip_count; i++) {
        const rft_break_even_flip *flip = &even->flips[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->where = i < FLIPS_SHOWN ? 0 : RFT_IN_DATA | RFT_IN_FULL;
        row->cells[WHAT] = rft_datum_text(flip->what);
        row->cells[UNIT] = rft_datum_text(flip->unit);
        row->cells[GIVEN] = rft_datum_flag(flip->given);
        row->cells[NOW] = rft_datum_number(flip->now);
        row->cells[NOW_TEXT] = rft_datum_text(rft_break_even_now_text(flip, f->arena));
        row->cells[AT] = rft_datum_number(flip->at);
        row->cells[AT_TEXT] = rft_datum_text(rft_break_even_at_text(flip, f->arena));
        row->cells[LOW] = rft_datum_number(flip->low);
        row->cells[HIGH] = rft_datum_number(flip->high);
        row->cells[INTERVAL] = rft_datum_text(interval_of_flip(flip, f->arena));
    }
}

/* ---- for programs ---- */

rft_finding *rft_finding_break_even_data(const rft_break_even *even, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const char *reason = even->missing ? even->missing : even->doubt ? even->doubt : even->no_interval;
    rft_finding_set(f, "price", rft_datum_number(even->missing ? (double)NAN : even->price));
    rft_finding_set(f, "low", rft_datum_number(even->missing ? (double)NAN : even->low));
    rft_finding_set(f, "high", rft_datum_number(even->missing ? (double)NAN : even->high));
    rft_finding_set(
        f, "decision",
        rft_datum_text(even->decision == RFT_BREAK_EVEN_NONE ? NULL : rft_break_even_decision_name(even->decision)));
    rft_finding_set(f, "reason", rft_datum_text(reason));
    rft_finding_set(f, "no_energy", rft_datum_text(even->missing ? NULL : even->no_energy));
    add_flips(f, even);
    f->items[f->item_count - 1].table->where = RFT_IN_DATA;
    return f;
}

/* ---- for people ---- */

const char *rft_break_even_sentence(const rft_compare_mixes *mixes, size_t item, size_t side, rft_arena *arena) {
    const rft_break_even *even = &mixes->items[item].sides[side].even;
    return rft_break_even_text(even, rft_compare_letter(mixes->compare, side, arena),
                               rft_compare_letter(mixes->compare, 0, arena), mixes->book->currency, arena);
}

rft_finding *rft_finding_break_even(const rft_compare_mixes *mixes, size_t item, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const rft_break_even *last = NULL;
    for (size_t side = 1; side < mixes->compare->side_count; side++) {
        const rft_break_even *even = &mixes->items[item].sides[side].even;
        const char *letter = rft_compare_letter(mixes->compare, side, arena);
        if (even->missing) {
            rft_finding_note(f, RFT_TO_PEOPLE, "No break-even price of %s: %s.", letter, even->missing);
            continue;
        }
        rft_finding_body(f, RFT_IN_TEXT, "%s", "");
        rft_finding_strong(f, RFT_TO_PEOPLE, rft_break_even_sentence(mixes, item, side, arena));
        last = even;
        if (even->flip_count) {
            rft_finding_body(f, RFT_TO_PEOPLE, "What would turn this round, the smallest change first%s%s%s:",
                             even->steady ? " (not, within reason: " : "", even->steady ? even->steady : "",
                             even->steady ? ")" : "");
            rft_finding *flips = rft_finding_new(arena);
            add_flips(flips, even);
            flips->items[0].where = RFT_TO_PEOPLE;
            flips->items[0].table->where = RFT_TO_PEOPLE;
            rft_finding_join(f, flips);
        } else if (even->decision == RFT_BREAK_EVEN_WINS || even->decision == RFT_BREAK_EVEN_LOSES) {
            rft_finding_body(f, RFT_TO_PEOPLE, "No assumption turns this round within reason: %s.",
                             even->steady ? even->steady : "none depends on it");
        }
    }
    if (last) {
        add_basis(f, last);
    }
    return f;
}
