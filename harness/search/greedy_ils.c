/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_OF_PERTURBATION = 3, OPTIMA_BEFORE_RESTART = 10 };

/* A move: one parameter to one of its other values. */
typedef struct move {
    uint32_t param;
    uint16_t value;
} move;

typedef struct greedy_ils {
    rft_course course;
    uint64_t centre;
    double centre_s; /* INFINITY: not known yet */
    double level_s;  /* of the local optimum that the last perturbation left */
    uint64_t level;
    uint16_t *at; /* positions of the centre */
    move *moves;  /* from the centre, shuffled as they are taken */
    size_t move_count, taken;
    unsigned worse; /* local optima in a row that were no better than the level */
    bool has_centre, has_level;
} greedy_ils;

static void move_to(greedy_ils *self, uint64_t index, double seconds) {
    const rft_space_view *view = self->course.view;
    self->centre = index;
    self->centre_s = seconds;
    self->has_centre = true;
    view->positions(view, index, self->at);
    self->taken = self->move_count = 0;
    for (size_t i = 0; i < self->course.changing_count; i++) {
        uint32_t p = self->course.changing[i];
        for (uint32_t v = 0; v < view->value_counts[p]; v++) {
            if (v != self->at[p]) {
                self->moves[self->move_count++] = (move){p, (uint16_t)v};
            }
        }
    }
}

/* The next neighbour of the centre in random order; RFT_NOWHERE when all were named. */
static uint64_t next_neighbour(greedy_ils *self) {
    while (self->taken < self->move_count) {
        size_t with = self->taken + (size_t)rft_random_below(&self->course.random, self->move_count - self->taken);
        move chosen = self->moves[with];
        self->moves[with] = self->moves[self->taken];
        self->moves[self->taken++] = chosen;
        uint16_t held = self->at[chosen.param];
        self->at[chosen.param] = chosen.value;
        uint64_t found = self->course.view->find(self->course.view, self->at);
        self->at[chosen.param] = held;
        if (found != UINT64_MAX) {
            return found;
        }
    }
    return RFT_NOWHERE;
}

/* The centre is a local optimum: from the better of it and the one before, a few random steps. */
static uint64_t perturb(greedy_ils *self) {
    rft_course *course = &self->course;
    if (!self->has_level || self->centre_s < self->level_s) {
        self->level = self->centre;
        self->level_s = self->centre_s;
        self->has_level = true;
        self->worse = 0;
    } else if (++self->worse >= OPTIMA_BEFORE_RESTART) {
        self->has_level = false;
        self->worse = 0;
        return rft_course_sample(course);
    }
    uint64_t from = self->level;
    for (int step = 0; step < STEPS_OF_PERTURBATION; step++) {
        course->view->positions(course->view, from, self->at);
        uint64_t next = rft_course_neighbour(course, self->at, false);
        from = next == RFT_NOWHERE ? from : next;
    }
    return from;
}

static uint64_t greedy_ils_propose(rft_course *course, uint32_t *tag) {
    greedy_ils *self = (greedy_ils *)course;
    uint64_t next = self->has_centre ? next_neighbour(self) : RFT_NOWHERE;
    *tag = 0;
    if (next != RFT_NOWHERE) {
        return next;
    }
    next = self->has_centre ? perturb(self) : rft_course_sample(course);
    if (next == RFT_NOWHERE) {
        return next;
    }
    const rft_course_trial *known = rft_course_find(course, next);
    move_to(self, next, known && known->told ? known->seconds : (double)INFINITY);
    return next;
}

static void greedy_ils_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    greedy_ils *self = (greedy_ils *)course;
    (void)tag;
    (void)hints;
    if (self->has_centre && trial->index == self->centre) {
        self->centre_s = trial->seconds;
    } else if (!self->has_centre || trial->seconds < self->centre_s) {
        move_to(self, trial->index, trial->seconds);
    }
}

static void greedy_ils_clear(rft_course *course) {
    greedy_ils *self = (greedy_ils *)course;
    free(self->at);
    free(self->moves);
}

static size_t moves_most(const rft_space_view *view) {
    size_t values = 1;
    for (size_t p = 0; p < view->param_count; p++) {
        values += view->value_counts[p];
    }
    return values;
}

static void greedy_ils_fork(rft_course *course) {
    greedy_ils *self = (greedy_ils *)course;
    self->at = rft_course_copy(self->at, (course->view->param_count + 1) * sizeof *self->at);
    self->moves = rft_course_copy(self->moves, moves_most(course->view) * sizeof *self->moves);
}

rft_strategy *rft_greedy_ils_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"greedy_ils",     sizeof(greedy_ils), 8, greedy_ils_propose, greedy_ils_learn,
                                         greedy_ils_clear, greedy_ils_fork};
    greedy_ils *self = rft_course_new(&spec, view, opts->seed);
    self->at = rft_calloc(view->param_count + 1, sizeof *self->at);
    self->moves = rft_calloc(moves_most(view), sizeof *self->moves);
    return &self->course.base;
}
