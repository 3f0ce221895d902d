/* SPDX-License-Identifier: Apache-2.0 */
#include "search/strategy.h"

#include "base/str.h"
#include "search/strategies.h"

enum { STRATEGIES = 3 };

static const rft_strategy_entry entries[STRATEGIES + 1] = {
    {"auto", "what fits the space: for now exhaustive"},
    {"exhaustive", "every valid configuration once, in a seeded shuffle"},
    {"random", "configurations drawn without replacement until the budget ends"},
    {NULL, NULL},
};

/* One for each of the entries, in the same order. */
static rft_strategy *(*const constructors[STRATEGIES])(uint64_t count, uint64_t seed) = {
    rft_exhaustive_new,
    rft_exhaustive_new,
    rft_random_new,
};

const rft_strategy_entry *rft_strategy_list(void) {
    return entries;
}

static int unknown_strategy(const char *name, rft_err *err) {
    const char *names[STRATEGIES];
    rft_str known = RFT_STR_INIT;
    for (size_t i = 0; i < STRATEGIES; i++) {
        rft_str_addf(&known, "%s%s", i ? ", " : "", entries[i].name);
        names[i] = entries[i].name;
    }
    const char *near = rft_text_nearest(name, names, STRATEGIES);
    rft_err_set(err, RFT_E_USAGE, "unknown search strategy \"%s\"", name);
    if (near) {
        rft_err_remedy(err, "did you mean \"%s\"? Known are: %s", near, rft_str_get(&known));
    } else {
        rft_err_remedy(err, "known are: %s", rft_str_get(&known));
    }
    rft_str_clear(&known);
    return RFT_E_USAGE;
}

int rft_strategy_new(rft_strategy **out, const char *name, const rft_space *space, uint64_t seed, rft_err *err) {
    *out = NULL;
    for (size_t i = 0; i < STRATEGIES; i++) {
        if (rft_text_equal(entries[i].name, name)) {
            *out = constructors[i](rft_space_count(space), seed);
            return 0;
        }
    }
    return unknown_strategy(name ? name : "", err);
}
