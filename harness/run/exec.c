/* SPDX-License-Identifier: Apache-2.0 */
#include "run/exec.h"

#include "model/roofline/held_clock.h"
#include "run/count_round.h"
#include "run/final_round.h"
#include "run/power_round.h"
#include "run/process_round.h"
#include "run/segment.h"

#include <math.h>
#include <stdlib.h>

#define FROM_CACHE_S 0.02 /* longer than the cache of cubins takes: it is compiled */
#define AWAY_FACTOR 2     /* compilers have as many times more to do while nothing is asked for, at the ceilings */
#define PATIENCE_S 0.1    /* with what is compiled to be looked at before the first point */

/* ---- one segment ---- */

static bool is_time_over(exec *e) {
    rft_tally *tally = &e->state.recorder.tally;
    const segment *s = &e->segment;
    return rft_tally_elapsed_s(tally) - s->started_s >= s->budget.seconds ||
           tally->busy_s - s->started_gpu_s >= s->budget.gpu_s;
}

static rft_lookahead_entry new_entry(exec *e, uint64_t index) {
    const segment *s = &e->segment;
    const rft_job_place place = {s->sweep, s->variant, s->problem};
    rft_lookahead_entry made;
    if (rft_foresight_take(&e->foresight, place, index, &made)) {
        rft_pruner_judge(&s->pruner, made.job);
    } else { /* of a contender another card has verified it */
        made = rft_lookahead_entry_new(&e->state.recorder, place, index, e->contending ? SIZE_MAX : s->odd_problem,
                                       &s->pruner);
    }
    made.batch = s->asked / s->ahead;
    made.job->transferred = s->asked < s->starts;
    return made;
}

static bool has_room(exec *e) {
    segment *s = &e->segment;
    if (!s->unbound) {
        return s->waiting.count + e->in_hand < s->ahead;
    }
    size_t workers = rft_compile_pool_workers(e->state.opts->pool);
    return rft_lookahead_has_room(&s->waiting, workers * (e->going_away ? AWAY_FACTOR : 1));
}

/* Asks for more until there are as many ahead as there may be, or the segment has no more to give; then of the parts
 * behind it. */
static void fill_lookahead(exec *e) {
    segment *s = &e->segment;
    while (!s->exhausted && has_room(e)) {
        uint64_t index = 0;
        if (s->asked >= s->budget.points || s->strategy->ask(s->strategy, &index, 1) == 0) {
            s->exhausted = !s->shared; /* else there may be something to take over later */
            break;
        }
        const rft_lookahead_entry asked = new_entry(e, index);
        rft_lookahead_put(&s->waiting, &asked);
        rft_foresight_unfork(&e->foresight);
        s->asked++;
    }
    if (s->unbound || s->exhausted) {
        rft_foresight_advance(&e->foresight, &s->waiting);
    }
}

/* Where so many are asked for and no more, workers may be idle while one of them is waited for. */
static void guess(exec *e) {
    segment *s = &e->segment;
    if (!s->unbound && !s->exhausted && s->asked < s->budget.points) {
        rft_foresight_guess(&e->foresight, (rft_job_place){s->sweep, s->variant, s->problem}, s->strategy,
                            s->budget.points - s->asked, &s->waiting);
    }
}

static const rft_point *best_so_far(const exec *e) {
    return e->best_id ? &e->state.opts->run->points[e->best_id - 1] : NULL;
}

static void note_best(exec *e, const rft_point *point) {
    const rft_point *best = best_so_far(e);
    if (rft_run_is_candidate(e->state.opts->run, point) &&
        (!best || (best->rounds[1].n == 0 && rft_point_median_s(point) < rft_point_median_s(best)))) {
        e->best_id = point->id;
    }
}

/* Stores and tells the point of the step before. */
static int store_and_tell(exec *e, rft_err *err) {
    if (e->untold == 0) {
        return RFT_OK;
    }
    const rft_point *point = &e->state.opts->run->points[e->untold - 1];
    int rc = rft_recorder_store(&e->state.recorder, err);
    e->untold = 0;
    if (rc == RFT_OK) {
        e->state.progress.guessed = e->foresight.guessed;
        e->state.progress.guessed_right = e->foresight.right;
        rft_exec_note(&e->state, point, best_so_far(e));
    }
    return rc;
}

/* Of the first round, so that a continued run sees what it saw. */
static double first_median_s(const exec *e, int64_t id) {
    return id ? e->state.opts->run->points[id - 1].rounds[0].stats.median : 0.0;
}

/* A single sample will do to tell how near the first run is to what follows; what it told alone has none. */
static void note_race(exec *e, const rft_point *point) {
    const rft_measurement *first = &point->rounds[0];
    const bool by_run = first->n == 1 && first->stats.min == first->first_run_s;
    segment *s = &e->segment;
    if (point->outcome != RFT_OUTCOME_OK || first->n == 0) {
        return;
    }
    if (!point->alias_of && !by_run) {
        rft_race_noise_add_run(&e->noise, first->first_run_s, first->stats.median);
    }
    if (first->n < RFT_RACE_MIN_SAMPLES) {
        return;
    }
    if (!point->alias_of) {
        rft_race_noise_add(&e->noise, first->samples_s, first->n);
    }
    if (s->kin_id == 0 || first->stats.median < first_median_s(e, s->kin_id)) {
        s->kin_id = point->id;
    }
    if (e->split) {
        rft_split_put_time(e->split, (rft_job_place){s->sweep, s->variant, s->problem}, first->stats.median,
                           first->clock_mhz);
    }
}

/* The fastest of the part so far, of those with samples enough: here, or on any card of a run that is divided. */
static rft_split_rival kin_of(const exec *e) {
    const segment *s = &e->segment;
    if (e->split) {
        return rft_split_part_rival(e->split, (rft_job_place){s->sweep, s->variant, s->problem});
    }
    const rft_measurement *first = s->kin_id ? &e->state.opts->run->points[s->kin_id - 1].rounds[0] : NULL;
    return first ? (rft_split_rival){first->stats.median, first->clock_mhz} : RFT_SPLIT_NO_RIVAL;
}

/* A default is told from the others in every report: it has its few samples in any case. */
static void let_race(const exec *e, rft_job *job, bool is_odd) {
    if (is_odd || !e->best_id || e->state.opts->plan->sweeps[job->sweep]->measure.no_race) {
        return;
    }
    job->rival_s = first_median_s(e, e->best_id);
    if (e->split) {
        const rft_job_place place = {job->sweep, job->variant, job->problem};
        job->rival_s = fmin(job->rival_s, rft_split_problem_rival(e->split, place).seconds);
    }
    if (!job->is_default) {
        const rft_split_rival kin = kin_of(e);
        job->few = rft_race_limits_seen(&e->noise, job->rival_s, isfinite(kin.seconds) ? kin.seconds : 0.0,
                                        kin.clock_mhz, rft_ceilings_clock_mhz(&e->state.opts->run->ceilings));
    }
}

/* Once in every step, whether the device is at work or the point is known: a continued run must see what it saw. */
static void look_ahead(exec *e) {
    fill_lookahead(e);
    guess(e);
    if (!e->went_on) {
        rft_pruner_advance(&e->segment.pruner);
    }
    e->went_on = true;
}

/* Where results change nothing that comes behind: what is measured ahead is judged by the race's limits as of then. */
static bool is_sure(const exec *e, rft_job *next) {
    return e->segment.waiting.as_compiled && !e->segment.shared && !e->state.ceilings_due &&
           !rft_reference_may_read(&e->reference) && !rft_recorder_has_twin(&e->state.recorder, next);
}

/* What is done while the device is at work on the step in hand. What is asked for here would have been asked for after
 * the step before: nothing was told since, so the course of a strategy is the same. */
static void go_on(void *payload) {
    exec *e = payload;
    bool is_odd = false;
    look_ahead(e);
    rft_job *next = rft_lookahead_next(&e->segment.waiting, &is_odd);
    if (next && rft_recorder_needs(&e->state.recorder, next)) {
        e->segment.waiting.expected = next;
        let_race(e, next, is_odd); /* as far as it is known */
        rft_job_expect(e->state.opts, next, is_odd, is_sure(e, next));
    }
    store_and_tell(e, NULL); /* behind what the worker waits for; a failure ends the step in hand */
}

static void store_and_tell_meanwhile(void *payload) {
    store_and_tell(payload, NULL);
}

/* Must more be asked for before the next job is known? At the beginning; and where a batch is verified together before
 * the first of it is timed, the whole batch must be there. */
static bool is_short(const segment *s) {
    const rft_lookahead *w = &s->waiting;
    return w->as_compiled || w->count == 0 || (s->odd_problem != SIZE_MAX && w->all[0].batch == s->asked / s->ahead);
}

/* Of the final round, as far as it is known. */
static size_t processes_to_come(const rft_exec_opts *opts) {
    size_t most = 0;
    for (size_t s = 0; s < opts->plan->sweep_count && opts->shard.of <= 1; s++) {
        int asked = opts->plan->sweeps[s]->measure.processes;
        size_t count = asked == RFT_PROCESSES_AUTO ? RFT_PROCESSES_ENOUGH : asked > 1 ? (size_t)asked : 0;
        most = count > most ? count : most;
    }
    return most;
}

/* Where the first point has to be compiled the device's processes to come load the driver meanwhile. */
static void use_the_wait(exec *e, const rft_job *first) {
    rft_probe *probe = e->state.opts->probe;
    if (e->patience_s > 0 && probe->follow && !rft_preflight_wait_for(first, FROM_CACHE_S)) {
        probe->follow(probe, processes_to_come(e->state.opts));
    }
}

/* Asks for more, and waits until something is compiled where nothing is. *out NULL: there is nothing left. */
static int await_next(exec *e, rft_job **out, bool *is_odd, rft_err *err) {
    const segment *s = &e->segment;
    rft_lookahead *w = &e->segment.waiting;
    int rc = RFT_OK;
    if (w->as_compiled && (*out = rft_lookahead_expected(w, is_odd))) { /* it is ready */
        return RFT_OK;
    }
    if (is_short(&e->segment)) {
        fill_lookahead(e);
    }
    if (w->count > 0 && !rft_lookahead_next(w, is_odd)) {
        use_the_wait(e, w->all[0].job);
    }
    while (!(*out = rft_lookahead_next(w, is_odd)) && w->count > 0 && rc == RFT_OK) {
        rc = store_and_tell(e, err);
        guess(e);
        rc = rc == RFT_OK ? rft_compile_pool_wait_any(e->state.opts->pool, err) : rc;
        fill_lookahead(e);
    }
    if (rc == RFT_OK && *out && !rft_lookahead_is_ready(*out)) {
        rc = store_and_tell(e, err);
    }
    const bool waits = rc == RFT_OK && *out && e->foresight.guesses && !w->as_compiled && s->strategy->fork;
    for (guess(e); waits && e->patience_s <= 0 && rc == RFT_OK && !rft_lookahead_is_ready(*out); guess(e)) {
        rc = rft_compile_pool_wait_any(e->state.opts->pool, err);
    }
    return rc;
}

/* What a strategy is told beside the time. */
static rft_hints hints_of(const rft_point *point) {
    const rft_facts *facts = &point->facts;
    rft_hints hints = RFT_HINTS_INIT;
    if (facts->registers >= 0) {
        hints.registers = facts->registers;
    }
    if (facts->spill_bytes >= 0) {
        hints.spill_bytes = facts->spill_bytes;
    }
    if (facts->shared_static_bytes >= 0) {
        hints.shared_bytes = (double)facts->shared_static_bytes + fmax((double)facts->shared_dynamic_bytes, 0);
    }
    hints.occupancy_frac = facts->occupancy_frac;
    return hints;
}

/* Takes the next job to its end. */
static int step(exec *e, rft_job *job, bool is_odd, rft_err *err) {
    segment *s = &e->segment;
    const rft_point *point = NULL;
    rft_lookahead_take(&s->waiting, job);
    if (!is_odd && s->shared && !rft_split_take(s->strategy, job->index)) {
        rft_job_free(job);
        return RFT_OK;
    }
    e->in_hand = is_odd ? e->in_hand : 1;
    let_race(e, job, is_odd);
    if (!is_odd) {
        rft_pruner_judge(&s->pruner, job); /* once more: the best so far may be better than when it was asked for */
    }
    job->meanwhile = go_on;
    job->payload = e;
    e->went_on = false;
    int rc = rft_recorder_take(&e->state.recorder, job, &point, err);
    const bool was_asked = e->went_on; /* the device: else there is no such time to use */
    if (rc == RFT_OK && !was_asked) {
        look_ahead(e);
        rc = store_and_tell(e, err);
    }
    e->in_hand = 0;
    if (rc == RFT_OK && is_odd) {
        e->state.progress.planned += e->odd_left > 0 ? 0 : 1; /* the prior's, where refine() adds a problem */
        e->odd_left -= e->odd_left > 0 ? 1 : 0;
    } else if (rc == RFT_OK) {
        /* Of the first round, though a run that is continued may know more: the course must be what it was. */
        const rft_measurement *first = &point->rounds[0];
        rft_tell told = {.index = job->index, .outcome = point->outcome, .hints = hints_of(point)};
        told.seconds = first->n > 0 ? first->stats.median : (double)NAN;
        s->strategy->tell(s->strategy, &told);
        rft_foresight_unfork(&e->foresight);
        rft_pruner_told(&s->pruner, job->index, point);
        s->taken++;
        e->sweep_taken++;
    }
    rft_job_free(job);
    if (rc == RFT_OK) {
        note_best(e, point);
        if (!is_odd) {
            note_race(e, point);
        }
        e->untold = point->id;
        rc = !was_asked || s->shared ? store_and_tell(e, err) : RFT_OK;
        rc = rc == RFT_OK ? rft_reference_after(&e->reference, point, err) : rc;
    }
    return rc;
}

/* After the first point, unless the user has stopped meanwhile; the part's time does not run on meanwhile. */
static int take_ceilings(exec *e, bool *stopped, rft_err *err) {
    rft_tally *tally = &e->state.recorder.tally;
    int rc = RFT_OK;
    if (e->state.ceilings_due) {
        rc = store_and_tell(e, err);
        rft_exec_ask_stop(&e->state, stopped);
    }
    if (*stopped || rc != RFT_OK) {
        return rc;
    }
    double begun_s = rft_tally_elapsed_s(tally);
    if (e->state.ceilings_due) {
        e->going_away = true;
        fill_lookahead(e);
        e->going_away = false;
    }
    rc = rft_exec_ceilings(&e->state, err);
    double took_s = rft_tally_elapsed_s(tally) - begun_s;
    e->segment.started_s += took_s;
    e->sweep_started_s += took_s;
    return rc;
}

/* The first point waits for the device's own kernels and for its own code in any case. */
static int look_at_what_compiled(exec *e, const rft_job *first, rft_err *err) {
    if (e->patience_s > 0 && e->preflight.left > 0) {
        use_the_wait(e, first);
        rft_prefetch_await(&e->state.recorder.prefetch, RFT_PREFETCH_POINTS);
        rft_preflight_wait_for(first, (double)INFINITY);
    }
    int rc = rft_preflight_look(&e->preflight, e->patience_s, err);
    e->patience_s = 0;
    return rc;
}

static int run_segment(exec *e, bool *stopped, rft_err *err) {
    int rc = RFT_OK;
    while (rc == RFT_OK && !*stopped && !e->segment.over && !is_time_over(e)) {
        rft_exec_ask_stop(&e->state, stopped);
        if (*stopped) {
            break;
        }
        rft_job *next = NULL;
        bool is_odd = false;
        rc = await_next(e, &next, &is_odd, err);
        if (rc != RFT_OK || !next) {
            break;
        }
        rc = look_at_what_compiled(e, next, err);
        rc = rc == RFT_OK ? step(e, next, is_odd, err) : rc;
        rc = rc == RFT_OK ? take_ceilings(e, stopped, err) : rc;
        e->segment.over = rc == RFT_OK ? rft_pruner_is_over(&e->segment.pruner, e->state.opts->run->arena) : NULL;
    }
    const int last = store_and_tell(e, rc == RFT_OK ? err : NULL);
    return rc == RFT_OK ? last : rc;
}

/* ---- the first round ---- */

static int run_problem(exec *e, size_t sweep, size_t problem, bool *stopped, rft_err *err) {
    const rft_exec_opts *opts = e->state.opts;
    const rft_point *best = rft_run_best(opts->run, sweep, SIZE_MAX, problem);
    int rc = RFT_OK;
    e->best_id = best ? best->id : 0;
    e->noise = e->contending ? *rft_split_noise(e->split, sweep, problem) : (rft_race_noise){.total = 0};
    rft_reference_begin(&e->reference, &e->state, sweep, problem);
    e->reference.meanwhile = store_and_tell_meanwhile;
    e->reference.payload = e;
    for (size_t v = 0; v < opts->plan->sweeps[sweep]->variant_count && rc == RFT_OK; v++) {
        if (*stopped) {
            uint64_t left = e->refining ? 0 : rft_space_count(rft_plan_space(opts->plan, sweep, v, problem));
            rft_recorder_unexplored(&e->state.recorder, sweep, left, NULL);
            continue;
        }
        rc = rft_segment_open(e, sweep, v, problem, err);
        if (rc == RFT_OK) {
            rc = run_segment(e, stopped, err);
            rft_segment_close(e);
        }
    }
    rft_reference_end(&e->reference);
    if (e->split) {
        *rft_split_noise(e->split, sweep, problem) = e->noise;
    }
    return rc;
}

/* Where the bound changes between two problems of the grid: the ones between, bisection after bisection. */
static int refine(exec *e, size_t sweep, bool *stopped, rft_err *err) {
    int rc = *stopped ? RFT_OK : rft_refiner_begin(&e->refiner, &e->state, sweep, err);
    e->refining = true;
    while (rc == RFT_OK && !*stopped) {
        size_t problem = SIZE_MAX;
        rft_budget_share left = rft_segment_left_of(e, sweep);
        bool may_add = left.points > 0 && left.seconds > 0 && left.gpu_s > 0;
        rc = rft_refiner_next(&e->refiner, may_add, &problem, err);
        if (rc != RFT_OK || problem == SIZE_MAX) {
            break;
        }
        rc = run_problem(e, sweep, problem, stopped, err);
        rft_refiner_after(&e->refiner, problem);
    }
    e->refining = false;
    return rc;
}

static int grid(exec *e, size_t s, bool *stopped, rft_err *err) {
    const rft_sweep *sweep = e->state.opts->plan->sweeps[s];
    int rc = RFT_OK;
    rft_budget_share_planned(e->state.opts->plan, s, &e->odd_left);
    e->sweep_taken = 0;
    e->sweep_started_gpu_s = e->state.recorder.tally.busy_s;
    e->sweep_started_s = rft_tally_elapsed_s(&e->state.recorder.tally);
    for (size_t p = 0; p < sweep->problem_count && rc == RFT_OK; p++) {
        if (!sweep->problems[p].odd) {
            rc = run_problem(e, s, p, stopped, err);
        }
    }
    e->state.progress.planned -= e->odd_left;
    e->odd_left = 0;
    return rc;
}

static int first_round(exec *e, bool *stopped, rft_err *err) {
    const rft_exec_opts *opts = e->state.opts;
    int rc = RFT_OK;
    for (size_t s = 0; s < opts->plan->sweep_count; s++) {
        e->state.progress.planned += rft_budget_share_planned(opts->plan, s, &e->odd_left);
        e->state.progress.planned += e->odd_left;
    }
    for (size_t s = 0; s < opts->plan->sweep_count && rc == RFT_OK; s++) {
        rc = grid(e, s, stopped, err);
        rc = rc == RFT_OK && opts->shard.of <= 1 ? refine(e, s, stopped, err) : rc;
    }
    return rc;
}

/* Where several cards share the run: every card's best and defaults, on this one too. */
static int contend(exec *e, bool *stopped, rft_err *err) {
    const rft_plan *plan = e->state.opts->plan;
    int rc = RFT_OK;
    if (!rft_split_meet(e->state.opts, e->state.opts->board, RFT_SPLIT_PATIENCE_S, stopped)) {
        rft_log_warn(e->state.opts->log, "another card stands still for %g s: its points are no contenders",
                     RFT_SPLIT_PATIENCE_S);
    }
    e->contending = true;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        for (size_t p = 0; p < plan->sweeps[s]->problem_count && rc == RFT_OK && !*stopped; p++) {
            rc = plan->sweeps[s]->problems[p].odd ? RFT_OK : run_problem(e, s, p, stopped, err);
        }
    }
    return rc;
}

int rft_exec(const rft_exec_opts *opts, bool *stopped, rft_err *err) {
    exec e = {0};
    rft_exec_begin(&e.state, opts);
    *stopped = false;
    e.patience_s = PATIENCE_S;
    rft_foresight_begin(&e.foresight, &e.state.recorder);
    int rc = rft_preflight_begin(&e.preflight, opts, err);
    rc = rc == RFT_OK && opts->board ? rft_split_new(&e.split, opts, &e.state.recorder, err) : rc;
    rc = rc == RFT_OK ? first_round(&e, stopped, err) : rc;
    rc = rc == RFT_OK && e.split && !*stopped ? contend(&e, stopped, err) : rc;
    rft_foresight_end(&e.foresight);
    rft_preflight_end(&e.preflight);
    if (rc == RFT_OK && !*stopped) {
        rc = rft_exec_ceilings(&e.state, err); /* there was no point to wait for */
    }
    const bool is_whole = opts->shard.of <= 1; /* what follows compares: it is the merged run's */
    if (rc == RFT_OK && !*stopped && is_whole) {
        rc = rft_exec_final_round(&e.state, stopped, err);
    }
    if (rc == RFT_OK && !*stopped && is_whole) {
        rc = rft_exec_power(&e.state, stopped, err);
    }
    if (rc == RFT_OK && !*stopped && is_whole) { /* the last of all: the profiler stays in the worker */
        rc = rft_exec_count(&e.state, stopped, err);
    }
    if (rc == RFT_OK) {
        rc = rft_recorder_store_unexplored(&e.state.recorder, *stopped, err);
    }
    if (rc == RFT_OK) { /* stopped: the sums, which the next session adds to */
        rft_tally *tally = &e.state.recorder.tally;
        const bool open = *stopped || e.split; /* one of several cards: it may get more to do */
        opts->run->info.finished_unix_ns = open ? 0 : rft_tally_finished_unix_ns(tally);
        rft_tally_sum(tally);
        rc = rft_store_finish(opts->store, &opts->run->info, err);
    }
    rft_split_free(e.split);
    rft_exec_end(&e.state);
    return rc;
}
