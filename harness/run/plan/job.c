/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/job.h"

#include "run/plan/limits.h"
#include "run/plan/reference_log.h"
#include "run/plan/signatures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The final round measures for longer. */
static rft_measure_opts measure_opts(const rft_exec_opts *opts, const rft_job *job) {
    rft_measure_opts measure = opts->plan->sweeps[job->sweep]->measure;
    if (job->round > 0) {
        measure.max_samples *= 2;
        measure.noise_frac /= 2;
        measure.max_seconds *= 4;
    }
    if (job->round > 0 && job->draw != 0) { /* all processes together take min_seconds */
        measure.min_seconds /= measure.processes == RFT_PROCESSES_AUTO ? RFT_PROCESSES_LEAST : measure.processes;
    }
    return measure;
}

rft_stop_rule rft_job_rule(const rft_exec_opts *opts, const rft_job *job) {
    rft_measure_opts measure = measure_opts(opts, job);
    return rft_measure_rule(&measure, 0.0);
}

#define BLOCK_S 0.02           /* GPU time of a block ... */
#define BLOCK_SAMPLES 25       /* ... with no more than so many samples, where the sweep asks for no more */
#define BLOCK_MOST_S 1.0       /* and what is longer has fewer than the sweep asks for, ... */
#define BLOCK_LEAST 3          /* ... but no fewer than these; */
#define BLOCK_LONG_S 0.1       /* from here on one says its process' median to 0.1 %, behind the run before it */
#define BLOCK_TIMEOUT_FRAC 0.8 /* of its time limit, with the run before them */

size_t rft_job_block(const rft_exec_opts *opts, const rft_job *job, double median_s) {
    const rft_measure_opts *measure = &opts->plan->sweeps[job->sweep]->measure;
    /* The first block is the measurement where no other follows; of the later ones only the median counts. */
    double few = job->verified && median_s >= BLOCK_LONG_S ? 1 : BLOCK_LEAST;
    double least = job->verified ? few : measure->min_samples;
    double room = BLOCK_TIMEOUT_FRAC * measure->point_timeout_s / median_s - 1.0;
    double wanted = fmin(fmax(BLOCK_S / median_s, least), fmax(BLOCK_SAMPLES, least));
    wanted = fmax(fmin(wanted, BLOCK_MOST_S / median_s), few);
    return room < wanted ? (size_t)fmax(room, 1.0) : (size_t)lround(wanted);
}

static rft_ticket submit(const rft_exec_opts *opts, const rft_unit_spec *unit, double timeout_s) {
    rft_compile_request request = rft_compile_request_of(unit, opts->run->gpu.arch);
    return rft_compile_pool_submit(opts->pool, &request, timeout_s);
}

static void fail_job(rft_job *job, rft_outcome outcome, const char *reason) {
    job->failed = true;
    job->outcome = outcome;
    job->reason = reason;
}

void rft_job_skip(rft_job *job, const char *reason) {
    fail_job(job, RFT_OUTCOME_SKIPPED, reason);
}

/* Did the script say what to do, and can the device do it? */
static void judge_spelling(const rft_exec_opts *opts, rft_job *job, int rc, const rft_err *err) {
    job->spelled = rc == RFT_OK;
    if (rc == RFT_E_SCRIPT_STOPPED) {
        job->stopped = rft_arena_memdup(job->arena, err, sizeof *err);
    }
    if (!job->spelled) {
        fail_job(job, RFT_OUTCOME_SCRIPT_FAILED,
                 rft_arena_printf(job->arena, "%s%s%s", err->place, *err->place ? ": " : "", err->message));
        return;
    }
    const char *exceeded = rft_limits_exceeded(&job->spec, &opts->run->gpu, job->arena);
    if (exceeded) {
        fail_job(job, RFT_OUTCOME_SKIPPED, exceeded);
    }
}

/* Where it fails there is none: that is told once (run/prior_rank.h). */
static double prior_of(const rft_sweep *sweep, rft_job_place place, const rft_value *config) {
    const rft_problem *problem = &sweep->problems[place.problem];
    double prior = NAN;
    bool is_asked = sweep->vt->prior && !problem->odd;
    return is_asked && sweep->vt->prior(sweep->self, place.variant, problem->values, config, &prior, NULL) == RFT_OK &&
                   prior > 0
               ? prior
               : (double)NAN;
}

rft_job *rft_job_new(const rft_exec_opts *opts, rft_job_place place, const rft_value *config) {
    const rft_sweep *sweep = opts->plan->sweeps[place.sweep];
    size_t params = sweep->variants[place.variant].param_count;
    rft_arena *arena = rft_arena_new();
    rft_job *job = rft_arena_alloc(arena, sizeof *job);
    rft_err err = RFT_ERR_INIT;
    *job = (rft_job){.arena = arena, .sweep = place.sweep, .variant = place.variant, .problem = place.problem};
    job->config = rft_values_copy(arena, config, params);
    rft_job_key(place, config, params, job->key);
    job->is_default = true;
    for (size_t i = 0; i < params; i++) {
        const rft_value *standard = &sweep->variants[place.variant].params[i].default_value;
        job->is_default = job->is_default && rft_value_equal(&config[i], standard);
    }
    int rc = sweep->vt->point(sweep->self, place.variant, sweep->problems[place.problem].values, job->config, arena,
                              &job->spec, &err);
    judge_spelling(opts, job, rc, &err);
    job->prior = rc == RFT_OK ? prior_of(sweep, place, job->config) : (double)NAN;
    return job;
}

rft_job *rft_job_new_baseline(const rft_exec_opts *opts, rft_job_place place, size_t index) {
    const rft_sweep *sweep = opts->plan->sweeps[place.sweep];
    rft_arena *arena = rft_arena_new();
    rft_job *job = rft_arena_alloc(arena, sizeof *job);
    rft_err err = RFT_ERR_INIT;
    *job = (rft_job){.arena = arena, .sweep = place.sweep, .variant = place.variant, .problem = place.problem};
    int rc = sweep->vt->baseline(sweep->self, index, sweep->problems[place.problem].values, arena, &job->spec, &err);
    judge_spelling(opts, job, rc, &err);
    return job;
}

/* A baseline has no code of its own. */
static bool has_unit(const rft_job *job) {
    return job->spec.unit.name_count > 0;
}

static const rft_filler *fill_of(const rft_job *job, size_t buffer) {
    return job->spec.buffers[buffer].fill.kernel;
}

/* Without the parameters' macros: once for all configurations. */
static void compile_fills(const rft_exec_opts *opts, rft_job *job, double timeout_s) {
    for (size_t i = 0; i < job->spec.buffer_count; i++) {
        if (!fill_of(job, i)) {
            continue;
        }
        if (!job->fills) {
            job->fills = rft_arena_calloc(job->arena, job->spec.buffer_count, sizeof *job->fills);
            job->compiled_fills = rft_arena_calloc(job->arena, job->spec.buffer_count, sizeof *job->compiled_fills);
        }
        job->fills[i] = submit(opts, &fill_of(job, i)->unit, timeout_s);
    }
}

void rft_job_compile(const rft_exec_opts *opts, rft_job *job) {
    double timeout_s = measure_opts(opts, job).compile_timeout_s;
    if (job->failed || job->pool || !opts->pool) {
        return;
    }
    job->pool = opts->pool;
    if (has_unit(job)) {
        job->unit = submit(opts, &job->spec.unit, timeout_s);
    }
    for (const rft_point_spec *r = opts->replay || job->verified ? NULL : job->spec.check.reference;
         r && r->unit.name_count && job->reference_count < RFT_JOB_REFERENCES; r = r->check.reference) {
        job->references[job->reference_count++] = submit(opts, &r->unit, timeout_s);
    }
    if (!opts->replay) {
        compile_fills(opts, job, timeout_s);
    }
}

void rft_job_free(rft_job *job) {
    if (!job) {
        return;
    }
    if (job->pool && has_unit(job)) {
        rft_compile_pool_release(job->pool, job->unit);
    }
    for (size_t i = 0; i < job->reference_count; i++) {
        rft_compile_pool_release(job->pool, job->references[i]);
    }
    for (size_t i = 0; job->fills && i < job->spec.buffer_count; i++) {
        if (fill_of(job, i)) {
            rft_compile_pool_release(job->pool, job->fills[i]);
        }
    }
    rft_arena_free(job->arena);
}

static const char *first_line(rft_arena *arena, const char *log) {
    if (!log || !*log) {
        return "the compiler refused it without a word";
    }
    static const char own[] = "rooftune: "; /* the cause in the sweep's words goes first */
    if (rft_text_starts(log, own)) {
        log += sizeof own - 1;
        return rft_arena_strndup(arena, log, strcspn(log, "\n"));
    }
    const char *error = strstr(log, "error");
    const char *start = error ? error : log;
    while (start > log && start[-1] != '\n') {
        start--;
    }
    return rft_arena_strndup(arena, start, strcspn(start, "\n"));
}

/* Waits for the code of a reference. RFT_E_SOURCE: it cannot be used by any point. */
static int await_reference(const rft_exec_opts *opts, rft_job *job, size_t i, rft_point_spec *reference, rft_err *err) {
    bool timed_out = false;
    const rft_compile_result **compiled = &job->compiled_references[i];
    int rc = rft_compile_pool_wait(opts->pool, job->references[i], compiled, &timed_out, err);
    if (rc != RFT_OK) {
        return rc;
    }
    const char *exceeded =
        timed_out ? NULL : rft_limits_exceeded_compiled(*compiled, reference, &opts->run->gpu, job->arena);
    if (exceeded) {
        fail_job(job, RFT_OUTCOME_SKIPPED,
                 rft_arena_printf(job->arena, "the reference %s: %s", reference->told, exceeded));
        return RFT_OK;
    }
    if (!(*compiled)->ok) {
        rft_err_set(err, RFT_E_SOURCE, "the reference %s does not compile:\n%s", reference->told,
                    rft_reference_log(&job->spec, reference, (*compiled)->log, job->arena));
        rft_err_place(err, "%s", reference->unit.source);
        return rft_err_remedy(err,
                              "correct the reference, or name another in `check`: without one nothing can be verified");
    }
    rft_signatures_settle(reference, *compiled);
    const char *wrong = rft_signatures_wrong(reference, *compiled, job->arena);
    if (wrong) {
        rft_err_set(err, RFT_E_SOURCE, "%s", wrong);
        rft_err_place(err, "%s", reference->unit.source);
        return rft_err_remedy(err, "without args a reference gets the buffers in the order of their names, outputs as "
                                   "double *, then the problem's dimensions in 64 bits each");
    }
    return RFT_OK;
}

static int await_references(const rft_exec_opts *opts, rft_job *job, rft_err *err) {
    rft_point_spec *reference = job->spec.check.reference;
    int rc = RFT_OK;
    for (size_t i = 0; i < job->reference_count && rc == RFT_OK && !job->failed; i++) {
        rc = await_reference(opts, job, i, reference, err);
        reference = reference->check.reference;
    }
    return rc;
}

/* As a reference's: without it nothing can be verified, on any point of the problem. */
static int await_fill(const rft_exec_opts *opts, rft_job *job, size_t buffer, rft_err *err) {
    const rft_filler *kernel = fill_of(job, buffer);
    const char *name = job->spec.buffers[buffer].name;
    bool timed_out = false;
    int rc = rft_compile_pool_wait(opts->pool, job->fills[buffer], &job->compiled_fills[buffer], &timed_out, err);
    if (rc != RFT_OK) {
        return rc;
    }
    const rft_compile_result *compiled = job->compiled_fills[buffer];
    const char *wrong = compiled->ok ? rft_signatures_of_fill_wrong(&job->spec, buffer, compiled, job->arena) : NULL;
    if (compiled->ok && !wrong) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_SOURCE, "the fill of %s (%s) %s\n%s", name, kernel->shown,
                wrong ? "cannot be launched:" : "does not compile:", wrong ? wrong : compiled->log);
    rft_err_place(err, "%s", kernel->unit.source);
    return rft_err_remedy(err, "%s",
                          wrong ? RFT_FILL_TAKES : "correct it: it is compiled without the parameters' macros");
}

/* What is compiled beside the configuration's own code. */
int rft_job_await_others(const rft_exec_opts *opts, rft_job *job, rft_err *err) {
    int rc = await_references(opts, job, err);
    for (size_t i = 0; rc == RFT_OK && !job->failed && job->fills && i < job->spec.buffer_count; i++) {
        rc = fill_of(job, i) ? await_fill(opts, job, i, err) : RFT_OK;
    }
    return rc;
}

size_t rft_job_tickets(const rft_job *job, rft_ticket out[RFT_JOB_TICKETS_MAX]) {
    size_t count = 0;
    if (job->pool && has_unit(job)) {
        out[count++] = job->unit;
    }
    for (size_t i = 0; i < job->reference_count; i++) {
        out[count++] = job->references[i];
    }
    for (size_t i = 0; job->fills && i < job->spec.buffer_count && i < RFT_BUFFERS_MAX; i++) {
        if (fill_of(job, i)) {
            out[count++] = job->fills[i];
        }
    }
    return count;
}

static int await_job(const rft_exec_opts *opts, rft_job *job, const char **log, rft_err *err) {
    bool timed_out = false;
    if (job->stopped) {
        if (err) {
            *err = *job->stopped;
        }
        return job->stopped->code;
    }
    if (!job->pool || job->failed) {
        return RFT_OK;
    }
    int rc = has_unit(job) ? rft_compile_pool_wait(opts->pool, job->unit, &job->compiled, &timed_out, err) : RFT_OK;
    if (rc != RFT_OK) {
        return rc;
    }
    if (!job->compiled) {
        return rft_job_await_others(opts, job, err);
    }
    /* What was recorded has run; another compiler may give it other registers. */
    bool has_run = opts->replay && opts->probe && job->compiled->ok;
    const char *exceeded = timed_out || has_run
                               ? NULL
                               : rft_limits_exceeded_compiled(job->compiled, &job->spec, &opts->run->gpu, job->arena);
    if (exceeded) {
        fail_job(job, RFT_OUTCOME_SKIPPED, exceeded);
        return RFT_OK;
    }
    if (!job->compiled->ok) {
        *log = job->compiled->log;
        fail_job(job, timed_out ? RFT_OUTCOME_TIMED_OUT : RFT_OUTCOME_COMPILE_FAILED,
                 first_line(job->arena, job->compiled->log));
        return RFT_OK;
    }
    const char *serialized = has_run ? NULL : rft_limits_serialized(job->compiled, job->arena);
    if (serialized) {
        *log = job->compiled->log;
        fail_job(job, RFT_OUTCOME_SKIPPED, serialized);
        return RFT_OK;
    }
    const char *wrong = rft_signatures_wrong(&job->spec, job->compiled, job->arena);
    if (wrong) {
        fail_job(job, RFT_OUTCOME_LAUNCH_FAILED, wrong);
        return RFT_OK;
    }
    return rft_job_await_others(opts, job, err);
}

int rft_job_await(const rft_exec_opts *opts, rft_job *job, const char **log, rft_err *err) {
    int rc = job->awaited ? RFT_OK : await_job(opts, job, &job->log, err);
    job->awaited = rc == RFT_OK && job->pool;
    *log = job->log;
    return rc;
}

static const char *problem_key_of(const rft_sweep *sweep, rft_job *job) {
    rft_str key = RFT_STR_INIT;
    rft_str_addf(&key, "%s/%s/", sweep->name, rft_job_reference(job));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_value_format(&key, &sweep->problems[job->problem].values[i]);
        rft_str_add_char(&key, ',');
    }
    const char *copy = rft_arena_strdup(job->arena, rft_str_get(&key));
    rft_str_clear(&key);
    return copy;
}

/* What the probe is asked about a job; lives as long as that. */
static rft_probe_request request_of(const rft_exec_opts *opts, rft_job *job) {
    static const rft_compile_result nothing_compiled = {.ok = false, .log = ""};
    static const rft_compile_result nothing_to_compile = {.ok = true, .log = ""};
    const rft_sweep *sweep = opts->plan->sweeps[job->sweep];
    job->problem_key = job->problem_key ? job->problem_key : problem_key_of(sweep, job);
    rft_probe_request request = {
        .key = job->key,
        .sweep = sweep,
        .variant = job->variant,
        .problem = &sweep->problems[job->problem],
        .config = job->config,
        .round = job->round,
        .repeats = job->repeats,
        .spec = &job->spec,
        .unit = job->compiled   ? job->compiled
                : has_unit(job) ? &nothing_compiled
                                : &nothing_to_compile,
        .reference = job->verified ? NULL : job->compiled_references[0],
        .truth = job->verified ? NULL : job->compiled_references[1],
        .fills = job->compiled_fills,
        .problem_key = job->problem_key,
        .measure = measure_opts(opts, job),
        .rival_s = job->rival_s,
        .few = job->few,
        .verified = job->verified,
        .turn = job->turn,
        .draw = job->draw,
        .steady_mhz = job->steady_mhz,
        .held = job->held,
        .reading = job->reading,
        .load = job->load,
        .meanwhile = job->meanwhile,
        .payload = job->payload,
    };
    return request;
}

int rft_job_count(const rft_exec_opts *opts, rft_job *job, const rft_counter_set *set, rft_count_result *out,
                  rft_err *err) {
    if (!opts->probe->count) {
        return rft_err_set(err, RFT_E_NOT_FOUND, "what measures here counts nothing");
    }
    rft_probe_request request = request_of(opts, job);
    return opts->probe->count(opts->probe, &request, set, job->arena, out, err);
}

int rft_job_probe(const rft_exec_opts *opts, rft_job *job, bool verify_only, rft_probe_result *out, rft_err *err) {
    rft_probe_request request = request_of(opts, job);
    request.verify_only = verify_only;
    if (job->samples > 0) {
        request.measure.min_samples = request.measure.max_samples = (int)job->samples;
    }
    int rc = opts->probe->measure(opts->probe, &request, job->arena, out, err);
    job->process = rc == RFT_OK ? out->process : job->process;
    return rc;
}

static bool peek_fills(const rft_job *job, const rft_compile_result ***out) {
    bool all = true;
    if (job->fills) {
        *out = rft_arena_calloc(job->arena, job->spec.buffer_count, sizeof **out);
    }
    for (size_t i = 0; job->fills && i < job->spec.buffer_count; i++) {
        (*out)[i] = fill_of(job, i) ? rft_compile_pool_peek(job->pool, job->fills[i]) : NULL;
        all = all && (!fill_of(job, i) || (*out)[i]);
    }
    return all;
}

const rft_compile_result *rft_job_peek(const rft_job *job) {
    return job->pool && has_unit(job) ? rft_compile_pool_peek(job->pool, job->unit) : NULL;
}

void rft_job_expect(const rft_exec_opts *opts, rft_job *job, bool verify_only, bool surely) {
    const rft_compile_result *unit = rft_job_peek(job);
    if (!opts->probe->expect || job->failed || !unit) {
        return;
    }
    const rft_compile_result **fills = NULL;
    const rft_compile_result *references[RFT_JOB_REFERENCES] = {NULL};
    rft_point_spec *reference = job->spec.check.reference;
    bool known = true;
    for (size_t i = 0; i < job->reference_count && known; i++) {
        references[i] = rft_compile_pool_peek(job->pool, job->references[i]);
        known = references[i] && references[i]->ok;
        if (known) {
            rft_signatures_settle(reference, references[i]);
            reference = reference->check.reference;
        }
    }
    const char *log = NULL;
    rft_err ignored = RFT_ERR_INIT; /* what is wrong is told when it is taken */
    if (!known || !peek_fills(job, &fills) || rft_job_await(opts, job, &log, &ignored) != RFT_OK || job->failed) {
        return;
    }
    rft_probe_request request = request_of(opts, job);
    request.verify_only = verify_only;
    request.surely = surely;
    request.unit = unit;
    request.reference = references[0];
    request.truth = references[1];
    request.fills = fills;
    opts->probe->expect(opts->probe, &request);
}

static void describe_compiled(const rft_compile_result *compiled, rft_facts *facts, rft_arena *arena) {
    facts->cubin_hash = rft_arena_strdup(arena, compiled->cubin_hash);
    facts->compile_s = compiled->seconds;
    facts->from_cache = compiled->from_cache;
    for (size_t i = 0; i < compiled->entry_count; i++) {
        const rft_compiled_entry *entry = &compiled->entries[i];
        facts->registers = entry->registers > facts->registers ? entry->registers : facts->registers;
        if (entry->spill_store_bytes >= 0 && entry->spill_load_bytes >= 0) {
            int spills = entry->spill_store_bytes + entry->spill_load_bytes;
            facts->spill_bytes = (facts->spill_bytes < 0 ? 0 : facts->spill_bytes) + spills;
        }
        facts->stack_bytes = entry->stack_bytes > facts->stack_bytes ? entry->stack_bytes : facts->stack_bytes;
        if (entry->shared_bytes > facts->shared_static_bytes) {
            facts->shared_static_bytes = entry->shared_bytes;
        }
    }
}

static const char *name_of_launch(const rft_point_spec *spec, const rft_launch *launch, rft_arena *arena) {
    switch (launch->kind) {
    case RFT_LAUNCH_MEMSET:
        return rft_arena_printf(arena, "memset %s", spec->buffers[launch->memset_buffer].name);
    case RFT_LAUNCH_VENDOR:
        return "vendor.matmul";
    case RFT_LAUNCH_KERNEL:
        break;
    }
    return rft_arena_strdup(arena, launch->entry);
}

/* That a memset writes its buffer needs no declaring. */
static double memset_bytes(const rft_point_spec *spec, const rft_launch *launch) {
    const rft_buffer *buffer = &spec->buffers[launch->memset_buffer];
    return (double)buffer->count * (double)rft_type_bytes(buffer->type);
}

static void describe_steps(const rft_point_spec *spec, rft_point *point, rft_arena *arena) {
    point->step_count = spec->launch_count > 1 ? spec->launch_count : 0;
    point->steps = point->step_count ? rft_arena_calloc(arena, point->step_count, sizeof *point->steps) : NULL;
    for (size_t i = 0; i < point->step_count; i++) {
        const rft_launch *launch = &spec->launches[i];
        point->steps[i] = (rft_step){.name = name_of_launch(spec, launch, arena),
                                     .has_work = launch->has_work || launch->kind == RFT_LAUNCH_MEMSET,
                                     .work = launch->work,
                                     .traffic = launch->traffic.present ? launch->traffic : rft_traffic_unknown()};
        if (launch->kind == RFT_LAUNCH_MEMSET) {
            point->steps[i].work.bytes_written = memset_bytes(spec, launch);
        }
    }
}

void rft_job_describe(const rft_exec_opts *opts, const rft_job *job, rft_point *point) {
    if (!job->spelled) {
        return;
    }
    point->work = job->spec.work;
    point->work.item_name = rft_arena_strdup(opts->run->arena, job->spec.work.item_name);
    point->traffic = job->spec.traffic;
    describe_steps(&job->spec, point, opts->run->arena);
    for (size_t i = 0; i < job->spec.launch_count && !point->has_launch; i++) {
        const rft_launch *launch = &job->spec.launches[i];
        if (launch->kind == RFT_LAUNCH_KERNEL) {
            point->has_launch = true;
            memcpy(point->grid, launch->grid, sizeof point->grid);
            memcpy(point->block, launch->block, sizeof point->block);
            point->facts.shared_dynamic_bytes = launch->shared_bytes;
        }
    }
    if (job->compiled && job->compiled->ok) {
        describe_compiled(job->compiled, &point->facts, opts->run->arena);
    }
}
