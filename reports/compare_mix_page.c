/* SPDX-License-Identifier: Apache-2.0 */
/* compare_mix_page.c - mixes on every side: what a pass takes, gives and costs (docs/mix.md). */
#include "base/str.h"
#include "model/compare/compare_mix.h"
#include "reports/compare_pages.h"

#include <math.h>

enum { SIDE, TIME, RATE, PER_JOULE, SPEED, VERDICT, COLUMNS };
enum { PAYER, COST, CARD, ENERGY, PER_PRICE, COST_COLUMNS };

static const char *half(const rft_compare_pages *p, const rft_mix_figure *of) {
    double frac = (of->high - of->low) / 2.0 / of->value;
    return isfinite(frac) ? rft_arena_printf(p->arena, " \xc2\xb1%s %%", rft_figure_plain(p->arena, frac * 100.0, 2))
                          : "";
}

/* The names of the cards, below which the table speaks of letters. */
static const char *side_text(const rft_compare_pages *p, const rft_compare_mix_side *of, size_t side) {
    const char *name = rft_compare_side_name(p->compare, side, p->arena);
    return of->total->called ? rft_arena_printf(p->arena, "%s (%s)", name, of->total->called) : name;
}

static void add_side(rft_compare_pages *p, rft_table *table, const rft_compare_mix *mix, size_t side) {
    const rft_compare_mix_side *of = &mix->sides[side];
    const rft_mix_total *t = of->total;
    rft_row *row = rft_doc_row(p->doc, table);
    row->cells[SIDE] = side_text(p, of, side);
    row->cells[TIME] =
        rft_arena_printf(p->arena, "%s%s", rft_figure_si(p->arena, t->time_s.value, "s"), half(p, &t->time_s));
    row->cells[RATE] = rft_mix_number_text(t->units_s.value, p->arena);
    row->cells[PER_JOULE] = rft_mix_number_text(t->units_j.value, p->arena);
    if (of->verdict != RFT_COMPARE_NONE) {
        row->cells[SPEED] = rft_compare_ratio_text(&of->ratio, p->arena);
        row->cells[VERDICT] = rft_compare_verdict_name(of->verdict);
    } else if (side == 0) {
        row->cells[SPEED] = "first";
    }
}

/* Costs, where a price is given. */
static void add_costs(rft_compare_pages *p, const rft_compare_mix *mix) {
    const char *currency = p->compare->mixes->book->currency ? p->compare->mixes->book->currency : "";
    const rft_column columns[COST_COLUMNS] = {
        [PAYER] = {.title = rft_arena_printf(p->arena, "Cost of a million %s", rft_mix_units_text(mix->mix, p->arena)),
                   .wraps = true},
        [COST] = {.title = "Together", .unit = currency, .align = RFT_ALIGN_DECIMAL},
        [CARD] = {.title = "device", .unit = currency, .align = RFT_ALIGN_DECIMAL},
        [ENERGY] = {.title = "energy", .unit = currency, .align = RFT_ALIGN_DECIMAL},
        [PER_PRICE] = {.title =
                           rft_arena_printf(p->arena, "%s/s per %s", rft_mix_units_text(mix->mix, p->arena), currency),
                       .unit = "of the device",
                       .align = RFT_ALIGN_DECIMAL},
    };
    rft_table *table = rft_doc_table(p->doc, columns, COST_COLUMNS);
    for (size_t side = 0; side < p->compare->side_count; side++) {
        const rft_compare_mix_side *of = &mix->sides[side];
        rft_row *row = rft_doc_row(p->doc, table);
        row->cells[PAYER] = side_text(p, of, side);
        row->cells[COST] = rft_mix_number_text(of->total->cost.value, p->arena);
        row->cells[CARD] = rft_mix_number_text(of->total->card_cost.value, p->arena);
        row->cells[ENERGY] = rft_mix_number_text(of->total->energy_cost.value, p->arena);
        row->cells[PER_PRICE] = rft_mix_number_text(of->per_price, p->arena);
    }
}

static void add_mix(rft_compare_pages *p, size_t item) {
    const rft_compare_mixes *mixes = p->compare->mixes;
    const rft_compare_mix *mix = &mixes->items[item];
    const rft_column columns[COLUMNS] = {
        [SIDE] = {.title = "", .wraps = true},
        [TIME] = {.title = "A pass", .align = RFT_ALIGN_RIGHT},
        [RATE] = {.title = rft_arena_printf(p->arena, "%s/s", rft_mix_units_text(mix->mix, p->arena)),
                  .align = RFT_ALIGN_DECIMAL},
        [PER_JOULE] = {.title = rft_arena_printf(p->arena, "%s/J", rft_mix_units_text(mix->mix, p->arena)),
                       .align = RFT_ALIGN_DECIMAL},
        [SPEED] = {.title = "Speed against A", .align = RFT_ALIGN_RIGHT},
        [VERDICT] = {.title = "Verdict"},
    };
    const char **notes = NULL;
    rft_doc_heading(p->doc, 2, mix->mix->name, NULL);
    rft_table *table = rft_doc_table(p->doc, columns, COLUMNS);
    for (size_t side = 0; side < p->compare->side_count; side++) {
        add_side(p, table, mix, side);
    }
    if (mix->priced) {
        add_costs(p, mix);
    }
    size_t count = rft_compare_mix_notes(mixes, item, p->arena, &notes);
    for (size_t i = 0; i < count; i++) {
        rft_doc_textf(p->doc, RFT_TEXT_NOTE, "%s.", notes[i]);
    }
}

static void add_prices(rft_compare_pages *p) {
    const rft_mix_book *book = p->compare->mixes->book;
    rft_str text = RFT_STR_INIT;
    if (!isnan(book->years)) {
        rft_str_addf(&text, "A device's price (on the cover) is spread over %s years of continuous use. ",
                     rft_mix_exact_text(book->years, p->arena));
    }
    if (!isnan(book->kwh)) {
        rft_str_addf(&text, "A kilowatt-hour costs %s %s (%s). ", rft_mix_exact_text(book->kwh, p->arena),
                     book->currency, book->kwh_date);
    }
    rft_str_add(&text, "Costs are per million units, n/a where a part is not known.");
    rft_doc_text(p->doc, RFT_TEXT_NOTE, rft_str_get(&text));
    rft_str_clear(&text);
}

void rft_compare_page_mixes(rft_compare_pages *p) {
    const rft_compare_mixes *mixes = p->compare->mixes;
    if (!mixes || (mixes->count == 0 && mixes->book->remark_count == 0)) {
        return;
    }
    rft_doc_heading(p->doc, 1, mixes->count ? "Mixes" : "Remarks", "mixes");
    if (mixes->count) {
        rft_doc_textf(p->doc, RFT_TEXT_BODY,
                      "A mix sums the best times of the operations of one pass. %s The verdict follows the rule of "
                      "single workloads; an operation in doubt puts the whole in doubt.",
                      mixes->items[0].sides[0].total->notes[0]);
    }
    bool priced = false;
    for (size_t i = 0; i < mixes->count; i++) {
        add_mix(p, i);
        priced = priced || mixes->items[i].priced;
    }
    if (priced) {
        add_prices(p);
    }
    if (mixes->count && mixes->book->remark_count) {
        rft_doc_heading(p->doc, 2, "Remarks", NULL);
    }
    for (size_t i = 0; i < mixes->book->remark_count; i++) {
        rft_doc_text(p->doc, RFT_TEXT_BODY, mixes->book->remarks[i]);
    }
}
