/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - one run divided among the cards of a host while it goes on (run --split). Each card's run takes what no
 * other has taken; one that has nothing left takes over what waits for another. Cards differ, so all measure some
 * common configurations, and behind the first round all contenders. Private to run.
 */
#ifndef RFT_RUN_SPLIT_H
#define RFT_RUN_SPLIT_H

#include "model/stats/race.h"
#include "run/board.h"
#include "run/record.h"
#include "search/strategy.h"

#include <math.h>

#define RFT_SPLIT_COMMON_LEAST 3           /* of a sweep; */
#define RFT_SPLIT_COMMON_MOST 8            /* and a twentieth of it between; a quarter of a small one */
#define RFT_SPLIT_WITHIN_FRAC 0.07         /* contenders: of the best, each card's times scaled by the common ones */
#define RFT_SPLIT_RIVAL_FRAC 0.01          /* another card's best races for this one as if it were so much slower */
#define RFT_SPLIT_CONTENDERS RFT_FINALISTS /* of a problem at most, and each variant's best and default */

typedef struct rft_split rft_split;

/* RFT_E_SPACE: a space that is only estimated cannot be divided; cards disagree. RFT_E_LIMIT, RFT_E_IO. */
int rft_split_new(rft_split **out, const rft_exec_opts *opts, const rft_recorder *recorder, rft_err *err);
void rft_split_free(rft_split *split); /* NULL is accepted */

/* What this card measures of a segment: what it knows already, the common ones, then what is free. */
rft_strategy *rft_split_strategy(rft_split *split, rft_job_place place);
/* Is what this strategy proposed still this card's? false: another has taken it over; it is not told. */
bool rft_split_take(rft_strategy *strategy, uint64_t index);

/* A time to race against, of a part or of all parts of a problem. */
typedef struct rft_split_rival {
    double seconds;   /* scaled to this card; INFINITY: none */
    double clock_mhz; /* at which it ran there; NaN: not known */
} rft_split_rival;
#define RFT_SPLIT_NO_RIVAL ((rft_split_rival){(double)INFINITY, (double)NAN})

/* A time of samples enough of the part, which the others see where it is this card's best. */
void rft_split_put_time(rft_split *split, rft_job_place place, double seconds, double clock_mhz);
/* The best of this card and, once the common configurations tell how they compare, of the others. */
rft_split_rival rft_split_part_rival(const rft_split *split, rft_job_place place);
rft_split_rival rft_split_problem_rival(const rft_split *split, rft_job_place place); /* of any variant */

/* How far samples of a problem scatter on this card: kept from the first round for its contenders. */
rft_race_noise *rft_split_noise(rft_split *split, size_t sweep, size_t problem);

/* Waits until all cards of the board are as far, or gone. false: one stood still for `patience_s`, while none of the
 * others did anything either. */
#define RFT_SPLIT_PATIENCE_S 300.0
bool rft_split_meet(const rft_exec_opts *opts, rft_board *board, double patience_s, bool *stopped);
/* Contenders of a segment that this card has not measured. In `arena`. */
size_t rft_split_contenders(const rft_split *split, rft_job_place place, rft_arena *arena, uint64_t **out);

#endif
