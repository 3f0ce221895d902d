/* SPDX-License-Identifier: Apache-2.0 */
#include "search/population.h"

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>

#define RANK_POWER 2.5 /* of the beta(1, 2.5) distribution that parents' ranks have, as Kernel Tuner's */
enum { MUTATION_ONE_IN = 5, STEPS_FROM = 3 };

void rft_population_init(rft_population *population, const rft_space_view *view) {
    *population = (rft_population){.count = 0};
    rft_population_fork(population, view);
}

void rft_population_clear(rft_population *population) {
    free(population->mother);
    free(population->father);
}

void rft_population_fork(rft_population *population, const rft_space_view *view) {
    population->mother = rft_calloc(view->param_count + 1, sizeof *population->mother);
    population->father = rft_calloc(view->param_count + 1, sizeof *population->father);
}

static bool is_member(const rft_population *population, uint64_t index) {
    for (size_t i = 0; i < population->count; i++) {
        if (population->members[i] == index) {
            return true;
        }
    }
    return false;
}

void rft_population_add(rft_population *population, const rft_course_trial *trial) {
    bool is_full = population->count == RFT_POPULATION;
    if (!isfinite(trial->seconds) || is_member(population, trial->index) ||
        (is_full && trial->seconds >= population->seconds[RFT_POPULATION - 1])) {
        return;
    }
    size_t at = is_full ? RFT_POPULATION - 1 : population->count++;
    for (; at > 0 && population->seconds[at - 1] > trial->seconds; at--) {
        population->members[at] = population->members[at - 1];
        population->seconds[at] = population->seconds[at - 1];
    }
    population->members[at] = trial->index;
    population->seconds[at] = trial->seconds;
}

static size_t parent(const rft_population *population, rft_course *course) {
    double u = rft_random_unit(&course->random);
    size_t rank = (size_t)((1 - pow(1 - u, 1 / RANK_POWER)) * (double)population->count);
    return rank < population->count ? rank : population->count - 1;
}

/* To any other value of one parameter, or to the next one: both, since a list of sizes is in order and a list of
 * choices is not. */
static uint64_t step(rft_course *course, const uint16_t *positions) {
    return rft_course_neighbour(course, positions, rft_random_below(&course->random, 2));
}

uint64_t rft_population_child(rft_population *population, rft_course *course) {
    const rft_space_view *view = course->view;
    size_t a = parent(population, course), b = parent(population, course);
    b = a == b ? (a + 1) % population->count : b;
    view->positions(view, population->members[a], population->mother);
    view->positions(view, population->members[b], population->father);
    for (size_t p = 0; p < view->param_count; p++) {
        if (rft_random_below(&course->random, 2)) {
            population->mother[p] = population->father[p];
        }
    }
    uint64_t child = rft_course_repair(course, population->mother);
    if (child != RFT_NOWHERE && rft_random_below(&course->random, MUTATION_ONE_IN) == 0) {
        view->positions(view, child, population->mother);
        uint64_t mutant = step(course, population->mother);
        child = mutant == RFT_NOWHERE ? child : mutant;
    }
    return child;
}

uint64_t rft_population_step(rft_population *population, rft_course *course) {
    size_t among = population->count < STEPS_FROM ? population->count : STEPS_FROM;
    uint64_t from = population->members[rft_random_below(&course->random, among)];
    course->view->positions(course->view, from, population->mother);
    return step(course, population->mother);
}
