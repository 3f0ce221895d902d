/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - which configuration next. ask() proposes, tell() reports in the order asked. A strategy sees indices
 * into an rft_space, never scripts, devices or clocks; the same seed and tells give the same proposals.
 */
#ifndef RFT_SEARCH_STRATEGY_H
#define RFT_SEARCH_STRATEGY_H

#include "base/err.h"
#include "model/outcome.h"
#include "model/space.h"

typedef struct rft_tell {
    uint64_t index;
    rft_outcome outcome;
    double seconds; /* median; NaN when not measured */
} rft_tell;

typedef struct rft_strategy rft_strategy;
struct rft_strategy {
    const char *name;
    /* Up to `most` configurations to try next; returns how many (0: nothing left). Never proposes one twice. */
    size_t (*ask)(rft_strategy *self, uint64_t *out, size_t most);
    void (*tell)(rft_strategy *self, const rft_tell *result);
    void (*free)(rft_strategy *self);
};

/* "auto", "exhaustive", "random". RFT_E_USAGE names the known ones. Borrows `space`.
 * auto: exhaustive in a seeded shuffle (so that a budget that ends early saw a fair sample). */
int rft_strategy_new(rft_strategy **out, const char *name, const rft_space *space, uint64_t seed, rft_err *err);

/* These configurations in this order. Copied. */
rft_strategy *rft_strategy_listed(const uint64_t *indices, size_t count);

/* The same strategy, which is asked only after `starts` were proposed, in their order; what it proposes of them itself
 * it is told without their being proposed again. Takes `inner` over: freed with what is returned. */
rft_strategy *rft_strategy_start_with(rft_strategy *inner, const uint64_t *starts, size_t count);

/* Names and one-line descriptions, for --help; terminated by a NULL name. */
typedef struct rft_strategy_entry {
    const char *name, *help;
} rft_strategy_entry;
const rft_strategy_entry *rft_strategy_list(void);

#endif
