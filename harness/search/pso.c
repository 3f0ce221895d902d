/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

#define INERTIA 0.5
#define OWN_PULL 2.0    /* towards the particle's best */
#define COMMON_PULL 1.0 /* towards the best of all */
enum { PARTICLES = 20 };

typedef struct particle {
    double *at, *velocity; /* param_count each, in positions */
    uint64_t best;         /* RFT_NOWHERE: none yet */
    double best_s;
} particle;

typedef struct pso {
    rft_course course;
    particle particles[PARTICLES];
    uint32_t next;
    double *memory;
    uint16_t *rounded, *own;
    uint16_t *common;
} pso;

static void place(pso *self, particle *one, uint64_t index) {
    const rft_space_view *view = self->course.view;
    view->positions(view, index, self->rounded);
    for (size_t p = 0; p < view->param_count; p++) {
        one->at[p] = self->rounded[p];
        one->velocity[p] = (rft_random_unit(&self->course.random) - 0.5) * (double)(view->value_counts[p] - 1);
    }
}

static void fly(pso *self, particle *one) {
    rft_course *course = &self->course;
    const rft_space_view *view = course->view;
    view->positions(view, one->best, self->own);
    view->positions(view, course->trials[course->best].index, self->common);
    for (size_t p = 0; p < view->param_count; p++) {
        double last = (double)(view->value_counts[p] - 1);
        one->velocity[p] = INERTIA * one->velocity[p] +
                           OWN_PULL * rft_random_unit(&course->random) * (self->own[p] - one->at[p]) +
                           COMMON_PULL * rft_random_unit(&course->random) * (self->common[p] - one->at[p]);
        one->at[p] = fmin(fmax(one->at[p] + one->velocity[p], 0), last);
        self->rounded[p] = rft_course_position(one->at[p], view->value_counts[p]);
    }
}

static uint64_t pso_propose(rft_course *course, uint32_t *tag) {
    pso *self = (pso *)course;
    particle *one = &self->particles[self->next];
    *tag = self->next;
    self->next = (self->next + 1) % PARTICLES;
    if (one->best == RFT_NOWHERE || course->best == SIZE_MAX) {
        uint64_t index = rft_course_sample(course);
        if (index != RFT_NOWHERE) {
            place(self, one, index);
        }
        return index;
    }
    fly(self, one);
    return rft_course_repair(course, self->rounded);
}

static void pso_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    pso *self = (pso *)course;
    (void)hints;
    if (tag < PARTICLES && isfinite(trial->seconds) &&
        (self->particles[tag].best == RFT_NOWHERE || trial->seconds < self->particles[tag].best_s)) {
        self->particles[tag].best = trial->index;
        self->particles[tag].best_s = trial->seconds;
    }
}

static void pso_clear(rft_course *course) {
    pso *self = (pso *)course;
    free(self->memory);
    free(self->rounded);
}

static void take_memory(pso *self) {
    const size_t params = self->course.view->param_count;
    self->memory = rft_calloc(2 * PARTICLES * params + 1, sizeof *self->memory);
    self->rounded = rft_calloc(3 * params + 1, sizeof *self->rounded);
    self->own = self->rounded + params;
    self->common = self->own + params;
    for (size_t i = 0; i < PARTICLES; i++) {
        self->particles[i].at = self->memory + 2 * i * params;
        self->particles[i].velocity = self->particles[i].at + params;
    }
}

static void pso_fork(rft_course *course) {
    pso *self = (pso *)course;
    const double *from = self->memory;
    take_memory(self);
    memcpy(self->memory, from, 2 * PARTICLES * course->view->param_count * sizeof *from);
}

rft_strategy *rft_pso_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {"pso", sizeof(pso), 16, pso_propose, pso_learn, pso_clear, pso_fork};
    pso *self = rft_course_new(&spec, view, opts->seed);
    take_memory(self);
    for (size_t i = 0; i < PARTICLES; i++) {
        self->particles[i].best = RFT_NOWHERE;
    }
    return &self->course.base;
}
