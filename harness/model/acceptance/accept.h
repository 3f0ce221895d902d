/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept.h - do delivered cards meet a table of limits? What `rooftune test` prints. Pure.
 *
 * In logarithms, d is how far a reading lies on the good side of its limit, u its standard deviation from run to run,
 * with f degrees of freedom (accept_reading.h). The guard band is w = t u, t Student's quantile that leaves `each` on
 * one side; each = risk / (cards x limits) (Bonferroni). PASS: d >= w; FAIL: d <= -w; UNDECIDED: between, or where the
 * card was not read. So a card that misses a limit passes it, and one that meets it fails, with at most `each` (guarded
 * acceptance and rejection: JCGM 106:2012, 8.3), and anything is decided wrongly with at most `risk`. The risk of one
 * decision is P(T > |d| / u): what is known of a card is its reading alone (JCGM 106, 7.4 without prior knowledge).
 */
#ifndef RFT_MODEL_ACCEPT_H
#define RFT_MODEL_ACCEPT_H

#include "model/acceptance/accept_reading.h"

typedef enum rft_accept_verdict {
    RFT_ACCEPT_PASS,
    RFT_ACCEPT_FAIL,
    RFT_ACCEPT_UNDECIDED,
    RFT_ACCEPT_VERDICTS
} rft_accept_verdict;
const char *rft_accept_verdict_name(rft_accept_verdict verdict); /* "PASS", "FAIL", "UNDECIDED" */

typedef struct rft_accept_check {
    rft_accept_verdict verdict;
    rft_accept_code code;
    const char *reason; /* in words, without a full stop; of every verdict */
    rft_accept_reading reading;
    double margin; /* reading over limit - 1, positive: better (of times limit over reading); NaN: no reading */
    double guard;  /* width of the band, likewise; NaN: not known */
    double risk;   /* that PASS or FAIL is wrong; NaN: UNDECIDED */
} rft_accept_check;

typedef struct rft_accept_card {
    const char *uuid; /* "": not recorded */
    const char *device;
    const char **paths; /* of its runs */
    const rft_run **runs;
    size_t run_count;
    rft_accept_check *checks; /* one a limit */
    size_t counts[RFT_ACCEPT_VERDICTS];
    rft_accept_verdict verdict; /* FAIL where a limit is missed, else UNDECIDED where one is open */
    const char *reason;         /* one for all its limits, where nothing was read of it; NULL */
} rft_accept_card;

typedef struct rft_acceptance {
    const rft_limits *limits;
    const char *path; /* of the limits; NULL */
    rft_accept_card *cards;
    size_t card_count;
    size_t counts[RFT_ACCEPT_VERDICTS]; /* of cards */
    rft_accept_verdict verdict;         /* of all */
    double each;                        /* risk that one decision may have */
    double buyers_risk;                 /* that any PASS is wrong, at most: the sum over them; NaN: there is none */
    double sellers_risk;                /* that any FAIL is wrong */
    size_t tolerances;                  /* limits of reference cards */
} rft_acceptance;

typedef struct rft_accept_input {
    const rft_run *run; /* borrowed, as all texts */
    const char *path;
} rft_accept_input;

/* Runs of one UUID are one card; each that has none is a card of its own. In `arena`. RFT_E_USAGE: no run, or one run
 * twice. */
int rft_accept_runs(rft_acceptance **out, const rft_limits *limits, const rft_accept_input *inputs, size_t count,
                    rft_arena *arena, rft_err *err);

/* "FAIL: 1 of 3 cards misses a limit, 2 of 3 cards meet all limits". In `arena`. */
const char *rft_accept_sentence(const rft_acceptance *acceptance, rft_arena *arena);
/* "4.61 TB/s", "125.4 us": in the limit's unit. */
const char *rft_accept_amount(const rft_limit *limit, double value, rft_arena *arena);
/* "GPU-c854b2b7" */
const char *rft_accept_card_name(const rft_accept_card *card, rft_arena *arena);

#endif
