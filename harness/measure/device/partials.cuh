/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread of compare.cu leaves, and fold.cu joins: they are compiled apart, for the first point waits for both. */
typedef struct rft_magnitude_partial {
    double sum;
    rft_u64 count; /* finite reference values */
} rft_magnitude_partial;

typedef struct rft_compare_partial {
    double worst;   /* -1: the thread had no element */
    double squares; /* sum of the squared fractions */
    rft_u64 index;
    rft_u64 wrong;
    double got, want; /* at index */
} rft_compare_partial;
