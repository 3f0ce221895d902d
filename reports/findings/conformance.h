/* SPDX-License-Identifier: Apache-2.0 */
/* conformance.h - the rows of the page of conformance (finding_conformance.c), and counts over the sweeps. */
#ifndef RFT_REPORTS_CONFORMANCE_H
#define RFT_REPORTS_CONFORMANCE_H

#include "reports/findings/findings.h"

typedef enum rft_conform_state { RFT_MET, RFT_NOT_MET, RFT_NOT_APPLICABLE } rft_conform_state;

/* Fields of the page's table. */
enum { RFT_CONFORM_BODY, RFT_CONFORM_ID, RFT_CONFORM_RULE, RFT_CONFORM_STATE, RFT_CONFORM_WHY, RFT_CONFORM_FIELDS };

typedef struct rft_conform {
    const rft_run *run;
    rft_arena *arena;
    const rft_point **bests; /* of all problems, sweep by sweep */
    size_t best_count;
    rft_cell_table *table;
    const char *body; /* whose rules follow */
} rft_conform;

/* Texts are not copied. */
void rft_conform_body(rft_conform *s, const char *name, const char *title);
void rft_conform_rule(const rft_conform *s, const char *id, const char *rule, rft_conform_state is, const char *why);

/* Of how many sweeps a rule is asked, and how many meet it. */
typedef struct rft_conform_tally {
    size_t asked, met;
    const char *first; /* the first sweep that does not meet it; NULL: none */
} rft_conform_tally;

typedef bool (*rft_conform_test)(const rft_run *run, const rft_point *best);
bool rft_conform_verified(const rft_run *run, const rft_point *best);

/* A sweep meets a rule when the bests of all its problems do that it is asked of; `asked` NULL: all. One without a best
 * is not counted. */
rft_conform_tally rft_conform_tally_of(const rft_conform *s, rft_conform_test asked, rft_conform_test holds);
/* Counts one more. */
void rft_conform_count(rft_conform_tally *t, const rft_sweep *sweep, bool holds);
/* Met by all; not applicable where it is asked of none. */
rft_conform_state rft_conform_state_of(const rft_conform_tally *t);
/* "23 of 24 sweeps: WHAT; not triad". */
const char *rft_conform_words(const rft_conform *s, const rft_conform_tally *t, const char *what);
void rft_conform_tallied(const rft_conform *s, const char *id, const char *rule, rft_conform_tally t, const char *what);

#endif
