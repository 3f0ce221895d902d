/* SPDX-License-Identifier: Apache-2.0 */
/*
 * break_even.h - the price of a card below which a pass costs less on it than on another, and which assumption would
 * turn that round. Pure arithmetic on mix_cost.h; docs/mix.md.
 *
 * Both sides' costs of a pass are linear in every price, count, power and in 1 / years and 1 / utilisation, so each
 * break-even value follows from two evaluations of their difference. Its interval adds the shifts that the ends of the
 * 95 % intervals of both times and both energies bring, one by one, in quadrature, below and above apart (method of
 * variance estimates recovery, as in mix_total.h). The times are those of a comparison, widened as it widens them
 * (compare_mix.h). How cards of one model differ is not in it.
 */
#ifndef RFT_MODEL_BREAK_EVEN_H
#define RFT_MODEL_BREAK_EVEN_H

#include "model/mix/mix_total.h"
#include "model/stats/stats.h"

typedef enum rft_break_even_decision {
    RFT_BREAK_EVEN_NONE,  /* the other has no price, or `doubt` says why nothing follows */
    RFT_BREAK_EVEN_WINS,  /* its price lies below the whole interval */
    RFT_BREAK_EVEN_LOSES, /* above it */
    RFT_BREAK_EVEN_OPEN   /* within */
} rft_break_even_decision;
const char *rft_break_even_decision_name(rft_break_even_decision decision); /* "none", "wins", "loses", "open" */

/* An assumption, and its value where both cost the same. */
typedef struct rft_break_even_flip {
    const char *what; /* "utilisation"; "count of gemv n=8192 k=8192" */
    const char *unit; /* "EUR", "EUR a kWh", "W", "years", "%" of a fraction; NULL: a bare number */
    bool given;       /* false: `now` is what is taken where the user says nothing */
    double now, at;
    double low, high; /* 95 %; NaN: not known */
} rft_break_even_flip;

typedef struct rft_break_even {
    const char *missing;     /* why there is no price; NULL */
    double price, low, high; /* of one card; NaN ends: no_interval. At most 0: it wins at no price */
    const char *no_interval;
    const char *no_energy; /* why only the prices are weighed; NULL: energy is in it */
    double first_price;    /* of one card of the first */
    double given_price;    /* of one card of the other; NaN: none */
    rft_break_even_decision decision;
    const char *doubt;          /* NULL */
    rft_break_even_flip *flips; /* of a decision: within its range, the smallest change first */
    size_t flip_count;
    const char *steady; /* "PUE, years": assumptions that within their range flip nothing; NULL: none */
} rft_break_even;

/* One of the two sides: its mix and its time of a pass as it is compared. */
typedef struct rft_break_even_side {
    const rft_mix_total *total;
    rft_stats time_s;
} rft_break_even_side;

/* Of a total by itself, its time widened as a comparison widens each operation's; since that may be common to all of a
 * run, these add up as they are, not in quadrature. */
rft_break_even_side rft_break_even_side_of(const rft_mix_total *total);

/* Of `other` against `first`, both of one mix and book. `doubt`: why the times do not decide; NULL. In `arena`. */
rft_break_even rft_break_even_of(const rft_break_even_side *first, const rft_break_even_side *other, const char *doubt,
                                 rft_arena *arena);

#endif
