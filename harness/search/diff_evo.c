/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>

#define WEIGHT 0.7    /* F */
#define CROSSOVER 0.7 /* CR */
enum { POPULATION = 20 };

typedef struct diff_evo {
    rft_course course;
    uint64_t members[POPULATION]; /* RFT_NOWHERE: none yet */
    double seconds[POPULATION];
    uint32_t next; /* whose trial is the next */
    uint16_t *trial, *base, *left, *right;
} diff_evo;

static uint32_t another(diff_evo *self, const uint32_t *taken, size_t count) {
    for (;;) {
        uint32_t drawn = (uint32_t)rft_random_below(&self->course.random, POPULATION);
        bool is_free = true;
        for (size_t i = 0; i < count; i++) {
            is_free = is_free && taken[i] != drawn;
        }
        if (is_free) {
            return drawn;
        }
    }
}

static uint64_t diff_evo_propose(rft_course *course, uint32_t *tag) {
    diff_evo *self = (diff_evo *)course;
    const rft_space_view *view = course->view;
    uint32_t chosen[4] = {self->next, 0, 0, 0};
    *tag = self->next;
    self->next = (self->next + 1) % POPULATION;
    for (size_t i = 1; i < 4; i++) {
        chosen[i] = another(self, chosen, i);
    }
    for (size_t i = 0; i < 4; i++) {
        if (self->members[chosen[i]] == RFT_NOWHERE) {
            return rft_course_sample(course); /* still at the beginning */
        }
    }
    uint16_t *into[4] = {self->trial, self->base, self->left, self->right};
    for (size_t i = 0; i < 4; i++) {
        view->positions(view, self->members[chosen[i]], into[i]);
    }
    size_t certain =
        course->changing_count ? course->changing[rft_random_below(&course->random, course->changing_count)] : 0;
    for (size_t p = 0; p < view->param_count; p++) {
        if (p == certain || rft_random_unit(&course->random) < CROSSOVER) {
            double mutant = self->base[p] + WEIGHT * ((double)self->left[p] - (double)self->right[p]);
            self->trial[p] = rft_course_position(mutant, view->value_counts[p]);
        }
    }
    return rft_course_repair(course, self->trial);
}

static void diff_evo_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    diff_evo *self = (diff_evo *)course;
    (void)hints;
    if (tag < POPULATION && (self->members[tag] == RFT_NOWHERE || trial->seconds <= self->seconds[tag])) {
        self->members[tag] = trial->index;
        self->seconds[tag] = trial->seconds;
    }
}

static void diff_evo_clear(rft_course *course) {
    free(((diff_evo *)course)->trial);
}

static void take_rows(diff_evo *self) {
    const size_t params = self->course.view->param_count;
    self->trial = rft_calloc(4 * params + 1, sizeof *self->trial);
    self->base = self->trial + params;
    self->left = self->base + params;
    self->right = self->left + params;
}

static void diff_evo_fork(rft_course *course) {
    take_rows((diff_evo *)course);
}

rft_strategy *rft_diff_evo_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"diff_evo",     sizeof(diff_evo), 16,           diff_evo_propose,
                                         diff_evo_learn, diff_evo_clear,   diff_evo_fork};
    diff_evo *self = rft_course_new(&spec, view, opts->seed);
    take_rows(self);
    for (size_t i = 0; i < POPULATION; i++) {
        self->members[i] = RFT_NOWHERE;
    }
    return &self->course.base;
}
