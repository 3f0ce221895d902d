/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.h - many cards of one model with runs of one sweep: how their figures are distributed, which cards and hosts
 * fall out, and what varies from card to card, host to host, day to day. Pure. docs/compare.md has it for users,
 * docs/statistics.md the rule and its power.
 *
 * A figure is a ceiling's rate, or the time of the best of one problem. A card's value is the median of its runs',
 * in logarithms; its distance from the fleet's median is counted in robust standard deviations (median absolute
 * deviation, then the standard deviation of what lies within 2.5 of them, corrected for the cut), towards slow.
 *
 * Three tests of a card, with p-values that share RFT_FLEET_FALSE expected false alarms among all cards:
 *   the worst figure, p times the number of figures (Bonferroni): half
 *   the three worst together, by the rank truncated product of p-values (Dudbridge and Koeleman, Genet. Epidemiol. 25
 *     (2003) 360), less what all figures of cards share: three tenths; from four figures on
 *   the mean over figures: the rest
 */
#ifndef RFT_MODEL_FLEET_H
#define RFT_MODEL_FLEET_H

#include "model/run/run.h"

#define RFT_FLEET_MOST 10000       /* runs */
#define RFT_FLEET_LEAST 8          /* cards that have a figure: with fewer nothing is judged by it */
#define RFT_FLEET_FALSE 0.9        /* cards that fall out though nothing is wrong, expected in a fleet */
#define RFT_FLEET_FALSE_MOST 0.002 /* and of a card, whatever the fleet's size */
#define RFT_FLEET_STEP 0.001       /* a relative standard deviation below which none is believed */
#define RFT_FLEET_WORST 3          /* figures named of a card */

typedef struct rft_fleet_figure {
    const char *name; /* "device memory, read", "gemv n=4096" */
    const char *unit; /* of the median: "B/s"; "s": a time, and more is slower */
    bool slower_up;
    size_t cards;                     /* that have it */
    double median, p5, p95, min, max; /* of the cards; NaN: none has it */
    double spread_frac;               /* robust relative standard deviation; NaN: too few cards */
    size_t slowest;                   /* card */
} rft_fleet_figure;

typedef struct rft_fleet_deviation {
    size_t figure;
    double slow_frac; /* slower than the median by this share; below 0: faster */
    double z;         /* the same in robust standard deviations */
} rft_fleet_deviation;

/* A card or a host. */
typedef struct rft_fleet_unit {
    const char *name;       /* the card's UUID; the host's id */
    const char *serial;     /* of a card; NULL: not known */
    const char *host, *pci; /* of a card, as of its last run; NULL: not known */
    size_t runs, cards;     /* cards: of a host */
    size_t figures;         /* it is judged by */
    double p;               /* the least of the three, weighed; NaN: not judged */
    bool falls_out;
    const char *test; /* "one figure", "several figures", "all figures": which p that is; NULL */
    rft_fleet_deviation worst[RFT_FLEET_WORST];
    size_t worst_count;
    size_t again; /* of a card that falls out by two runs or more: its runs in which the worst figure falls out, too */
} rft_fleet_unit;

/* Share of the variance of the runs' logarithms, over figures; NaN: it cannot be told. */
typedef struct rft_fleet_share {
    const char *name; /* "hosts", "cards", "days" */
    size_t groups;    /* of them */
    size_t figures;   /* it is known of */
    double median, q1, q3;
    const char *why; /* it is not known; NULL */
} rft_fleet_share;
enum { RFT_FLEET_HOSTS, RFT_FLEET_CARDS, RFT_FLEET_DAYS, RFT_FLEET_SHARES };

typedef struct rft_fleet_left {
    const char *path, *why;
} rft_fleet_left;

typedef struct rft_fleet {
    rft_arena *arena;
    const char *device; /* model of card */
    const char *tool;   /* version and revision of the run that was measured last */
    int64_t first_unix_ns, last_unix_ns;
    size_t run_count;
    rft_fleet_figure *figures;
    size_t figure_count;
    rft_fleet_unit *cards; /* by name */
    size_t *card_order;    /* worst first */
    size_t card_count, judged, cards_out;
    rft_fleet_unit *hosts; /* by name; those that are known */
    size_t *host_order;    /* worst first */
    size_t host_count, hosts_out;
    double card_level, host_level; /* a p under which one falls out */
    rft_fleet_share shares[RFT_FLEET_SHARES];
    rft_fleet_left *left; /* files that are no part of it */
    size_t left_count, left_capacity;
    const char **missing; /* of the cards that were expected, as the list has them; NULL: no list */
    size_t missing_count, expected_count;
    const char **strangers; /* cards that are not on it */
    size_t stranger_count;
    struct fleet_state *state;
} rft_fleet;

rft_fleet *rft_fleet_new(void);
void rft_fleet_free(rft_fleet *fleet); /* NULL is accepted */
/* Copies what it needs of the run, which may go then. What is not finished, or the same run again, is left out, with
 * the reason. */
void rft_fleet_add(rft_fleet *fleet, const rft_run *run, const char *path);
void rft_fleet_leave_out(rft_fleet *fleet, const char *path, const char *why);
/* After the last: figures, cards, hosts, shares. What is not of the model and sweep that most are of is left out.
 * RFT_E_NOT_FOUND: no run has a figure. */
int rft_fleet_judge(rft_fleet *fleet, rft_err *err);
/* Then: which of these UUIDs or serial numbers have no run. */
void rft_fleet_expect(rft_fleet *fleet, const char *const *names, size_t count);
/* A card's value of a figure, and its distance from the median in standard deviations, towards slow; NaN: none. */
double rft_fleet_value(const rft_fleet *fleet, size_t card, size_t figure);
double rft_fleet_z(const rft_fleet *fleet, size_t card, size_t figure);

/* P(the product of the three least of `count` independent p-values is as small as exp(log_product)). count >= 4. */
double rft_fleet_three_least(double log_product, size_t count);

#endif
