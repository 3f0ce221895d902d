/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_mix.h - mixes on every side of a comparison: what a pass takes and costs on each, and whether it is faster
 * than on the first. Pure; the rule of the verdict is that of single workloads (compare_rule.h).
 *
 * The interval of a side's total is that of mix_total.h, wider by what each operation's figure was widened by for the
 * comparison (compare.h); since that may be common to all of a run, these add up as they are, not in quadrature. An
 * operation whose verdict is in doubt for its search effort, its workload or the spread among runs puts the total in
 * the same doubt.
 */
#ifndef RFT_MODEL_COMPARE_MIX_H
#define RFT_MODEL_COMPARE_MIX_H

#include "model/compare/break_even.h"
#include "model/compare/compare.h"
#include "model/mix/mix_total.h"

typedef struct rft_compare_mix_side {
    const rft_mix_total *total;
    rft_compare_ratio ratio; /* time of the first over that of this side; NaN on the first, and where one is missing */
    rft_compare_verdict verdict;
    const char *reason;  /* why AMBIGUOUS; NULL */
    double per_price;    /* units a second per unit of currency; NaN: no price */
    rft_break_even even; /* against the first; `missing` on the first itself */
} rft_compare_mix_side;

typedef struct rft_compare_mix {
    const rft_mix *mix;
    rft_compare_mix_side *sides; /* one a side of the comparison */
    bool priced;                 /* some side has a price */
} rft_compare_mix;

typedef struct rft_compare_mixes {
    const rft_compare *compare;
    const rft_mix_book *book;
    rft_compare_mix *items; /* as book->mixes */
    size_t count;
} rft_compare_mixes;

/* The price of a run's device in the form of a comparison's input; amount NaN where none is given. `book` may be NULL.
 */
rft_compare_price rft_compare_price_of(const rft_mix_book *book, const rft_run *run);

/* In `arena`, which must not outlive compare and book. RFT_E_USAGE as rft_mix_total_of(). */
int rft_compare_mixes_of(rft_compare_mixes **out, const rft_compare *compare, const rft_mix_book *book,
                         rft_arena *arena, rft_err *err);

/* Why figures of a side are not there, a sentence each, and why verdicts are in doubt. Array in `arena`. */
size_t rft_compare_mix_notes(const rft_compare_mixes *mixes, size_t item, rft_arena *arena, const char ***out);

#endif
