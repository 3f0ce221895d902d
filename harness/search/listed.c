/* SPDX-License-Identifier: Apache-2.0 */
/* listed.c - a strategy that proposes what it was given. */
#include "base/arena.h"
#include "search/strategy.h"

#include <stdlib.h>
#include <string.h>

typedef struct listed {
    rft_strategy base;
    uint64_t *indices;
    size_t count, asked;
} listed;

static size_t listed_ask(rft_strategy *base, uint64_t *out, size_t most) {
    listed *self = (listed *)base;
    size_t given = 0;
    while (given < most && self->asked < self->count) {
        out[given++] = self->indices[self->asked++];
    }
    return given;
}

static void listed_tell(rft_strategy *base, const rft_tell *result) {
    (void)base; /* the order was given */
    (void)result;
}

static void listed_free(rft_strategy *base) {
    listed *self = (listed *)base;
    free(self->indices);
    free(self);
}

rft_strategy *rft_strategy_listed(const uint64_t *indices, size_t count) {
    listed *self = rft_alloc(sizeof *self);
    self->base = (rft_strategy){.name = "listed", .ask = listed_ask, .tell = listed_tell, .free = listed_free};
    self->indices = rft_calloc(count + 1, sizeof *self->indices);
    self->count = count;
    if (count > 0) {
        memcpy(self->indices, indices, count * sizeof *indices);
    }
    return &self->base;
}
