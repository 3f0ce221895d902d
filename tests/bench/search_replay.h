/* SPDX-License-Identifier: Apache-2.0 */
/* search_replay.h - a strategy against a recording, without a kernel or a device. */
#ifndef RFT_TESTS_BENCH_SEARCH_REPLAY_H
#define RFT_TESTS_BENCH_SEARCH_REPLAY_H

#include "bench/search_recording.h"
#include "search/strategy.h"

typedef struct search_replay {
    const search_recording *recording;
    const char *strategy;
    uint64_t seed;
    size_t ahead;    /* proposals without their tells, as compiling runs ahead of measuring; at least 1 */
    size_t workers;  /* of search_wall.h */
    bool in_order;   /* as a run with --in-order: as asked for, though others are compiled */
    bool guesses;    /* idle workers compile what a fork of the strategy asks for next */
    double budget_s; /* of search_wall.h's time; INFINITY: until nothing is left */
} search_replay;

typedef struct search_replayed {
    uint64_t *order; /* as measured; room for recording->count, as end_s */
    double *end_s;
    size_t count;
    double strategy_s;             /* what ask and tell took of this machine's time */
    size_t guessed, guessed_right; /* compiles on a guess; those of them that were asked for, too */
} search_replayed;

int search_replay_run(const search_replay *replay, search_replayed *out, rft_err *err);
void search_replayed_free(search_replayed *replayed);

#endif
