/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/strategies.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct exhaustive {
    rft_strategy base;
    uint64_t count, asked, random;
    uint32_t *narrow; /* the permutation, shuffled up to `asked`; one of the two is NULL */
    uint64_t *wide;
} exhaustive;

static uint64_t swap_narrow(uint32_t *order, uint64_t at, uint64_t with) {
    uint32_t taken = order[with];
    order[with] = order[at];
    order[at] = taken;
    return taken;
}

static uint64_t swap_wide(uint64_t *order, uint64_t at, uint64_t with) {
    uint64_t taken = order[with];
    order[with] = order[at];
    order[at] = taken;
    return taken;
}

/* One step of the Fisher-Yates shuffle for each configuration asked for. */
static size_t exhaustive_ask(rft_strategy *base, uint64_t *out, size_t most) {
    exhaustive *self = (exhaustive *)base;
    size_t given = 0;
    while (given < most && self->asked < self->count) {
        uint64_t with = self->asked + rft_random_below(&self->random, self->count - self->asked);
        out[given++] =
            self->narrow ? swap_narrow(self->narrow, self->asked, with) : swap_wide(self->wide, self->asked, with);
        self->asked++;
    }
    return given;
}

static void exhaustive_tell(rft_strategy *base, const rft_tell *result) {
    (void)base; /* the order was fixed by the seed */
    (void)result;
}

static void exhaustive_free(rft_strategy *base) {
    exhaustive *self = (exhaustive *)base;
    free(self->narrow);
    free(self->wide);
    free(self);
}

rft_strategy *rft_exhaustive_new(const rft_space_view *view, const rft_strategy_opts *opts) {
    if (!view->exact) {
        return rft_random_new(view, opts); /* cannot be gone through: as far as draws go */
    }
    uint64_t count = view->count;
    exhaustive *self = rft_alloc(sizeof *self);
    self->base = (rft_strategy){.name = "exhaustive",
                                .ask = exhaustive_ask,
                                .tell = exhaustive_tell,
                                .free = exhaustive_free,
                                .any_order = true};
    self->count = count;
    self->random = opts->seed;
    if (count <= UINT32_MAX) {
        self->narrow = rft_calloc(count, sizeof *self->narrow);
        for (uint64_t i = 0; i < count; i++) {
            self->narrow[i] = (uint32_t)i;
        }
    } else {
        self->wide = rft_calloc(count, sizeof *self->wide);
        for (uint64_t i = 0; i < count; i++) {
            self->wide[i] = i;
        }
    }
    return &self->base;
}
