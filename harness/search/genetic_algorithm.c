/* SPDX-License-Identifier: Apache-2.0 */
#include "search/population.h"
#include "search/strategies.h"

typedef struct genetic_algorithm {
    rft_course course;
    rft_population population;
    size_t founders; /* proposed as such */
} genetic_algorithm;

static uint64_t genetic_propose(rft_course *course, uint32_t *tag) {
    genetic_algorithm *self = (genetic_algorithm *)course;
    *tag = 0;
    if (self->founders < RFT_POPULATION || self->population.count < 2) {
        self->founders++;
        return rft_course_sample(course);
    }
    return rft_population_child(&self->population, course);
}

static void genetic_learn(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    (void)tag;
    (void)hints;
    rft_population_add(&((genetic_algorithm *)course)->population, trial);
}

static void genetic_clear(rft_course *course) {
    rft_population_clear(&((genetic_algorithm *)course)->population);
}

static void genetic_fork(rft_course *course) {
    rft_population_fork(&((genetic_algorithm *)course)->population, course->view);
}

rft_strategy *rft_genetic_algorithm_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec spec = {
        "genetic_algorithm", sizeof(genetic_algorithm), 16, genetic_propose, genetic_learn, genetic_clear,
        genetic_fork};
    genetic_algorithm *self = rft_course_new(&spec, view, opts->seed);
    rft_population_init(&self->population, view);
    return &self->course.base;
}
