/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_wall.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

void search_wall_begin(search_wall *wall, const search_recording *recording, size_t workers) {
    *wall = (search_wall){.recording = recording};
    wall->workers = workers < SEARCH_WORKERS_MOST ? workers : SEARCH_WORKERS_MOST;
}

double search_wall_compile(search_wall *wall, uint64_t index) {
    double *first = &wall->free_s[0];
    if (wall->workers == 0) {
        return wall->now_s; /* it is charged with the device's work */
    }
    for (size_t i = 1; i < wall->workers; i++) {
        first = wall->free_s[i] < *first ? &wall->free_s[i] : first;
    }
    *first = fmax(*first, wall->now_s) + wall->recording->compile_s[index];
    return *first;
}

size_t search_wall_idle(const search_wall *wall) {
    size_t idle = 0;
    for (size_t i = 0; i < wall->workers; i++) {
        idle += wall->free_s[i] <= wall->now_s;
    }
    return idle;
}

double search_wall_next_s(const search_wall *wall) {
    double next_s = (double)INFINITY;
    for (size_t i = 0; i < wall->workers; i++) {
        next_s = wall->free_s[i] > wall->now_s ? fmin(next_s, wall->free_s[i]) : next_s;
    }
    return next_s;
}

void search_wall_measure(search_wall *wall, uint64_t index, double compiled_s) {
    const search_recording *recording = wall->recording;
    wall->now_s = fmax(wall->now_s, compiled_s) + recording->cost_s[index];
    wall->now_s -= wall->workers ? recording->compile_s[index] : 0;
}

typedef struct compiled {
    double at_s;
    uint64_t index;
} compiled;

static int by_time(const void *a, const void *b) {
    const compiled *x = a, *y = b;
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

void search_wall_batch(search_wall *wall, uint64_t *batch, size_t count, double *end_s) {
    compiled *ready = rft_calloc(count + 1, sizeof *ready);
    for (size_t i = 0; i < count; i++) {
        ready[i] = (compiled){search_wall_compile(wall, batch[i]), batch[i]};
    }
    if (wall->workers) {
        qsort(ready, count, sizeof *ready, by_time);
    }
    for (size_t i = 0; i < count; i++) {
        batch[i] = ready[i].index;
        search_wall_measure(wall, batch[i], ready[i].at_s);
        end_s[i] = wall->now_s;
    }
    free(ready);
}
