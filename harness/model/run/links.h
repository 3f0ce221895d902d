/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h - what cards of one machine copy at once: from and to the host, all of them, and from card to card, one way
 * and both (measure/card_links.h). Each card's share of it is a ceiling of that card.
 */
#ifndef RFT_MODEL_LINKS_H
#define RFT_MODEL_LINKS_H

#include "model/run/ceiling.h"

#define RFT_LINK_CARDS_MAX 16

/* From one card to another. */
typedef struct rft_link {
    size_t from, to;     /* positions among the cards */
    bool direct;         /* peer to peer; false: the driver takes copies through the host */
    rft_stats one_way;   /* B/s */
    rft_stats both_ways; /* of both directions together; the same for the pair and its reverse */
} rft_link;

typedef struct rft_links {
    size_t card_count;
    int ordinals[RFT_LINK_CARDS_MAX];                           /* the cards' device numbers */
    rft_stats h2d[RFT_LINK_CARDS_MAX], d2h[RFT_LINK_CARDS_MAX]; /* of each card while all copy, B/s */
    rft_link *items;                                            /* each from, each other to */
    size_t count;
} rft_links;

/* Into the ceilings of card `card`: its share while all copy, and the slowest of its pairs. */
void rft_links_put(const rft_links *links, size_t card, int64_t at_unix_ns, rft_arena *arena, rft_ceilings *out);

#endif
