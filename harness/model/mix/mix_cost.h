/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix_cost.h - what a pass costs, from what it takes and what the user assumes. Pure; docs/mix.md.
 *
 *     cost of a pass = cards x ( (price + host's price) / (years x year x u) x t
 *                              + kwh x PUE x ( J + host's watts x t / u + idle watts x t x (1 - u) / u ) )
 *
 * t: seconds of a pass, J: joules of it on one card, u: utilisation. Whoever owns a card that waits pays for the wait:
 * its price runs on, and so do the watts of its host and of the idle card. All of it is linear in t and in J.
 */
#ifndef RFT_MODEL_MIX_COST_H
#define RFT_MODEL_MIX_COST_H

#include "model/mix/mix.h"

#define RFT_MIX_YEAR_S (365.25 * 86400.0)
#define RFT_MIX_KWH_J 3.6e6

/* What is assumed of one card. Prices in one currency. */
typedef struct rft_mix_terms {
    double price, host_price;  /* of a card, and of its share of the host (0: none is given) */
    double years, utilisation; /* utilisation 1 where none is given */
    double kwh;                /* 0: energy is not counted */
    double pue;                /* 1 where none is given */
    double host_watts;         /* 0: none are given */
    double idle_watts;         /* matters under a utilisation of 1 alone */
    double cards;              /* that work on a pass together */
} rft_mix_terms;

/* As the book has them, with the defaults above; `price` NaN where the card has none, idle watts are not in it. */
rft_mix_terms rft_mix_terms_of(const rft_mix_book *book, const rft_mix *mix, const rft_mix_price *price);

/* Currency per second of a pass, and per joule of it on all cards. */
typedef struct rft_mix_rates {
    double device_s; /* the card's price and its host's */
    double power_s;  /* of the host, and of the idle card */
    double joule;
} rft_mix_rates;
rft_mix_rates rft_mix_rates_of(const rft_mix_terms *terms);

#endif
