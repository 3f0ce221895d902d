/* SPDX-License-Identifier: Apache-2.0 */
#include "search/strategy.h"

#include "base/arena.h"
#include "base/str.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = 10 };

static const rft_strategy_entry entries[STRATEGIES + 1] = {
    {"auto", "all in a seeded shuffle where the budget covers them, else " RFT_DEFAULT_STRATEGY},
    {"exhaustive", "every valid configuration once, in a seeded shuffle"},
    {"random", "configurations drawn without replacement until the budget ends"},
    {"greedy_ils", "greedy iterated local search"},
    {"simulated_annealing", "simulated annealing over neighbours"},
    {"genetic_algorithm", "a steady-state genetic algorithm"},
    {"diff_evo", "differential evolution"},
    {"pso", "particle swarm optimisation"},
    {"trees", "a model of randomised trees and its lower confidence bound"},
    {"memetic", "a genetic algorithm with steps from the best, known neighbours, and floors"},
    {NULL, NULL},
};

/* One for each of the entries, in the same order; auto is resolved before. */
static rft_strategy_constructor *const constructors[STRATEGIES] = {
    NULL,
    rft_exhaustive_new,
    rft_random_new,
    rft_greedy_ils_new,
    rft_simulated_annealing_new,
    rft_genetic_algorithm_new,
    rft_diff_evo_new,
    rft_pso_new,
    rft_trees_new,
    rft_memetic_new,
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
        rft_err_remedy(err, "did you mean \"%s\"? Known: %s", near, rft_str_get(&known));
    } else {
        rft_err_remedy(err, "known are: %s", rft_str_get(&known));
    }
    rft_str_clear(&known);
    return RFT_E_USAGE;
}

static const char *resolve(const char *name, const rft_space_view *view, const rft_strategy_opts *opts) {
    if (!name || !rft_text_equal(name, entries[0].name)) {
        return name ? name : "";
    }
    bool covers_all = opts->budget_points == 0 ? !opts->may_end_early : opts->budget_points >= view->count;
    return covers_all && view->exact ? "exhaustive" : RFT_DEFAULT_STRATEGY;
}

int rft_strategy_new_on(rft_strategy **out, const char *name, const rft_space_view *view, const rft_strategy_opts *opts,
                        rft_err *err) {
    *out = NULL;
    const char *resolved = resolve(name, view, opts);
    for (size_t i = 1; i < STRATEGIES; i++) {
        if (rft_text_equal(entries[i].name, resolved)) {
            *out = constructors[i](view, opts);
            return 0;
        }
    }
    return unknown_strategy(resolved, err);
}

size_t rft_strategy_next_of(rft_strategy *strategy, const rft_ready *ready, size_t count, size_t turn) {
    const bool by_promise = turn % 2 == 0;
    size_t next = 0;
    double least = (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double promised = by_promise ? strategy->promise(strategy, ready[i].index) : (double)INFINITY;
        if (promised < least || (promised == least && ready[i].since < ready[next].since)) {
            next = i;
            least = fmin(promised, least);
        }
    }
    return next;
}

/* A strategy with the view that was made for it. */
typedef struct viewing {
    rft_strategy base;
    rft_strategy *inner;
    rft_space_view *view;
} viewing;

static size_t viewing_ask(rft_strategy *base, uint64_t *out, size_t most) {
    rft_strategy *inner = ((viewing *)base)->inner;
    return inner->ask(inner, out, most);
}

static void viewing_tell(rft_strategy *base, const rft_tell *result) {
    rft_strategy *inner = ((viewing *)base)->inner;
    inner->tell(inner, result);
}

static void viewing_teach(rft_strategy *base, const rft_tell *result) {
    rft_strategy *inner = ((viewing *)base)->inner;
    inner->teach(inner, result);
}

static double viewing_promise(rft_strategy *base, uint64_t index) {
    rft_strategy *inner = ((viewing *)base)->inner;
    return inner->promise(inner, index);
}

static void viewing_free(rft_strategy *base) {
    viewing *self = (viewing *)base;
    self->inner->free(self->inner);
    self->view->free(self->view);
    free(self);
}

static void fork_of_viewing_free(rft_strategy *base) {
    viewing *self = (viewing *)base;
    self->inner->free(self->inner);
    free(self);
}

static rft_strategy *viewing_fork(const rft_strategy *base) {
    viewing *self = rft_alloc(sizeof *self);
    *self = *(const viewing *)base;
    self->base.free = fork_of_viewing_free;
    self->inner = self->inner->fork(self->inner);
    return &self->base;
}

int rft_strategy_new(rft_strategy **out, const char *name, const rft_space *space, const rft_strategy_opts *opts,
                     rft_err *err) {
    *out = NULL;
    rft_space_view *view = rft_view_of_space(space);
    rft_strategy *inner = NULL;
    int rc = rft_strategy_new_on(&inner, name, view, opts, err);
    if (rc != RFT_OK) {
        view->free(view);
        return rc;
    }
    viewing *self = rft_alloc(sizeof *self);
    self->base = *inner;
    self->base.ask = viewing_ask;
    self->base.tell = viewing_tell;
    self->base.teach = inner->teach ? viewing_teach : NULL;
    self->base.free = viewing_free;
    self->base.fork = inner->fork ? viewing_fork : NULL;
    self->base.promise = inner->promise ? viewing_promise : NULL;
    self->inner = inner;
    self->view = view;
    *out = &self->base;
    return RFT_OK;
}

/* ---- a strategy that proposes what it was given ---- */

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
    self->base = (rft_strategy){
        .name = "listed", .ask = listed_ask, .tell = listed_tell, .free = listed_free, .any_order = true};
    self->indices = rft_calloc(count + 1, sizeof *self->indices);
    self->count = count;
    if (count > 0) {
        memcpy(self->indices, indices, count * sizeof *indices);
    }
    return &self->base;
}

/* ---- what goes first, whatever the strategy behind it ---- */

typedef struct start {
    uint64_t index;
    bool asked;    /* already: as a start, or by the strategy behind, */
    bool proposed; /* which is told what it proposed, and nothing is asked twice */
    bool given, told;
    rft_tell result;
} start;

typedef struct starting {
    rft_strategy base;
    rft_strategy *inner;
    start *starts;
    size_t count, next;
    size_t due; /* of `count`: those behind are spares */
    bool teaches;
} starting;

static start *find_start(starting *self, uint64_t index) {
    for (size_t i = 0; i < self->count; i++) {
        if (self->starts[i].index == index) {
            return &self->starts[i];
        }
    }
    return NULL;
}

static bool ask_start(starting *self, uint64_t *out) {
    while (self->next < self->due) {
        start *first = &self->starts[self->next++];
        if (!first->asked) {
            first->asked = first->given = true;
            *out = first->index;
            return true;
        }
    }
    return false;
}

static bool ask_one(starting *self, uint64_t *out) {
    if (ask_start(self, out)) {
        return true;
    }
    while (self->inner->ask(self->inner, out, 1) == 1) {
        start *known = find_start(self, *out);
        if (!known || !known->asked) {
            if (known) {
                known->asked = true;
            }
            return true;
        }
        known->proposed = true;
        if (known->told) {
            self->inner->tell(self->inner, &known->result);
        }
    }
    return false;
}

static size_t starting_ask(rft_strategy *base, uint64_t *out, size_t most) {
    size_t given = 0;
    while (given < most && ask_one((starting *)base, &out[given])) {
        given++;
    }
    return given;
}

static void starting_tell(rft_strategy *base, const rft_tell *result) {
    starting *self = (starting *)base;
    start *known = find_start(self, result->index);
    if (!known || !known->given || known->proposed) {
        self->inner->tell(self->inner, result);
    } else if (self->teaches && self->inner->teach) {
        self->inner->teach(self->inner, result);
    }
    if (!known || !known->given) {
        return;
    }
    known->told = true;
    known->result = *result;
    bool is_poor = !(result->seconds > 0) || result->hints.spill_bytes > 0;
    self->due += self->due < self->count && is_poor ? 1 : 0;
}

static double starting_promise(rft_strategy *base, uint64_t index) {
    rft_strategy *inner = ((starting *)base)->inner;
    return inner->promise(inner, index);
}

static void starting_free(rft_strategy *base) {
    starting *self = (starting *)base;
    self->inner->free(self->inner);
    free(self->starts);
    free(self);
}

static rft_strategy *starting_fork(const rft_strategy *base) {
    starting *self = rft_alloc(sizeof *self);
    *self = *(const starting *)base;
    self->inner = self->inner->fork(self->inner);
    self->starts = rft_calloc(self->count, sizeof *self->starts);
    memcpy(self->starts, ((const starting *)base)->starts, self->count * sizeof *self->starts);
    return &self->base;
}

static rft_strategy *start_with(rft_strategy *inner, const uint64_t *starts, size_t count, size_t due, bool teaches) {
    if (count == 0) {
        return inner;
    }
    starting *self = rft_alloc(sizeof *self);
    *self = (starting){.base = *inner, .inner = inner, .count = count, .due = due, .teaches = teaches};
    self->base.ask = starting_ask;
    self->base.tell = starting_tell;
    self->base.teach = NULL;
    self->base.any_order = inner->any_order && due == count; /* a spare takes the place of a poor one */
    self->base.free = starting_free;
    self->base.fork = inner->fork ? starting_fork : NULL;
    self->base.promise = inner->promise ? starting_promise : NULL;
    self->starts = rft_calloc(count, sizeof *self->starts);
    for (size_t i = 0; i < count; i++) {
        self->starts[i].index = starts[i];
    }
    return &self->base;
}

rft_strategy *rft_strategy_start_with(rft_strategy *inner, const uint64_t *starts, size_t count) {
    return start_with(inner, starts, count, count, false);
}

rft_strategy *rft_strategy_seed_with(rft_strategy *inner, const uint64_t *seeds, size_t count, size_t spare) {
    return start_with(inner, seeds, count + spare, count, true);
}
