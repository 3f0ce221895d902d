/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own: a genetic algorithm, of whose proposals one in five is a single step from one of the best three, so that a
 * good configuration's neighbours are tried while the population still mixes. Founders lie far apart. Of a few children
 * that one is proposed whose neighbours were the fastest, which makes up for results that are still out. Where floors
 * at the ceilings are known, the child with the least outlook is taken, and what cannot be faster than the best is
 * passed over as long as a few draws bring something else.
 */
#include "base/hash.h"
#include "search/nearby.h"
#include "search/population.h"
#include "search/strategies.h"

/* So many at random, then every second until FOUNDERS were: a tiny budget makes use of what it saw, too. */
enum {
    FOUNDERS_FIRST = 6,
    FOUNDERS = 12,
    FOUNDING_ENDS = FOUNDERS_FIRST + 2 * (FOUNDERS - FOUNDERS_FIRST),
    STEP_ONE_IN = 5,
    DRAWS_MOST = 16,
    FEW = 12,
    FEW_FOUNDERS = 4,
    FEW_DRAWS_MOST = 120
};

typedef struct memetic {
    rft_course course;
    rft_population population;
    rft_nearby nearby;
    rft_outlook (*outlook)(void *payload, uint64_t index);
    void *payload;
} memetic;

static bool is_founding(const memetic *self) {
    const size_t asked = self->course.trial_count - self->course.taught;
    return asked < FOUNDERS_FIRST || (asked < FOUNDING_ENDS && asked % 2 == 0) || self->population.count < 2;
}

static uint64_t draw_one(memetic *self) {
    rft_course *course = &self->course;
    if (is_founding(self)) {
        return rft_nearby_far_off(&self->nearby, course);
    }
    return rft_random_below(&course->random, STEP_ONE_IN) == 0 ? rft_population_step(&self->population, course)
                                                               : rft_population_child(&self->population, course);
}

static rft_outlook outlook_of(const memetic *self, uint64_t index) {
    return self->outlook ? self->outlook(self->payload, index) : (rft_outlook){(double)NAN, (double)NAN};
}

/* One whose floor is not above the best, if some draws bring one; its outlook into *sum_s, NaN: not known. */
static uint64_t draw_that_can_win(memetic *self, double *sum_s) {
    const rft_course *course = &self->course;
    double best_s = course->best == SIZE_MAX ? (double)INFINITY : course->trials[course->best].seconds;
    for (int i = 0; i < DRAWS_MOST; i++) {
        uint64_t drawn = draw_one(self);
        if (drawn == RFT_NOWHERE) {
            continue;
        }
        rft_outlook known = outlook_of(self, drawn);
        *sum_s = known.sum_s;
        if (!(known.floor_s >= best_s)) {
            return drawn;
        }
    }
    return RFT_NOWHERE;
}

/* Of a few new ones that with the fastest neighbours; of founders that with the best outlook, or the first. */
static uint64_t memetic_propose(rft_course *course, uint32_t *tag) {
    memetic *self = (memetic *)course;
    const bool founds = is_founding(self);
    uint64_t chosen = RFT_NOWHERE;
    double least = (double)INFINITY;
    *tag = 0;
    for (int i = 0, found = 0; i < FEW_DRAWS_MOST && found < (founds ? FEW_FOUNDERS : FEW); i++) {
        double sum_s = (double)NAN;
        uint64_t drawn = draw_that_can_win(self, &sum_s);
        if (drawn == RFT_NOWHERE || rft_course_find(course, drawn)) {
            continue;
        }
        found++;
        if (founds && isnan(sum_s)) {
            return drawn;
        }
        double value = !founds ? rft_nearby_guess(&self->nearby, course, drawn, sum_s) : sum_s;
        if (value < least) {
            chosen = drawn;
            least = value;
        }
    }
    return chosen;
}

static void memetic_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    (void)tag;
    (void)hints;
    memetic *self = (memetic *)course;
    rft_population_add(&self->population, trial);
    rft_nearby_add(&self->nearby, course, trial, outlook_of(self, trial->index).sum_s);
}

static void memetic_clear(rft_course *course) {
    memetic *self = (memetic *)course;
    rft_population_clear(&self->population);
    rft_nearby_clear(&self->nearby);
}

static void memetic_fork(rft_course *course) {
    memetic *self = (memetic *)course;
    rft_population_fork(&self->population, course->view);
    rft_nearby_fork(&self->nearby, course->view);
}

static double memetic_promise(rft_strategy *base, uint64_t index) {
    memetic *self = (memetic *)base;
    return rft_nearby_guess(&self->nearby, &self->course, index, outlook_of(self, index).sum_s);
}

rft_strategy *rft_memetic_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"memetic",     sizeof(memetic), 16,          memetic_propose,
                                         memetic_learn, memetic_clear,   memetic_fork};
    memetic *self = rft_course_new(&spec, view, opts->seed);
    rft_population_init(&self->population, view);
    rft_nearby_init(&self->nearby, view);
    self->outlook = opts->outlook;
    self->payload = opts->payload;
    self->course.base.promise = memetic_promise;
    return &self->course.base;
}
