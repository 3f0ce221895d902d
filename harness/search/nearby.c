/* SPDX-License-Identifier: Apache-2.0 */
#include "search/nearby.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A parameter that differs counts half a unit, and up to half more by how far its value lies off: lists of sizes are in
 * order, lists of choices are not. At a whole unit a weight is exp(-NEARNESS). */
#define DIFFERS 0.5
#define NEARNESS 12.0
#define FAR_OFF 1e-4 /* as much weight has what the outlook says: that of one at three quarters of a unit */
enum { DRAWS = 4, LATELY = 64 };

void rft_nearby_init(rft_nearby *nearby, const rft_space_view *view) {
    const size_t params = view->param_count + 1;
    *nearby = (rft_nearby){.rows = rft_calloc(RFT_NEARBY_MOST * params, sizeof *nearby->rows),
                           .values = rft_calloc(RFT_NEARBY_MOST, sizeof *nearby->values),
                           .outlooks = rft_calloc(RFT_NEARBY_MOST, sizeof *nearby->outlooks),
                           .here = rft_calloc(params, sizeof *nearby->here),
                           .there = rft_calloc(params, sizeof *nearby->there)};
}

void rft_nearby_clear(rft_nearby *nearby) {
    free(nearby->rows);
    free(nearby->values);
    free(nearby->outlooks);
    free(nearby->here);
    free(nearby->there);
}

void rft_nearby_fork(rft_nearby *nearby, const rft_space_view *view) {
    const rft_nearby from = *nearby;
    rft_nearby_init(nearby, view);
    memcpy(nearby->rows, from.rows, from.count * view->param_count * sizeof *from.rows);
    memcpy(nearby->values, from.values, from.count * sizeof *from.values);
    memcpy(nearby->outlooks, from.outlooks, from.count * sizeof *from.outlooks);
    nearby->count = from.count;
    nearby->told = from.told;
    nearby->worst = from.worst;
}

static double distance(const rft_course *course, const uint16_t *a, const uint16_t *b) {
    double sum = 0.0;
    for (size_t i = 0; i < course->changing_count; i++) {
        const size_t p = course->changing[i];
        const double last = (double)course->view->value_counts[p] - 1.0;
        sum += a[p] == b[p] ? 0.0 : DIFFERS + (1.0 - DIFFERS) * fabs((double)a[p] - (double)b[p]) / last;
    }
    return sum;
}

void rft_nearby_add(rft_nearby *nearby, const rft_course *course, const rft_course_trial *trial, double sum_s) {
    const size_t at = nearby->told++ % RFT_NEARBY_MOST;
    const float value = isfinite(trial->seconds) ? (float)log(trial->seconds) : (float)NAN;
    course->view->positions(course->view, trial->index, nearby->rows + at * course->view->param_count);
    nearby->values[at] = value;
    nearby->outlooks[at] = (float)log(sum_s);
    nearby->worst = nearby->count == 0 || isnan(nearby->worst) || value > nearby->worst ? value : nearby->worst;
    nearby->count += nearby->count < RFT_NEARBY_MOST ? 1 : 0;
}

double rft_nearby_guess(rft_nearby *nearby, const rft_course *course, uint64_t index, double sum_s) {
    const bool looks = !isnan(sum_s);
    double weights = 0.0, sum = 0.0, all = 0.0, mean = 0.0;
    course->view->positions(course->view, index, nearby->here);
    for (size_t i = 0; i < nearby->count; i++) {
        const double value = isnan(nearby->values[i]) ? nearby->worst : nearby->values[i];
        const uint16_t *row = nearby->rows + i * course->view->param_count;
        const double weight = exp(-NEARNESS * distance(course, nearby->here, row));
        const double above = looks ? value - nearby->outlooks[i] : value;
        if (!isnan(above)) {
            weights += weight;
            sum += weight * above;
            mean += (above - mean) / ++all;
        }
    }
    if (looks) { /* far from all it is as far above its outlook as others are */
        weights += FAR_OFF;
        sum += FAR_OFF * mean;
    }
    return (looks ? log(sum_s) : 0.0) + (weights > 0.0 ? sum / weights : 0.0);
}

static double nearest(rft_nearby *nearby, const rft_course *course, uint64_t index) {
    double least = (double)INFINITY;
    course->view->positions(course->view, index, nearby->here);
    for (size_t i = 0; i < course->trial_count && i < LATELY; i++) {
        course->view->positions(course->view, course->trials[course->trial_count - 1 - i].index, nearby->there);
        least = fmin(least, distance(course, nearby->here, nearby->there));
    }
    return least;
}

uint64_t rft_nearby_far_off(rft_nearby *nearby, rft_course *course) {
    uint64_t chosen = RFT_NOWHERE;
    double farthest = -1.0;
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t drawn = rft_course_sample(course);
        const double off = drawn == RFT_NOWHERE ? -1.0 : nearest(nearby, course, drawn);
        if (off > farthest) {
            chosen = drawn;
            farthest = off;
        }
    }
    return chosen;
}
