/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/forest.h"
#include "search/population.h"
#include "search/strategies.h"

#include <stdlib.h>

#define CONFIDENCE 1.0 /* standard deviations below the mean that an untried one is given credit for */
enum {
    TREES = 16,
    BAG_MOST = 192,  /* rows a tree is grown from, a quarter of them the best */
    CHILDREN = 4,    /* the best of so many is proposed: a mild pull, since the model errs most near its best */
    DRAWS_MOST = 60, /* for them */
    STEP_ONE_IN = 5
};

typedef struct trees {
    rft_course course;
    rft_population population;
    rft_forest *forest;
    uint16_t *rows;    /* positions of the parameters that change, of what was told, row by row */
    float *values;     /* log of the time; NaN: it has none */
    uint32_t *by_time; /* the rows that are among the best, ascending */
    size_t count, row_capacity, value_capacity, best_count;
    float worst; /* what failed is taken to be as slow as the slowest */
    size_t grown, founders;
    uint16_t *all, *changing; /* scratch: positions of one configuration, all of them and those that change */
} trees;

/* ---- learning ---- */

static void pick(const trees *self, size_t row, rft_forest_bag *bag, const uint16_t **rows, float *values) {
    rows[bag->count] = self->rows + row * self->course.changing_count;
    values[bag->count++] = isnan(self->values[row]) ? self->worst : self->values[row];
}

/* One tree a result: the forest is as new as its oldest tree, and the time a proposal takes does not grow. */
static void grow_one(trees *self) {
    const uint16_t *rows[BAG_MOST];
    float values[BAG_MOST];
    rft_forest_bag bag = {rows, values, 0};
    if (self->count <= BAG_MOST) {
        for (size_t row = 0; row < self->count; row++) {
            pick(self, row, &bag, rows, values);
        }
    } else {
        for (size_t i = 0; i < self->best_count; i++) {
            pick(self, self->by_time[i], &bag, rows, values);
        }
        while (bag.count < BAG_MOST) {
            pick(self, (size_t)rft_random_below(&self->course.random, self->count), &bag, rows, values);
        }
    }
    rft_forest_grow(self->forest, self->grown++ % TREES, &bag, &self->course.random);
}

static void changing_of(trees *self, uint64_t index, uint16_t *out) {
    const rft_course *course = &self->course;
    course->view->positions(course->view, index, self->all);
    for (size_t i = 0; i < course->changing_count; i++) {
        out[i] = self->all[course->changing[i]];
    }
}

static void note_best(trees *self, size_t row) {
    float value = self->values[row];
    bool is_full = self->best_count == BAG_MOST / 4;
    if (is_full && value >= self->values[self->by_time[self->best_count - 1]]) {
        return;
    }
    size_t at = is_full ? self->best_count - 1 : self->best_count++;
    for (; at > 0 && self->values[self->by_time[at - 1]] > value; at--) {
        self->by_time[at] = self->by_time[at - 1];
    }
    self->by_time[at] = (uint32_t)row;
}

static void trees_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    trees *self = (trees *)course;
    size_t features = course->changing_count, row = self->count++;
    (void)tag;
    (void)hints;
    RFT_GROW(self->rows, self->row_capacity, self->count * features + 1);
    RFT_GROW(self->values, self->value_capacity, self->count);
    changing_of(self, trial->index, self->rows + row * features);
    self->values[row] = isfinite(trial->seconds) ? (float)log(trial->seconds) : (float)NAN;
    if (!isnan(self->values[row])) {
        self->worst = self->best_count == 0 || self->values[row] > self->worst ? self->values[row] : self->worst;
        note_best(self, row);
    }
    rft_population_add(&self->population, trial);
    for (size_t i = self->grown ? 1 : TREES; self->count >= RFT_POPULATION && i > 0; i--) {
        grow_one(self);
    }
}

/* ---- proposing ---- */

static uint64_t draw_candidate(trees *self) {
    rft_course *course = &self->course;
    return rft_random_below(&course->random, STEP_ONE_IN) == 0 ? rft_population_step(&self->population, course)
                                                               : rft_population_child(&self->population, course);
}

static uint64_t trees_propose(rft_course *course, uint32_t *tag) {
    trees *self = (trees *)course;
    *tag = 0;
    if (self->founders < RFT_POPULATION || self->population.count < 2) {
        self->founders++;
        return rft_course_sample(course);
    }
    uint64_t chosen = RFT_NOWHERE;
    double lowest = (double)INFINITY;
    for (size_t draws = 0, children = 0; draws < DRAWS_MOST && children < CHILDREN; draws++) {
        uint64_t child = draw_candidate(self);
        if (child == RFT_NOWHERE || rft_course_find(course, child)) {
            continue;
        }
        double mean, deviation;
        children++;
        changing_of(self, child, self->changing);
        rft_forest_predict(self->forest, self->changing, &mean, &deviation);
        if (mean - CONFIDENCE * deviation < lowest) {
            lowest = mean - CONFIDENCE * deviation;
            chosen = child;
        }
    }
    return chosen;
}

static void trees_clear(rft_course *course) {
    trees *self = (trees *)course;
    rft_population_clear(&self->population);
    rft_forest_free(self->forest);
    free(self->rows);
    free(self->values);
    free(self->by_time);
    free(self->all);
    free(self->changing);
}

rft_strategy *rft_trees_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"trees", sizeof(trees), 16, trees_propose, trees_learn, trees_clear, NULL};
    trees *self = rft_course_new(&spec, view, opts->seed);
    rft_population_init(&self->population, view);
    self->forest = rft_forest_new(TREES, self->course.changing_count);
    self->by_time = rft_calloc(BAG_MOST, sizeof *self->by_time);
    self->all = rft_calloc(view->param_count + 1, sizeof *self->all);
    self->changing = rft_calloc(view->param_count + 1, sizeof *self->changing);
    return &self->course.base;
}
