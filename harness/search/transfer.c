/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - configurations that were best elsewhere go first, whatever the strategy behind them (strategy.h). */
#include "base/arena.h"
#include "search/strategies.h"

#include <stdlib.h>

typedef struct start {
    uint64_t index;
    bool told, proposed; /* by the strategy behind: it is told then, and nobody is asked twice */
    rft_tell result;
} start;

typedef struct transfer {
    rft_strategy base;
    rft_strategy *inner;
    start *starts;
    size_t count, asked;
} transfer;

static start *find(transfer *self, uint64_t index) {
    for (size_t i = 0; i < self->count; i++) {
        if (self->starts[i].index == index) {
            return &self->starts[i];
        }
    }
    return NULL;
}

static bool ask_one(transfer *self, uint64_t *out) {
    if (self->asked < self->count) {
        *out = self->starts[self->asked++].index;
        return true;
    }
    while (self->inner->ask(self->inner, out, 1) == 1) {
        start *known = find(self, *out);
        if (!known) {
            return true;
        }
        known->proposed = true;
        if (known->told) {
            self->inner->tell(self->inner, &known->result);
        }
    }
    return false;
}

static size_t transfer_ask(rft_strategy *base, uint64_t *out, size_t most) {
    size_t given = 0;
    while (given < most && ask_one((transfer *)base, &out[given])) {
        given++;
    }
    return given;
}

static void transfer_tell(rft_strategy *base, const rft_tell *result) {
    transfer *self = (transfer *)base;
    start *known = find(self, result->index);
    if (known) {
        known->told = true;
        known->result = *result;
    }
    if (!known || known->proposed) {
        self->inner->tell(self->inner, result);
    }
}

static void transfer_free(rft_strategy *base) {
    transfer *self = (transfer *)base;
    self->inner->free(self->inner);
    free(self->starts);
    free(self);
}

rft_strategy *rft_strategy_start_with(rft_strategy *inner, const uint64_t *starts, size_t count) {
    if (count == 0) {
        return inner;
    }
    transfer *self = rft_alloc(sizeof *self);
    *self = (transfer){.base = *inner, .inner = inner, .count = count};
    self->base.ask = transfer_ask;
    self->base.tell = transfer_tell;
    self->base.free = transfer_free;
    self->starts = rft_calloc(count, sizeof *self->starts);
    for (size_t i = 0; i < count; i++) {
        self->starts[i].index = starts[i];
    }
    return &self->base;
}
