/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card_peers.h - a card beside other cards of its model: is what was measured on it normal? Pure.
 *
 * Cards are told apart by their UUID. A card that was measured several times counts once, with the median of its runs.
 * Under RFT_PEERS_LEAST other cards nothing is called normal: there is no reference. Under RFT_PEERS_RANKED there is no
 * percentile: the least step would be more than an eighth.
 */
#ifndef RFT_MODEL_CARD_PEERS_H
#define RFT_MODEL_CARD_PEERS_H

#include "model/run/run.h"

#define RFT_PEERS_LEAST 3u
#define RFT_PEERS_RANKED 8u
/* How far outside the range of the others a value may lie and still be called normal: two cards of one model, and one
 * card on two days, differ by about so much. */
#define RFT_PEERS_MARGIN_FRAC 0.01
/* The same of what heat moves: power at rest, and matrix units, which run at the power limit; of 67 recordings
 * of fourteen H200s eight lay 1.1 to 2.2 % outside in one of these, and in nothing else. And of reads from L2: two of
 * fifteen healthy H200s read 2.1 and 2.8 % less than the lowest of twelve others, which scatter by 1 %. */
#define RFT_PEERS_WIDE_MARGIN_FRAC 0.05
/* A value is normal, too, where Student's t expects one more card in all but this share of cases, as a card has thirty
 * values: a healthy H200 read 1.7 % fewer L2 atomics than the only three others that had. */
#define RFT_PEERS_TAIL 0.005

/* What is compared: every ceiling by its rft_ceiling_id, and behind them: */
#define RFT_PEERS_IDLE_W RFT_CEILING_COUNT          /* power at rest, W */
#define RFT_PEERS_CLOCK_MHZ (RFT_CEILING_COUNT + 1) /* SM clock while the FP32 ceiling was measured, MHz */
#define RFT_PEERS_COUNT (RFT_CEILING_COUNT + 2)

typedef enum rft_peers_verdict {
    RFT_PEERS_UNKNOWN, /* not measured on this card */
    RFT_PEERS_NONE,    /* too few others: no reference */
    RFT_PEERS_LOW,
    RFT_PEERS_NORMAL,
    RFT_PEERS_HIGH
} rft_peers_verdict;
const char *rft_peers_verdict_name(rft_peers_verdict verdict); /* "n/a", "no reference", "low", "normal", "high" */

typedef struct rft_peers_row {
    double own;               /* NaN: not measured */
    size_t cards;             /* others that have it */
    double median, low, high; /* of those; NaN without any */
    double below_frac;        /* share of those that read less, equal ones by half: the percentile; NaN under
                                 RFT_PEERS_RANKED */
    rft_peers_verdict verdict;
} rft_peers_row;

typedef struct rft_peers {
    rft_peers_row rows[RFT_PEERS_COUNT];
    size_t cards;    /* other cards of the same model */
    size_t own_runs; /* other runs of this very card: they tell nothing about other cards */
    size_t others;   /* runs of another model, left out */
    size_t nameless; /* runs that do not say which card it was, left out */
} rft_peers;

/* One of these two: so much may two readings of one card be apart. */
double rft_peers_margin_frac(size_t what);
/* The value of a run; NaN when it has none. */
double rft_peers_value(const rft_run *run, size_t what);
/* `runs` may hold the run itself. Scratch memory in `arena`. */
rft_peers rft_peers_of(const rft_run *run, const rft_run *const *runs, size_t count, rft_arena *arena);

#endif
