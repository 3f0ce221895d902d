/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

enum { POPULATION = 20, MUTATION_ONE_IN = 5 };

typedef struct genetic_algorithm {
    rft_course course;
    uint64_t members[POPULATION]; /* ascending by time */
    double seconds[POPULATION];
    size_t count;
    size_t founders; /* proposed as such */
    uint16_t *mother, *father;
} genetic_algorithm;

/* Rank by a beta(1, 2.5) distribution, as Kernel Tuner's: the better, the likelier. */
static size_t parent(genetic_algorithm *self) {
    double u = rft_random_unit(&self->course.random);
    size_t rank = (size_t)((1 - pow(1 - u, 1 / 2.5)) * (double)self->count);
    return rank < self->count ? rank : self->count - 1;
}

static uint64_t propose(rft_course *course, uint32_t *tag) {
    genetic_algorithm *self = (genetic_algorithm *)course;
    const rft_space_view *view = course->view;
    *tag = 0;
    if (self->founders < POPULATION || self->count < 2) {
        self->founders++;
        return rft_course_sample(course);
    }
    size_t a = parent(self), b = parent(self);
    b = a == b ? (a + 1) % self->count : b;
    view->positions(view, self->members[a], self->mother);
    view->positions(view, self->members[b], self->father);
    for (size_t p = 0; p < view->param_count; p++) { /* uniform crossover */
        if (rft_random_below(&course->random, 2)) {
            self->mother[p] = self->father[p];
        }
    }
    uint64_t child = rft_course_repair(course, self->mother);
    if (child != RFT_NOWHERE && rft_random_below(&course->random, MUTATION_ONE_IN) == 0) {
        view->positions(view, child, self->mother);
        uint64_t mutant = rft_course_neighbour(course, self->mother, false);
        child = mutant == RFT_NOWHERE ? child : mutant;
    }
    return child;
}

static bool is_member(const genetic_algorithm *self, uint64_t index) {
    for (size_t i = 0; i < self->count; i++) {
        if (self->members[i] == index) {
            return true;
        }
    }
    return false;
}

static void learn(rft_course *course, const rft_trial *trial, uint32_t tag, const rft_hints *hints) {
    genetic_algorithm *self = (genetic_algorithm *)course;
    (void)tag;
    (void)hints;
    if (!isfinite(trial->seconds) || is_member(self, trial->index)) {
        return;
    }
    if (self->count == POPULATION && trial->seconds >= self->seconds[POPULATION - 1]) {
        return;
    }
    size_t at = self->count < POPULATION ? self->count++ : POPULATION - 1;
    for (; at > 0 && self->seconds[at - 1] > trial->seconds; at--) {
        self->members[at] = self->members[at - 1];
        self->seconds[at] = self->seconds[at - 1];
    }
    self->members[at] = trial->index;
    self->seconds[at] = trial->seconds;
}

static void clear(rft_course *course) {
    genetic_algorithm *self = (genetic_algorithm *)course;
    free(self->mother);
    free(self->father);
}

rft_strategy *rft_genetic_algorithm_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"genetic_algorithm", sizeof(genetic_algorithm), 16, propose, learn, clear};
    genetic_algorithm *self = rft_course_new(&spec, view, opts->seed);
    self->mother = rft_calloc(view->param_count + 1, sizeof *self->mother);
    self->father = rft_calloc(view->param_count + 1, sizeof *self->father);
    return &self->course.base;
}
