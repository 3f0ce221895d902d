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
    double budget_s; /* as recorded, of what is evaluated one after the other; INFINITY: until nothing is left */
} search_replay;

/* `order` has room for recording->count; *strategy_s: what ask and tell took of this machine's time. */
int search_replay_run(const search_replay *replay, uint64_t *order, size_t *count, double *strategy_s, rft_err *err);

#endif
