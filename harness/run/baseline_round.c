/* SPDX-License-Identifier: Apache-2.0 */
#include "run/baseline_round.h"

#include "model/run/baseline.h"

#include <math.h>
#include <string.h>

/* One baseline on one problem, while it is measured. */
typedef struct baseline_trial {
    rft_exec_state *e;
    size_t sweep, problem;
    const char *name;
    rft_job *job;
    int listed; /* algorithms of the library's list that may be tried */
    int timed;  /* of them, so far */
    int best;   /* the fastest of those; -1: none */
    rft_measurement fastest;
} baseline_trial;

static int probe(baseline_trial *t, int algo, rft_probe_result *out, rft_err *err) {
    rft_recorder *recorder = &t->e->recorder;
    t->job->draw = t->e->draw;
    t->job->steady_mhz = t->e->draw ? t->e->steady_mhz : 0.0;
    t->job->spec.launches[0].vendor.algo = algo;
    rft_prefetch_await(&recorder->prefetch, RFT_PREFETCH_POINTS);
    int rc = rft_job_probe(t->e->opts, t->job, false, out, err);
    if (rc == RFT_OK) {
        rft_tally_round(&recorder->tally, &out->measurement);
    }
    return rc;
}

static bool is_binary(const baseline_trial *t) {
    return t->job->spec.unit.name_count > 0;
}

/* The first of the list tells how long it is. A given binary is its own list. */
static int race(baseline_trial *t, rft_probe_result *first, bool *stopped, rft_err *err) {
    int rc = probe(t, 0, first, err);
    t->listed = is_binary(t) ? 1 : first->algo_count < RFT_BASELINE_TRIES ? first->algo_count : RFT_BASELINE_TRIES;
    t->best = -1;
    for (int algo = 0; rc == RFT_OK && algo < t->listed && !*stopped; algo++) {
        rft_probe_result found = *first;
        t->job->rival_s = t->best >= 0 ? t->fastest.stats.median : 0.0;
        rc = algo == 0 ? RFT_OK : probe(t, algo, &found, err);
        if (rc == RFT_OK && rft_outcome_is_measured(found.outcome)) {
            t->timed++;
            if (t->best < 0 || found.measurement.stats.median < t->fastest.stats.median) {
                t->best = algo;
                t->fastest = found.measurement;
            }
        }
        rft_exec_ask_stop(t->e, stopped);
    }
    t->job->rival_s = 0.0;
    return rc;
}

/* As the final round measures: until it has settled, or a block of one process. What was not measured in the race is
 * not asked for again. */
static int measure_again(baseline_trial *t, int algo, const rft_measurement *before, rft_probe_result *out,
                         rft_err *err) {
    t->job->round = RFT_ROUNDS - 1;
    t->job->samples = t->e->draw ? rft_job_block(t->e->opts, t->job, before->stats.median) : 0;
    t->job->held = t->e->draw && before->clock_mhz < t->e->held_mhz; /* false for NaN */
    return probe(t, algo, out, err);
}

static rft_baseline of_result(const baseline_trial *t, const char *which, int algo, const rft_probe_result *result) {
    rft_arena *arena = t->e->opts->run->arena;
    rft_baseline out = rft_baseline_none(arena, t->sweep, t->problem, t->name, which);
    out.tried = t->timed;
    out.outcome = result->outcome;
    out.reason = result->reason;
    out.library = result->library;
    out.algo = result->algo;
    out.algo_at = result->algo || strcmp(which, RFT_BASELINE_BINARY) == 0 ? algo : -1;
    out.verification = result->verification;
    out.measurement = result->measurement;
    if (t->e->draw) {
        out.measurement.stop = RFT_STOP_NOT_YET; /* until rft_baselines_end() */
    }
    return rft_baseline_copy(arena, &out);
}

static rft_baseline of_failure(const baseline_trial *t, const char *which, rft_outcome outcome, const char *reason) {
    rft_probe_result nothing = {.outcome = outcome, .reason = reason, .measurement = rft_measurement_none()};
    return of_result(t, which, -1, &nothing);
}

/* Says what is wrong once, however many problems it is wrong for. */
static void warn(rft_exec_state *e, const rft_baseline *baseline) {
    const char *reason = baseline->reason ? baseline->reason : "no reason given";
    if (rft_outcome_is_measured(baseline->outcome) || rft_text_equal(e->baseline_warned, reason)) {
        return;
    }
    e->baseline_warned = reason;
    rft_log_warn(e->opts->log, "the baseline %s of %s has no numbers (%s): %s. The run goes on without it.",
                 baseline->name,
                 rft_run_problem_text(e->opts->run, baseline->sweep, baseline->problem, false, e->opts->run->arena),
                 rft_outcome_name(baseline->outcome), reason);
}

/* All in one transaction: a run that is killed between them measures both again. */
static int keep_quietly(rft_exec_state *e, const rft_baseline *rows, size_t count, rft_err *err) {
    rft_tally_sum(&e->recorder.tally);
    int rc = rft_store_put_baselines(e->opts->store, rows, count, &e->opts->run->info, err);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rft_run_put_baseline(e->opts->run, &rows[i]);
    }
    return rc;
}

static int keep_baselines(rft_exec_state *e, const rft_baseline *rows, size_t count, rft_err *err) {
    int rc = keep_quietly(e, rows, count, err);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        const rft_baseline *kept = rft_run_find_baseline(e->opts->run, &rows[i]);
        warn(e, kept);
        if (e->opts->baseline) {
            e->opts->baseline(e->opts->payload, kept);
        }
    }
    return rc;
}

static const rft_baseline *row_of(const baseline_trial *t, const char *which) {
    rft_baseline like = {
        .sweep = t->sweep, .problem = t->problem, .name = t->name, .which = which, .same_protocol = true};
    return rft_run_find_baseline(t->e->opts->run, &like);
}

static bool is_kept(const baseline_trial *t) {
    return row_of(t, RFT_BASELINE_BEST) || row_of(t, RFT_BASELINE_BINARY); /* with the best the first */
}

static baseline_trial trial_of(rft_exec_state *e, size_t sweep, size_t problem, size_t index) {
    return (baseline_trial){
        .e = e, .sweep = sweep, .problem = problem, .name = e->opts->plan->sweeps[sweep]->baselines[index]};
}

/* Those that were near each other in the race may have changed places. */
static void settle_best(rft_baseline *best, const rft_baseline *first) {
    bool swapped =
        rft_baseline_is_measured(first) &&
        (!rft_baseline_is_measured(best) || first->measurement.stats.median < best->measurement.stats.median);
    if (swapped) {
        const char *which = best->which;
        *best = *first;
        best->which = which;
    }
}

/* Where nothing of the list could be timed, the best shares the first's fate. */
static int finish(baseline_trial *t, const rft_probe_result *raced, rft_err *err) {
    rft_probe_result best = *raced;
    rft_probe_result first = *raced;
    int rc = t->best >= 0 ? measure_again(t, t->best, &t->fastest, &best, err) : RFT_OK;
    if (t->best == 0) {
        first = best;
    } else if (rc == RFT_OK && rft_outcome_is_measured(raced->outcome)) {
        rc = measure_again(t, 0, &raced->measurement, &first, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (is_binary(t)) {
        rft_baseline row = of_result(t, RFT_BASELINE_BINARY, t->best, &best);
        return keep_baselines(t->e, &row, 1, err);
    }
    rft_baseline rows[] = {of_result(t, RFT_BASELINE_BEST, t->best, &best),
                           of_result(t, RFT_BASELINE_FIRST, 0, &first)};
    if (!t->e->draw || !rft_baseline_is_measured(&rows[0])) { /* else further processes follow */
        settle_best(&rows[0], &rows[1]);
    }
    return keep_baselines(t->e, rows, 2, err);
}

static int take_baseline(baseline_trial *t, bool *stopped, rft_err *err) {
    const char *log = NULL;
    rft_probe_result first = {0};
    int rc = rft_job_await(t->e->opts, t->job, &log, err);
    if (rc == RFT_OK && t->job->failed && is_binary(t)) {
        const rft_baseline row = of_failure(t, RFT_BASELINE_BINARY, t->job->outcome, t->job->reason);
        return keep_baselines(t->e, &row, 1, err);
    }
    if (rc == RFT_OK && t->job->failed) {
        const rft_baseline rows[] = {of_failure(t, RFT_BASELINE_BEST, t->job->outcome, t->job->reason),
                                     of_failure(t, RFT_BASELINE_FIRST, t->job->outcome, t->job->reason)};
        return keep_baselines(t->e, rows, 2, err);
    }
    if (rc == RFT_OK) {
        rc = race(t, &first, stopped, err);
    }
    return rc == RFT_OK && !*stopped ? finish(t, &first, err) : rc;
}

static void tell(const baseline_trial *t) {
    const rft_run *run = t->e->opts->run;
    const rft_point *best = rft_run_best(run, t->sweep, SIZE_MAX, t->problem);
    rft_arena *arena = rft_arena_new();
    if (best) {
        rft_exec_note_doing(t->e,
                            rft_arena_printf(arena, "baseline %s of %s", t->name,
                                             rft_run_problem_text(run, t->sweep, t->problem, true, arena)),
                            best);
    }
    rft_arena_free(arena);
}

static int measure_baseline(rft_exec_state *e, size_t sweep, size_t problem, size_t index, bool *stopped,
                            rft_err *err) {
    const rft_exec_opts *opts = e->opts;
    baseline_trial t = trial_of(e, sweep, problem, index);
    if (is_kept(&t)) {
        return RFT_OK; /* in an earlier session */
    }
    rft_exec_ask_stop(e, stopped);
    if (*stopped) {
        return RFT_OK;
    }
    tell(&t);
    t.job = rft_job_new_baseline(opts, (rft_job_place){sweep, 0, problem}, index);
    rft_job_compile(opts, t.job);
    int rc = take_baseline(&t, stopped, err);
    rft_job_free(t.job);
    return rc;
}

/* ---- in further processes ---- */

static bool may_repeat(const rft_baseline *row) {
    return row && rft_baseline_is_measured(row) && row->algo_at >= 0;
}

rft_stop_reason rft_baselines_state(rft_exec_state *e, size_t sweep, size_t problem, size_t *processes) {
    static const char *const which[] = {RFT_BASELINE_BEST, RFT_BASELINE_FIRST};
    rft_stop_reason stop = RFT_STOP_SAMPLES;
    *processes = SIZE_MAX;
    for (size_t i = 0; i < 2 * e->opts->plan->sweeps[sweep]->baseline_count; i++) {
        const baseline_trial t = trial_of(e, sweep, problem, i / 2);
        const rft_baseline *binary = row_of(&t, RFT_BASELINE_BINARY);
        const rft_baseline *row = binary ? binary : row_of(&t, which[i % 2]);
        size_t has = !row ? 0 : may_repeat(row) ? row->measurement.process_count : SIZE_MAX;
        *processes = has < *processes ? has : *processes;
        stop = !row || (may_repeat(row) && row->measurement.stop == RFT_STOP_NOT_YET) ? RFT_STOP_NOT_YET : stop;
    }
    return stop;
}

/* A block that failed is left out. */
static int add_block(baseline_trial *t, rft_baseline *row, rft_err *err) {
    rft_probe_result result = {0};
    t->job->turn = row->measurement.turns;
    int rc = measure_again(t, row->algo_at, &row->measurement, &result, err);
    if (rc == RFT_OK && rft_outcome_is_measured(result.outcome) && rft_text_equal(result.algo, row->algo)) {
        rft_measurement_join(&row->measurement, &result.measurement, false, t->e->opts->run->arena);
        row->measurement.stop = RFT_STOP_NOT_YET;
    } else if (rc == RFT_OK) {
        rft_log_warn(t->e->opts->log, "a process of the final round has no samples of the baseline %s: %s", row->name,
                     result.reason ? result.reason : "the library's list has changed");
    }
    return rc;
}

static int repeat_binary(baseline_trial *t, const rft_baseline *binary, rft_err *err) {
    rft_baseline row = *binary;
    if (!may_repeat(binary)) {
        return RFT_OK;
    }
    int rc = add_block(t, &row, err);
    return rc == RFT_OK ? keep_quietly(t->e, &row, 1, err) : rc;
}

static int repeat_one(baseline_trial *t, rft_err *err) {
    const rft_baseline *binary = row_of(t, RFT_BASELINE_BINARY);
    if (binary) {
        return repeat_binary(t, binary, err);
    }
    const rft_baseline *best = row_of(t, RFT_BASELINE_BEST), *first = row_of(t, RFT_BASELINE_FIRST);
    if (!may_repeat(best) || !first) {
        return RFT_OK;
    }
    rft_baseline rows[] = {*best, *first};
    int rc = add_block(t, &rows[0], err);
    if (rc == RFT_OK && first->algo_at == best->algo_at) {
        rows[1].measurement = rows[0].measurement;
    } else if (rc == RFT_OK && may_repeat(first)) {
        rc = add_block(t, &rows[1], err);
    }
    return rc == RFT_OK ? keep_quietly(t->e, rows, 2, err) : rc;
}

/* Of a library's, what fills its inputs: the new process has none of them yet. Its results were compared before. */
static int compile_again(baseline_trial *t, rft_err *err) {
    const char *log = NULL;
    t->job->verified = true;
    rft_job_compile(t->e->opts, t->job);
    return rft_job_await(t->e->opts, t->job, &log, err);
}

int rft_baselines_again(rft_exec_state *e, size_t sweep, size_t problem, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < e->opts->plan->sweeps[sweep]->baseline_count && rc == RFT_OK; i++) {
        baseline_trial t = trial_of(e, sweep, problem, i);
        t.job = rft_job_new_baseline(e->opts, (rft_job_place){sweep, 0, problem}, i);
        rc = t.job->failed ? RFT_OK : compile_again(&t, err);
        rc = rc == RFT_OK && !t.job->failed ? repeat_one(&t, err) : rc;
        rft_job_free(t.job);
    }
    return rc;
}

int rft_baselines_end(rft_exec_state *e, size_t sweep, size_t problem, rft_stop_reason stop, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < e->opts->plan->sweeps[sweep]->baseline_count && rc == RFT_OK; i++) {
        const baseline_trial t = trial_of(e, sweep, problem, i);
        const rft_baseline *best = row_of(&t, RFT_BASELINE_BEST), *first = row_of(&t, RFT_BASELINE_FIRST);
        const rft_baseline *binary = row_of(&t, RFT_BASELINE_BINARY);
        if (may_repeat(binary)) {
            rft_baseline row = *binary;
            row.measurement.stop = stop;
            rc = keep_baselines(e, &row, 1, err);
        }
        if (!may_repeat(best) || !first) {
            continue;
        }
        rft_baseline rows[] = {*best, *first};
        settle_best(&rows[0], &rows[1]);
        rows[0].measurement.stop = rows[1].measurement.stop = stop;
        rc = keep_baselines(e, rows, 2, err);
    }
    return rc;
}

/* ---- replay ---- */

/* What the script asks for and the recording has not, has its place and a reason. */
static int miss(rft_exec_state *e, size_t sweep, size_t problem, size_t index, rft_err *err) {
    baseline_trial t = trial_of(e, sweep, problem, index);
    if (is_kept(&t)) {
        return RFT_OK;
    }
    const rft_baseline row =
        of_failure(&t, RFT_BASELINE_BEST, RFT_OUTCOME_NOT_RECORDED, "the recording has no such baseline");
    return keep_baselines(e, &row, 1, err);
}

static int replay(rft_exec_state *e, size_t sweep, size_t problem, rft_err *err) {
    const rft_sweep *asked = e->opts->plan->sweeps[sweep];
    rft_run *run = e->opts->run;
    rft_arena *arena = rft_arena_new();
    const rft_baseline **recorded = NULL;
    size_t count = e->opts->probe->baselines
                       ? e->opts->probe->baselines(e->opts->probe, asked, &asked->problems[problem], arena, &recorded)
                       : 0;
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rft_baseline row = rft_baseline_copy(run->arena, recorded[i]);
        row.sweep = sweep;
        row.problem = problem;
        rc = rft_run_find_baseline(run, &row) ? RFT_OK : keep_baselines(e, &row, 1, err);
    }
    for (size_t i = 0; i < asked->baseline_count && rc == RFT_OK; i++) {
        rc = miss(e, sweep, problem, i, err);
    }
    rft_arena_free(arena);
    return rc;
}

int rft_exec_baselines(rft_exec_state *e, size_t sweep, size_t problem, bool *stopped, rft_err *err) {
    const rft_sweep *asked = e->opts->plan->sweeps[sweep];
    if (e->opts->replay) {
        return replay(e, sweep, problem, err);
    }
    int rc = RFT_OK;
    for (size_t i = 0; i < asked->baseline_count && rc == RFT_OK && !*stopped; i++) {
        rc = measure_baseline(e, sweep, problem, i, stopped, err);
    }
    return rc;
}
