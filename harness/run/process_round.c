/* SPDX-License-Identifier: Apache-2.0 */
#include "run/process_round.h"

#include "base/hash.h"
#include "model/compare/compare_rule.h"
#include "model/roofline/held_clock.h"
#include "model/run/run_repeat.h"
#include "model/stats/throttle.h"
#include "run/baseline_round.h"
#include "run/final_round.h"

#include <math.h>
#include <stdlib.h>

/* What takes a block in every process. */
typedef struct contender {
    size_t sweep, problem;
    int64_t id;    /* of a finalist; 0: the problem's baselines */
    rft_job *job;  /* of a finalist */
    size_t passed; /* processes it has, and those of this session that it has no samples of */
    bool done;
    double took_s;                 /* its last block, with all around it */
    uint64_t problem_order, order; /* in the process at hand: problems one after the other, whose inputs are kept */
} contender;

typedef struct process_round {
    rft_exec_state *e;
    contender *all;
    size_t count;
    double spent_s; /* on processes behind the first, which compares results and has the baselines' races */
    double start_s; /* of what the last process took, that was no block */
} process_round;

static int asked_of(const process_round *r, size_t sweep) {
    return r->e->opts->plan->sweeps[sweep]->measure.processes;
}

static size_t most_of(const process_round *r, size_t sweep) {
    return asked_of(r, sweep) == RFT_PROCESSES_AUTO ? RFT_PROCESSES_MOST : (size_t)asked_of(r, sweep);
}

static rft_point *point_of(const process_round *r, const contender *c) {
    return &r->e->opts->run->points[c->id - 1];
}

/* ---- which points take part ---- */

/* How many processes alone say whether it is done where a number was asked for. */
static bool is_decided(const process_round *r, const contender *c, rft_stop_reason stop) {
    return c->passed >= most_of(r, c->sweep) ||
           (c->passed > 0 && asked_of(r, c->sweep) == RFT_PROCESSES_AUTO && stop != RFT_STOP_NOT_YET);
}

static void add_problem(process_round *r, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_exec_opts *opts = r->e->opts;
    int64_t *ids = NULL;
    size_t count = rft_finalists(opts->run, sweep, problem, arena, &ids);
    for (size_t i = 0; i < count; i++) {
        contender *c = &r->all[r->count];
        *c = (contender){.sweep = sweep, .problem = problem, .id = ids[i]};
        const rft_measurement *round = &point_of(r, c)->rounds[1];
        c->passed = round->process_count;
        if (!rft_recorder_failed_final(point_of(r, c)) &&
            (!is_decided(r, c, round->stop) || round->stop == RFT_STOP_NOT_YET)) {
            c->job = rft_final_job(r->e, c->id);
            r->count++;
        }
    }
    if (opts->plan->sweeps[sweep]->baseline_count > 0) {
        contender *c = &r->all[r->count];
        *c = (contender){.sweep = sweep, .problem = problem};
        rft_stop_reason stop = rft_baselines_state(r->e, sweep, problem, &c->passed);
        r->count += !is_decided(r, c, stop) || stop == RFT_STOP_NOT_YET;
    }
}

/* As the first round ended. */
static double steady_mhz(const rft_run *run) {
    rft_throttle_steady steady = {.added = 0};
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].alias_of == 0) {
            rft_throttle_steady_add(&steady, run->points[i].rounds[0].clock_mhz);
        }
    }
    double mhz = rft_throttle_steady_mhz(&steady);
    return isfinite(mhz) ? mhz : 0.0;
}

/* Not of the steady clock alone: where most points draw the power limit, that is theirs. */
static double held_mhz(const rft_exec_state *e) {
    double run_mhz = fmax(rft_ceilings_clock_mhz(&e->opts->run->ceilings), e->steady_mhz);
    return (1.0 - RFT_THROTTLE_BELOW_FRAC) * run_mhz;
}

static void gather(process_round *r, rft_arena *arena) {
    const rft_plan *plan = r->e->opts->plan;
    size_t most = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        most += plan->sweeps[s]->problem_count * (rft_finalists_most(plan->sweeps[s]) + 1);
    }
    r->all = rft_arena_calloc(arena, most + 1, sizeof *r->all);
    for (size_t s = 0; s < plan->sweep_count; s++) {
        for (size_t p = 0; p < plan->sweeps[s]->problem_count; p++) {
            if (asked_of(r, s) != 1 && !plan->sweeps[s]->problems[p].odd) {
                add_problem(r, s, p, arena);
            }
        }
    }
}

/* ---- when it ends ---- */

static double repeating_s(const rft_measurement *m) {
    double processes = (double)m->process_count;
    return processes > 1 ? (m->wall_s - m->verify_s) * (1.0 - 1.0 / processes) : 0.0;
}

static double spent_earlier_s(const rft_run *run) {
    double spent_s = 0.0;
    for (size_t i = 0; i < run->point_count; i++) {
        spent_s += run->points[i].alias_of ? 0.0 : repeating_s(&run->points[i].rounds[1]);
    }
    for (size_t i = 0; i < run->baseline_count; i++) {
        spent_s += repeating_s(&run->baselines[i].measurement);
    }
    return spent_s;
}

/* What the next process will take: it starts, and those that are not done take as long as the last time. */
static double next_s(const process_round *r) {
    double seconds = r->start_s;
    for (size_t i = 0; i < r->count; i++) {
        seconds += r->all[i].done ? 0.0 : r->all[i].took_s;
    }
    return seconds;
}

/* Would it take more time than may be spent after so many? */
static bool is_out_of_time(process_round *r, double more_s, size_t passed) {
    rft_tally *tally = &r->e->recorder.tally;
    double whole_s = rft_tally_elapsed_s(tally) + more_s;
    whole_s += isfinite(tally->earlier_elapsed_s) ? tally->earlier_elapsed_s : 0.0;
    double allowed_s = fmax(RFT_PROCESSES_FRAC * whole_s, passed < RFT_PROCESSES_ENOUGH ? RFT_PROCESSES_ENOUGH_S : 0.0);
    return passed >= RFT_PROCESSES_LEAST && r->spent_s + more_s > allowed_s;
}

/* Is the repeat interval narrow enough for compare to show and to exclude what it must? */
static bool is_known(const rft_point *point) {
    return point && rft_repeat_within(&rft_point_measurement(point)->repeat, RFT_COMPARE_REPEAT_FRAC);
}

/* It needs no more where the problem's best does not, nor where it is known itself: slow rungs of a ladder settle soon,
 * and leave the time to what is short. */
static bool is_settled(const process_round *r, const contender *c, bool best_is_known) {
    return best_is_known || (c->id != 0 && is_known(point_of(r, c)));
}

static int end_contender(process_round *r, contender *c, rft_stop_reason stop, rft_err *err) {
    rft_exec_state *e = r->e;
    c->done = true;
    rft_job_free(c->job);
    c->job = NULL;
    if (c->id == 0) {
        return rft_baselines_end(e, c->sweep, c->problem, stop, err);
    }
    rft_point *point = point_of(r, c);
    int rc = point->rounds[1].n > 0 ? rft_recorder_end_final(&e->recorder, c->id, stop, err) : RFT_OK;
    if (rc == RFT_OK) {
        rft_exec_note_final(e, point, point->outcome, point->rounds[1].n > 0);
    }
    return rc;
}

/* Those of a problem follow each other: its best is looked for once. */
static int end_known(process_round *r, rft_err *err) {
    const contender *before = NULL;
    bool best_is_known = false;
    int rc = RFT_OK;
    for (size_t i = 0; i < r->count && rc == RFT_OK; i++) {
        contender *c = &r->all[i];
        if (c->done || c->passed == 0) {
            continue;
        }
        if (!before || before->sweep != c->sweep || before->problem != c->problem) {
            best_is_known = is_known(rft_run_best(r->e->opts->run, c->sweep, SIZE_MAX, c->problem));
        }
        before = c;
        bool is_auto = asked_of(r, c->sweep) == RFT_PROCESSES_AUTO;
        if (c->passed >= most_of(r, c->sweep)) {
            rc = end_contender(r, c, RFT_STOP_SAMPLES, err);
        } else if (is_auto && is_settled(r, c, best_is_known)) {
            rc = end_contender(r, c, RFT_STOP_SETTLED, err);
        }
    }
    return rc;
}

static int decide(process_round *r, rft_err *err) {
    rft_run_fill_repeats(r->e->opts->run);
    int rc = end_known(r, err);
    double more_s = next_s(r);
    for (size_t i = 0; i < r->count && rc == RFT_OK; i++) {
        contender *c = &r->all[i];
        if (!c->done && asked_of(r, c->sweep) == RFT_PROCESSES_AUTO && is_out_of_time(r, more_s, c->passed)) {
            rc = end_contender(r, c, RFT_STOP_TIME, err);
        }
    }
    return rc;
}

/* ---- one process ---- */

static int compare_order(const void *a, const void *b) {
    const contender *x = *(const contender *const *)a, *y = *(const contender *const *)b;
    if (x->problem_order != y->problem_order) {
        return x->problem_order < y->problem_order ? -1 : 1;
    }
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : (x < y ? -1 : x > y);
}

/* Another run of the same seed has another order and other layouts: it is a draw of its own. */
static uint64_t draw_of(const rft_run *run, size_t passed) {
    const uint64_t words[] = {run->info.seed, (uint64_t)run->info.started_unix_ns, passed};
    return (rft_hash_fnv1a(words, sizeof words) >> 1) | 1;
}

/* Those that have passed the fewest, so that a run that was stopped within a process ends it first, in the order of the
 * draw. */
static size_t choose(process_round *r, contender **order, size_t *passed) {
    size_t count = 0;
    *passed = SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        *passed = !r->all[i].done && r->all[i].passed < *passed ? r->all[i].passed : *passed;
    }
    r->e->draw = draw_of(r->e->opts->run, *passed);
    for (size_t i = 0; i < r->count; i++) {
        contender *c = &r->all[i];
        const uint64_t words[] = {r->e->draw, c->sweep, c->problem, (uint64_t)c->id};
        c->problem_order = rft_hash_fnv1a(words, 3 * sizeof *words);
        c->order = rft_hash_fnv1a(words, sizeof words);
        if (!c->done && c->passed == *passed) {
            order[count++] = c;
        }
    }
    if (count > 1) {
        qsort(order, count, sizeof *order, compare_order);
    }
    return count;
}

static int take_finalist(process_round *r, contender *c, rft_err *err) {
    rft_exec_state *e = r->e;
    const rft_point *point = point_of(r, c);
    rft_outcome before = point->outcome;
    rft_turn_end end = RFT_TURN_NOTHING;
    c->job->draw = e->draw;
    c->job->steady_mhz = e->steady_mhz;
    c->job->held = point->rounds[0].clock_mhz < e->held_mhz; /* false for NaN */
    int rc = rft_recorder_final(&e->recorder, c->job, c->id, RFT_FINAL_PROCESS, &end, err);
    c->passed++;
    if (rc == RFT_OK && end == RFT_TURN_NOTHING) { /* it cannot be made again: what there is stands */
        return end_contender(r, c, RFT_STOP_SAMPLES, err);
    }
    if (rc == RFT_OK && end == RFT_TURN_DONE) {
        c->done = true;
        rft_exec_note_final(e, point, before, true);
    }
    return rc;
}

static int take_baselines(process_round *r, contender *c, bool *stopped, rft_err *err) {
    bool first = c->passed == 0;
    int rc = first ? rft_exec_baselines(r->e, c->sweep, c->problem, stopped, err)
                   : rft_baselines_again(r->e, c->sweep, c->problem, err);
    c->passed += *stopped ? 0 : 1;
    return rc;
}

static int take_block(process_round *r, contender *c, bool *stopped, rft_err *err) {
    rft_tally *tally = &r->e->recorder.tally;
    double begun_s = rft_tally_elapsed_s(tally);
    int rc = c->id ? take_finalist(r, c, err) : take_baselines(r, c, stopped, err);
    c->took_s = rft_tally_elapsed_s(tally) - begun_s;
    return rc;
}

static void say_which(const process_round *r, const contender *first, size_t passed, rft_arena *arena) {
    const rft_run *run = r->e->opts->run;
    const rft_point *point = first->id ? point_of(r, first) : rft_run_best(run, first->sweep, SIZE_MAX, first->problem);
    bool is_auto = asked_of(r, first->sweep) == RFT_PROCESSES_AUTO;
    if (point) {
        rft_exec_note_doing(r->e,
                            rft_arena_printf(arena, "final round, process %zu of %s%zu", passed + 1,
                                             is_auto ? "at most " : "", most_of(r, first->sweep)),
                            point);
    }
}

static int take_process(process_round *r, contender **order, bool *stopped, rft_err *err) {
    rft_exec_state *e = r->e;
    size_t passed = 0, count = choose(r, order, &passed);
    double begun_s = rft_tally_elapsed_s(&e->recorder.tally), blocks_s = 0.0;
    rft_arena *arena = rft_arena_new();
    int rc = RFT_OK;
    say_which(r, order[0], passed, arena);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rft_exec_ask_stop(e, stopped);
        if (*stopped) {
            break;
        }
        rc = take_block(r, order[i], stopped, err);
        blocks_s += order[i]->took_s;
    }
    e->draw = 0;
    double took_s = rft_tally_elapsed_s(&e->recorder.tally) - begun_s;
    r->start_s = took_s - blocks_s;
    r->spent_s += passed > 0 ? took_s : 0.0;
    rft_arena_free(arena);
    return rc;
}

static bool is_over(const process_round *r) {
    bool over = true;
    for (size_t i = 0; i < r->count; i++) {
        over = over && r->all[i].done;
    }
    return over;
}

int rft_exec_processes(rft_exec_state *e, bool *stopped, rft_err *err) {
    process_round r = {.e = e, .spent_s = spent_earlier_s(e->opts->run)};
    rft_arena *arena = rft_arena_new();
    gather(&r, arena);
    e->steady_mhz = steady_mhz(e->opts->run);
    e->held_mhz = held_mhz(e);
    contender **order = rft_arena_calloc(arena, r.count + 1, sizeof *order);
    int rc = decide(&r, err);
    while (rc == RFT_OK && !*stopped && !is_over(&r)) {
        rc = take_process(&r, order, stopped, err);
        rc = rc == RFT_OK && !*stopped ? decide(&r, err) : rc;
    }
    for (size_t i = 0; i < r.count; i++) {
        rft_job_free(r.all[i].job);
    }
    rft_arena_free(arena);
    return rc;
}
