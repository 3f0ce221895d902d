/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_wall.h - when the configurations of a search end, in wall time: some workers compile, in the order asked for,
 * and one device takes what is compiled. 0 workers: compile and device one after the other, as the score of
 * autotuning_methodology charges them.
 */
#ifndef RFT_TESTS_BENCH_SEARCH_WALL_H
#define RFT_TESTS_BENCH_SEARCH_WALL_H

#include "bench/search_recording.h"

enum { SEARCH_WORKERS_MOST = 256 };

typedef struct search_wall {
    const search_recording *recording;
    size_t workers;
    double free_s[SEARCH_WORKERS_MOST]; /* when each has ended what it was handed */
    double now_s;
} search_wall;

void search_wall_begin(search_wall *wall, const search_recording *recording, size_t workers);

/* Hands a compile out now, or as soon as a worker is free. Returns when it ends. */
double search_wall_compile(search_wall *wall, uint64_t index);
size_t search_wall_idle(const search_wall *wall);
/* When the next worker becomes idle; INFINITY: none is at work. */
double search_wall_next_s(const search_wall *wall);
/* The device takes one whose compile ends at compiled_s: it is waited for, and measured to its end. */
void search_wall_measure(search_wall *wall, uint64_t index, double compiled_s);

/* What is asked for at once, measured as it is compiled: sorts it so, and says when each ends. */
void search_wall_batch(search_wall *wall, uint64_t *batch, size_t count, double *end_s);

#endif
