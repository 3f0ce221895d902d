/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forest.h - extremely randomised regression trees (Geurts, Ernst, Wehenkel 2006) over configurations: a mean and how
 * far the trees disagree, for configurations that were not tried. Private to this room.
 *
 * Every tree is grown from a bag of bounded size, so growing one takes a bounded time however many configurations were
 * told. A feature is a parameter's position: splits compare, so only the order of values counts, never their scale.
 */
#ifndef RFT_SEARCH_FOREST_H
#define RFT_SEARCH_FOREST_H

#include <stddef.h>
#include <stdint.h>

typedef struct rft_forest rft_forest;

/* `features` per row. */
rft_forest *rft_forest_new(size_t trees, size_t features);
void rft_forest_free(rft_forest *forest);

/* Grows tree `at` anew from `count` rows of features and their values, drawing from *random. Keeps no pointer. */
typedef struct rft_forest_bag {
    const uint16_t *const *rows;
    const float *values;
    size_t count;
} rft_forest_bag;
void rft_forest_grow(rft_forest *forest, size_t at, const rft_forest_bag *bag, uint64_t *random);

/* Mean over the trees that were grown, and standard deviation between them; 0 and 0 before the first. */
void rft_forest_predict(const rft_forest *forest, const uint16_t *row, double *mean, double *deviation);

#endif
