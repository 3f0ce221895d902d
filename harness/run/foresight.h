/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foresight.h - what will be asked for, compiled while workers are idle. Private to run.
 *
 * Of the parts behind the one in hand: where a part ends, its last compiles would else be waited for alone. Only of
 * those that are measured whole, in any order: they ask for it all the same. Of the part in hand, where its strategy
 * learns: a fork of it says what it would ask for next if no result changed its mind. The strategy itself hears nothing
 * of it, so its course is the same; what it does not ask for is dropped when the part ends, and counted.
 */
#ifndef RFT_RUN_FORESIGHT_H
#define RFT_RUN_FORESIGHT_H

#include "run/lookahead.h"
#include "search/strategy.h"

typedef struct rft_foresight {
    const rft_recorder *recorder;
    bool on;
    bool guesses;           /* of the part in hand */
    rft_job_place place;    /* the part that is looked at */
    rft_strategy *strategy; /* its course; NULL: it was not looked at yet */
    rft_lookahead held;     /* asked for, and not taken over yet */
    rft_strategy *fork;     /* of the part in hand's, since it was asked or told last; NULL: none yet */
    size_t fork_asked;
    uint64_t guessed, right; /* configurations compiled on a guess; those that were asked for, too */
} rft_foresight;

void rft_foresight_begin(rft_foresight *foresight, const rft_recorder *recorder);
void rft_foresight_end(rft_foresight *foresight);

/* By which a part's strategy shuffles. */
uint64_t rft_foresight_seed(const rft_plan *plan, rft_job_place place);

/* The part begins: what is looked at from now on lies behind it. */
void rft_foresight_pass(rft_foresight *foresight, rft_job_place place);
/* Asks for some more, as long as that and what the part in hand waits for leave workers idle. */
void rft_foresight_advance(rft_foresight *foresight, rft_lookahead *in_hand);
/* Compiles a few of the `left` that `strategy` may ask for next, if workers are idle while `in_hand` waits for some. */
void rft_foresight_guess(rft_foresight *foresight, rft_job_place place, const rft_strategy *strategy, uint64_t left,
                         rft_lookahead *in_hand);
/* The strategy in hand was asked or told: another fork is needed. */
void rft_foresight_unfork(rft_foresight *foresight);
/* What was asked for of the configuration, as of rft_lookahead_entry_new(), is the caller's. False: nothing was. */
bool rft_foresight_take(rft_foresight *foresight, rft_job_place place, uint64_t index, rft_lookahead_entry *out);
/* The part is over: what it did not take over is dropped. */
void rft_foresight_drop(rft_foresight *foresight, rft_job_place place);

#endif
