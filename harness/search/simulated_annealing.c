/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>

/* In relative loss of time: half as slow again is accepted at first, 0.1 % at last, about 600 steps later; then anew,
 * from elsewhere. Kernel Tuner takes 1,400 steps from 1, more than most budgets have. */
#define TEMPERATURE_FIRST 0.5
#define TEMPERATURE_LAST 0.001
#define COOLING 0.99
enum { STUCK_MOST = 200 }; /* steps without a move before a restart */

typedef struct simulated_annealing {
    rft_course course;
    uint64_t current;
    double current_s; /* INFINITY: not known, or it has no time */
    double temperature;
    unsigned stuck;
    bool has_current;
    uint16_t *at; /* positions of the current */
} simulated_annealing;

static void restart(simulated_annealing *self) {
    self->has_current = false;
    self->temperature = TEMPERATURE_FIRST;
    self->stuck = 0;
}

static void move_to(simulated_annealing *self, const rft_course_trial *trial) {
    self->current = trial->index;
    self->current_s = trial->seconds;
    self->has_current = true;
    self->stuck = 0;
    self->course.view->positions(self->course.view, trial->index, self->at);
}

static uint64_t annealing_propose(rft_course *course, uint32_t *tag) {
    simulated_annealing *self = (simulated_annealing *)course;
    *tag = 0;
    if (!self->has_current) {
        return rft_course_sample(course);
    }
    return rft_course_neighbour(course, self->at, rft_random_below(&course->random, 2));
}

static bool is_accepted(simulated_annealing *self, double seconds) {
    if (seconds <= self->current_s) {
        return true;
    }
    double loss = (seconds - self->current_s) / self->current_s;
    return isfinite(loss) && rft_random_unit(&self->course.random) < exp(-loss / self->temperature);
}

static void annealing_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    simulated_annealing *self = (simulated_annealing *)course;
    (void)tag;
    (void)hints;
    if (!self->has_current) {
        if (isfinite(trial->seconds)) {
            move_to(self, trial);
        }
        return;
    }
    self->temperature *= COOLING;
    if (is_accepted(self, trial->seconds)) {
        move_to(self, trial);
    } else {
        self->stuck++;
    }
    if (self->temperature < TEMPERATURE_LAST || self->stuck > STUCK_MOST) {
        restart(self);
    }
}

static void annealing_clear(rft_course *course) {
    free(((simulated_annealing *)course)->at);
}

static void annealing_fork(rft_course *course) {
    simulated_annealing *self = (simulated_annealing *)course;
    self->at = rft_course_copy(self->at, (course->view->param_count + 1) * sizeof *self->at);
}

rft_strategy *rft_simulated_annealing_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {
        "simulated_annealing", sizeof(simulated_annealing), 4, annealing_propose, annealing_learn, annealing_clear,
        annealing_fork};
    simulated_annealing *self = rft_course_new(&spec, view, opts->seed);
    self->at = rft_calloc(view->param_count + 1, sizeof *self->at);
    restart(self);
    return &self->course.base;
}
