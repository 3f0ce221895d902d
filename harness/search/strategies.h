/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategies.h - the constructors behind rft_strategy_new(), one per strategy and file. Private to this room.
 * All borrow the view. Where a published method has parameters, they are its usual ones, and none was fitted to the
 * recordings that the strategies are compared on (docs/search.md).
 */
#ifndef RFT_SEARCH_STRATEGIES_H
#define RFT_SEARCH_STRATEGIES_H

#include "search/strategy.h"

/* What auto is where not everything can be tried. */
#define RFT_DEFAULT_STRATEGY "memetic"

typedef rft_strategy *rft_strategy_constructor(const rft_space_view *view, const rft_strategy_opts *opts);

/* Every configuration once, in a shuffled order. Holds one permutation: 4 bytes a configuration (8 beyond 2^32). */
rft_strategy *rft_exhaustive_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Draws without replacement. Holds only what was drawn, so a small budget in a huge space stays small. */
rft_strategy *rft_random_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Iterated local search: the first better neighbour is the next centre; from a local optimum a few random steps. */
rft_strategy *rft_greedy_ils_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Kirkpatrick, Gelatt, Vecchi 1983, with geometric cooling; a slower neighbour is accepted by its relative loss. */
rft_strategy *rft_simulated_annealing_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Steady state (Whitley 1989): a child of two parents, chosen by rank, takes the place of the worst. */
rft_strategy *rft_genetic_algorithm_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Storn and Price 1997, rand/1/bin on positions, rounded and repaired. */
rft_strategy *rft_diff_evo_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Particle swarm with inertia (Shi and Eberhart 1998) on positions, rounded and repaired. */
rft_strategy *rft_pso_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Of several children of the best it proposes the one whose lower confidence bound, from a forest on log time, is
 * lowest (forest.h). */
rft_strategy *rft_trees_new(const rft_space_view *view, const rft_strategy_opts *opts);

/* Our own (memetic.c): breeding, single steps from the best, and floors at the ceilings where they are known. */
rft_strategy *rft_memetic_new(const rft_space_view *view, const rft_strategy_opts *opts);

#endif
