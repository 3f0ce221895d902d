/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include <math.h>

enum {
    COLUMN_WHAT,
    COLUMN_MEASURED,
    COLUMN_HALF,
    COLUMN_SHEET,
    COLUMN_OF_SHEET,
    COLUMN_LIMIT,
    COLUMN_OF_LIMIT,
    COLUMN_CLOCK,
    COLUMN_SUSTAINED, /* last: only where one was measured */
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_WHAT] = {.title = "Ceiling and the operation behind it", .wraps = true},
    [COLUMN_MEASURED] = {.title = "Measured", .align = RFT_ALIGN_RIGHT},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_SUSTAINED] = {.title = "Sustained", .align = RFT_ALIGN_RIGHT},
    [COLUMN_SHEET] = {.title = "Datasheet", .align = RFT_ALIGN_RIGHT},
    [COLUMN_OF_SHEET] = {.title = "measured / sheet", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_LIMIT] = {.title = "Hardware limit", .align = RFT_ALIGN_RIGHT},
    [COLUMN_OF_LIMIT] = {.title = "measured / limit", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_CLOCK] = {.title = "SM clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
};

static const char *with_basis(rft_build *b, rft_table *table, double value, const char *basis, rft_ceiling_id id) {
    const char *text = rft_figure_si(b->arena, value, rft_ceiling_unit(id));
    if (isnan(value) || !basis || !*basis) {
        return text;
    }
    return rft_arena_printf(b->arena, "%s%s", text,
                            rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "Basis: %s.", basis)));
}

/* Where the rate under seconds of load differs by more than 3 %; "same" where it was measured and does not. */
static const char *sustained_text(rft_build *b, const rft_ceiling *ceiling, rft_ceiling_id id) {
    if (ceiling->sustained.n == 0) {
        return NULL;
    }
    return rft_ceiling_sags(ceiling) ? rft_figure_si(b->arena, ceiling->sustained.median, rft_ceiling_unit(id))
                                     : "same";
}

static bool is_soaked(const rft_build *b) {
    bool soaked = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        soaked = soaked || b->run->ceilings.items[id].sustained.n > 0;
    }
    return soaked;
}

static void add_ceiling(rft_build *b, rft_table *table, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &b->run->ceilings.items[id];
    rft_row *row = rft_doc_row(b->doc, table);
    const char *label = rft_ceiling_label(id);
    row->cells[COLUMN_WHAT] =
        ceiling->measured && ceiling->kernel ? rft_arena_printf(b->arena, "%s: %s", label, ceiling->kernel) : label;
    row->cells[COLUMN_SHEET] = with_basis(b, table, ceiling->datasheet, ceiling->datasheet_basis, id);
    row->cells[COLUMN_LIMIT] = with_basis(b, table, ceiling->limit, ceiling->limit_basis, id);
    if (!ceiling->measured) {
        const char *reason = ceiling->reason ? ceiling->reason : "no reason was recorded";
        row->cells[COLUMN_MEASURED] = rft_arena_printf(
            b->arena, "n/a%s", rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "Not measured: %s.", reason)));
        return;
    }
    double rate = ceiling->stats.median;
    row->cells[COLUMN_MEASURED] = rft_arena_printf(b->arena, "%s%s", rft_ceiling_prefix(ceiling),
                                                   rft_figure_si(b->arena, rate, rft_ceiling_unit(id)));
    if (table->column_count > COLUMN_SUSTAINED) {
        row->cells[COLUMN_SUSTAINED] = sustained_text(b, ceiling, id);
    }
    row->cells[COLUMN_HALF] = ceiling->stats.interval_is_95
                                  ? rft_figure_plain(b->arena, rft_stats_half_width_frac(&ceiling->stats) * 100, 2)
                                  : "n/a";
    if (!ceiling->at_least) { /* a lower bound is no share of anything */
        row->cells[COLUMN_OF_SHEET] = rft_figure_percent_bare(b->arena, rate / ceiling->datasheet);
        row->cells[COLUMN_OF_LIMIT] = rft_figure_percent_bare(b->arena, rate / ceiling->limit);
    }
    row->cells[COLUMN_CLOCK] =
        isnan(ceiling->clock_mhz) ? "not read" : rft_figure_plain(b->arena, ceiling->clock_mhz, 4);
}

/* Of what no part of this run depends on, a line with the reason is enough; it has no row of its own. */
static bool worth_a_row(const rft_ceiling *ceiling) {
    return ceiling->measured || !isnan(ceiling->datasheet) || !isnan(ceiling->limit);
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
    rft_doc_heading(b->doc, 1, "This card", "card");
    size_t measured = 0, rows = 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        measured += b->run->ceilings.items[id].measured;
        rows += worth_a_row(&b->run->ceilings.items[id]);
    }
    if (measured == 0) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     "No ceiling was measured in this run: nothing here is told as a share of one.");
    } else {
        const char *age = rft_run_ceilings_age_text(b->run, b->arena);
        rft_doc_textf(
            b->doc, RFT_TEXT_NOTE,
            "Ceilings are rates measured on this card, %s%s%s, by kernels of rooftune's own or, where that is "
            "named, by the vendor's library. Everything in this report is judged by them. The hardware limit "
            "is what bus and pipes cannot exceed at their highest clock.",
            age ? "up to " : "in this run", age ? age : "", age ? " before this run" : "");
    }
    add_lower_bounds(b);
    rft_table *table = rft_doc_table(b->doc, columns, is_soaked(b) ? COLUMN_COUNT : COLUMN_COUNT - 1);
    for (int id = 0; id < RFT_CEILING_COUNT && rows > 0; id++) {
        if (worth_a_row(&b->run->ceilings.items[id])) {
            add_ceiling(b, table, (rft_ceiling_id)id);
        }
    }
    if (rows < RFT_CEILING_COUNT) {
        static const rft_column pair[] = {{.title = "Not measured"}, {.title = "Reason", .wraps = true}};
        rft_table *rest = rft_doc_table(b->doc, pair, 2);
        for (int id = 0; id < RFT_CEILING_COUNT; id++) {
            const rft_ceiling *ceiling = &b->run->ceilings.items[id];
            if (!worth_a_row(ceiling)) {
                rft_doc_pair(b->doc, rest, rft_ceiling_label((rft_ceiling_id)id),
                             ceiling->reason ? ceiling->reason : "no reason was recorded");
            }
        }
    }
    rft_build_ridges(b);
    const rft_ceiling *link = b->run->ceilings.items;
    bool copied = link[RFT_CEILING_H2D].measured && link[RFT_CEILING_D2H].measured;
    rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                  "Not part of this run at all: %slinks between cards, several cards at "
                  "once, the host%s.",
                  copied ? "" : "the link between host and card, ",
                  is_soaked(b) ? "" : ", sustained rates of the ceilings under heat (`rooftune ceilings --soak`)");
}
