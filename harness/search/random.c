/* SPDX-License-Identifier: Apache-2.0 */
/* A Fisher-Yates shuffle of which only the places that were touched are stored. */
#include "base/arena.h"
#include "base/hash.h"
#include "search/course.h"
#include "search/strategies.h"

#include <stdlib.h>

typedef struct slot {
    uint64_t place_1; /* place + 1; 0 = empty */
    uint64_t content; /* the configuration that was moved there */
} slot;

typedef struct random_draw {
    rft_strategy base;
    uint64_t count, asked, random;
    slot *slots; /* open addressing, at most half full */
    size_t slot_count, used;
} random_draw;

static slot *find_slot(slot *slots, size_t slot_count, uint64_t place) {
    uint64_t mixed = place;
    size_t at = (size_t)(rft_random_next(&mixed) & (slot_count - 1));
    while (slots[at].place_1 && slots[at].place_1 != place + 1) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

/* An untouched place still holds its own configuration. */
static uint64_t content_of(const random_draw *self, uint64_t place) {
    const slot *found = find_slot(self->slots, self->slot_count, place);
    return found->place_1 ? found->content : place;
}

static void put_drawn(random_draw *self, uint64_t place, uint64_t content) {
    if (2 * (self->used + 1) > self->slot_count) {
        size_t larger = self->slot_count * 2;
        slot *slots = rft_calloc(larger, sizeof *slots);
        for (size_t i = 0; i < self->slot_count; i++) {
            /* Places before `asked` are never looked at again. */
            if (self->slots[i].place_1 > self->asked) {
                *find_slot(slots, larger, self->slots[i].place_1 - 1) = self->slots[i];
            }
        }
        free(self->slots);
        self->slots = slots;
        self->slot_count = larger;
        self->used = 0;
        for (size_t i = 0; i < larger; i++) {
            self->used += slots[i].place_1 != 0;
        }
    }
    slot *found = find_slot(self->slots, self->slot_count, place);
    self->used += found->place_1 == 0;
    *found = (slot){place + 1, content};
}

static size_t random_ask(rft_strategy *base, uint64_t *out, size_t most) {
    random_draw *self = (random_draw *)base;
    size_t given = 0;
    while (given < most && self->asked < self->count) {
        uint64_t with = self->asked + rft_random_below(&self->random, self->count - self->asked);
        out[given++] = content_of(self, with);
        put_drawn(self, with, content_of(self, self->asked));
        self->asked++;
    }
    return given;
}

static void random_tell(rft_strategy *base, const rft_tell *result) {
    (void)base; /* draws do not depend on results */
    (void)result;
}

static void random_free(rft_strategy *base) {
    random_draw *self = (random_draw *)base;
    free(self->slots);
    free(self);
}

/* Where indices are not dense: the space's own draws, those that came before left out. */
static uint64_t leave_it_to_the_course(rft_course *course, uint32_t *tag) {
    (void)course;
    *tag = RFT_NO_TAG;
    return RFT_NOWHERE;
}

static void learn_nothing(rft_course *course, const rft_course_trial *trial, uint32_t tag, const rft_hints *hints) {
    (void)course;
    (void)trial;
    (void)tag;
    (void)hints;
}

rft_strategy *rft_random_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    static const rft_course_spec by_drawing = {
        "random", sizeof(rft_course), 0, leave_it_to_the_course, learn_nothing, NULL, NULL};
    if (!view->exact) {
        return &((rft_course *)rft_course_new(&by_drawing, view, opts->seed))->base;
    }
    random_draw *self = rft_alloc(sizeof *self);
    self->base = (rft_strategy){
        .name = "random", .ask = random_ask, .tell = random_tell, .free = random_free, .any_order = true};
    self->count = view->count;
    self->random = ~opts->seed; /* not the order that exhaustive takes with this seed */
    self->slot_count = 64;
    self->slots = rft_calloc(self->slot_count, sizeof *self->slots);
    return &self->base;
}
