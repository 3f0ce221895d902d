/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_cards.h - a run whose points several cards measured (run --split; shards of several cards put together). One
 * card ranks: rft_run.gpu. What only another has measured is no candidate for anything.
 */
#ifndef RFT_MODEL_RUN_CARDS_H
#define RFT_MODEL_RUN_CARDS_H

#include "model/run/run.h"

#define RFT_ENV_CARDS "run.cards" /* a JSON array of the struct's members */

typedef struct rft_run_card {
    const char *uuid;
    const char *shard;   /* "2/8"; NULL: not known */
    int64_t first, last; /* ids of the points that it was the first to measure; last < first: none */
    size_t timed;        /* of these, with a time */
    size_t common;       /* timed by it and by the first card of the list as well */
    double ratio;        /* median over those of its time over the first card's; NaN: there are none */
    double low, high;    /* its 95 % interval; NaN where `common` is too few for one */
    const char *end;     /* how its part ended where it did not end well; NULL */
} rft_run_card;

/* Into run->cards, from the environment; what cannot be read there is left out. */
void rft_run_fill_cards(rft_run *run);
/* The other way: of `count` cards. */
void rft_run_put_cards(rft_run *run, const rft_run_card *cards, size_t count);

/* Another card is to go on: points that no card of the list has are this one's, run->gpu's. */
void rft_run_leave_card(rft_run *run);

/* Which card was the first to measure a point; NULL: there are none, or its own. */
const rft_run_card *rft_run_first_card(const rft_run *run, int64_t id);
/* Is it known how every card's times compare with the own card's? Shards have no points in common. */
bool rft_run_cards_compare(const rft_run *run);
/* Which other card measured the point, where this run's own has not; NULL: its own. */
const rft_run_card *rft_run_other_card(const rft_run *run, const rft_point *point);
/* The median of its first round, as far as is known on the run's own card: another's is divided by its ratio. */
double rft_run_first_s(const rft_run *run, const rft_point *point);

#endif
