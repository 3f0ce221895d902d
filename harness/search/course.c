/* SPDX-License-Identifier: Apache-2.0 */
#include "search/course.h"

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROPOSALS_MOST = 50, /* known ones in a row before a fresh one is taken */
    SAMPLES_MOST = 50,   /* draws before the space is gone through */
    SAMPLES_MOST_BLIND = 1000,
    MOVES_MOST = 40,   /* draws for one neighbour */
    REPAIRS_MOST = 60, /* draws for one repair */
    SLOTS_LEAST = 256
};

/* ---- what is known ---- */

static size_t slot_of(const rft_course *course, uint64_t index) {
    uint64_t mixed = index;
    size_t at = (size_t)(rft_random_next(&mixed) & (course->slot_count - 1));
    while (course->slots[at] && course->trials[course->slots[at] - 1].index != index) {
        at = (at + 1) & (course->slot_count - 1);
    }
    return at;
}

const rft_course_trial *rft_course_find(const rft_course *course, uint64_t index) {
    uint32_t held = course->slots[slot_of(course, index)];
    return held ? &course->trials[held - 1] : NULL;
}

static void add_trial(rft_course *course, uint64_t index, uint32_t tag) {
    RFT_GROW(course->trials, course->trial_capacity, course->trial_count + 1);
    course->trials[course->trial_count] = (rft_course_trial){.index = index, .tag = tag, .seconds = (double)INFINITY};
    course->slots[slot_of(course, index)] = (uint32_t)++course->trial_count;
    if (2 * course->trial_count > course->slot_count) {
        course->slot_count *= 2;
        free(course->slots);
        course->slots = rft_calloc(course->slot_count, sizeof *course->slots);
        for (size_t i = 0; i < course->trial_count; i++) {
            course->slots[slot_of(course, course->trials[i].index)] = (uint32_t)i + 1;
        }
    }
}

/* ---- ask and tell ---- */

/* One that was never proposed, by drawing; RFT_NOWHERE: none was drawn. */
static uint64_t fresh_draw(rft_course *course, size_t most) {
    for (size_t i = 0; i < most; i++) {
        uint64_t index = rft_course_sample(course);
        if (index != RFT_NOWHERE && !rft_course_find(course, index)) {
            return index;
        }
    }
    return RFT_NOWHERE;
}

/* Where indices are not dense, a space is finished when many draws in a row bring nothing new. */
static uint64_t fresh(rft_course *course) {
    uint64_t index = fresh_draw(course, course->view->exact ? SAMPLES_MOST : SAMPLES_MOST_BLIND);
    if (index != RFT_NOWHERE || !course->view->exact) {
        return index;
    }
    while (rft_course_find(course, course->scan)) { /* there is one */
        course->scan = (course->scan + 1) % course->view->count;
    }
    return course->scan;
}

static uint64_t next_proposal(rft_course *course, uint32_t *tag) {
    static const rft_hints nothing = RFT_HINTS_INIT;
    for (size_t i = 0; i < PROPOSALS_MOST; i++) {
        *tag = RFT_NO_TAG;
        uint64_t index = course->propose(course, tag);
        if (index == RFT_NOWHERE) {
            break;
        }
        const rft_course_trial *known = rft_course_find(course, index);
        if (!known) {
            return index;
        }
        if (known->told) {
            rft_course_trial copy = *known;
            course->learn(course, &copy, *tag, &nothing);
        }
    }
    *tag = RFT_NO_TAG;
    return fresh(course);
}

static size_t course_ask(rft_strategy *base, uint64_t *out, size_t most) {
    rft_course *course = (rft_course *)base;
    size_t given = 0;
    while (given < most && !(course->view->exact && course->trial_count >= course->view->count)) {
        uint32_t tag = RFT_NO_TAG;
        uint64_t index = next_proposal(course, &tag);
        if (index == RFT_NOWHERE) {
            break;
        }
        add_trial(course, index, tag);
        out[given++] = index;
    }
    return given;
}

static void course_tell(rft_strategy *base, const rft_tell *result) {
    rft_course *course = (rft_course *)base;
    uint32_t held = course->slots[slot_of(course, result->index)];
    if (!held || course->trials[held - 1].told) {
        return; /* not asked for */
    }
    rft_course_trial *trial = &course->trials[held - 1];
    bool has_time = rft_outcome_is_measured(result->outcome) && result->seconds > 0 && isfinite(result->seconds);
    trial->told = true;
    trial->seconds = has_time ? result->seconds : (double)INFINITY;
    if (has_time && (course->best == SIZE_MAX || trial->seconds < course->trials[course->best].seconds)) {
        course->best = held - 1;
    }
    rft_course_trial copy = *trial;
    course->learn(course, &copy, copy.tag, &result->hints);
}

static void course_teach(rft_strategy *base, const rft_tell *result) {
    rft_course *course = (rft_course *)base;
    if (!course->slots[slot_of(course, result->index)]) {
        add_trial(course, result->index, RFT_NO_TAG);
        course->taught++;
    }
    course_tell(base, result);
}

static void course_free(rft_strategy *base) {
    rft_course *course = (rft_course *)base;
    if (course->clear) {
        course->clear(course);
    }
    free(course->trials);
    free(course->slots);
    free(course->scratch);
    free(course->changing);
    free(course);
}

void *rft_course_copy(const void *from, size_t bytes) {
    return memcpy(rft_alloc(bytes), from, bytes);
}

static rft_strategy *course_fork(const rft_strategy *base) {
    rft_course *course = rft_course_copy(base, ((const rft_course *)base)->size);
    const size_t params = course->view->param_count + 1;
    course->trials = rft_course_copy(course->trials, course->trial_capacity * sizeof *course->trials);
    course->slots = rft_course_copy(course->slots, course->slot_count * sizeof *course->slots);
    course->scratch = rft_course_copy(course->scratch, params * sizeof *course->scratch);
    course->changing = rft_course_copy(course->changing, params * sizeof *course->changing);
    course->fork(course);
    return &course->base;
}

void *rft_course_new(const rft_course_spec *spec, const rft_space_view *view, uint64_t seed) {
    rft_course *course = rft_alloc(spec->size);
    course->base = (rft_strategy){.name = spec->name,
                                  .ahead = spec->ahead,
                                  .ask = course_ask,
                                  .tell = course_tell,
                                  .teach = course_teach,
                                  .free = course_free,
                                  .fork = spec->fork ? course_fork : NULL};
    course->size = spec->size;
    course->view = view;
    course->random = seed ^ rft_hash_fnv1a(spec->name, strlen(spec->name));
    course->slot_count = SLOTS_LEAST;
    course->slots = rft_calloc(course->slot_count, sizeof *course->slots);
    course->best = SIZE_MAX;
    course->scratch = rft_calloc(view->param_count + 1, sizeof *course->scratch);
    course->changing = rft_calloc(view->param_count + 1, sizeof *course->changing);
    for (size_t p = 0; p < view->param_count; p++) {
        if (view->value_counts[p] > 1) {
            course->changing[course->changing_count++] = (uint32_t)p;
        }
    }
    course->propose = spec->propose;
    course->learn = spec->learn;
    course->clear = spec->clear;
    course->fork = spec->fork;
    RFT_GROW(course->trials, course->trial_capacity, 1);
    return course;
}

/* ---- moves ---- */

uint64_t rft_course_sample(rft_course *course) {
    return course->view->sample(course->view, rft_random_next(&course->random));
}

/* Changes one parameter of `at`; false where the next value would be beyond the ends. */
static bool change_one(rft_course *course, uint16_t *at, bool adjacent) {
    size_t p = course->changing[rft_random_below(&course->random, course->changing_count)];
    uint32_t values = course->view->value_counts[p];
    if (!adjacent) {
        uint16_t other = (uint16_t)rft_random_below(&course->random, values - 1);
        at[p] = other >= at[p] ? (uint16_t)(other + 1) : other;
        return true;
    }
    bool up = rft_random_below(&course->random, 2);
    if (up ? at[p] + 1u >= values : at[p] == 0) {
        return false;
    }
    at[p] = (uint16_t)(up ? at[p] + 1 : at[p] - 1);
    return true;
}

uint64_t rft_course_neighbour(rft_course *course, const uint16_t *positions, bool adjacent) {
    size_t size = course->view->param_count * sizeof *positions;
    for (size_t i = 0; i < MOVES_MOST && course->changing_count > 0; i++) {
        memcpy(course->scratch, positions, size);
        if (change_one(course, course->scratch, adjacent)) {
            uint64_t found = course->view->find(course->view, course->scratch);
            if (found != UINT64_MAX) {
                return found;
            }
        }
    }
    return RFT_NOWHERE;
}

uint64_t rft_course_repair(rft_course *course, const uint16_t *positions) {
    size_t size = course->view->param_count * sizeof *positions;
    uint64_t found = course->view->find(course->view, positions);
    for (size_t i = 0; found == UINT64_MAX && i < REPAIRS_MOST && course->changing_count > 0; i++) {
        memcpy(course->scratch, positions, size);
        for (size_t changes = 1 + i / 20; changes > 0; changes--) {
            change_one(course, course->scratch, i % 20 < 10); /* near ones first */
        }
        found = course->view->find(course->view, course->scratch);
    }
    return found != UINT64_MAX ? found : rft_course_sample(course);
}

uint16_t rft_course_position(double x, uint32_t values) {
    double last = (double)(values - 1);
    return (uint16_t)lround(x < 0 ? 0 : x > last ? last : x);
}
