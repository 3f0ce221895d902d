/* SPDX-License-Identifier: Apache-2.0 */
#include "support/list_view.h"

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct list_view {
    rft_space_view base;
    rft_arena *arena;
    const uint16_t *rows;
    uint32_t *slots; /* row + 1 by its hash; 0 = empty; open addressing, at most half full */
    size_t slot_count;
} list_view;

static const uint16_t *row_of(const list_view *self, uint64_t index) {
    return self->rows + (size_t)index * self->base.param_count;
}

/* The slot that holds these positions, or the empty one where they belong. */
static size_t slot_of(const list_view *self, const uint16_t *positions) {
    size_t size = self->base.param_count * sizeof *positions;
    uint64_t mixed = rft_hash_fnv1a(positions, size);
    size_t at = (size_t)(rft_random_next(&mixed) & (self->slot_count - 1));
    while (self->slots[at] && memcmp(row_of(self, self->slots[at] - 1), positions, size) != 0) {
        at = (at + 1) & (self->slot_count - 1);
    }
    return at;
}

static void list_positions(const rft_space_view *view, uint64_t index, uint16_t *out) {
    memcpy(out, row_of((const list_view *)view, index), view->param_count * sizeof *out);
}

static uint64_t list_find(const rft_space_view *view, const uint16_t *positions) {
    const list_view *self = (const list_view *)view;
    uint32_t held = self->slots[slot_of(self, positions)];
    return held ? held - 1 : UINT64_MAX;
}

static uint64_t list_sample(const rft_space_view *view, uint64_t random64) {
    return rft_random_below(&random64, view->count);
}

static void list_free(rft_space_view *view) {
    list_view *self = (list_view *)view;
    free(self->slots);
    rft_arena_free(self->arena);
    free(self);
}

rft_space_view *list_view_new(const list_view_spec *spec) {
    list_view *self = rft_alloc(sizeof *self);
    size_t params = spec->param_count;
    self->arena = rft_arena_new();
    const double **values = rft_arena_calloc(self->arena, params + 1, sizeof *values);
    for (size_t p = 0; p < params && spec->values; p++) {
        if (spec->values[p]) {
            values[p] = rft_arena_memdup(self->arena, spec->values[p], spec->value_counts[p] * sizeof **values);
        }
    }
    self->base = (rft_space_view){
        .count = spec->count,
        .exact = true,
        .param_count = params,
        .value_counts = rft_arena_memdup(self->arena, spec->value_counts, params * sizeof *spec->value_counts),
        .values = values,
        .positions = list_positions,
        .find = list_find,
        .sample = list_sample,
        .free = list_free,
    };
    self->rows = rft_arena_memdup(self->arena, spec->rows, (size_t)spec->count * params * sizeof *spec->rows);
    self->slot_count = 16;
    while (self->slot_count < 2 * spec->count) {
        self->slot_count *= 2;
    }
    self->slots = rft_calloc(self->slot_count, sizeof *self->slots);
    for (uint64_t i = 0; i < spec->count; i++) {
        size_t at = slot_of(self, row_of(self, i));
        self->slots[at] = self->slots[at] ? self->slots[at] : (uint32_t)i + 1;
    }
    return &self->base;
}
