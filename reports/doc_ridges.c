/* SPDX-License-Identifier: Apache-2.0 */
/* doc_ridges.c - "This card": the ridge point of every pipe and memory level. */
#include "model/roofline/ridge.h"
#include "reports/doc_build.h"

#include <math.h>

enum { COLUMN_PIPE, COLUMN_LEVELS, COLUMN_SHEET = COLUMN_LEVELS + RFT_RIDGE_LEVEL_COUNT, COLUMN_LIMIT, COLUMN_COUNT };

static const char *number(rft_build *b, double ridge) {
    return isnan(ridge) ? "n/a" : rft_figure_plain(b->arena, ridge, 3);
}

void rft_build_ridges(rft_build *b) {
    rft_column columns[COLUMN_COUNT] = {[COLUMN_PIPE] = {.title = "Ridge, op/B"},
                                        [COLUMN_SHEET] = {.title = "datasheet, dram", .align = RFT_ALIGN_RIGHT},
                                        [COLUMN_LIMIT] = {.title = "limit, dram", .align = RFT_ALIGN_RIGHT}};
    for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
        columns[COLUMN_LEVELS + level] = (rft_column){.title = rft_ridge_heading(level), .align = RFT_ALIGN_RIGHT};
    }
    rft_table *table = NULL;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ridge ridge = rft_ridge_of(&b->run->ceilings, (rft_pipe)pipe);
        if (!rft_ridge_is_known(&ridge)) {
            continue;
        }
        if (!table) {
            rft_doc_heading(b->doc, 2, "Ridge points", NULL);
            table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
        }
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[COLUMN_PIPE] = rft_pipe_label((rft_pipe)pipe);
        for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
            row->cells[COLUMN_LEVELS + level] = number(b, ridge.measured[level]);
        }
        row->cells[COLUMN_SHEET] = number(b, ridge.datasheet);
        row->cells[COLUMN_LIMIT] = number(b, ridge.limit);
    }
    if (table) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE,
                     "Ridge points: work of fewer operations per byte of that level is held back by the level, of more "
                     "by the pipe. By measured ceilings, but for the last two columns.");
    }
}
