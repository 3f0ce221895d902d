/* SPDX-License-Identifier: Apache-2.0 */
#include "run/once.h"

#include "model/run/run_repeat.h"
#include "run/plan/job.h"

#include <string.h>

static void take_over(rft_arena *arena, rft_once_result *out, const rft_job *job, const char *log) {
    out->probed.outcome = job->outcome;
    out->probed.reason = rft_arena_strdup(arena, job->reason);
    out->probed.log = rft_arena_strdup(arena, log);
}

static void free_arena(void *payload) {
    rft_arena_free(payload);
}

static void count(const rft_once_request *request, const rft_exec_opts *opts, rft_job *job, rft_once_result *out) {
    rft_count_result result;
    if (rft_counter_set_is_empty(&request->counters)) {
        return;
    }
    if (rft_job_count(opts, job, &request->counters, &result, &out->refusal) == RFT_OK) {
        out->counters = rft_counters_copy(&result.counters, job->arena);
    }
}

bool rft_once_has_no_code(const rft_once_result *result) {
    return result->spec.launch_count > 0 && result->spec.unit.name_count == 0 &&
           (result->probed.outcome == RFT_OUTCOME_OK || rft_outcome_is_measured(result->probed.outcome));
}

/* One point is a plan of its own. */
typedef struct once_plan {
    rft_problem problem;
    rft_sweep sweep;
    const rft_sweep *sweeps[1];
    rft_plan plan;
    rft_run run;
    rft_exec_opts opts;
} once_plan;

static rft_job *begin(once_plan *once, const rft_once_request *request, rft_arena *arena) {
    once->problem = (rft_problem){.values = (rft_value *)(uintptr_t)request->problem};
    once->sweep = *request->sweep;
    once->sweep.problems = &once->problem;
    once->sweep.problem_count = 1;
    once->sweeps[0] = &once->sweep;
    once->plan = (rft_plan){.sweeps = once->sweeps, .sweep_count = 1};
    once->run = (rft_run){.arena = arena, .gpu = *request->gpu};
    once->opts =
        (rft_exec_opts){.plan = &once->plan, .run = &once->run, .pool = request->pool, .probe = request->probe};
    once->opts.replay = request->probe == NULL; /* the reference is compiled only when something is verified */
    rft_job *job = rft_job_new(&once->opts, (rft_job_place){.variant = request->variant}, request->config);
    rft_job_compile(&once->opts, job);
    return job;
}

int rft_once_queue(const rft_once_request *request, rft_err *err) {
    once_plan once;
    rft_job *job = begin(&once, request, NULL);
    int rc = job->stopped ? job->stopped->code : RFT_OK;
    if (job->stopped && err) {
        *err = *job->stopped;
    }
    rft_arena_free(job->arena); /* not rft_job_free(), which takes the request back */
    return rc;
}

int rft_once(const rft_once_request *request, rft_arena *arena, rft_once_result *out, rft_err *err) {
    const char *log = NULL;
    rft_point point = {.facts = rft_facts_unknown()};
    once_plan once;
    *out = (rft_once_result){.facts = rft_facts_unknown()};
    rft_job *job = begin(&once, request, arena);
    rft_arena_on_free(arena, free_arena, job->arena); /* spec and results live in the job; its cubin with the pool */
    int rc = rft_job_await(&once.opts, job, &log, err);
    out->compiled = job->compiled;
    out->spec = job->spec;
    if (rc != RFT_OK || job->failed) {
        take_over(arena, out, job, log);
        return rc;
    }
    rft_job_describe(&once.opts, job, &point);
    out->facts = point.facts;
    memcpy(out->grid, point.grid, sizeof out->grid);
    memcpy(out->block, point.block, sizeof out->block);
    bool untimed = request->bare || request->repeats > 0;
    job->verified = request->bare;
    job->repeats = request->repeats;
    rc = request->probe ? rft_job_probe(&once.opts, job, untimed, &out->probed, err) : RFT_OK;
    rft_measurement_fill(&out->probed.measurement);
    if (rc == RFT_OK && request->probe && !untimed && rft_outcome_is_measured(out->probed.outcome)) {
        count(request, &once.opts, job, out);
    }
    return rc;
}
