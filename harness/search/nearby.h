/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearby.h - how far configurations lie apart, and a guess at the time of one that was not tried from those that were
 * told, the near ones above all. Where an outlook is known (strategy.h), what is averaged is how far they were above
 * theirs. Private to this room.
 */
#ifndef RFT_SEARCH_NEARBY_H
#define RFT_SEARCH_NEARBY_H

#include "search/course.h"

enum { RFT_NEARBY_MOST = 1024 }; /* the latest told that are looked at: a guess takes 0.1 ms at most */

typedef struct rft_nearby {
    uint16_t *rows;         /* positions of what was told, row by row */
    float *values;          /* log of the time; NaN: it has none */
    float *outlooks;        /* log of the outlook's sum; NaN: it is not known */
    size_t count, told;     /* rows; all that were told */
    float worst;            /* what failed is taken to be as slow as the slowest */
    uint16_t *here, *there; /* scratch: positions of one configuration */
} rft_nearby;

void rft_nearby_init(rft_nearby *nearby, const rft_space_view *view);
void rft_nearby_clear(rft_nearby *nearby);
/* Of a copy, whose memory is another's: its own. */
void rft_nearby_fork(rft_nearby *nearby, const rft_space_view *view);

/* `sum_s`: of its outlook; NaN: not known. */
void rft_nearby_add(rft_nearby *nearby, const rft_course *course, const rft_course_trial *trial, double sum_s);

/* Logarithm of the seconds; that of the outlook, or else 0, where nothing was told. */
double rft_nearby_guess(rft_nearby *nearby, const rft_course *course, uint64_t index, double sum_s);

/* Of a few random configurations the one that lies farthest from all that were asked for lately. RFT_NOWHERE only as of
 * rft_course_sample(). */
uint64_t rft_nearby_far_off(rft_nearby *nearby, rft_course *course);

#endif
