/* SPDX-License-Identifier: Apache-2.0 */
#include "search/space_view.h"

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct space_over {
    rft_space_view base;
    rft_arena *arena;
    const rft_space *space;
    const rft_variant *variant;
    uint16_t **rank;   /* rank[p][listed place] = position; NULL: they are the same */
    uint16_t **listed; /* the inverse */
    uint16_t *wanted;  /* what find() looks for: a view belongs to one thread */
} space_over;

static void space_positions(const rft_space_view *view, uint64_t index, uint16_t *out) {
    const space_over *self = (const space_over *)view;
    rft_space_positions(self->space, index, out);
    for (size_t p = 0; p < view->param_count; p++) {
        out[p] = self->rank[p] ? self->rank[p][out[p]] : out[p];
    }
}

static uint64_t space_find(const rft_space_view *view, const uint16_t *positions) {
    const space_over *self = (const space_over *)view;
    for (size_t p = 0; p < view->param_count; p++) {
        self->wanted[p] = self->listed[p] ? self->listed[p][positions[p]] : positions[p];
    }
    return rft_space_rank(self->space, self->wanted);
}

static uint64_t space_sample(const rft_space_view *view, uint64_t random64) {
    return rft_space_sample(((const space_over *)view)->space, random64);
}

static void space_free(rft_space_view *view) {
    space_over *self = (space_over *)view;
    rft_arena_free(self->arena);
    free(self);
}

static bool is_of_numbers(const rft_param *param) {
    for (size_t i = 0; i < param->value_count; i++) {
        if (param->values[i].kind == RFT_VALUE_TEXT) {
            return false;
        }
    }
    return true;
}

typedef struct numbered {
    double number;
    uint16_t listed;
} numbered;

static int by_number(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1)
                                  : (x->listed > y->listed) - (x->listed < y->listed);
}

/* Ranks of a parameter whose values are all numbers; returns them in ascending order. */
static const double *rank_values(space_over *self, size_t p) {
    const rft_param *param = &self->variant->params[p];
    numbered *order = rft_calloc(param->value_count + 1, sizeof *order);
    double *values = rft_arena_calloc(self->arena, param->value_count + 1, sizeof *values);
    self->rank[p] = rft_arena_calloc(self->arena, param->value_count + 1, sizeof **self->rank);
    self->listed[p] = rft_arena_calloc(self->arena, param->value_count + 1, sizeof **self->listed);
    for (size_t i = 0; i < param->value_count; i++) {
        order[i] = (numbered){rft_value_number(&param->values[i]), (uint16_t)i};
    }
    qsort(order, param->value_count, sizeof *order, by_number);
    for (size_t i = 0; i < param->value_count; i++) {
        values[i] = order[i].number;
        self->listed[p][i] = order[i].listed;
        self->rank[p][order[i].listed] = (uint16_t)i;
    }
    free(order);
    return values;
}

rft_space_view *rft_view_of_space(const rft_space *space) {
    space_over *self = rft_alloc(sizeof *self);
    self->arena = rft_arena_new();
    self->space = space;
    self->variant = rft_space_variant(space);
    size_t params = self->variant->param_count;
    uint32_t *counts = rft_arena_calloc(self->arena, params + 1, sizeof *counts);
    const double **values = rft_arena_calloc(self->arena, params + 1, sizeof *values);
    self->wanted = rft_arena_calloc(self->arena, params + 1, sizeof *self->wanted);
    self->rank = rft_arena_calloc(self->arena, params + 1, sizeof *self->rank);
    self->listed = rft_arena_calloc(self->arena, params + 1, sizeof *self->listed);
    for (size_t p = 0; p < params; p++) {
        counts[p] = (uint32_t)self->variant->params[p].value_count;
        values[p] = is_of_numbers(&self->variant->params[p]) ? rank_values(self, p) : NULL;
    }
    self->base = (rft_space_view){
        .count = rft_space_count(space),
        .exact = rft_space_exact(space),
        .param_count = params,
        .value_counts = counts,
        .values = values,
        .positions = space_positions,
        .find = space_find,
        .sample = space_sample,
        .free = space_free,
    };
    return &self->base;
}

/* ---- of a list ---- */

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

rft_space_view *rft_view_of_list(const rft_list_spec *spec) {
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
