/* SPDX-License-Identifier: Apache-2.0 */
/* run_sample.h - how many cards, hosts and days stand behind some runs: what a reader may conclude for others. */
#ifndef RFT_MODEL_RUN_SAMPLE_H
#define RFT_MODEL_RUN_SAMPLE_H

#include "model/run/run.h"

typedef struct rft_run_sample {
    size_t runs;
    size_t cards;                        /* by UUID */
    size_t hosts;                        /* by host.id */
    size_t days;                         /* of UTC, on which they began; a replay's is the recording's */
    size_t cards_unknown;                /* runs that do not say which card it was */
    size_t hosts_unknown;                /* which host */
    int64_t first_unix_ns, last_unix_ns; /* of their beginnings; 0: not recorded */
} rft_run_sample;

/* A run that is there twice, by its id, counts once. */
rft_run_sample rft_run_sample_of(const rft_run *const *runs, size_t count, rft_arena *arena);

/* "3 cards on 1 host, 24 runs on 2 days"; "one card, host not recorded, one run". In `arena`. */
const char *rft_run_sample_text(const rft_run_sample *sample, rft_arena *arena);

#endif
