/* SPDX-License-Identifier: Apache-2.0 */
/* show_parts.h - the pieces that show_text.c and show_sweep.c build a run's text of. Private to show_*.c. */
#ifndef RFT_CLI_SHOW_PARTS_H
#define RFT_CLI_SHOW_PARTS_H

#include "cli/show_text.h"

typedef struct rft_show_page {
    rft_str *out;
    const rft_run *run;
    rft_arena *arena; /* of the texts below */
    const char *plus_minus;
    bool ascii; /* bars and charts of plain characters */
    bool full;  /* all problems, profiles and tables, and every note in words */
} rft_show_page;

/* "12.3 %" for (12.3, 1, " %"), "n/a" when not finite; "1,536". */
const char *rft_show_number(const rft_show_page *t, double value, int decimals, const char *after);
const char *rft_show_count(const rft_show_page *t, uint64_t count);
/* "vectorised: VEC=8": the variant where there are several, and what is tuned. */
const char *rft_show_config_name(const rft_show_page *t, const rft_point *point);
/* The wider of `width` and the cell, which counts for at most `limit`. */
size_t rft_show_widest(size_t width, const char *cell, size_t limit);

/* Columns that the names of a table of the sweep's points may take, so that no line is longer than 80. */
size_t rft_show_name_room(const rft_show_page *t, size_t sweep);
/* The indented first cell; a longer name has a line of its own. */
void rft_show_name(const rft_show_page *t, const char *name, size_t width);
/* The columns median, interval, useful rate, roof and bound: their heads, and those of a point. Each ends the line. */
void rft_show_table_head(const rft_show_page *t, const char *first, size_t width);
void rft_show_figures(const rft_show_page *t, const rft_point *point);

/* The best of every problem: figures, configuration, how it stands to baselines, notes. Without `full` of a dozen
 * problems, and each note once below the table. */
void rft_show_problems(const rft_show_page *t, size_t sweep);

#endif
