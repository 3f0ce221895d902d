/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_mix.c - mixes on every side of a comparison: what a pass takes, gives and costs (docs/mix.md). */
#include "base/str.h"
#include "model/compare/compare_mix.h"
#include "model/stats/interval_text.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/findings.h"

#include <math.h>
#include <string.h>

/* ---- for programs ---- */

static void add_sides_data(rft_finding *f, const rft_compare_mix *mix, const rft_compare *compare) {
    rft_item *list = rft_finding_list(f, "sides");
    list->where = RFT_IN_DATA;
    for (size_t i = 0; i < compare->side_count; i++) {
        const rft_compare_mix_side *of = &mix->sides[i];
        rft_finding *side = rft_finding_mix(of->total, false, f->arena);
        rft_finding_set(side, "letter", rft_datum_text(rft_compare_letter(compare, i, f->arena)));
        rft_finding_set(side, "ratio", rft_datum_number(of->ratio.ratio));
        rft_finding_set(side, "ratio_low", rft_datum_number(of->ratio.low));
        rft_finding_set(side, "ratio_high", rft_datum_number(of->ratio.high));
        rft_finding_set(side, "verdict",
                        rft_datum_text(of->verdict == RFT_COMPARE_NONE ? NULL : rft_compare_verdict_name(of->verdict)));
        rft_finding_set(side, "reason", rft_datum_text(of->reason));
        rft_finding_set(side, "units_s_per_price", rft_datum_number(of->per_price));
        if (i > 0) {
            rft_finding_add(side, "break_even", rft_finding_break_even_data(&of->even, f->arena));
        }
        rft_finding_append(f, list, side);
    }
}

/* ---- what a pass takes ---- */

enum { LETTER, SIDE, TIME, RATE, PER_JOULE, COST, SPEED, VERDICT, SIDE_FIELDS };

static rft_datum number_cell(double value, rft_arena *arena) {
    return rft_datum_text(rft_mix_number_text(value, arena));
}

/* "1,502 ±0.31 %", on a terminal, which has room for little, the number alone. */
static rft_datum figure_cell(const rft_mix_figure *of, rft_arena *arena) {
    const char *number = rft_mix_number_text(of->value, arena);
    double half = fmax(of->value - of->low, of->high - of->value);
    const char *interval = rft_interval_text_of(of->value, of->value - half, of->value + half, 1.0, "", arena).interval;
    rft_datum cell = rft_datum_text(interval ? rft_arena_printf(arena, "%s %s", number, interval) : number);
    cell.brief = number;
    return cell;
}

/* "5.85 ms ±0.18 %" */
static rft_datum pass_cell(const rft_mix_figure *of, rft_arena *arena) {
    rft_interval_text time = rft_interval_text_of(of->value, of->low, of->high, 0.0, "s", arena);
    return rft_datum_text(
        rft_arena_printf(arena, "%s%s%s", time.value, time.interval ? " " : "", time.interval ? time.interval : ""));
}

/* All of the cost where that is known, else the device's part, with a star. */
static const char *cost_text(const rft_mix_total *total, rft_arena *arena) {
    bool whole = !total->cost.missing;
    const char *cost = rft_mix_number_text(whole ? total->cost.value : total->card_cost.value, arena);
    return rft_arena_printf(arena, "%s%s", cost, whole || total->card_cost.missing ? "" : "*");
}

/* The names of the cards, below which the table speaks of letters. */
static const char *side_text(const rft_compare *compare, const rft_compare_mix_side *of, size_t side,
                             rft_arena *arena) {
    const char *name = rft_compare_side_name(compare, side, arena);
    return of->total->called ? rft_arena_printf(arena, "%s (%s)", name, of->total->called) : name;
}

static void add_side(rft_cell_table *table, const rft_compare *compare, const rft_compare_mix *mix, size_t side) {
    const rft_compare_mix_side *of = &mix->sides[side];
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[LETTER] = rft_datum_text(rft_compare_letter(compare, side, table->arena));
    cells[SIDE] = rft_datum_text(side_text(compare, of, side, table->arena));
    cells[TIME] = pass_cell(&of->total->time_s, table->arena);
    cells[RATE] = figure_cell(&of->total->units_s, table->arena);
    cells[PER_JOULE] = figure_cell(&of->total->units_j, table->arena);
    cells[COST] = rft_datum_text(cost_text(of->total, table->arena));
    if (of->verdict != RFT_COMPARE_NONE) {
        const char *ratio = rft_compare_mean_text(&of->ratio, table->arena);
        const char *verdict = rft_compare_verdict_name(of->verdict);
        cells[SPEED] = rft_datum_text(ratio);
        cells[SPEED].brief = rft_arena_printf(table->arena, "%.*s %s", (int)strcspn(ratio, " "), ratio, verdict);
        cells[VERDICT] = rft_datum_text(verdict);
    } else if (side == 0) {
        cells[SPEED] = rft_datum_text("first");
    }
}

static void add_sides(rft_finding *f, const rft_compare_mixes *mixes, const rft_compare_mix *mix) {
    const char *units = rft_mix_units_text(mix->mix, f->arena), *currency = mixes->book->currency;
    const rft_trait fields[SIDE_FIELDS] = {
        [LETTER] = {.title = "", .where = RFT_IN_TEXT},
        [SIDE] = {.title = "", .where = RFT_ON_PAGE, .wraps = true},
        [TIME] = {.title = "A pass", .brief = "a pass", .align = RFT_ALIGN_RIGHT},
        [RATE] = {.title = rft_arena_printf(f->arena, "%s/s", units), .align = RFT_ALIGN_RIGHT},
        [PER_JOULE] = {.title = rft_arena_printf(f->arena, "%s/J", units), .align = RFT_ALIGN_RIGHT},
        [COST] = {.title = mix->priced ? rft_arena_printf(f->arena, "%s per 10^6", currency) : NULL,
                  .where = RFT_IN_TEXT,
                  .align = RFT_ALIGN_RIGHT},
        [SPEED] = {.title = "Speed against A", .brief = "speed against A", .align = RFT_ALIGN_RIGHT},
        [VERDICT] = {.title = "Verdict", .where = RFT_ON_PAGE},
    };
    rft_cell_table *table = rft_finding_table(f, NULL, fields, SIDE_FIELDS);
    bool starred = false;
    for (size_t side = 0; side < mixes->compare->side_count; side++) {
        const rft_mix_total *total = mix->sides[side].total;
        add_side(table, mixes->compare, mix, side);
        starred = starred || (total->cost.missing && !total->card_cost.missing);
    }
    if (starred) {
        rft_finding_note(f, RFT_IN_TEXT, "* of the device alone: what its energy costs is not known");
    }
}

/* ---- what it costs ---- */

static void add_costs(rft_finding *f, const rft_compare_mixes *mixes, const rft_compare_mix *mix) {
    enum { PAYER, TOGETHER, CARD, ENERGY, PER_PRICE, COST_FIELDS };
    const char *units = rft_mix_units_text(mix->mix, f->arena);
    const char *currency = mixes->book->currency ? mixes->book->currency : "";
    const rft_trait fields[COST_FIELDS] = {
        [PAYER] = {.title = rft_arena_printf(f->arena, "Cost of a million %s", units), .wraps = true},
        [TOGETHER] = {.title = "Together", .unit = currency, .headed = true, .align = RFT_ALIGN_RIGHT},
        [CARD] = {.title = "device", .unit = currency, .headed = true, .align = RFT_ALIGN_RIGHT},
        [ENERGY] = {.title = "energy", .unit = currency, .headed = true, .align = RFT_ALIGN_RIGHT},
        [PER_PRICE] = {.title = rft_arena_printf(f->arena, "%s/s per %s", units, currency),
                       .unit = "of the device",
                       .headed = true,
                       .align = RFT_ALIGN_DECIMAL},
    };
    rft_cell_table *table = rft_finding_table(f, NULL, fields, COST_FIELDS);
    table->where = RFT_ON_PAGE;
    for (size_t side = 0; side < mixes->compare->side_count; side++) {
        const rft_compare_mix_side *of = &mix->sides[side];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[PAYER] = rft_datum_text(side_text(mixes->compare, of, side, f->arena));
        cells[TOGETHER] = figure_cell(&of->total->cost, f->arena);
        cells[CARD] = figure_cell(&of->total->card_cost, f->arena);
        cells[ENERGY] = figure_cell(&of->total->energy_cost, f->arena);
        cells[PER_PRICE] = number_cell(of->per_price, f->arena);
    }
}

static void add_prices(rft_finding *f, const rft_mix_book *book) {
    rft_str text = RFT_STR_INIT;
    if (!isnan(book->years)) {
        rft_str_addf(&text, "A device's price (on the cover) is spread over %s years",
                     rft_mix_exact_text(book->years, f->arena));
        if (isnan(book->utilisation)) {
            rft_str_add(&text, " of continuous use. ");
        } else {
            rft_str_addf(&text, ", %s %% of them at work. ", rft_mix_exact_text(book->utilisation * 100.0, f->arena));
        }
    }
    if (!isnan(book->host_price)) {
        rft_str_addf(&text, "Its share of the host costs %s %s (%s). ", rft_mix_exact_text(book->host_price, f->arena),
                     book->currency, book->host_date);
    }
    if (!isnan(book->host_watts)) {
        rft_str_addf(&text, "That share draws %s W. ", rft_mix_exact_text(book->host_watts, f->arena));
    }
    if (!isnan(book->kwh)) {
        rft_str_addf(&text, "A kilowatt-hour costs %s %s (%s)%s%s. ", rft_mix_exact_text(book->kwh, f->arena),
                     book->currency, book->kwh_date, isnan(book->pue) ? "" : ", times a PUE of ",
                     isnan(book->pue) ? "" : rft_mix_exact_text(book->pue, f->arena));
    }
    rft_finding_note(f, RFT_ON_PAGE, "%sCosts are per million units, n/a where a part is not known.",
                     rft_str_get(&text));
    rft_str_clear(&text);
}

/* ---- a mix, and all of them ---- */

static rft_finding *compared_mix(const rft_compare_mixes *mixes, size_t item, rft_arena *arena) {
    const rft_compare_mix *mix = &mixes->items[item];
    rft_finding *f = rft_finding_new(arena);
    const char **notes = NULL;
    rft_finding_heading(f, RFT_ON_PAGE, 2, "%s", mix->mix->name);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "mix: %s", mix->mix->name);
    rft_finding_set(f, "name", rft_datum_text(mix->mix->name));
    add_sides_data(f, mix, mixes->compare);
    add_sides(f, mixes, mix);
    if (mix->priced) {
        add_costs(f, mixes, mix);
        rft_finding_join(f, rft_finding_break_even(mixes, item, arena));
    }
    size_t count = rft_compare_mix_notes(mixes, item, arena, &notes);
    for (size_t i = 0; i < count; i++) {
        rft_finding_note(f, RFT_TO_PEOPLE, "%s.", notes[i]);
    }
    rft_finding_note(f, RFT_IN_TEXT, "%s", mix->sides[0].total->notes[0]);
    return f;
}

rft_finding *rft_finding_compared_mixes(const rft_compare *compare, rft_arena *arena) {
    const rft_compare_mixes *mixes = compare->mixes;
    if (!mixes) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    if (mixes->count + mixes->book->remark_count > 0) {
        rft_finding_chapter(f, 1, mixes->count ? "Mixes" : "Remarks", "mixes");
    }
    if (mixes->count) {
        rft_finding_body(f, RFT_ON_PAGE,
                         "A mix sums the best times of the operations of one pass. %s The verdict follows the rule of "
                         "single workloads; an operation in doubt puts the whole in doubt.",
                         mixes->items[0].sides[0].total->notes[0]);
    }
    rft_item *list = rft_finding_list(f, "mixes");
    bool priced = false;
    for (size_t i = 0; i < mixes->count; i++) {
        rft_finding_append(f, list, compared_mix(mixes, i, arena));
        priced = priced || mixes->items[i].priced;
    }
    if (priced) {
        add_prices(f, mixes->book);
    }
    rft_finding_join(f, rft_finding_remarks(mixes->book, mixes->count > 0, arena));
    return f;
}
