/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/bound.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

enum { NAME, SECONDS, FRAC, BOUND, BOUND_TURNS, BOUND_FRAC, EVIDENCE, REASON, TEXT, FIELDS };

static const rft_trait fields[FIELDS] = {
    [NAME] = {.key = "name", .title = "Launch", .wraps = true},
    [SECONDS] = {.key = "seconds",
                 .title = "Median alone",
                 .lead = ": ",
                 .unit = "s",
                 .style = RFT_AS_SI,
                 .text_digits = 4,
                 .align = RFT_ALIGN_RIGHT},
    [FRAC] = {.key = "frac", .title = "Share", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL},
    [BOUND] = {.key = "bound"},
    [BOUND_TURNS] = {.key = "bound_turns"},
    [BOUND_FRAC] = {.key = "bound_frac"},
    [EVIDENCE] = {.key = "evidence"},
    [REASON] = {.key = "reason"},
    [TEXT] = {.key = "text", .title = "Bound", .lead = "; ", .wraps = true},
};

static const char how[] =
    "Each launch is timed alone behind the ones before it, so their sum may differ from the time of all together. The "
    "bound of the longest is the point's, where its own work says anything.";

rft_finding *rft_finding_steps(const rft_run *run, const rft_point *point, rft_arena *arena) {
    size_t count = rft_step_bound_count(point), longest = rft_step_bound_longest(point);
    if (count == 0) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "The launches of the best of %s",
                        rft_words_problem(run, point->sweep, point->problem, arena));
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->lines = true;
    for (size_t i = 0; i < count; i++) {
        rft_step_bound step = rft_step_bound_of(run, point, i);
        rft_cell_row *row = rft_cell_table_row(table);
        row->strong = i == longest;
        row->cells[NAME] =
            rft_datum_said(rft_datum_text(step.name), rft_arena_printf(arena, "%zu. %s", i + 1, step.name));
        row->cells[SECONDS] = rft_datum_number(step.seconds);
        row->cells[FRAC] = rft_datum_number(step.frac);
        row->cells[BOUND] = rft_datum_text(rft_resource_name(step.bound.resource, step.bound.pipe));
        row->cells[BOUND_TURNS] = rft_datum_text(rft_words_turns(&step.bound, arena));
        row->cells[BOUND_FRAC] = rft_datum_number(step.bound.frac);
        row->cells[EVIDENCE] = rft_datum_text(rft_evidence_name(step.bound.evidence));
        row->cells[REASON] = rft_datum_text(step.reason);
        row->cells[TEXT] = rft_datum_text(rft_step_bound_text(&step, arena));
    }
    rft_finding_note(f, RFT_IN_TEXT | RFT_IN_DATA, "%s", how);
    rft_finding_legend(f, how);
    return f;
}
