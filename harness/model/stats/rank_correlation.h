/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_correlation.h - do two lists of numbers order the same things alike? Spearman's rho: Pearson's correlation of
 * ranks, equal numbers at the mean of their ranks. 1: the same order, 0: none, -1: the reverse. Pure arithmetic.
 */
#ifndef RFT_MODEL_RANK_CORRELATION_H
#define RFT_MODEL_RANK_CORRELATION_H

#include <stddef.h>

#define RFT_RANK_LEAST 8 /* pairs; fewer tell nothing */

typedef struct rft_rank_correlation {
    double rho;       /* NaN: fewer than RFT_RANK_LEAST pairs, or one list is all the same */
    double low, high; /* 95 %, as of pairs drawn by chance: Fisher's z with a standard error of sqrt((1 + rho^2 / 2) /
                         (n - 3)) (Bonett and Wright, Psychometrika 65 (2000) 23) */
} rft_rank_correlation;

/* No NaN in either list. */
rft_rank_correlation rft_rank_correlation_of(const double *a, const double *b, size_t count);

#endif
