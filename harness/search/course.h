/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - what the strategies that learn have in common: what was proposed and told, no proposal twice, a fresh
 * configuration where a strategy has no more of its own, and small moves in a space. Private to this room.
 *
 * A strategy embeds an rft_course first and gives two functions. propose() may name any valid configuration: one that
 * is known already is learned from at once, for free, and propose() is called again, a limited number of times. Memory
 * grows with what was proposed, never with the space.
 */
#ifndef RFT_SEARCH_COURSE_H
#define RFT_SEARCH_COURSE_H

#include "search/strategy.h"

#include <stdbool.h>

#define RFT_NOWHERE UINT64_MAX /* no configuration */
#define RFT_NO_TAG UINT32_MAX  /* proposed by the course and not by its strategy */

typedef struct rft_course_trial {
    uint64_t index;
    double seconds; /* once told: INFINITY when it has no time */
    uint32_t tag;   /* the strategy's own, from propose() */
    bool told;
} rft_course_trial;

typedef struct rft_course rft_course;
struct rft_course {
    rft_strategy base;
    size_t size;
    const rft_space_view *view;
    uint64_t random;          /* state of its generator */
    rft_course_trial *trials; /* in the order asked */
    size_t trial_count, trial_capacity;
    size_t taught;   /* of these: told by observe(), not asked for by the strategy */
    uint32_t *slots; /* trial + 1 by index; open addressing, at most half full */
    size_t slot_count;
    uint64_t scan;      /* where the last search of a fresh one by going through ended */
    size_t best;        /* trial; SIZE_MAX: none has a time yet */
    uint16_t *scratch;  /* param_count positions, for moves */
    uint32_t *changing; /* parameters of more than one value */
    size_t changing_count;
    /* A configuration and the tag to learn it with; RFT_NOWHERE: none for now. */
    uint64_t (*propose)(rft_course *self, uint32_t *tag);
    /* `seconds` is INFINITY where there is no time. Called again for what is known and proposed again. */
    void (*learn)(rft_course *self, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints);
    void (*clear)(rft_course *self); /* frees what the strategy added; NULL: nothing */
    void (*fork)(rft_course *self);  /* what clear() frees is another's: copies it */
};

typedef struct rft_course_spec {
    const char *name;
    size_t size; /* of the strategy's struct, which begins with an rft_course */
    size_t ahead;
    uint64_t (*propose)(rft_course *self, uint32_t *tag);
    void (*learn)(rft_course *self, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints);
    void (*clear)(rft_course *self);
    void (*fork)(rft_course *self); /* NULL: it cannot be forked */
} rft_course_spec;

/* Zeroed behind the course. */
void *rft_course_new(const rft_course_spec *spec, const rft_space_view *view, uint64_t seed);

/* A copy of so many bytes on the heap. */
void *rft_course_copy(const void *from, size_t bytes);

/* NULL when it was never proposed. Valid until the next ask(). */
const rft_course_trial *rft_course_find(const rft_course *course, uint64_t index);

/* ---- moves; all draw from course->random ---- */

/* Uniform; may be known already. RFT_NOWHERE only where the view is not exact, or empty. */
uint64_t rft_course_sample(rft_course *course);
/* One parameter changed: to any other value, or (adjacent) to the next smaller or larger. RFT_NOWHERE where none of a
 * number of draws was valid. `positions` is of the view's, and is not changed. */
uint64_t rft_course_neighbour(rft_course *course, const uint16_t *positions, bool adjacent);
/* A valid configuration near these positions, which need not be valid: themselves, else with a few parameters changed,
 * else any; RFT_NOWHERE only as of rft_course_sample(). */
uint64_t rft_course_repair(rft_course *course, const uint16_t *positions);
/* The position nearest to x of a parameter with so many values. */
uint16_t rft_course_position(double x, uint32_t values);

#endif
