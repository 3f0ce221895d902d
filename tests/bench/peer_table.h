/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_table.h - the table of goals (peers/peers.json) that build/bench/peers works through, and what follows from a
 * row's times. Pure: nothing is started and nothing printed here.
 */
#ifndef RFT_TESTS_BENCH_PEER_TABLE_H
#define RFT_TESTS_BENCH_PEER_TABLE_H

#include "base/arena.h"
#include "base/json.h"
#include "model/stats/stats.h"
#include "model/sweep/sweep.h"

#define PEERS_PER_ROW 4
#define PEER_ROUNDS_MOST 64

typedef struct peer_goal {
    const char *name; /* "eager", "compile", "cub", ... (peers/torch_peer.py) */
    double ratio;     /* the peer's time over ours that is aimed at; NaN: none, it is only told */
} peer_goal;

typedef struct peer_row {
    const char *name;       /* "softmax 16384x4096" */
    const char *op, *type;  /* the peers' */
    const json_t *shape;    /* handed to the peers as it is; borrowed from the table */
    const char *file;       /* sweeps/FILE.lua, and FILE.db among the stored runs */
    const char *sweep;      /* in that file */
    const json_t *at;       /* {axis: value}: the problem; what is left out may have any value */
    const json_t *variants; /* texts: those that do what the peers do; NULL: all */
    double goal_frac;       /* of the datasheet's device memory bandwidth, by useful bytes; NaN: none */
    double useful_bytes;    /* what rates count, where it is not the declared work; NaN: that */
    peer_goal peers[PEERS_PER_ROW];
    size_t peer_count;
} peer_row;

typedef struct peer_table {
    json_t *root; /* owned: everything above is borrowed from it */
    peer_row *rows;
    size_t count;
} peer_table;

/* RFT_E_IO; RFT_E_SCRIPT with the JSON path where a key is missing, of another type, or a name stands twice. */
int peer_table_read(peer_table **out, const char *path, rft_err *err);
void peer_table_free(peer_table *table); /* NULL is accepted */

/* A row's file is a sweep's name and, behind each "-", an argument of its script, as recordings are called: the name,
 * and how many arguments (at most `most`) `out` has; in `arena`. */
const char *peer_file_sweep(const char *file, rft_arena *arena);
size_t peer_file_arguments(const char **out, size_t most, const char *file, rft_arena *arena);

/* The first problem of `sweep`, no odd one, that has the values of `at`. RFT_E_NOT_FOUND: there is none, or no such
 * axis. */
int peer_row_problem(size_t *out, const peer_row *row, const rft_sweep *sweep, rft_err *err);

/* Does the row compare this variant? */
bool peer_row_takes(const peer_row *row, const char *variant);

/* One median for each round, microseconds; NaN: not measured in that round. */
typedef struct peer_series {
    double round_us[PEER_ROUNDS_MOST];
    size_t rounds;
} peer_series;

/* Over the rounds' medians: rounds are independent, samples of one are not. A 95 % interval takes six rounds. */
rft_stats peer_series_stats(const peer_series *series);
/* Of the rounds' ratios, theirs over ours: above 1 ours is faster. Rounds that lack one side are left out. */
rft_stats peer_ratio_stats(const peer_series *ours, const peer_series *theirs);

/* "met", "not met", "met, unsure" and "not met, unsure" (the goal lies within the interval); "" without a goal. */
const char *peer_verdict(double value, double low, double high, double goal);

#endif
