/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buyer.h - what a buyer of cards reads first, in plain words: what the card does beside a reference, whether it
 * is normal, what limits it, what to ask the vendor. A subject, a finding; what several need is worked out once.
 */
#ifndef RFT_REPORTS_BUYER_H
#define RFT_REPORTS_BUYER_H

#include "model/compare/speed.h"
#include "model/roofline/card_peers.h"
#include "reports/findings/finding.h"

typedef struct rft_buyer_given {
    const rft_run *run;
    const rft_run *const *parts; /* the runs that were joined to it; NULL: it alone */
    size_t part_count;
    const rft_run *const *references; /* other runs; the last `shipped_count` come with the program */
    size_t reference_count, shipped_count;
    const rft_run *const *cards; /* other cards that come with the program: no more than what they read */
    size_t card_count;
    rft_mix_total *const *mixes;
    size_t mix_count;
    const rft_mix_book *book; /* for prices; NULL */
    bool linked;              /* families lead to the chapters of their sweeps, "sweep-1" ... */
    size_t rows_most;         /* families in the table of the first page; 0: RFT_BUYER_ROWS */
} rft_buyer_given;

typedef struct rft_buyer {
    rft_buyer_given given;
    const rft_speed_asked *asked;
    rft_speed *speeds; /* one a reference */
    size_t speed_count;
    const rft_speed *chief; /* the first whose figure stands, else that has one, else that is there; NULL: none is */
    rft_peers peers;
    rft_run_sample sample;
} rft_buyer;

/* Of the first mix that has the times of all its operations; of the run's families where there is none. Texts are
 * borrowed or in `arena`. */
rft_buyer *rft_buyer_of(const rft_buyer_given *given, rft_arena *arena);

/* Whether the first page has a chart of shares; else bars stand in its table: of a mix, and of many sweeps. */
#define RFT_BUYER_CHARTED 8
#define RFT_BUYER_ROWS 24 /* families in the answer's table; the others are in the summary */
bool rft_buyer_has_chart(const rft_buyer *buyer);

/* The answer in a sentence, and as few figures. */
const char *rft_buyer_lead(const rft_buyer *buyer, rft_arena *arena);
/* A table of families or operations, the reference cards, how sure that is, what the words mean. */
rft_finding *rft_finding_answer(const rft_buyer *buyer, rft_arena *arena);
/* Its table (buyer_families.c). key: of the data; NULL: none. More than a page ever has room for? */
void rft_buyer_add_parts(rft_finding *f, const rft_buyer *buyer, const char *key);
bool rft_buyer_has_many(const rft_buyer *buyer);
/* All families, where the first page has no room for them; NULL. */
rft_finding *rft_finding_families(const rft_buyer *buyer, rft_arena *arena);
/* Below which price this card costs less for the mix than each reference that has one; a list for programs. */
rft_finding *rft_finding_buyer_price(const rft_buyer *buyer, rft_arena *arena);
rft_finding *rft_finding_normal(const rft_buyer *buyer, rft_arena *arena);
rft_finding *rft_finding_limiting(const rft_buyer *buyer, rft_arena *arena);
rft_finding *rft_finding_questions(const rft_buyer *buyer, rft_arena *arena);
/* All four for programs. */
rft_finding *rft_finding_buyer(const rft_buyer *buyer, rft_arena *arena);

/* "device memory, read"; "matrix units, FP16"; "arithmetic units, FP32": without the names of instructions. */
const char *rft_words_plain_ceiling(rft_ceiling_id id, rft_arena *arena);
/* The pipe that the workload asks most of: by the weight of what it limits, then of what has operations on it; else
 * FP32, or the first that is known. RFT_CEILING_COUNT: none is. */
rft_ceiling_id rft_buyer_chief_pipe(const rft_buyer *buyer);
/* The most that any launches back to back drew; NaN. *load: of which; NULL. */
double rft_buyer_power_w(const rft_run *run, const rft_load **load);
bool rft_buyer_has_no_meter(const rft_run *run); /* the card told no power when the run began */

#endif
