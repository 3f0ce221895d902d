/* SPDX-License-Identifier: Apache-2.0 */
#include "run/record.h"

#include "model/run/field.h"

#include <stdlib.h>
#include <string.h>

static size_t param_count(const rft_recorder *r, size_t sweep, size_t variant) {
    return r->opts->plan->sweeps[sweep]->variants[variant].param_count;
}

void rft_recorder_open(rft_recorder *r, const rft_exec_opts *opts) {
    rft_run *run = opts->run;
    *r = (rft_recorder){.opts = opts};
    r->capacity = run->point_count + 64;
    rft_point *points = rft_calloc(r->capacity, sizeof *points);
    if (run->point_count) {
        memcpy(points, run->points, run->point_count * sizeof *points);
    }
    run->points = points;
    for (size_t i = 0; i < run->point_count; i++) {
        char key[RFT_HASH_HEX_SIZE];
        const rft_point *point = &points[i];
        rft_job_place place = {point->sweep, point->variant, point->problem};
        rft_job_key(place, point->config, param_count(r, point->sweep, point->variant), key);
        rft_key_map_put(&r->known, key, point->id);
        rft_losses_add(&r->losses, run, point, rft_losses_of(run, point));
    }
    r->earlier = (int64_t)run->point_count;
    r->passed = rft_calloc(run->point_count + 1, sizeof *r->passed);
    r->left = rft_calloc(opts->plan->sweep_count + 1, sizeof *r->left);
    rft_tally_begin(&r->tally, opts);
    rft_ceiling_set wanted = opts->ceilings_wanted ? opts->ceilings_wanted : RFT_CEILINGS_ALL;
    rft_prefetch_begin(&r->prefetch, opts->replay ? NULL : opts->pool, &opts->run->gpu, opts->ceilings ? wanted : 0);
}

void rft_recorder_close(rft_recorder *r) {
    rft_run *run = r->opts->run;
    rft_point *points = run->points;
    run->points = rft_arena_memdup(run->arena, points, run->point_count * sizeof *points);
    free(points);
    free(r->left);
    free(r->passed);
    rft_prefetch_end(&r->prefetch);
    rft_losses_clear(&r->losses);
    rft_key_map_clear(&r->known);
    rft_key_map_clear(&r->aliases);
}

int64_t rft_recorder_find(const rft_recorder *r, const char *key) {
    return rft_key_map_get(&r->known, key, 0);
}

bool rft_recorder_is_earlier(const rft_recorder *r, int64_t id) {
    return id <= r->earlier;
}

/* A replay cannot lose a worker, so past losses bar nothing. */
static const char *barred(const rft_recorder *r, const rft_job *job, rft_arena *arena) {
    return r->opts->replay ? NULL : rft_losses_verdict(&r->losses, r->opts->run, job, arena);
}

bool rft_recorder_needs(const rft_recorder *r, const rft_job *job) {
    return !rft_recorder_find(r, job->key) && !barred(r, job, job->arena);
}

bool rft_recorder_passed(const rft_recorder *r, int64_t id) {
    return id > r->earlier || r->passed[id - 1];
}

/* ---- what was left out ---- */

void rft_recorder_unexplored(rft_recorder *r, size_t sweep, uint64_t count, const char *reason) {
    rft_left *left = &r->left[sweep];
    if (!reason) {
        left->plain += count;
    } else if (count > 0) {
        left->explained += count;
        left->reason = rft_arena_strdup(r->opts->run->arena, reason);
        left->reasons++;
    }
}

static void add_left(rft_str *text, uint64_t count, const char *why) {
    rft_str_addf(text, "%s%llu configuration%s left untried: %s", text->length ? "; " : "", (unsigned long long)count,
                 count == 1 ? "" : "s", why);
}

static const char *left_text(const rft_left *left, bool stopped, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    if (left->plain) {
        add_left(&text, left->plain, stopped ? "the run was stopped" : "the budget ended");
    }
    if (left->explained) {
        add_left(&text, left->explained, left->reason);
        if (left->reasons > 1) {
            rft_str_addf(&text, " (the last of %llu parts that ended so)", (unsigned long long)left->reasons);
        }
    }
    const char *copy = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return copy;
}

int rft_recorder_store_unexplored(rft_recorder *r, bool stopped, rft_err *err) {
    rft_run *run = r->opts->run;
    int rc = RFT_OK;
    for (size_t s = 0; s < run->sweep_count && rc == RFT_OK; s++) {
        const char **text = &run->sweeps[s].unexplored;
        const char *now = left_text(&r->left[s], stopped, run->arena);
        if (now || *text) { /* NULL: what an earlier session left, this one has made up for */
            *text = now;
            rc = rft_store_put_unexplored(r->opts->store, s, now, err);
        }
    }
    return rc;
}

/* ---- points ---- */

static rft_point *append_point(rft_recorder *r, const rft_job *job) {
    rft_run *run = r->opts->run;
    const rft_variant *variant = &r->opts->plan->sweeps[job->sweep]->variants[job->variant];
    RFT_GROW(run->points, r->capacity, run->point_count + 1);
    rft_point *point = &run->points[run->point_count++];
    *point = (rft_point){.id = (int64_t)run->point_count,
                         .sweep = job->sweep,
                         .variant = job->variant,
                         .problem = job->problem,
                         .is_default = job->is_default,
                         .transferred = job->transferred,
                         .prior = job->prior};
    point->config = rft_values_copy(run->arena, job->config, variant->param_count);
    point->facts = rft_facts_unknown();
    point->traffic = rft_traffic_unknown();
    for (int round = 0; round < RFT_ROUNDS; round++) {
        point->rounds[round] = rft_measurement_none();
    }
    rft_job_describe(r->opts, job, point);
    return point;
}

/* Why the configuration is wrong on the odd problem; NULL when it is not, or is not known there. */
static const char *odd_verdict(const rft_recorder *r, const rft_job *job) {
    rft_run *run = r->opts->run;
    size_t odd = rft_plan_odd_problem(r->opts->plan, job->sweep, job->variant);
    if (odd == SIZE_MAX || odd == job->problem) {
        return NULL;
    }
    char key[RFT_HASH_HEX_SIZE];
    rft_job_place place = {job->sweep, job->variant, odd};
    rft_job_key(place, job->config, param_count(r, job->sweep, job->variant), key);
    int64_t id = rft_recorder_find(r, key);
    if (id == 0 || run->points[id - 1].outcome != RFT_OUTCOME_WRONG_RESULT) {
        return NULL;
    }
    return rft_arena_printf(run->arena, "wrong on the odd size %s: %s",
                            rft_run_problem_text(run, job->sweep, odd, false, run->arena), run->points[id - 1].reason);
}

/* What the compiler said stays; the probe adds what only a device knows, and everything when nothing was compiled. */
static void merge_facts(rft_arena *arena, rft_facts *facts, const rft_facts *probed) {
    if (!facts->cubin_hash) {
        int64_t dynamic_bytes = facts->shared_dynamic_bytes;
        *facts = *probed;
        rft_fields_own(&rft_fields_facts, facts, arena);
        facts->shared_dynamic_bytes = dynamic_bytes;
        return;
    }
    facts->registers = facts->registers < 0 ? probed->registers : facts->registers;
    facts->blocks_per_sm = probed->blocks_per_sm;
    facts->occupancy_frac = probed->occupancy_frac;
    facts->waves = probed->waves;
}

static void apply_result(rft_arena *arena, rft_point *point, const rft_probe_result *result) {
    point->outcome = result->outcome;
    point->workers_lost = result->workers_lost;
    point->reason = rft_arena_strdup(arena, result->reason);
    point->log = rft_arena_strdup(arena, result->log);
    merge_facts(arena, &point->facts, &result->facts);
    point->verification = result->verification;
    rft_fields_own(&rft_fields_verification, &point->verification, arena);
    point->rounds[0] = rft_measurement_copy(&result->measurement, arena);
}

/* Had its configuration cost too many workers? Then it is not known what it would have done, in a recording either. */
static bool was_untried(rft_outcome outcome, const char *reason) {
    return outcome == RFT_OUTCOME_SKIPPED && reason && rft_text_starts(reason, RFT_LOSSES_VERDICT);
}

/* Replay: was the same code made again? */
static void count_recompiled(rft_run_info *info, const rft_point *point, const rft_probe_result *recorded) {
    if (recorded->outcome == RFT_OUTCOME_NOT_RECORDED || was_untried(recorded->outcome, recorded->reason)) {
        return;
    }
    bool same =
        point->facts.registers == recorded->facts.registers && point->facts.spill_bytes == recorded->facts.spill_bytes;
    info->recompiled++;
    info->recompiled_same += same ? 1 : 0;
}

/* ---- aliases ---- */

static void share_numbers(rft_point *point, const rft_point *target) {
    point->outcome = target->outcome;
    point->reason = target->reason;
    point->verification = target->verification;
    memcpy(point->rounds, target->rounds, sizeof point->rounds);
    point->counters = target->counters;
}

static void become_alias(const rft_run *run, rft_point *point, int64_t id) {
    const rft_point *target = &run->points[id - 1];
    share_numbers(point, target);
    point->alias_of = id;
    point->facts.blocks_per_sm = target->facts.blocks_per_sm;
    point->facts.occupancy_frac = target->facts.occupancy_frac;
    point->facts.waves = target->facts.waves;
}

/* The point whose numbers are this one's too; 0 when it is the first of its kind. */
static int64_t twin_of(const rft_recorder *r, rft_job *job, const rft_facts *facts) {
    return facts->cubin_hash ? rft_key_map_get(&r->aliases, rft_job_alias_key(job, facts->cubin_hash), 0) : 0;
}

bool rft_recorder_has_twin(const rft_recorder *r, rft_job *job) {
    const rft_compile_result *code = rft_job_peek(job);
    return code && code->ok && rft_key_map_get(&r->aliases, rft_job_alias_key(job, code->cubin_hash), 0) != 0;
}

static void note_for_aliases(rft_recorder *r, rft_job *job, const rft_point *point) {
    if (!point->facts.cubin_hash || point->alias_of || point->outcome == RFT_OUTCOME_NOT_RECORDED ||
        was_untried(point->outcome, point->reason)) {
        return;
    }
    rft_key_map_put(&r->aliases, rft_job_alias_key(job, point->facts.cubin_hash), point->id);
}

/* Verifies and measures, and counts what it took. */
static int probe(rft_recorder *r, rft_job *job, bool verify_only, rft_probe_result *out, rft_err *err) {
    rft_prefetch_await(&r->prefetch, RFT_PREFETCH_POINTS);
    int rc = rft_job_probe(r->opts, job, verify_only, out, err);
    if (rc == RFT_OK) {
        rft_tally_round(&r->tally, &out->measurement);
    }
    return rc;
}

/* In a replay the recording is asked about aliases too: it costs nothing, and tells what was recorded. */
static int probe_point(rft_recorder *r, rft_job *job, rft_point *point, rft_err *err) {
    rft_run *run = r->opts->run;
    bool odd = r->opts->plan->sweeps[job->sweep]->problems[job->problem].odd;
    int64_t twin = twin_of(r, job, &point->facts);
    if (!twin || r->opts->replay) {
        rft_probe_result result = {0};
        int rc = probe(r, job, odd, &result, err);
        if (rc != RFT_OK) {
            return rc;
        }
        if (r->opts->replay && job->compiled) {
            count_recompiled(&run->info, point, &result);
        }
        apply_result(run->arena, point, &result);
        twin = twin ? twin : twin_of(r, job, &point->facts); /* without a compiler the recording knows the cubin */
    }
    if (twin) {
        become_alias(run, point, twin);
    }
    note_for_aliases(r, job, point);
    return RFT_OK;
}

/* ---- rounds ---- */

int rft_recorder_take(rft_recorder *r, rft_job *job, const rft_point **out, rft_err *err) {
    rft_run *run = r->opts->run;
    int64_t known = rft_key_map_get(&r->known, job->key, 0);
    const char *log = NULL;
    if (known) {
        *out = &run->points[known - 1];
        if (!rft_recorder_passed(r, known)) {
            r->passed[known - 1] = true;
            if (job->spelled) { /* later points are judged as if it had been taken now */
                note_for_aliases(r, job, *out);
            }
        }
        return RFT_OK;
    }
    const char *untried = job->failed ? NULL : barred(r, job, job->arena);
    int rc = untried ? RFT_OK : rft_job_await(r->opts, job, &log, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_point *point = append_point(r, job);
    const char *wrong = job->failed || untried ? NULL : odd_verdict(r, job);
    if (untried) {
        point->outcome = RFT_OUTCOME_SKIPPED;
        point->reason = rft_arena_strdup(run->arena, untried);
    } else if (job->failed) {
        point->outcome = job->outcome;
        point->reason = rft_arena_strdup(run->arena, job->reason);
        point->log = rft_arena_strdup(run->arena, log);
    } else if (wrong) {
        point->outcome = RFT_OUTCOME_WRONG_RESULT;
        point->reason = wrong;
    } else {
        rc = probe_point(r, job, point, err);
    }
    rft_tally_sum(&r->tally);
    rc = rc == RFT_OK ? rft_recorder_store(r, err) : rc; /* the one before it */
    if (rc != RFT_OK) {
        run->point_count -= r->failure.code == RFT_OK ? 1 : 0; /* it is not stored: it will be taken again */
        return rc;
    }
    rft_key_map_put(&r->known, job->key, point->id);
    rft_losses_add(&r->losses, run, point, rft_losses_of(run, point));
    r->unstored = point->id;
    *out = point;
    return RFT_OK;
}

int rft_recorder_store(rft_recorder *r, rft_err *err) {
    rft_run *run = r->opts->run;
    rft_err *failure = &r->failure;
    if (r->unstored == 0) {
        return RFT_OK;
    }
    if (failure->code == RFT_OK &&
        rft_store_put_step(r->opts->store, &run->points[r->unstored - 1], &run->info, failure) == RFT_OK) {
        r->unstored = 0;
        return RFT_OK;
    }
    run->point_count = (size_t)r->unstored - 1; /* nor is what came behind it */
    if (err) {
        *err = *failure;
    }
    return failure->code;
}

/* Aliases in the store have no numbers of their own; those in memory follow. */
static void share_with_aliases(rft_recorder *r, const rft_point *target, int lost) {
    rft_run *run = r->opts->run;
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].alias_of == target->id) {
            share_numbers(&run->points[i], target);
            rft_losses_add(&r->losses, run, &run->points[i], lost);
        }
    }
}

#define IN_THE_FINAL_ROUND "in the final round: "
#define TURN_SAMPLES 5 /* in each of the first two turns */

bool rft_recorder_failed_final(const rft_point *point) {
    return !rft_outcome_is_measured(point->outcome) && point->rounds[0].n > 0 && point->reason &&
           rft_text_starts(point->reason, IN_THE_FINAL_ROUND);
}

/* How many in the next turn: as many as there are, so that what takes long to settle takes few turns all the same. */
static size_t turn_samples(const rft_measurement *so_far, const rft_stop_rule *rule) {
    size_t most = rule->max_samples > 0 ? (size_t)rule->max_samples : 1;
    size_t next = so_far->n > 0 ? so_far->n : TURN_SAMPLES;
    next = next > TURN_SAMPLES ? next : TURN_SAMPLES;
    return so_far->n + next <= most || so_far->n >= most ? next : most - so_far->n;
}

/* The rule that ends a measurement, asked about all turns together. */
static void join_turn(rft_measurement *joined, const rft_measurement *turn, const rft_stop_rule *rule,
                      bool same_process, rft_arena *arena) {
    rft_measurement_join(joined, turn, same_process, arena);
    joined->stop = rft_stop_decide(rule, joined->samples_s, joined->n, joined->wall_s - joined->verify_s);
}

typedef struct final_step {
    rft_final_way way;
    unsigned process; /* that took the turn before; 0: not in this session */
} final_step;

static void fail_final(rft_arena *arena, rft_point *point, const rft_probe_result *result) {
    point->outcome = result->outcome;
    point->reason =
        rft_arena_printf(arena, IN_THE_FINAL_ROUND "%s", result->reason ? result->reason : "no reason given");
}

/* Its further processes stand beside the ones before: a block that failed is left out. */
static void leave_block_out(rft_recorder *r, int64_t id, const rft_probe_result *result) {
    rft_log_warn(r->opts->log, "a process of the final round has no samples of point %lld (%s): %s", (long long)id,
                 rft_outcome_name(result->outcome), result->reason ? result->reason : "no reason given");
}

static void join_result(rft_recorder *r, const rft_job *job, rft_point *point, const rft_probe_result *result,
                        const final_step *step) {
    rft_arena *arena = r->opts->run->arena;
    rft_measurement *round = &point->rounds[1];
    rft_stop_rule rule = rft_job_rule(r->opts, job);
    bool measured = rft_outcome_is_measured(result->outcome);
    if (!measured && step->way == RFT_FINAL_PROCESS && round->n > 0) {
        leave_block_out(r, point->id, result);
    } else if (!measured) {
        fail_final(arena, point, result); /* it failed the second time: it cannot be a best */
    } else if (step->way == RFT_FINAL_AT_ONCE) {
        *round = rft_measurement_copy(&result->measurement, arena);
    } else if (step->way == RFT_FINAL_TURN) {
        join_turn(round, &result->measurement, &rule, step->process != 0 && step->process == result->process, arena);
    } else {
        rft_measurement_join(round, &result->measurement, false, arena);
        round->stop = RFT_STOP_NOT_YET;
    }
}

static void prepare_step(const rft_recorder *r, rft_job *job, const rft_point *point, rft_final_way way) {
    const rft_measurement *round = &point->rounds[1];
    rft_stop_rule rule = rft_job_rule(r->opts, job);
    job->turn = round->turns;
    job->verified = round->turns > 0;
    job->samples = way == RFT_FINAL_AT_ONCE ? 0
                   : way == RFT_FINAL_TURN  ? turn_samples(round, &rule)
                                            : rft_job_block(r->opts, job, point->rounds[0].stats.median);
}

int rft_recorder_final(rft_recorder *r, rft_job *job, int64_t id, rft_final_way way, rft_turn_end *end, rft_err *err) {
    rft_run *run = r->opts->run;
    rft_point *point = &run->points[id - 1];
    const final_step step = {way, job->process};
    const char *log = NULL;
    rft_probe_result result = {0};
    const char *untried = barred(r, job, job->arena);
    int rc = untried || job->compiled ? RFT_OK : rft_job_await(r->opts, job, &log, err);
    *end = RFT_TURN_NOTHING;
    if (rc == RFT_OK && (untried || job->failed)) {
        rft_log_warn(r->opts->log, "point %lld could not be made again for the final round, its %s: %s", (long long)id,
                     point->rounds[1].n > 0 ? "samples of it stand" : "first measurement stands",
                     untried ? untried : job->reason);
        return RFT_OK;
    }
    prepare_step(r, job, point, way);
    rc = rc == RFT_OK ? probe(r, job, false, &result, err) : rc;
    if (rc != RFT_OK || result.outcome == RFT_OUTCOME_NOT_RECORDED) {
        return rc;
    }
    point->workers_lost += result.workers_lost;
    join_result(r, job, point, &result, &step);
    rft_losses_add(&r->losses, run, point, result.workers_lost);
    share_with_aliases(r, point, result.workers_lost);
    rft_tally_sum(&r->tally);
    rc = rft_store_put_step(r->opts->store, point, &run->info, err);
    if (rc == RFT_OK) {
        bool again = rft_outcome_is_measured(point->outcome) && point->rounds[1].stop == RFT_STOP_NOT_YET;
        *end = again && way != RFT_FINAL_AT_ONCE ? RFT_TURN_AGAIN : RFT_TURN_DONE;
    }
    return rc;
}

int rft_recorder_end_final(rft_recorder *r, int64_t id, rft_stop_reason stop, rft_err *err) {
    rft_point *point = &r->opts->run->points[id - 1];
    point->rounds[1].stop = stop;
    share_with_aliases(r, point, 0);
    rft_tally_sum(&r->tally);
    return rft_store_put_step(r->opts->store, point, &r->opts->run->info, err);
}
