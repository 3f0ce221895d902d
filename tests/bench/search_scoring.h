/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_scoring.h - how good is a search? The score of autotuning_methodology (Willemsen et al.), on a recorded space.
 *
 * A run is the configurations that it evaluates and when each of them ends (search_wall.h), in that order. The
 * budget is the time that random search needs to cover 95 % of the way from the median to the optimum. At each of
 * SEARCH_TIMES equidistant times up to it, P(t) = (S_base(t) - F(t)) / (S_base(t) - S_opt), where F is the best so far
 * and S_base the mean best-so-far of 1,000 random searches in the same simulator. The score is the mean of P over times
 * and runs: 0 is random search, 1 the optimum at once. Before a run's first valid result it counts as random search.
 */
#ifndef RFT_TESTS_BENCH_SEARCH_SCORING_H
#define RFT_TESTS_BENCH_SEARCH_SCORING_H

#include "bench/search_recording.h"

enum { SEARCH_TIMES = 50, SEARCH_BASE_RUNS = 1000 };

typedef struct search_base {
    uint64_t evaluations; /* valid ones that random search needs, by the expected rank of the best of so many draws */
    double budget_s;      /* the mean time they take, failed ones between them included */
    double best_s[SEARCH_TIMES]; /* S_base at budget_s * (i + 1) / SEARCH_TIMES; NaN: no run has a result yet */
} search_base;

/* `seed` decides the random searches; runs that are scored have others. With workers, what is compiled first goes
 * first. */
void search_base_make(search_base *out, const search_recording *recording, size_t workers, uint64_t seed);

typedef struct search_score {
    double score;         /* mean of P */
    double optimum_share; /* optimum / best found within the budget, mean; a run without a result counts 0 */
    double exact_share;   /* runs that found the optimum */
    uint64_t runs;
    uint64_t evaluations; /* of all runs, within the budget */
} search_score;

/* Adds one run's figures to sums; search_score_mean() makes means of them. */
void search_score_add(search_score *sums, const search_recording *recording, const search_base *base,
                      const uint64_t *evaluated, const double *end_s, size_t count);
void search_score_mean(search_score *sums);

#endif
