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
