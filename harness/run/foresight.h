/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foresight.h - what the parts behind the one in hand will ask for, compiled while that one leaves workers idle: where
 * a part ends, its last compiles would else be waited for alone. Only of parts that are measured whole, in any order:
 * what they ask for is known before they begin, and they ask for it all the same. Private to run.
 */
#ifndef RFT_RUN_FORESIGHT_H
#define RFT_RUN_FORESIGHT_H

#include "run/lookahead.h"
#include "search/strategy.h"

typedef struct rft_foresight {
    const rft_recorder *recorder;
    bool on;
    rft_job_place place;    /* the part that is looked at */
    rft_strategy *strategy; /* its course; NULL: it was not looked at yet */
    rft_lookahead held;     /* asked for, and not taken over yet */
} rft_foresight;

void rft_foresight_begin(rft_foresight *foresight, const rft_recorder *recorder);
void rft_foresight_end(rft_foresight *foresight);

/* By which a part's strategy shuffles. */
uint64_t rft_foresight_seed(const rft_plan *plan, rft_job_place place);

/* The part begins: what is looked at from now on lies behind it. */
void rft_foresight_pass(rft_foresight *foresight, rft_job_place place);
/* Asks for some more, as long as that and what the part in hand waits for leave workers idle. */
void rft_foresight_advance(rft_foresight *foresight, rft_lookahead *in_hand);
/* What was asked for of the configuration, as of rft_lookahead_entry_new(), is the caller's. False: nothing was. */
bool rft_foresight_take(rft_foresight *foresight, rft_job_place place, uint64_t index, rft_lookahead_entry *out);
/* The part is over: what it did not take over is dropped. */
void rft_foresight_drop(rft_foresight *foresight, rft_job_place place);

#endif
