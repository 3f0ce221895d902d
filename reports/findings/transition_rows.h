/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition_rows.h - what a table says of the transitions on one line: a row for each, one for those that are met in
 * turns, a sentence for a ladder's first variant. Private to the findings.
 */
#ifndef RFT_REPORTS_FINDINGS_TRANSITION_ROWS_H
#define RFT_REPORTS_FINDINGS_TRANSITION_ROWS_H

#include "reports/findings/findings.h"

/* A profile with what was found on it. */
typedef struct rft_found_line {
    const rft_profile *profile;
    const rft_transition *items; /* in order, one at least */
    size_t count;
    const struct rft_found_line *first; /* beside the bests': that of the first variant; NULL */
} rft_found_line;

typedef struct rft_transitions_told {
    const rft_run *run;
    rft_arena *arena;
    rft_cell_table *table;
    bool full; /* every change of a line */
    bool paged;
    rft_transitions_kept *kept; /* or NULL */
} rft_transitions_told;

/* With the columns of such rows. */
rft_cell_table *rft_transition_table(rft_finding *f, const char *name);
/* In the arena of `told`. */
rft_found_line rft_found_line_on(const rft_transitions_told *told, const rft_profile *profile);
/* To the table of `told`. names: of parameters, of which the line is the first that says the same; NULL: of an axis. */
void rft_transition_rows_add(const rft_transitions_told *told, const rft_found_line *line, const char *names);

#endif
