/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - which configuration next. ask() proposes, tell() reports; asking may run ahead of
 * telling. A strategy sees indices into a space, never scripts, devices or clocks; the same space, seed, order of calls
 * and tells give the same proposals, so a run that is continued replays its tells and goes on as it would have.
 */
#ifndef RFT_SEARCH_STRATEGY_H
#define RFT_SEARCH_STRATEGY_H

#include "base/err.h"
#include "model/sweep/outcome.h"
#include "model/sweep/space.h"
#include "search/space_view.h"

#include <math.h>

/* What is known of a configuration beside its time. NaN: not known. */
typedef struct rft_hints {
    double registers;      /* a thread */
    double spill_bytes;    /* stores and loads of spilled registers in the code */
    double shared_bytes;   /* a block, static and dynamic */
    double occupancy_frac; /* warps that fit of those an SM can hold, 0..1 */
    double floor_s;        /* no faster at the ceilings, by its work and compulsory traffic */
    double dram_bytes;     /* counted, a launch of all its kernels */
} rft_hints;
#define RFT_HINTS_INIT                                                                                                 \
    { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN }

typedef struct rft_tell {
    uint64_t index;
    rft_outcome outcome;
    double seconds;  /* median; NaN when not measured */
    rft_hints hints; /* RFT_HINTS_INIT where nothing is known */
} rft_tell;

typedef struct rft_strategy rft_strategy;
struct rft_strategy {
    const char *name;
    /* Proposals without their tells that it is good for: more only weaken it. 0: any number. */
    size_t ahead;
    /* Up to `most` configurations to try next; returns how many (0: nothing left). Never proposes one twice. */
    size_t (*ask)(rft_strategy *self, uint64_t *out, size_t most);
    /* One that was asked for, in the order asked unless it has promises. Without a time it counts as tried and is worth
     * nothing. */
    void (*tell)(rft_strategy *self, const rft_tell *result);
    /* One that it did not ask for. NULL: it learns nothing from results. */
    void (*teach)(rft_strategy *self, const rft_tell *result);
    void (*free)(rft_strategy *self);
    bool any_order; /* results change nothing: they may be told in any order */
    /* Another in the same state, to be asked what comes next if no result changes it; it borrows what this one borrows,
     * which must outlive it. NULL: there is none. */
    rft_strategy *(*fork)(const rft_strategy *self);
    /* What it expects of one by what it was told: the less, the sooner it would like to hear of it. What it asked for
     * may then be told in any order. NULL: it has no such opinion. */
    double (*promise)(rft_strategy *self, uint64_t index);
};

typedef struct rft_ready {
    uint64_t index;
    double since; /* when it was compiled, in any unit */
} rft_ready;

/* Which of these, all asked for and compiled, is measured next: by turns the one that promises most, so that what is
 * poor need not be waited for, and the first compiled, so that none is forgotten. Of equal ones the first. */
size_t rft_strategy_next_of(rft_strategy *strategy, const rft_ready *ready, size_t count, size_t turn);

/* By the hardware's limits (model/roofline/floor.h). */
typedef struct rft_outlook {
    double floor_s; /* no faster than this */
    double sum_s;   /* all its times at the limits, one after the other: no bound, but it tells those apart whose floors
                     * are the same */
} rft_outlook;

typedef struct rft_strategy_opts {
    uint64_t seed;
    uint64_t budget_points; /* configurations that will be asked for at most; 0: not limited */
    bool may_end_early;     /* by time, by a goal or by a certificate */
    /* What is known of any configuration before it is tried; NaN where it is not. NULL: nothing is. */
    rft_outlook (*outlook)(void *payload, uint64_t index);
    void *payload;
} rft_strategy_opts;

/* One of rft_strategy_list(). RFT_E_USAGE names the known ones. Borrows `space`.
 * auto: exhaustive where everything will be tried (no limit, or one that covers the space), in a seeded shuffle, so
 * that what was tried before an interrupt is a fair sample; else memetic. */
int rft_strategy_new(rft_strategy **out, const char *name, const rft_space *space, const rft_strategy_opts *opts,
                     rft_err *err);
/* The same over a view, which is borrowed. */
int rft_strategy_new_on(rft_strategy **out, const char *name, const rft_space_view *view, const rft_strategy_opts *opts,
                        rft_err *err);

/* These configurations in this order. Copied. */
rft_strategy *rft_strategy_listed(const uint64_t *indices, size_t count);

/* The same strategy, which is asked only after `starts` were proposed, in their order; what it proposes of them itself
 * it is told without their being proposed again. Takes `inner` over: freed with what is returned. */
rft_strategy *rft_strategy_start_with(rft_strategy *inner, const uint64_t *starts, size_t count);

/* The same with `count` configurations that a prior put first, of which the strategy learns whether it proposes them or
 * not. Where one spills, or has no time, the next of `spare` ones behind them takes its place. */
rft_strategy *rft_strategy_seed_with(rft_strategy *inner, const uint64_t *seeds, size_t count, size_t spare);

/* Names and one-line descriptions, for --help; terminated by a NULL name. */
typedef struct rft_strategy_entry {
    const char *name, *help;
} rft_strategy_entry;
const rft_strategy_entry *rft_strategy_list(void);

#endif
