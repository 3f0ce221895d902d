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
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_WHAT] = {.title = "Ceiling and the operation behind it", .wraps = true},
    [COLUMN_MEASURED] = {.title = "Measured", .align = RFT_ALIGN_RIGHT},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
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
    row->cells[COLUMN_MEASURED] = rft_figure_si(b->arena, rate, rft_ceiling_unit(id));
    row->cells[COLUMN_HALF] = ceiling->stats.interval_is_95
                                  ? rft_figure_plain(b->arena, rft_stats_half_width_frac(&ceiling->stats) * 100, 2)
                                  : "n/a";
    row->cells[COLUMN_OF_SHEET] = rft_figure_percent_bare(b->arena, rate / ceiling->datasheet);
    row->cells[COLUMN_OF_LIMIT] = rft_figure_percent_bare(b->arena, rate / ceiling->limit);
    row->cells[COLUMN_CLOCK] =
        isnan(ceiling->clock_mhz) ? "not read" : rft_figure_plain(b->arena, ceiling->clock_mhz, 4);
}

/* Of what no part of this run depends on, a line with the reason is enough; it has no row of its own. */
static bool worth_a_row(const rft_ceiling *ceiling) {
    return ceiling->measured || !isnan(ceiling->datasheet) || !isnan(ceiling->limit);
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
        rft_doc_text(b->doc, RFT_TEXT_NOTE,
                     "Ceilings are rates measured on this card, in this run, by kernels of rooftune's own. Everything "
                     "in this report is judged by them. The hardware limit is what bus and pipes cannot exceed at "
                     "their highest clock.");
    }
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
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
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "Not part of this run at all: the link between host and card, links between cards, several cards at "
                 "once, the host, power, sustained rates under heat.");
}
