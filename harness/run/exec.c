/* SPDX-License-Identifier: Apache-2.0 */
#include "run/exec.h"

#include "base/hash.h"
#include "run/job.h"
#include "run/record.h"
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One variant on one problem: its own space, its own strategy, its share of the budget. */
typedef struct segment {
    size_t sweep, variant, problem;
    const rft_space *space;
    rft_strategy *strategy;
    uint64_t budget_points; /* UINT64_MAX: none */
    double budget_s;        /* INFINITY: none */
    double started_s;
    uint64_t asked;
    bool exhausted; /* nothing more is asked */
} segment;

typedef struct exec {
    const rft_exec_opts *opts;
    rft_recorder recorder;
    rft_progress progress;
    int64_t started_ns;
    segment segment;
    rft_job *ring[RFT_LOOKAHEAD];
    size_t ring_head, ring_count;
} exec;

static double elapsed_s(const exec *e) {
    const rft_clock *clock = e->opts->clock;
    return (double)(clock->monotonic_ns(clock->self) - e->started_ns) * 1e-9;
}

static uint64_t segment_count(const rft_sweep *sweep) {
    uint64_t timed = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        timed += sweep->problems[p].odd ? 0 : 1;
    }
    return timed * sweep->variant_count;
}

static int open_segment(exec *e, size_t sweep_index, size_t variant, size_t problem, rft_err *err) {
    const rft_exec_opts *opts = e->opts;
    const rft_sweep *sweep = opts->plan->sweeps[sweep_index];
    const rft_search_opts *search = &sweep->search;
    uint64_t points = opts->budget_points ? opts->budget_points : search->budget_points;
    double seconds = opts->budget_s > 0 ? opts->budget_s / (double)opts->plan->sweep_count : search->budget_s;
    uint64_t parts = segment_count(sweep);
    segment *s = &e->segment;
    *s = (segment){.sweep = sweep_index, .variant = variant, .problem = problem};
    s->space = rft_plan_space(opts->plan, sweep_index, variant, problem);
    s->started_s = elapsed_s(e);
    s->budget_points = UINT64_MAX;
    s->budget_s = INFINITY;
    if (!sweep->problems[problem].odd && parts > 0) {
        s->budget_points = points ? (points + parts - 1) / parts : UINT64_MAX;
        s->budget_s = seconds > 0 ? seconds / (double)parts : (double)INFINITY;
    }
    uint64_t seed = opts->run->info.seed;
    seed ^= rft_hash_fnv1a(&(uint64_t[]){sweep_index, variant, problem}, 3 * sizeof(uint64_t));
    return rft_strategy_new(&s->strategy, opts->strategy ? opts->strategy : search->strategy, s->space, seed, err);
}

static void close_segment(exec *e) {
    segment *s = &e->segment;
    uint64_t left = rft_space_count(s->space) - s->asked;
    if (left > 0) {
        rft_recorder_unexplored(&e->recorder, s->sweep, left);
        e->progress.planned -= left < e->progress.planned ? left : 0;
    }
    s->strategy->free(s->strategy);
    s->strategy = NULL;
}

/* Asks for more until the ring is full or the segment has no more to give. */
static void fill(exec *e) {
    segment *s = &e->segment;
    const rft_sweep *sweep = e->opts->plan->sweeps[s->sweep];
    rft_value config[64];
    while (!s->exhausted && e->ring_count < RFT_LOOKAHEAD) {
        uint64_t index = 0;
        bool spent = s->asked >= s->budget_points || elapsed_s(e) - s->started_s >= s->budget_s;
        if (spent || s->strategy->ask(s->strategy, &index, 1) == 0) {
            s->exhausted = true;
            break;
        }
        size_t params = sweep->variants[s->variant].param_count;
        rft_value *values = params <= 64 ? config : rft_calloc(params, sizeof *values);
        rft_space_get(s->space, index, values);
        rft_job *job = rft_job_new(e->opts, s->sweep, s->variant, s->problem, values);
        job->index = index;
        if (!rft_recorder_knows(&e->recorder, job)) {
            rft_job_compile(e->opts, job);
        }
        if (values != config) {
            free(values);
        }
        e->ring[(e->ring_head + e->ring_count++) % RFT_LOOKAHEAD] = job;
        s->asked++;
    }
}

/* Takes the next job of the ring to its end. */
static int step(exec *e, rft_err *err) {
    rft_job *job = e->ring[e->ring_head];
    const rft_point *point = NULL;
    int rc = rft_recorder_take(&e->recorder, job, &point, err);
    e->ring_head = (e->ring_head + 1) % RFT_LOOKAHEAD;
    e->ring_count--;
    if (rc == RFT_OK) {
        rft_tell told = {.index = job->index, .outcome = point->outcome, .seconds = rft_point_median_s(point)};
        e->segment.strategy->tell(e->segment.strategy, &told);
        e->progress.done++;
        e->progress.last = point;
        e->progress.best = rft_run_best(e->opts->run, job->sweep, SIZE_MAX, job->problem);
        e->progress.aliases += point->alias_of ? 1 : 0;
        e->progress.measured += rft_outcome_is_measured(point->outcome) && !point->alias_of ? 1 : 0;
        e->progress.failed += rft_outcome_is_measured(point->outcome) ? 0 : 1;
        e->progress.elapsed_s = elapsed_s(e);
        e->opts->progress(e->opts->payload, &e->progress);
    }
    rft_job_free(job);
    return rc;
}

static void drop_ring(exec *e) {
    while (e->ring_count > 0) {
        rft_job_free(e->ring[e->ring_head]);
        e->ring_head = (e->ring_head + 1) % RFT_LOOKAHEAD;
        e->ring_count--;
    }
}

static int run_segment(exec *e, bool *stopped, rft_err *err) {
    int rc = RFT_OK;
    while (rc == RFT_OK) {
        if (e->opts->stop(e->opts->payload)) {
            *stopped = true;
            break;
        }
        fill(e);
        if (e->ring_count == 0) {
            break;
        }
        rc = step(e, err);
    }
    drop_ring(e);
    return rc;
}

static int first_round(exec *e, bool *stopped, rft_err *err) {
    const rft_plan *plan = e->opts->plan;
    int rc = RFT_OK;
    for (size_t s = 0; s < plan->sweep_count && rc == RFT_OK && !*stopped; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t p = 0; p < sweep->problem_count && rc == RFT_OK && !*stopped; p++) {
            rft_recorder_new_problem(&e->recorder);
            for (size_t v = 0; v < sweep->variant_count && rc == RFT_OK && !*stopped; v++) {
                rc = open_segment(e, s, v, p, err);
                if (rc == RFT_OK) {
                    rc = run_segment(e, stopped, err);
                    close_segment(e);
                }
            }
        }
    }
    return rc;
}

/* The points measured again: the fastest few within 5 % of the best, and the best of each variant for the ladder. */
static size_t finalists(exec *e, size_t sweep, size_t problem, int64_t ids[], size_t most) {
    const rft_run *run = e->opts->run;
    rft_arena *arena = rft_arena_new();
    const rft_point **ranked = NULL;
    size_t found = rft_run_ranked(run, sweep, SIZE_MAX, problem, arena, &ranked);
    size_t count = 0;
    for (size_t i = 0; i < found && count < RFT_FINALISTS; i++) {
        if (rft_point_median_s(ranked[i]) <= 1.05 * rft_point_median_s(ranked[0])) {
            ids[count++] = ranked[i]->id;
        }
    }
    for (size_t v = 0; v < run->sweeps[sweep].sweep.variant_count && count < most; v++) {
        const rft_point *best = rft_run_best(run, sweep, v, problem);
        bool there = !best;
        for (size_t i = 0; i < count && !there; i++) {
            there = ids[i] == best->id;
        }
        if (!there) {
            ids[count++] = best->id;
        }
    }
    rft_arena_free(arena);
    return count;
}

static int final_of_problem(exec *e, size_t sweep, size_t problem, bool *stopped, rft_err *err) {
    int64_t ids[64];
    size_t count = finalists(e, sweep, problem, ids, 64);
    rft_job *jobs[64] = {0};
    int rc = RFT_OK;
    for (size_t i = 0; i < count; i++) {
        const rft_point *point = &e->opts->run->points[ids[i] - 1];
        jobs[i] = rft_job_new(e->opts, sweep, point->variant, problem, point->config);
        jobs[i]->round = 1;
        rft_job_compile(e->opts, jobs[i]);
    }
    for (size_t i = 0; i < count && rc == RFT_OK && !*stopped; i++) {
        *stopped = e->opts->stop(e->opts->payload);
        if (!*stopped) {
            rc = rft_recorder_final(&e->recorder, jobs[i], ids[i], err);
            e->progress.last = &e->opts->run->points[ids[i] - 1];
            e->progress.best = rft_run_best(e->opts->run, sweep, SIZE_MAX, problem);
            e->progress.elapsed_s = elapsed_s(e);
            e->opts->progress(e->opts->payload, &e->progress);
        }
    }
    for (size_t i = 0; i < count; i++) {
        rft_job_free(jobs[i]);
    }
    return rc;
}

static int final_round(exec *e, bool *stopped, rft_err *err) {
    const rft_plan *plan = e->opts->plan;
    int rc = RFT_OK;
    e->progress.final_round = true;
    for (size_t s = 0; s < plan->sweep_count && rc == RFT_OK && !*stopped; s++) {
        for (size_t p = 0; p < plan->sweeps[s]->problem_count && rc == RFT_OK && !*stopped; p++) {
            if (!plan->sweeps[s]->problems[p].odd) {
                rc = final_of_problem(e, s, p, stopped, err);
            }
        }
    }
    return rc;
}

int rft_exec(const rft_exec_opts *opts, bool *stopped, rft_err *err) {
    exec e = {.opts = opts};
    int rc = rft_recorder_open(&e.recorder, opts, err);
    *stopped = false;
    e.started_ns = opts->clock->monotonic_ns(opts->clock->self);
    e.progress.planned = opts->plan->valid + opts->plan->odd;
    if (rc == RFT_OK) {
        rc = first_round(&e, stopped, err);
    }
    if (rc == RFT_OK && !*stopped) {
        rc = final_round(&e, stopped, err);
    }
    if (rc == RFT_OK) {
        rc = rft_recorder_store_unexplored(&e.recorder, err);
    }
    if (rc == RFT_OK) { /* stopped: the recompile counts, which the next session adds to */
        opts->run->info.finished_unix_ns = *stopped ? 0 : opts->clock->unix_ns(opts->clock->self);
        rc = rft_store_finish(opts->store, &opts->run->info, err);
    }
    rft_recorder_close(&e.recorder);
    return rc;
}
