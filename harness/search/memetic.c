/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own: a genetic algorithm, of whose proposals one in five is a single step from one of the best three, so that a
 * good configuration's neighbours are tried while the population still mixes. Where floors at the ceilings are known,
 * the child with the lower floor of two is taken, and what cannot be faster than the best is passed over as long as a
 * few draws bring something else.
 */
#include "base/hash.h"
#include "search/population.h"
#include "search/strategies.h"

/* So many at random, then every second until RFT_POPULATION were: a tiny budget makes use of what it saw, too. */
enum {
    FOUNDERS_FIRST = 6,
    FOUNDING_ENDS = FOUNDERS_FIRST + 2 * (RFT_POPULATION - FOUNDERS_FIRST),
    STEP_ONE_IN = 5,
    DRAWS_MOST = 16,
    FEW = 4
};

typedef struct memetic {
    rft_course course;
    rft_population population;
    rft_outlook (*outlook)(void *payload, uint64_t index);
    void *payload;
} memetic;

static uint64_t draw_parent(memetic *self) {
    rft_course *course = &self->course;
    size_t asked = course->trial_count - course->taught;
    bool founds = asked < FOUNDERS_FIRST || (asked < FOUNDING_ENDS && asked % 2 == 0);
    if (founds || self->population.count < 2) {
        return rft_course_sample(course);
    }
    return rft_random_below(&course->random, STEP_ONE_IN) == 0 ? rft_population_step(&self->population, course)
                                                               : rft_population_child(&self->population, course);
}

/* One whose floor is not above the best, if some draws bring one; its outlook (-1: not known) into *sum_s. */
static uint64_t draw_that_can_win(memetic *self, double *sum_s) {
    const rft_course *course = &self->course;
    double best_s = course->best == SIZE_MAX ? (double)INFINITY : course->trials[course->best].seconds;
    for (int i = 0; i < DRAWS_MOST; i++) {
        uint64_t drawn = draw_parent(self);
        if (drawn == RFT_NOWHERE) {
            continue;
        }
        rft_outlook known = self->outlook(self->payload, drawn);
        *sum_s = isnan(known.sum_s) ? -1 : known.sum_s;
        if (!(known.floor_s >= best_s)) {
            return drawn;
        }
    }
    return RFT_NOWHERE;
}

/* Of a few the new one with the best outlook. */
static uint64_t draw_of_few(memetic *self) {
    uint64_t chosen = RFT_NOWHERE;
    double least_s = (double)INFINITY;
    for (int i = 0; i < FEW; i++) {
        double sum_s = -1;
        uint64_t drawn = draw_that_can_win(self, &sum_s);
        bool is_new = drawn != RFT_NOWHERE && !rft_course_find(&self->course, drawn);
        if (is_new && sum_s < least_s) {
            chosen = drawn;
            least_s = sum_s;
        } else if (chosen == RFT_NOWHERE) {
            chosen = drawn;
        }
    }
    return chosen;
}

static uint64_t memetic_propose(rft_course *course, uint32_t *tag) {
    memetic *self = (memetic *)course;
    *tag = 0;
    return self->outlook ? draw_of_few(self) : draw_parent(self);
}

static void memetic_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    (void)tag;
    (void)hints;
    rft_population_add(&((memetic *)course)->population, trial);
}

static void memetic_clear(rft_course *course) {
    rft_population_clear(&((memetic *)course)->population);
}

rft_strategy *rft_memetic_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"memetic", sizeof(memetic), 16, memetic_propose, memetic_learn, memetic_clear};
    memetic *self = rft_course_new(&spec, view, opts->seed);
    rft_population_init(&self->population, view);
    self->outlook = opts->outlook;
    self->payload = opts->payload;
    return &self->course.base;
}
