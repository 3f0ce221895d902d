/* SPDX-License-Identifier: Apache-2.0 */
/* peer_text.h - what build/bench/peers says of a row: lines of a Markdown table, to be quoted as they are, and JSON. */
#ifndef RFT_TESTS_BENCH_PEER_TEXT_H
#define RFT_TESTS_BENCH_PEER_TEXT_H

#include "base/str.h"
#include "bench/peer_table.h"

typedef struct peer_result {
    const peer_goal *goal;
    peer_series series;
    const char *reason; /* why it was not measured, or not in every round; NULL */
    double clock_mhz;   /* the SMs', as the stored run read it; NaN: not known */
} peer_result;

typedef struct peer_row_result {
    const peer_row *row;
    const char *reason;                          /* why ours was not measured, or not in every round; NULL */
    const char *variant, *config, *from, *cache; /* NULL where there is none */
    double useful_bytes;                         /* of one run, the row's or the declared; NaN: not known */
    double floor_us;                             /* what they take at the measured ceiling; NaN: not known */
    const char *ceiling;                         /* which that is; NULL */
    double peak;                                 /* B/s by the datasheet; NaN: not known */
    double clock_mhz, power_w;                   /* of ours as the stored run read them; NaN: not known */
    peer_series ours;
    peer_result peers[PEERS_PER_ROW];
} peer_row_result;

/* Its heading, two lines. */
void peer_add_heading(rft_str *out);
/* A line for each peer, at least one. Intervals are those of the rounds' medians: 95 % from six rounds on, the whole
 * range under that. */
void peer_add_row(rft_str *out, const peer_row_result *result);
/* "- copy: 16 B loads, VEC=4 BLOCK=256": what ours was; nothing where there is none. */
void peer_add_configuration(rft_str *out, const peer_row_result *result);

typedef struct peer_tally {
    size_t met, missed, unsure; /* goals, those of rates included; the unsure ones are in the first two as well */
    size_t not_measured;        /* peers */
} peer_tally;
void peer_count_verdicts(peer_tally *tally, const peer_row_result *result); /* adds */

/* Everything, every round. Owned. */
json_t *peer_row_json(const peer_row_result *result);

#endif
