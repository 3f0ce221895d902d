/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/ridge.h"
#include "reports/findings/findings.h"

#include <math.h>

enum { LABEL, NAME, LEVELS, SHEET = LEVELS + RFT_RIDGE_LEVEL_COUNT, LIMIT, FIELDS };

rft_finding *rft_finding_ridges(const rft_run *run, rft_arena *arena) {
    rft_trait fields[FIELDS] = {
        [LABEL] = {.title = "Ridge, op/B", .where = RFT_ON_PAGE},
        [NAME] = {.title = "ridge, op/B", .where = RFT_IN_TEXT},
        [SHEET] = {.key = "datasheet",
                   .title = "datasheet, dram",
                   .brief = "dram datasheet",
                   .align = RFT_ALIGN_RIGHT,
                   .bar = true},
        [LIMIT] = {.key = "limit", .title = "limit, dram", .brief = "dram limit", .align = RFT_ALIGN_RIGHT}};
    for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
        fields[LEVELS + level] = (rft_trait){.key = rft_ceiling_name(rft_ridge_level(level)),
                                             .title = rft_ridge_heading(level),
                                             .align = RFT_ALIGN_RIGHT};
    }
    rft_finding *f = rft_finding_new(arena);
    bool any = false;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ridge ridge = rft_ridge_of(&run->ceilings, (rft_pipe)pipe);
        any = any || rft_ridge_is_known(&ridge);
    }
    if (any) {
        rft_finding_heading(f, RFT_ON_PAGE, 2, "Ridge points");
    }
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->keyed = true;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ridge ridge = rft_ridge_of(&run->ceilings, (rft_pipe)pipe);
        if (!rft_ridge_is_known(&ridge) || rft_pipe_atomic_key((rft_pipe)pipe)) {
            continue; /* few additions are work by the byte, and names so long would break the table up */
        }
        rft_cell_row *row = rft_cell_table_row(table);
        row->key = rft_pipe_name((rft_pipe)pipe);
        row->cells[LABEL] = rft_datum_text(rft_pipe_label((rft_pipe)pipe));
        row->cells[NAME] = rft_datum_text(row->key);
        bool measured = false;
        for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
            measured = measured || isfinite(ridge.measured[level]);
            row->cells[LEVELS + level] = rft_datum_number(ridge.measured[level]);
        }
        row->where = measured ? 0 : ~(unsigned)RFT_ON_PAGE; /* of limits alone: with --full */
        row->cells[SHEET] = rft_datum_number(ridge.datasheet);
        row->cells[LIMIT] = rft_datum_number(ridge.limit);
    }
    if (any) {
        rft_finding_note(
            f, 0,
            "Ridge points: work of fewer operations per byte of that level is held back by it, of more by the pipe. "
            "The last two columns are not measured.");
    }
    return f;
}
