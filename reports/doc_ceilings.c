/* SPDX-License-Identifier: Apache-2.0 */
/* "This card": its ceilings in a few columns for part 1, and the operations and limits behind them for part 2. */
#include "reports/doc_build.h"

#include "base/str.h"

#include <math.h>

enum {
    COLUMN_WHAT,
    COLUMN_BURST,
    COLUMN_HALF,
    COLUMN_CLOCK,
    COLUMN_SHEET,
    COLUMN_OF_SHEET,
    COLUMN_OF_LIMIT,
    COLUMN_SUSTAINED, /* last two: only where something was soaked */
    COLUMN_HOT_CLOCK,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_WHAT] = {.title = "Ceiling"},
    [COLUMN_BURST] = {.title = "Burst", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_CLOCK] = {.title = "SM clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
    [COLUMN_SHEET] = {.title = "Datasheet", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_OF_SHEET] = {.title = "of sheet", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_OF_LIMIT] = {.title = "of limit", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_SUSTAINED] = {.title = "Sustained", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_HOT_CLOCK] = {.title = "SM clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
};

static const char *clock_text(const rft_build *b, double mhz) {
    return isnan(mhz) ? "not read" : rft_figure_plain(b->arena, mhz, 4);
}

/* Where the rate under seconds of load differs by more than 3 %; "same" where it was measured and does not. */
static const char *sustained_text(rft_build *b, const rft_ceiling *ceiling, rft_ceiling_id id) {
    if (ceiling->sustained.n == 0) {
        return "n/a";
    }
    return rft_ceiling_sags(ceiling) ? rft_figure_si(b->arena, ceiling->sustained.median, rft_ceiling_unit(id))
                                     : "same";
}

bool rft_build_is_soaked(const rft_build *b) {
    bool soaked = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        soaked = soaked || b->run->ceilings.items[id].sustained.n > 0;
    }
    return soaked;
}

static void add_ceiling(rft_build *b, rft_table *table, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &b->run->ceilings.items[id];
    rft_row *row = rft_doc_row(b->doc, table);
    double rate = ceiling->stats.median;
    row->cells[COLUMN_WHAT] = rft_ceiling_label(id);
    row->cells[COLUMN_BURST] = rft_arena_printf(b->arena, "%s%s", rft_ceiling_prefix(ceiling),
                                                rft_figure_si(b->arena, rate, rft_ceiling_unit(id)));
    row->cells[COLUMN_HALF] = ceiling->stats.interval_is_95
                                  ? rft_arena_fixed(b->arena, rft_stats_half_width_frac(&ceiling->stats) * 100, 2, "")
                                  : "n/a";
    row->cells[COLUMN_CLOCK] = clock_text(b, ceiling->clock_mhz);
    const char *basis = ceiling->datasheet_basis;
    const char *sheet = rft_figure_si(b->arena, ceiling->datasheet, rft_ceiling_unit(id));
    row->cells[COLUMN_SHEET] =
        !isnan(ceiling->datasheet) && basis && *basis
            ? rft_arena_printf(b->arena, "%s%s", sheet,
                               rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "Basis: %s.", basis)))
            : sheet;
    if (!ceiling->at_least) { /* a lower bound is no share of anything */
        row->cells[COLUMN_OF_SHEET] = rft_figure_percent_bare(b->arena, rate / ceiling->datasheet);
        row->cells[COLUMN_OF_LIMIT] = rft_figure_percent_bare(b->arena, rate / ceiling->limit);
    }
    if (table->column_count > COLUMN_SUSTAINED) {
        row->cells[COLUMN_SUSTAINED] = sustained_text(b, ceiling, id);
        row->cells[COLUMN_HOT_CLOCK] = ceiling->sustained.n ? clock_text(b, ceiling->sustained_clock_mhz) : NULL;
    }
}

/* "FP64 tensor, TF32 tensor (not asked for); copy from host (no memory)": by reason, each told once. */
static void add_missing(rft_build *b) {
    bool told[RFT_CEILING_COUNT] = {false};
    rft_str text = RFT_STR_INIT;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *ceiling = &b->run->ceilings.items[id];
        if (ceiling->measured || told[id]) {
            continue;
        }
        rft_str_add(&text, text.length ? "; " : "Not measured: ");
        for (int other = id; other < RFT_CEILING_COUNT; other++) {
            const rft_ceiling *like = &b->run->ceilings.items[other];
            if (!like->measured && rft_text_equal(like->reason, ceiling->reason)) {
                told[other] = true;
                rft_str_addf(&text, "%s%s", other > id ? ", " : "", rft_ceiling_label((rft_ceiling_id)other));
            }
        }
        rft_str_addf(&text, " (%s)", ceiling->reason ? ceiling->reason : "no reason was recorded");
    }
    if (text.length) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s.", rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* What "at least" means, where it is printed. */
static void add_lower_bounds(rft_build *b) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (*rft_ceiling_prefix(&b->run->ceilings.items[id])) {
            rft_doc_text(
                b->doc, RFT_TEXT_NOTE,
                "\"At least\": measured on a path slower than this architecture's own, which this version does "
                "not drive. Nothing is judged by it.");
            return;
        }
    }
}

void rft_build_ceilings(rft_build *b) {
    rft_doc_new_page(b->doc); /* a sheet of its own: it may be kept with the card */
    rft_doc_heading(b->doc, 1, "This card", "card");
    size_t measured = 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        measured += b->run->ceilings.items[id].measured;
    }
    if (measured == 0) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     "No ceiling was measured in this run: nothing here is told as a share of one.");
    } else {
        const char *age = rft_run_ceilings_age_text(b->run, b->arena);
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "Ceilings are rates measured on this card, %s%s%s; everything in this report is judged by them. "
                      "Burst: some "
                      "milliseconds at a time. The limit is what bus and pipes cannot exceed at their highest clock.%s",
                      age ? "up to " : "in this run", age ? age : "", age ? " before this run" : "",
                      b->opts.part == 1 ? "" : " The operation behind each is told in part 2.");
        rft_table *table =
            rft_doc_table(b->doc, columns, rft_build_is_soaked(b) ? COLUMN_COUNT : (size_t)COLUMN_SUSTAINED);
        for (int id = 0; id < RFT_CEILING_COUNT; id++) {
            if (b->run->ceilings.items[id].measured) {
                add_ceiling(b, table, (rft_ceiling_id)id);
            }
        }
    }
    add_lower_bounds(b);
    add_missing(b);
    rft_build_peers(b);
    rft_build_card_state(b);
    rft_build_power_summary(b);
}

/* ---- part 2 ---- */

enum { PART2_WHAT, PART2_SHEET, PART2_LIMIT, PART2_BASIS, PART2_COLUMNS };

/* Of what no part of this run depends on, the reason in part 1 is enough. */
static bool worth_a_row(const rft_ceiling *ceiling) {
    return ceiling->measured || !isnan(ceiling->datasheet) || !isnan(ceiling->limit);
}

void rft_build_operations(rft_build *b) {
    static const rft_column used[PART2_COLUMNS] = {
        [PART2_WHAT] = {.title = "Ceiling"},
        [PART2_SHEET] = {.title = "Datasheet", .align = RFT_ALIGN_DECIMAL},
        [PART2_LIMIT] = {.title = "Hardware limit", .align = RFT_ALIGN_DECIMAL},
        [PART2_BASIS] = {.title = "Basis of the limit", .wraps = true},
    };
    rft_table *table = NULL;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        const rft_ceiling *ceiling = &b->run->ceilings.items[id];
        if (!worth_a_row(ceiling)) {
            continue;
        }
        if (!table) {
            rft_doc_new_chapter(b->doc);
            rft_doc_heading(b->doc, 1, "Ceilings", "ceilings");
            rft_doc_text(
                b->doc, RFT_TEXT_NOTE,
                "In grey, what was run to measure each ceiling, by kernels of rooftune's own or, where that is named, "
                "by the vendor's library (nothing stands there for what was not measured); and what the hardware's "
                "widths and highest clocks would allow.");
            table = rft_doc_table(b->doc, used, PART2_COLUMNS);
        }
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[PART2_WHAT] = rft_ceiling_label(id);
        row->detail = !ceiling->measured ? NULL : ceiling->kernel ? ceiling->kernel : "not recorded";
        row->cells[PART2_SHEET] = rft_figure_si(b->arena, ceiling->datasheet, rft_ceiling_unit(id));
        row->cells[PART2_LIMIT] = rft_figure_si(b->arena, ceiling->limit, rft_ceiling_unit(id));
        row->cells[PART2_BASIS] = ceiling->limit_basis && !isnan(ceiling->limit) ? ceiling->limit_basis : "n/a";
    }
    if (table) {
        rft_print_page(b->doc, rft_finding_ridges(b->run, b->arena));
    }
}
