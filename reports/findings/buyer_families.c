/* SPDX-License-Identifier: Apache-2.0 */
/* buyer_families.c - the first page's table of families of kernels, or of the operations of a mix, and that of all. */
#include "reports/findings/buyer.h"

#include "base/str.h"
#include "model/compare/compare.h"
#include "model/run/baseline.h"
#include "model/run/run_foreign.h"
#include "model/stats/interval_text.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/findings.h"
#include "reports/findings/point_state.h"
#include "reports/findings/words.h"

#include <math.h>

#define CLEAR 1e6       /* beyond any logarithm of a speed */
#define ROWS_DETAILED 9 /* with the problem that the rates are of below each */

enum {
    PART,
    WEIGHT,
    SPEED,
    SPEED_DATA,
    SPEED_LOW,
    SPEED_HIGH,
    REFUSED,
    PROBLEM,
    RATE,
    RATE_UNIT,
    BACK,
    ITEMS,
    WATT,
    MONEY,
    SHARE,
    SHARE_DATA,
    SHARE_LOW,
    SHARE_HIGH,
    PART_FIELDS
};

static const rft_trait part_fields[PART_FIELDS] = {
    [PART] = {.key = "name", .title = "What", .wraps = true},
    [WEIGHT] = {.key = "weight", .title = "Weight", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_RIGHT},
    [SPEED] = {.title = "Speed", .align = RFT_ALIGN_RIGHT},
    [SPEED_DATA] = {.key = "speed"},
    [SPEED_LOW] = {.key = "speed_low"},
    [SPEED_HIGH] = {.key = "speed_high"},
    [REFUSED] = {.key = "refused"},
    [PROBLEM] = {.key = "problem"},
    [RATE] = {.key = "rate", .title = "Rate, longest", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [RATE_UNIT] = {.key = "rate_unit"},
    [BACK] = {.key = "rate_back_to_back", .title = "Without a pause", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [ITEMS] = {.key = "items_s", .title = "Items", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [WATT] = {.key = "rate_per_watt", .title = "Per watt", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [MONEY] = {.key = "rate_per_price", .title = "Per price", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [SHARE] = {.title = "Of limit, mean", .unit = "%", .headed = true, .align = RFT_ALIGN_RIGHT},
    [SHARE_DATA] = {.key = "share_of_limit"},
    [SHARE_LOW] = {.key = "share_low"},
    [SHARE_HIGH] = {.key = "share_high"},
};

/* "46.0 (45.7 to 46.3)", in percent. */
static const char *limit_share_text(const rft_speed_share *share, rft_arena *arena) {
    rft_interval_text text =
        rft_interval_text_of(100.0 * share->frac, 100.0 * share->low, 100.0 * share->high, 1.0, "", arena);
    const char *ends = rft_interval_ends_text(100.0 * share->low, 100.0 * share->high, "", arena);
    return ends ? rft_arena_printf(arena, "%s (%s)", text.value, ends) : text.value;
}

static void add_share(rft_datum *cells, const rft_speed_asked *asked, size_t part, rft_arena *arena) {
    const rft_speed_share share = rft_speed_share_of(asked, part);
    cells[SHARE] = rft_datum_said(rft_datum_number(share.frac), limit_share_text(&share, arena));
    cells[SHARE].note =
        share.at_most ? "At most: of some problems part of what was written was still in the cache." : NULL;
    cells[SHARE_DATA] = rft_datum_number(share.frac);
    cells[SHARE_LOW] = rft_datum_number(share.low);
    cells[SHARE_HIGH] = rft_datum_number(share.high);
}

/* What a column is of, where it has a unit of its own; nothing where it is not known. */
static rft_datum rate_cell(double rate, const char *unit) {
    return isfinite(rate) ? rft_datum_rate(rate, unit) : (rft_datum){.kind = RFT_DATUM_BLANK};
}

/* Why nothing is known of launches back to back, or of their power; NULL: it is not a matter of that. */
static const char *load_reason(const rft_run *run, const rft_load *load, rft_arena *arena) {
    const char *why = load ? load->reason ? load->reason : load->energy_reason : NULL;
    return rft_run_foreign(run)          ? "Not in another program's file."
           : why                         ? rft_arena_printf(arena, "Not measured: %s.", why)
           : rft_buyer_has_no_meter(run) ? "Not measured: the card tells no power."
                                         : "Not measured here: `rooftune run --energy best` does.";
}

static rft_datum load_cell(double rate, const char *unit, const char *reason) {
    return isfinite(rate) ? rft_datum_rate(rate, unit) : rft_datum_noted(rft_datum_absent(), reason);
}

/* What one run does, in the unit of its rate: declared, or of another tuner's run what its time and rate tell. */
static double amount_of(const rft_run *run, const rft_speed_item *item, const char **unit, rft_arena *arena) {
    if (rft_run_foreign(run)) {
        const rft_foreign_work work = rft_foreign_work_of(run, item->sweep, item->problem, arena);
        bool flop = isfinite(work.flop.amount);
        *unit = flop ? "FLOP/s" : "B/s";
        return flop ? work.flop.amount : work.bytes.amount;
    }
    rft_placement place = rft_placement_of(run, item->best);
    *unit = rft_rate_unit(&place);
    return rft_rate_of(&place) * rft_point_median_s(item->best);
}

/* Whose rate it is, or how exact; NULL: the best's, as exact as the library. */
static const char *rate_note(const rft_run *run, const rft_speed_item *item, const rft_load *load) {
    const rft_baseline *library = rft_run_fastest_baseline(run, item->sweep, item->problem);
    if (item->time_s < rft_point_median_s(item->best)) {
        return load ? "By the vendor's library, whose median is shorter; without a pause, per watt and of limit are of "
                      "the tuned kernel."
                    : NULL;
    }
    return library && rft_errors_larger(&item->best->verification, &library->verification)
               ? "Less exact than the vendor's library (How exact; `rooftune show`)."
               : NULL;
}

/* Of the problem of the part that takes longest. */
static void add_rates(rft_datum *cells, const rft_buyer *buyer, const rft_speed_item *item, rft_arena *arena) {
    const rft_run *run = buyer->given.run;
    const rft_mix_book *book = buyer->given.book;
    const rft_point *best = item->best;
    const char *unit = NULL;
    if (!best) {
        return;
    }
    double amount = amount_of(run, item, &unit, arena), rate = amount / item->time_s;
    const rft_load *load = best->loads[RFT_LOAD_ENERGY];
    const rft_mix_price *price = book ? rft_mix_price_of(book, &run->gpu) : NULL;
    cells[RATE] = isfinite(rate)
                      ? rate_cell(rate, unit)
                      : rft_datum_said(rft_datum_absent(),
                                       rft_arena_printf(arena, "%s a run", rft_figure_si(arena, item->time_s, "s")));
    cells[RATE].note = rate_note(run, item, load);
    cells[RATE_UNIT] = rft_datum_text(unit);
    const char *reason = load_reason(run, load, arena);
    cells[BACK] = load_cell(rft_back_to_back_rate(run, best), unit, reason);
    if (best->work.items > 0 && best->work.item_name) {
        cells[ITEMS] =
            rate_cell(best->work.items / item->time_s, rft_arena_printf(arena, "%s/s", best->work.item_name));
    }
    cells[WATT] =
        load_cell(load ? rft_load_per_joule(load, amount) : (double)NAN, rft_arena_printf(arena, "%s/W", unit), reason);
    if (price && book->currency) {
        cells[MONEY] = rate_cell(rate / price->amount, rft_arena_printf(arena, "%s/%s", unit, book->currency));
    }
}

/* More than one page ever has room for. */
bool rft_buyer_has_many(const rft_buyer *buyer) {
    return buyer->asked->part_count > RFT_BUYER_ROWS;
}

static size_t rows_most(const rft_buyer *buyer) {
    return buyer->given.rows_most ? buyer->given.rows_most : RFT_BUYER_ROWS;
}

/* How much a part speaks for the card or against it: one that is clear comes before all that are not. */
static double distance(const rft_speed *speed, size_t p) {
    const rft_compare_ratio *ratio = &speed->parts[p];
    rft_compare_verdict verdict = rft_compare_mean_verdict(ratio);
    bool clear = verdict != RFT_COMPARE_AMBIGUOUS && verdict != RFT_COMPARE_SAME;
    return !isfinite(ratio->ratio) ? -1.0 : fabs(log(ratio->ratio)) + (clear ? CLEAR : 0.0);
}

/* Of too many parts for the page those that differ most from the reference; without one the first. */
static bool is_shown(const rft_buyer *buyer, size_t p) {
    const rft_speed *speed = buyer->chief && !buyer->chief->itself ? buyer->chief : NULL;
    size_t before = 0;
    for (size_t i = 0; speed && i < buyer->asked->part_count; i++) {
        double more = distance(speed, i) - distance(speed, p);
        before += more > 0.0 || (more == 0.0 && i < p);
    }
    return (speed ? before : p) < rows_most(buyer);
}

static void add_part(rft_cell_table *table, const rft_buyer *buyer, size_t p) {
    const rft_speed_asked *asked = buyer->asked;
    const rft_speed_part *part = &asked->parts[p];
    const rft_speed *speed = buyer->chief && !buyer->chief->itself ? buyer->chief : NULL;
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    cells[PART] = rft_datum_text(part->name);
    cells[WEIGHT] = rft_datum_number(speed && !speed->missing ? speed->weights[p] : part->weight);
    add_share(cells, asked, p, table->arena);
    if (speed) {
        const rft_compare_ratio *ratio = &speed->parts[p];
        cells[SPEED] = rft_datum_text(rft_compare_mean_words(ratio, table->arena));
        cells[SPEED].note = speed->refused[p] && !speed->missing
                                ? rft_arena_printf(table->arena, "Not counted: %s.", speed->refused[p])
                                : NULL;
        cells[SPEED_DATA] = rft_datum_number(ratio->ratio);
        cells[SPEED_LOW] = rft_datum_number(ratio->low);
        cells[SPEED_HIGH] = rft_datum_number(ratio->high);
        cells[REFUSED] = rft_datum_text(speed->refused[p]);
    }
    if (part->longest != SIZE_MAX) {
        const rft_speed_item *item = &asked->items[part->longest];
        const char *problem = rft_words_problem(buyer->given.run, item->sweep, item->problem, table->arena);
        cells[PROBLEM] = rft_datum_text(problem);
        add_rates(cells, buyer, item, table->arena);
        row->detail = asked->part_count <= ROWS_DETAILED ? problem : NULL;
        row->link = buyer->given.linked ? rft_arena_printf(table->arena, "sweep-%zu", item->sweep + 1) : NULL;
    }
    row->where = is_shown(buyer, p) ? 0 : RFT_IN_DATA;
}

/* Whether a column says something of a row that people are shown; *reason: why it says n/a in one. */
static bool says_something(const rft_cell_table *table, size_t column, const char **reason) {
    bool told = false;
    for (size_t r = 0; r < table->row_count && !told; r++) {
        const rft_datum *cell = &table->rows[r].cells[column];
        told = table->rows[r].where == 0 && cell->kind != RFT_DATUM_BLANK &&
               (cell->kind != RFT_DATUM_ABSENT || !cell->note);
        *reason = cell->kind == RFT_DATUM_ABSENT && cell->note ? cell->note : *reason;
    }
    return told;
}

/* A column that says nothing of any row is none; why stands below. */
static void drop_blank(rft_finding *f, rft_cell_table *table) {
    rft_str dropped = RFT_STR_INIT;
    const char *why = NULL;
    for (size_t c = 0; c < table->field_count; c++) {
        const char *reason = NULL;
        if (!says_something(table, c, &reason)) {
            bool second = dropped.length > 0;
            rft_str_add(&dropped, !reason ? "" : c == BACK ? "Without a pause" : second ? ", per watt" : "Per watt");
            why = reason ? reason : why;
            table->fields[c].title = NULL;
        }
    }
    if (why) {
        rft_finding_note(f, RFT_TO_PEOPLE, "%s: n/a. %s", rft_str_get(&dropped), why);
    }
    rft_str_clear(&dropped);
}

/* Whether those that count weigh the same: the words below the table say so. */
static bool weighs_alike(const rft_cell_table *table) {
    double most = 0.0;
    bool alike = true;
    for (size_t r = 0; r < table->row_count; r++) {
        most = fmax(most, table->rows[r].cells[WEIGHT].as.number);
    }
    for (size_t r = 0; r < table->row_count; r++) {
        double weight = table->rows[r].cells[WEIGHT].as.number;
        alike = alike && (weight == 0.0 || most - weight < 1e-9);
    }
    return alike;
}

void rft_buyer_add_parts(rft_finding *f, const rft_buyer *buyer, const char *key) {
    rft_cell_table *table = rft_finding_table(f, key, part_fields, PART_FIELDS);
    table->fields[SHARE].meter = !rft_buyer_has_chart(buyer);
    for (size_t p = 0; p < buyer->asked->part_count; p++) {
        add_part(table, buyer, p);
    }
    if (rft_buyer_has_many(buyer)) { /* few of them count items; names and bars need the room */
        table->fields[ITEMS].where = RFT_IN_DATA;
        table->fields[PART].wraps = false;
        table->fields[BACK].where = key ? table->fields[BACK].where : RFT_IN_DATA;
    }
    drop_blank(f, table);
    if (rft_buyer_has_many(buyer) && weighs_alike(table)) {
        table->fields[WEIGHT].where = RFT_IN_TEXT | RFT_IN_DATA;
    }
    if (buyer->asked->part_count > rows_most(buyer)) {
        rft_finding_note(f, RFT_TO_PEOPLE, "%s; the summary has all %zu.",
                         buyer->chief && !buyer->chief->itself ? "Those that differ most from the reference"
                                                               : "The first",
                         buyer->asked->part_count);
    }
}

rft_finding *rft_finding_families(const rft_buyer *buyer, rft_arena *arena) {
    if (buyer->asked->part_count <= rows_most(buyer)) {
        return NULL; /* the first page has them */
    }
    rft_finding *f = rft_finding_new(arena);
    rft_buyer all = *buyer;
    all.given.rows_most = buyer->asked->part_count;
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Every family of kernels");
    rft_buyer_add_parts(f, &all, NULL);
    return f;
}
