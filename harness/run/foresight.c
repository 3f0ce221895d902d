/* SPDX-License-Identifier: Apache-2.0 */
#include "run/foresight.h"

#include "run/plan/budget_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_AT_ONCE 4 /* spelling one takes up to half a millisecond, and the device may be waiting */

static const rft_exec_opts *opts_of(const rft_foresight *f) {
    return f->recorder->opts;
}

void rft_foresight_begin(rft_foresight *f, const rft_recorder *recorder) {
    const rft_exec_opts *opts = recorder->opts;
    *f = (rft_foresight){.recorder = recorder};
    f->guesses = opts->pool && !opts->replay && !opts->in_order;
    f->on = f->guesses && !opts->board && opts->shard.of <= 1;
    rft_lookahead_begin(&f->held, recorder, true);
}

static void forget_course(rft_foresight *f) {
    if (f->strategy) {
        f->strategy->free(f->strategy);
        f->strategy = NULL;
    }
}

void rft_foresight_unfork(rft_foresight *f) {
    f->fork_asked = 0;
    if (f->fork) {
        f->fork->free(f->fork);
        f->fork = NULL;
    }
}

void rft_foresight_end(rft_foresight *f) {
    if (f->guessed > 0) {
        rft_log_info(opts_of(f)->log,
                     "idle compile workers: %llu configurations compiled on a guess, %llu of them asked for later",
                     (unsigned long long)f->guessed, (unsigned long long)f->right);
    }
    rft_foresight_unfork(f);
    forget_course(f);
    rft_lookahead_end(&f->held);
    f->on = false;
}

/* ---- parts, in the order of the first round ---- */

static bool lies_before(rft_job_place a, rft_job_place b) {
    return a.sweep != b.sweep       ? a.sweep < b.sweep
           : a.problem != b.problem ? a.problem < b.problem
                                    : a.variant < b.variant;
}

static bool is_part(const rft_plan *plan, rft_job_place place) {
    const rft_sweep *sweep = plan->sweeps[place.sweep];
    return place.problem < sweep->problem_count && place.variant < sweep->variant_count &&
           !sweep->problems[place.problem].odd;
}

static void go_behind(rft_foresight *f, rft_job_place place) {
    const rft_plan *plan = opts_of(f)->plan;
    forget_course(f);
    do {
        place.variant++;
        if (place.variant >= plan->sweeps[place.sweep]->variant_count) {
            place.variant = 0;
            place.problem++;
        }
        if (place.problem >= plan->sweeps[place.sweep]->problem_count) {
            place.problem = 0;
            place.sweep++;
        }
    } while (place.sweep < plan->sweep_count && !is_part(plan, place));
    f->place = place;
    f->on = f->on && place.sweep < plan->sweep_count;
}

void rft_foresight_pass(rft_foresight *f, rft_job_place place) {
    if (f->on && !lies_before(place, f->place)) {
        go_behind(f, place);
    }
}

/* ---- what a part will ask for ---- */

uint64_t rft_foresight_seed(const rft_plan *plan, rft_job_place place) {
    return plan->sweeps[place.sweep]->search.seed ^
           rft_hash_fnv1a(&(uint64_t[]){place.sweep, place.variant, place.problem}, 3 * sizeof(uint64_t));
}

static const rft_space *space_of(const rft_foresight *f, rft_job_place place) {
    return rft_plan_space(opts_of(f)->plan, place.sweep, place.variant, place.problem);
}

static bool is_measured_whole(const rft_foresight *f, uint64_t *seed) {
    const rft_sweep *sweep = opts_of(f)->plan->sweeps[f->place.sweep];
    const rft_budget_share budget = rft_budget_share_of_segment(opts_of(f)->plan, f->place.sweep);
    const rft_space *space = space_of(f, f->place);
    *seed = rft_foresight_seed(opts_of(f)->plan, f->place);
    return rft_space_exact(space) && budget.points >= rft_space_count(space) && isinf(budget.seconds) &&
           isinf(budget.gpu_s) && !(sweep->search.goal_frac > 0);
}

/* False: it is not known, or there is nothing. */
static bool look_at_part(rft_foresight *f) {
    uint64_t seed = 0;
    rft_err ignored = RFT_ERR_INIT; /* the part says it when it begins */
    const char *name = opts_of(f)->plan->sweeps[f->place.sweep]->search.strategy;
    if (!is_measured_whole(f, &seed) || rft_strategy_new(&f->strategy, name, space_of(f, f->place),
                                                         &(rft_strategy_opts){.seed = seed}, &ignored) != RFT_OK) {
        return false;
    }
    if (!f->strategy->any_order) {
        forget_course(f);
    }
    return f->strategy != NULL;
}

static bool next_index(rft_foresight *f, uint64_t *index) {
    while (f->on) {
        if ((f->strategy || look_at_part(f)) && f->strategy->ask(f->strategy, index, 1) > 0) {
            return true;
        }
        go_behind(f, f->place);
    }
    return false;
}

/* What an earlier session took is not compiled. */
static bool was_taken_before(const rft_foresight *f, rft_job_place place, uint64_t index) {
    size_t params = opts_of(f)->plan->sweeps[place.sweep]->variants[place.variant].param_count;
    rft_value *config = rft_calloc(params + 1, sizeof *config);
    char key[RFT_HASH_HEX_SIZE];
    rft_space_get(space_of(f, place), index, config);
    rft_job_key(place, config, params, key);
    free(config);
    return rft_recorder_find(f->recorder, key) != 0;
}

static void hold(rft_foresight *f, rft_job_place place, uint64_t index, bool guessed) {
    const size_t odd = rft_plan_odd_problem(opts_of(f)->plan, place.sweep, place.variant);
    rft_lookahead_entry made = rft_lookahead_entry_new(f->recorder, place, index, odd, NULL);
    made.guessed = guessed;
    f->guessed += guessed ? 1 : 0;
    rft_lookahead_put(&f->held, &made);
}

void rft_foresight_advance(rft_foresight *f, rft_lookahead *in_hand) {
    uint64_t index = 0;
    for (int i = 0; i < MOST_AT_ONCE && f->on; i++) {
        if (!rft_lookahead_has_room_behind(&f->held, in_hand, rft_compile_pool_workers(opts_of(f)->pool)) ||
            !next_index(f, &index)) {
            return;
        }
        if (!was_taken_before(f, f->place, index)) {
            hold(f, f->place, index, false);
        }
    }
}

/* ---- what the part in hand may ask for ---- */

static bool is_of(const rft_job *job, rft_job_place place) {
    return job->sweep == place.sweep && job->variant == place.variant && job->problem == place.problem;
}

static bool is_held(const rft_foresight *f, rft_job_place place, uint64_t index) {
    for (size_t i = 0; i < f->held.count; i++) {
        if (f->held.all[i].job->index == index && is_of(f->held.all[i].job, place)) {
            return true;
        }
    }
    return false;
}

void rft_foresight_guess(rft_foresight *f, rft_job_place place, const rft_strategy *strategy, uint64_t left,
                         rft_lookahead *in_hand) {
    if (!f->guesses || !strategy->fork) {
        return;
    }
    const size_t workers = rft_compile_pool_workers(opts_of(f)->pool);
    for (int i = 0; i < MOST_AT_ONCE && f->fork_asked < workers && f->fork_asked < left; i++) {
        uint64_t index = 0;
        if (!rft_lookahead_is_starving(in_hand, &f->held, workers)) {
            return;
        }
        f->fork = f->fork ? f->fork : strategy->fork(strategy);
        if (f->fork->ask(f->fork, &index, 1) == 0) {
            return;
        }
        f->fork_asked++;
        if (!is_held(f, place, index) && !was_taken_before(f, place, index)) {
            hold(f, place, index, true);
        }
    }
}

/* ---- taking over ---- */

static void take_out(rft_lookahead *held, size_t i) {
    memmove(&held->all[i], &held->all[i + 1], (held->count - i - 1) * sizeof *held->all);
    held->count--;
}

/* Between asking and taking another part may have verified the configuration on the odd problem. */
static void drop_verified(const rft_foresight *f, rft_lookahead_entry *entry) {
    const rft_job *odd = entry->odd;
    if (odd &&
        rft_lookahead_is_verified(f->recorder, (rft_job_place){odd->sweep, odd->variant, odd->problem}, odd->config)) {
        rft_job_free(entry->odd);
        entry->odd = NULL;
    }
}

bool rft_foresight_take(rft_foresight *f, rft_job_place place, uint64_t index, rft_lookahead_entry *out) {
    rft_lookahead *held = &f->held;
    for (size_t i = 0; i < held->count; i++) { /* it is among the first: asked for in the same order */
        const rft_job *job = held->all[i].job;
        if (job->index == index && is_of(job, place)) {
            *out = held->all[i];
            f->right += out->guessed ? 1 : 0;
            take_out(held, i);
            drop_verified(f, out);
            return true;
        }
    }
    return false;
}

void rft_foresight_drop(rft_foresight *f, rft_job_place place) {
    rft_lookahead *held = &f->held;
    for (size_t i = held->count; i > 0; i--) {
        if (is_of(held->all[i - 1].job, place)) {
            rft_lookahead_entry_free(&held->all[i - 1]);
            take_out(held, i - 1);
        }
    }
}
