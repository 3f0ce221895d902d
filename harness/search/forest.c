/* SPDX-License-Identifier: Apache-2.0 */
#include "search/forest.h"

#include "base/arena.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_MOST = 2, DEPTH_MOST = 40 };

typedef struct node {
    uint16_t feature;
    uint16_t threshold; /* positions up to it go left */
    uint32_t right;     /* the left child is the next node; 0: a leaf */
    float value;        /* of a leaf: mean */
} node;

typedef struct tree {
    node *nodes;
    size_t count, capacity;
} tree;

struct rft_forest {
    size_t tree_count, features;
    tree *trees;
    uint32_t *order; /* of the bag's rows while one is grown */
    size_t order_capacity;
};

typedef struct growing {
    rft_forest *forest;
    tree *tree;
    const rft_forest_bag *bag;
    uint64_t *random;
} growing;

rft_forest *rft_forest_new(size_t trees, size_t features) {
    rft_forest *forest = rft_alloc(sizeof *forest);
    forest->tree_count = trees;
    forest->features = features;
    forest->trees = rft_calloc(trees, sizeof *forest->trees);
    return forest;
}

void rft_forest_free(rft_forest *forest) {
    for (size_t i = 0; forest && i < forest->tree_count; i++) {
        free(forest->trees[i].nodes);
    }
    if (forest) {
        free(forest->trees);
        free(forest->order);
        free(forest);
    }
}

/* ---- growing ---- */

typedef struct split {
    uint16_t feature, threshold;
    double gain; /* sum of squares that the halves' means explain; 0: none */
} split;

/* A random threshold inside the rows' range of the feature, if it has one. */
static void try_split(const growing *g, const uint32_t *order, size_t count, uint16_t feature, split *best) {
    uint16_t low = UINT16_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t at = g->bag->rows[order[i]][feature];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    if (low >= high) {
        return;
    }
    uint16_t threshold = (uint16_t)(low + rft_random_below(g->random, (uint64_t)(high - low)));
    double sum[2] = {0, 0};
    size_t n[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        int side = g->bag->rows[order[i]][feature] > threshold;
        sum[side] += g->bag->values[order[i]];
        n[side]++;
    }
    double total = sum[0] + sum[1];
    double gain = sum[0] * sum[0] / (double)n[0] + sum[1] * sum[1] / (double)n[1] - total * total / (double)count;
    if (gain > best->gain || best->feature == UINT16_MAX) {
        *best = (split){feature, threshold, gain};
    }
}

static size_t partition(const growing *g, uint32_t *order, size_t count, const split *by) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (g->bag->rows[order[i]][by->feature] <= by->threshold) {
            uint32_t moved = order[i];
            order[i] = order[left];
            order[left++] = moved;
        }
    }
    return left;
}

static void grow(growing *g, uint32_t *order, size_t count, size_t depth) {
    size_t at = g->tree->count++;
    RFT_GROW(g->tree->nodes, g->tree->capacity, g->tree->count);
    split best = {UINT16_MAX, 0, 0};
    for (size_t i = 0; count > LEAF_MOST && depth < DEPTH_MOST && i < g->forest->features; i++) {
        try_split(g, order, count, (uint16_t)i, &best);
    }
    if (best.feature == UINT16_MAX) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += g->bag->values[order[i]];
        }
        g->tree->nodes[at] = (node){.value = (float)(sum / (double)count)};
        return;
    }
    size_t left = partition(g, order, count, &best);
    grow(g, order, left, depth + 1);
    g->tree->nodes[at] = (node){best.feature, best.threshold, (uint32_t)g->tree->count, 0};
    grow(g, order + left, count - left, depth + 1);
}

void rft_forest_grow(rft_forest *forest, size_t at, const rft_forest_bag *bag, uint64_t *random) {
    growing g = {.forest = forest, .tree = &forest->trees[at], .bag = bag};
    g.random = random;
    g.tree->count = 0;
    if (bag->count == 0 || forest->features == 0) {
        return;
    }
    RFT_GROW(forest->order, forest->order_capacity, bag->count);
    for (size_t i = 0; i < bag->count; i++) {
        forest->order[i] = (uint32_t)i;
    }
    grow(&g, forest->order, bag->count, 0);
}

/* ---- asking ---- */

void rft_forest_predict(const rft_forest *forest, const uint16_t *row, double *mean, double *deviation) {
    double sum = 0, squares = 0;
    size_t grown = 0;
    for (size_t t = 0; t < forest->tree_count; t++) {
        const node *nodes = forest->trees[t].nodes;
        if (forest->trees[t].count == 0) {
            continue;
        }
        size_t at = 0;
        while (nodes[at].right) {
            at = row[nodes[at].feature] <= nodes[at].threshold ? at + 1 : nodes[at].right;
        }
        sum += nodes[at].value;
        squares += (double)nodes[at].value * nodes[at].value;
        grown++;
    }
    double n = grown ? (double)grown : 1;
    *mean = sum / n;
    *deviation = sqrt(fmax(squares / n - *mean * *mean, 0));
}
