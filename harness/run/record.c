/* SPDX-License-Identifier: Apache-2.0 */
#include "run/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rft_recorder_open(rft_recorder *r, const rft_exec_opts *opts, rft_err *err) {
    (void)err;
    rft_run *run = opts->run;
    *r = (rft_recorder){.opts = opts, .known = run->point_count};
    rft_point *points = NULL;
    RFT_GROW(points, r->capacity, run->point_count + 64);
    if (points && run->point_count) {
        memcpy(points, run->points, run->point_count * sizeof *points);
    }
    run->points = points;
    r->unexplored = rft_calloc(opts->plan->sweep_count + 1, sizeof *r->unexplored);
    return RFT_OK;
}

void rft_recorder_close(rft_recorder *r) {
    rft_run *run = r->opts->run;
    rft_point *points = run->points;
    run->points = rft_arena_memdup(run->arena, points, run->point_count * sizeof *points);
    free(points);
    free(r->aliases);
    free(r->odd);
    free(r->unexplored);
}

void rft_recorder_new_problem(rft_recorder *r) {
    r->alias_count = 0;
}

void rft_recorder_unexplored(rft_recorder *r, size_t sweep, uint64_t count) {
    r->unexplored[sweep] += count;
}

int rft_recorder_store_unexplored(rft_recorder *r, rft_err *err) {
    rft_run *run = r->opts->run;
    int rc = RFT_OK;
    for (size_t s = 0; s < run->sweep_count && rc == RFT_OK; s++) {
        if (r->unexplored[s] == 0 && !run->sweeps[s].unexplored) {
            continue;
        }
        run->sweeps[s].unexplored =
            r->unexplored[s] == 0
                ? NULL /* an earlier session was stopped, this one made up for it */
                : rft_arena_printf(run->arena,
                                   "%llu configurations left untried: the budget ended, or the run was stopped",
                                   (unsigned long long)r->unexplored[s]);
        rc = rft_store_put_unexplored(r->opts->store, s, run->sweeps[s].unexplored, err);
    }
    return rc;
}

static const rft_variant *variant_of(const rft_recorder *r, const rft_job *job) {
    return &r->opts->plan->sweeps[job->sweep]->variants[job->variant];
}

static rft_point *append(rft_recorder *r, const rft_job *job) {
    rft_run *run = r->opts->run;
    const rft_variant *variant = variant_of(r, job);
    RFT_GROW(run->points, r->capacity, run->point_count + 1);
    rft_point *point = &run->points[run->point_count++];
    *point = (rft_point){.id = (int64_t)run->point_count,
                         .sweep = job->sweep,
                         .variant = job->variant,
                         .problem = job->problem,
                         .is_default = true};
    point->config = rft_values_copy(run->arena, job->config, variant->param_count);
    for (size_t i = 0; i < variant->param_count; i++) {
        point->is_default = point->is_default && rft_value_equal(&point->config[i], &variant->params[i].default_value);
    }
    point->facts = rft_facts_unknown();
    point->traffic = rft_traffic_unknown();
    rft_job_describe(r->opts, job, point);
    return point;
}

/* A point stored before this session, or NULL. */
static const rft_point *known_point(const rft_recorder *r, const rft_job *job) {
    const rft_run *run = r->opts->run;
    size_t params = variant_of(r, job)->param_count;
    for (size_t i = 0; i < r->known; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == job->sweep && point->variant == job->variant && point->problem == job->problem &&
            rft_values_equal(point->config, job->config, params)) {
            return point;
        }
    }
    return NULL;
}

bool rft_recorder_knows(const rft_recorder *r, const rft_job *job) {
    return known_point(r, job) != NULL;
}

static const char *odd_verdict(const rft_recorder *r, const rft_job *job) {
    size_t params = variant_of(r, job)->param_count;
    for (size_t i = 0; i < r->odd_count; i++) {
        if (r->odd[i].sweep == job->sweep && r->odd[i].variant == job->variant &&
            rft_values_equal(r->odd[i].config, job->config, params)) {
            return r->odd[i].reason;
        }
    }
    return NULL;
}

static void note_odd(rft_recorder *r, const rft_point *point) {
    rft_run *run = r->opts->run;
    bool odd = run->sweeps[point->sweep].sweep.problems[point->problem].odd;
    if (!odd || point->outcome != RFT_OUTCOME_WRONG_RESULT) {
        return;
    }
    RFT_GROW(r->odd, r->odd_capacity, r->odd_count + 1);
    const char *where = rft_run_problem_text(run, point->sweep, point->problem, false, run->arena);
    r->odd[r->odd_count++] =
        (rft_odd_verdict){.sweep = point->sweep,
                          .variant = point->variant,
                          .config = point->config,
                          .reason = rft_arena_printf(run->arena, "wrong on the odd size %s: %s", where, point->reason)};
}

static int64_t find_alias(const rft_recorder *r, const char *key) {
    for (size_t i = 0; i < r->alias_count; i++) {
        if (strcmp(r->aliases[i].key, key) == 0) {
            return r->aliases[i].id;
        }
    }
    return 0;
}

static void add_alias(rft_recorder *r, const char *key, int64_t id) {
    RFT_GROW(r->aliases, r->alias_capacity, r->alias_count + 1);
    memcpy(r->aliases[r->alias_count].key, key, sizeof r->aliases[0].key);
    r->aliases[r->alias_count++].id = id;
}

static void copy_measurement(rft_arena *arena, rft_measurement *out, const rft_measurement *from) {
    *out = *from;
    out->samples_s = rft_arena_memdup(arena, from->samples_s, from->n * sizeof *from->samples_s);
    out->step_s = rft_arena_memdup(arena, from->step_s, from->step_count * sizeof *from->step_s);
}

/* What the compiler said stays; the probe adds what only a device knows, and everything when nothing was compiled. */
static void merge_facts(rft_arena *arena, rft_facts *facts, const rft_facts *probed) {
    if (!facts->cubin_hash) {
        int64_t dynamic_bytes = facts->shared_dynamic_bytes;
        *facts = *probed;
        facts->cubin_hash = rft_arena_strdup(arena, probed->cubin_hash);
        facts->shared_dynamic_bytes = dynamic_bytes;
        return;
    }
    facts->registers = facts->registers < 0 ? probed->registers : facts->registers;
    facts->blocks_per_sm = probed->blocks_per_sm;
    facts->occupancy_frac = probed->occupancy_frac;
    facts->waves = probed->waves;
}

static void apply_result(rft_recorder *r, const rft_job *job, rft_point *point, const rft_probe_result *result) {
    rft_arena *arena = r->opts->run->arena;
    rft_run_info *info = &r->opts->run->info;
    bool recorded = result->outcome != RFT_OUTCOME_NOT_RECORDED;
    if (r->opts->replay && job->compiled && recorded) {
        info->recompiled++;
        info->recompiled_same +=
            point->facts.registers == result->facts.registers && point->facts.spill_bytes == result->facts.spill_bytes
                ? 1
                : 0;
    }
    point->outcome = result->outcome;
    point->reason = rft_arena_strdup(arena, result->reason);
    point->log = rft_arena_strdup(arena, result->log);
    merge_facts(arena, &point->facts, &result->facts);
    point->verification = result->verification;
    point->verification.buffer = rft_arena_strdup(arena, result->verification.buffer);
    copy_measurement(arena, &point->rounds[0], &result->measurement);
}

static void become_alias(const rft_run *run, rft_point *point, int64_t id) {
    const rft_point *target = &run->points[id - 1];
    point->alias_of = id;
    point->outcome = target->outcome;
    point->reason = target->reason;
    point->verification = target->verification;
    point->rounds[0] = target->rounds[0];
    point->facts.blocks_per_sm = target->facts.blocks_per_sm;
    point->facts.occupancy_frac = target->facts.occupancy_frac;
    point->facts.waves = target->facts.waves;
}

static int probe_point(rft_recorder *r, rft_job *job, rft_point *point, rft_err *err) {
    bool odd = r->opts->plan->sweeps[job->sweep]->problems[job->problem].odd;
    rft_probe_result result = {0};
    char key[65] = "";
    if (point->facts.cubin_hash) {
        rft_job_alias_key(job, point->facts.cubin_hash, key);
        int64_t twin = find_alias(r, key);
        if (twin) {
            become_alias(r->opts->run, point, twin);
            return RFT_OK;
        }
    }
    int rc = rft_job_probe(r->opts, job, odd, &result, err);
    if (rc != RFT_OK) {
        return rc;
    }
    apply_result(r, job, point, &result);
    if (!*key && point->facts.cubin_hash) { /* replay without a compiler: the recording knows the cubin */
        rft_job_alias_key(job, point->facts.cubin_hash, key);
        int64_t twin = find_alias(r, key);
        if (twin) {
            become_alias(r->opts->run, point, twin);
            return RFT_OK;
        }
    }
    if (*key) {
        add_alias(r, key, point->id);
    }
    return RFT_OK;
}

/* A point of an earlier session: what later points are judged by is as if it had been taken now. */
static void recall(rft_recorder *r, const rft_job *job, const rft_point *known) {
    char key[65];
    note_odd(r, known);
    if (known->alias_of == 0 && known->facts.cubin_hash && !job->failed && !odd_verdict(r, job)) {
        rft_job_alias_key(job, known->facts.cubin_hash, key);
        add_alias(r, key, known->id);
    }
}

int rft_recorder_take(rft_recorder *r, rft_job *job, const rft_point **out, rft_err *err) {
    const char *log = NULL;
    const rft_point *known = known_point(r, job);
    if (known) {
        recall(r, job, known);
        *out = known;
        return RFT_OK;
    }
    int rc = rft_job_await(r->opts, job, &log, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_arena *arena = r->opts->run->arena;
    rft_point *point = append(r, job);
    const char *wrong = job->failed ? NULL : odd_verdict(r, job);
    if (job->failed) {
        point->outcome = job->outcome;
        point->reason = rft_arena_strdup(arena, job->reason);
        point->log = rft_arena_strdup(arena, log);
    } else if (wrong) {
        point->outcome = RFT_OUTCOME_WRONG_RESULT;
        point->reason = wrong;
    } else {
        rc = probe_point(r, job, point, err);
    }
    if (rc != RFT_OK) {
        r->opts->run->point_count--; /* nothing is known of it: it will be taken again */
        return rc;
    }
    note_odd(r, point);
    *out = point;
    return rft_store_put_point(r->opts->store, point, err);
}

int rft_recorder_final(rft_recorder *r, rft_job *job, int64_t id, rft_err *err) {
    const char *log = NULL;
    rft_probe_result result = {0};
    rft_point *point = &r->opts->run->points[id - 1];
    if (point->rounds[1].n > 0) {
        return RFT_OK; /* done in an earlier session */
    }
    int rc = rft_job_await(r->opts, job, &log, err);
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    rc = rft_job_probe(r->opts, job, false, &result, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (!rft_outcome_is_measured(result.outcome)) {
        if (result.outcome != RFT_OUTCOME_NOT_RECORDED) { /* it failed the second time: it cannot be a best */
            point->outcome = result.outcome;
            point->reason = rft_arena_printf(r->opts->run->arena, "in the final round: %s",
                                             result.reason ? result.reason : "no reason given");
        }
        return rft_store_put_point(r->opts->store, point, err);
    }
    copy_measurement(r->opts->run->arena, &point->rounds[1], &result.measurement);
    return rft_store_put_point(r->opts->store, point, err);
}
