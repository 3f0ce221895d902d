/* SPDX-License-Identifier: Apache-2.0 */
#include "run/segment.h"

#include "run/prior_rank.h"
#include "run/transfer_starts.h"

#include <math.h>

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

rft_budget_share rft_segment_left_of(exec *e, size_t sweep) {
    rft_tally *tally = &e->state.recorder.tally;
    rft_budget_share left = rft_budget_share_of_sweep(e->state.opts->plan->sweeps[sweep]);
    if (left.points != UINT64_MAX) {
        left.points = left.points > e->sweep_taken ? left.points - e->sweep_taken : 0;
    }
    left.seconds -= rft_tally_elapsed_s(tally) - e->sweep_started_s;
    left.gpu_s -= tally->busy_s - e->sweep_started_gpu_s;
    return left;
}

static void warn_of_prior(exec *e, const rft_sweep *sweep, const rft_prior_rank *rank) {
    if (rank->failed > 0 && !e->prior_warned) {
        rft_log_warn(
            e->state.opts->log,
            "sweep %s: the prior has no opinion on %llu of %llu configurations of %s, since it fails for them: "
            "%s: %s. `rooftune check` says more.",
            sweep->name, (unsigned long long)rank->failed, (unsigned long long)rank->asked,
            sweep->variants[e->segment.variant].name, rank->first.place, rank->first.message);
        e->prior_warned = true;
    }
}

static int ask_prior(exec *e, uint64_t seed, rft_prior_rank *out, rft_err *err) {
    const segment *s = &e->segment;
    const rft_sweep *sweep = e->state.opts->plan->sweeps[s->sweep];
    int rc = rft_prior_rank_of(sweep, s->variant, sweep->problems[s->problem].values, s->space, seed, out, err);
    if (rc == RFT_OK) {
        warn_of_prior(e, sweep, out);
    }
    return rc;
}

/* What wins at both ends and what the prior puts first, in place of the whole space. */
static int open_refined(exec *e, uint64_t seed, rft_err *err) {
    segment *s = &e->segment;
    rft_prior_rank rank = {.count = 0};
    int rc = e->refiner.over ? RFT_OK : ask_prior(e, seed, &rank, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_arena *arena = rft_arena_new();
    uint64_t *indices = NULL;
    s->count_all = rft_refiner_candidates(&e->refiner, s->variant, s->problem, &rank, arena, &indices);
    s->budget = rft_segment_left_of(e, s->sweep);
    s->pruner.on = false; /* there are few, and all of them are asked for */
    s->strategy = rft_strategy_listed(indices, s->count_all);
    e->state.progress.planned += least(s->count_all, s->budget.points);
    e->state.progress.refined += least(s->count_all, s->budget.points);
    rft_arena_free(arena);
    return RFT_OK;
}

/* A search of a part begins with what the prior puts first; a part that is measured whole keeps its order. */
static int seed_by_prior(exec *e, uint64_t seed, bool is_whole, rft_err *err) {
    segment *s = &e->segment;
    rft_prior_rank rank;
    int rc = ask_prior(e, seed, &rank, err);
    if (rc != RFT_OK) {
        return rc;
    }
    size_t most = is_whole ? 0 : (size_t)least(rft_prior_seeds(s->budget.points), rank.count);
    s->strategy = rft_strategy_seed_with(s->strategy, rank.index, most, (size_t)least(most, rank.count - most));
    return RFT_OK;
}

/* What belongs to the shard in place of the whole space. */
static void open_shard(exec *e) {
    segment *s = &e->segment;
    const rft_exec_opts *opts = e->state.opts;
    const rft_sweep *sweep = opts->plan->sweeps[s->sweep];
    rft_arena *arena = rft_arena_new();
    uint64_t *indices = NULL;
    const uint64_t whole = rft_space_count(s->space);
    s->count_all =
        rft_shard_list(opts->shard, sweep, s->variant, sweep->problems[s->problem].values, s->space, arena, &indices);
    s->budget = rft_budget_share_of_segment(opts->plan, s->sweep);
    s->strategy = rft_strategy_listed(indices, s->count_all);
    e->state.progress.planned -= whole - s->count_all;
    rft_recorder_unexplored(&e->state.recorder, s->sweep, whole - s->count_all, "the other shards have the rest");
    rft_arena_free(arena);
}

/* What is free of the space that several cards divide, or behind it the contenders of all. */
static void open_split(exec *e, rft_job_place place) {
    segment *s = &e->segment;
    rft_arena *arena = rft_arena_new();
    uint64_t *indices = NULL;
    s->budget = rft_budget_share_of_segment(e->state.opts->plan, s->sweep);
    if (e->contending) {
        s->count_all = rft_split_contenders(e->split, place, arena, &indices);
        s->strategy = rft_strategy_listed(indices, s->count_all);
        s->pruner.on = false;
        e->state.progress.planned += s->count_all;
    } else {
        s->count_all = rft_space_count(s->space);
        s->strategy = rft_split_strategy(e->split, place);
        s->shared = true;
    }
    rft_arena_free(arena);
}

/* Where results change nothing, what is compiled first may be taken first; where promises are made, what the strategy
 * chooses of it. */
static void begin_waiting(exec *e) {
    const rft_exec_opts *opts = e->state.opts;
    segment *s = &e->segment;
    const bool may_choose = opts->pool && !opts->replay && !opts->in_order;
    const bool promises = !s->strategy->any_order && s->strategy->promise;
    s->unbound = may_choose && s->strategy->any_order;
    rft_lookahead_begin(&s->waiting, &e->state.recorder, may_choose && (promises || s->unbound));
    s->waiting.chooser = promises ? s->strategy : NULL;
}

int rft_segment_open(exec *e, size_t sweep, size_t variant, size_t problem, rft_err *err) {
    const rft_exec_opts *opts = e->state.opts;
    segment *s = &e->segment;
    const uint64_t seed = rft_foresight_seed(opts->plan, (rft_job_place){sweep, variant, problem});
    *s = (segment){.sweep = sweep, .variant = variant, .problem = problem, .ahead = RFT_LOOKAHEAD};
    s->odd_problem = rft_plan_odd_problem(opts->plan, sweep, variant);
    s->space = rft_plan_space(opts->plan, sweep, variant, problem);
    s->started_s = rft_tally_elapsed_s(&e->state.recorder.tally);
    s->started_gpu_s = e->state.recorder.tally.busy_s;
    rft_pruner_begin(&s->pruner, opts, (rft_job_place){sweep, variant, problem}, s->space);
    if (e->refining) {
        int rc = open_refined(e, seed, err);
        if (rc == RFT_OK) {
            begin_waiting(e);
        } else {
            rft_pruner_end(&s->pruner);
        }
        return rc;
    }
    if (e->split) {
        open_split(e, (rft_job_place){sweep, variant, problem});
        begin_waiting(e);
        return RFT_OK;
    }
    if (opts->shard.of > 1 && rft_space_exact(s->space)) {
        open_shard(e);
        begin_waiting(e);
        return RFT_OK;
    }
    s->count_all = rft_space_count(s->space);
    s->budget = rft_budget_share_of_segment(opts->plan, sweep);
    const rft_search_opts *search = &opts->plan->sweeps[sweep]->search;
    rft_foresight_pass(&e->foresight, (rft_job_place){sweep, variant, problem});
    bool may_end_early = isfinite(s->budget.seconds) || isfinite(s->budget.gpu_s) || rft_pruner_has_goal(&s->pruner);
    rft_strategy_opts asking = {.seed = seed, .may_end_early = may_end_early};
    asking.outlook = rft_pruner_outlook;
    asking.payload = &s->pruner;
    asking.budget_points = s->budget.points == UINT64_MAX ? 0 : s->budget.points;
    int rc = rft_strategy_new(&s->strategy, search->strategy, s->space, &asking, err);
    if (rc == RFT_OK) {
        bool is_whole = !may_end_early && rft_space_exact(s->space) && s->budget.points >= s->count_all;
        rc = seed_by_prior(e, seed, is_whole, err);
        if (rc != RFT_OK) {
            s->strategy->free(s->strategy);
        }
    }
    if (rc == RFT_OK) {
        uint64_t starts[RFT_TRANSFER_MOST];
        s->starts = rft_transfer_starts(opts->run, (rft_job_place){sweep, variant, problem}, s->space, starts);
        s->ahead = s->strategy->ahead ? (size_t)least(s->strategy->ahead, RFT_LOOKAHEAD) : RFT_LOOKAHEAD;
        s->strategy = rft_strategy_start_with(s->strategy, starts, s->starts);
        begin_waiting(e);
    }
    if (rc != RFT_OK) {
        rft_pruner_end(&s->pruner);
    }
    return rc;
}

void rft_segment_close(exec *e) {
    segment *s = &e->segment;
    s->count_all = s->count_all > s->taken ? s->count_all : s->taken; /* an estimate may fall short */
    uint64_t left_out = least(s->count_all, s->budget.points) - s->taken;
    rft_lookahead_end(&s->waiting);
    rft_foresight_unfork(&e->foresight);
    rft_foresight_drop(&e->foresight, (rft_job_place){s->sweep, s->variant, s->problem});
    rft_recorder_unexplored(&e->state.recorder, s->sweep, s->count_all - s->taken,
                            s->shared && !s->over ? "the other cards have the rest" : s->over);
    rft_pruner_end(&s->pruner);
    e->state.progress.planned -= left_out;
    if (e->refining) {
        e->state.progress.refined -= left_out;
    }
    s->strategy->free(s->strategy);
    s->strategy = NULL;
}
