/* SPDX-License-Identifier: Apache-2.0 */
/*
 * population.h - the best so far and their children, for the strategies that breed. Private to this room.
 * Steady state: what is told and is faster than the slowest member takes its place, so children may be bred while
 * results of others are still out.
 */
#ifndef RFT_SEARCH_POPULATION_H
#define RFT_SEARCH_POPULATION_H

#include "search/course.h"

enum { RFT_POPULATION = 20 };

typedef struct rft_population {
    uint64_t members[RFT_POPULATION]; /* ascending by time */
    double seconds[RFT_POPULATION];
    size_t count;
    uint16_t *mother, *father; /* positions; free() */
} rft_population;

void rft_population_init(rft_population *population, const rft_space_view *view);
void rft_population_clear(rft_population *population);
/* Of a copy, whose positions are another's: its own. */
void rft_population_fork(rft_population *population, const rft_space_view *view);

/* What has no time, or is in it already, is left out. */
void rft_population_add(rft_population *population, const rft_course_trial *trial);

/* Uniform crossover of two members chosen by rank, repaired, and one time in five mutated. count >= 2. */
uint64_t rft_population_child(rft_population *population, rft_course *course);

/* One step from one of the three best. count >= 1. */
uint64_t rft_population_step(rft_population *population, rft_course *course);

#endif
