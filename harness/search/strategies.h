/* SPDX-License-Identifier: Apache-2.0 */
/* strategies.h - the constructors behind rft_strategy_new(), one per strategy and file. Private to this room. */
#ifndef RFT_SEARCH_STRATEGIES_H
#define RFT_SEARCH_STRATEGIES_H

#include "search/strategy.h"

/* Each takes the number of valid configurations, never the space itself, as long as that is all it needs. */

/* Every configuration once, in a shuffled order. Holds one permutation: 4 bytes a configuration (8 beyond 2^32). */
rft_strategy *rft_exhaustive_new(uint64_t count, uint64_t seed);

/* Draws without replacement. Holds only what was drawn, so a small budget in a huge space stays small. */
rft_strategy *rft_random_new(uint64_t count, uint64_t seed);

#endif
