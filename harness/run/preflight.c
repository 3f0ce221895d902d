/* SPDX-License-Identifier: Apache-2.0 */
#include "run/preflight.h"

#include <math.h>
#include <stdlib.h>

#define WAIT_MOST_S 86400.0 /* a compile has a limit of its own */
#define SPELLED_MOST 512    /* configurations looked at to find one that the device can run */

/* The defaults where they are valid, else any. UINT64_MAX: there is none. */
static uint64_t index_to_look_at(const rft_space *space, const rft_variant *variant) {
    rft_value *config = rft_calloc(variant->param_count + 1, sizeof *config);
    for (size_t i = 0; i < variant->param_count; i++) {
        config[i] = variant->params[i].default_value;
    }
    uint64_t index = rft_space_count(space) > 0 ? rft_space_find(space, config) : UINT64_MAX;
    free(config);
    if (index == UINT64_MAX && rft_space_count(space) > 0) {
        return rft_space_exact(space) ? 0 : rft_space_sample(space, 0);
    }
    return index;
}

static rft_job *new_job(const rft_exec_opts *opts, rft_job_place place, uint64_t index) {
    const rft_variant *variant = &opts->plan->sweeps[place.sweep]->variants[place.variant];
    rft_value *config = rft_calloc(variant->param_count + 1, sizeof *config);
    rft_space_get(rft_plan_space(opts->plan, place.sweep, place.variant, place.problem), index, config);
    rft_job *job = rft_job_new(opts, place, config);
    free(config);
    return job;
}

/* On the first timed problem on which the variant has a configuration. NULL: there is none. */
static rft_job *job_of_variant(const rft_exec_opts *opts, size_t s, size_t v) {
    const rft_sweep *sweep = opts->plan->sweeps[s];
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_space *space = sweep->problems[p].odd ? NULL : rft_plan_space(opts->plan, s, v, p);
        uint64_t index = space ? index_to_look_at(space, &sweep->variants[v]) : UINT64_MAX;
        if (index != UINT64_MAX) {
            return new_job(opts, (rft_job_place){s, v, p}, index);
        }
    }
    return NULL;
}

/* ---- can anything run? ---- */

typedef struct fit_search {
    const rft_exec_opts *opts;
    uint64_t looked_at;
    bool found, unsure;
    char first[400]; /* why the first cannot */
} fit_search;

static void search_segment(fit_search *s, rft_job_place place) {
    const rft_space *space = rft_plan_space(s->opts->plan, place.sweep, place.variant, place.problem);
    s->unsure = s->unsure || !space || !rft_space_exact(space);
    uint64_t count = s->unsure ? 0 : rft_space_count(space);
    for (uint64_t i = 0; i < count && !s->found && !s->unsure; i++) {
        rft_job *job = new_job(s->opts, place, i);
        s->found = !job->failed || job->outcome != RFT_OUTCOME_SKIPPED;
        if (!s->found && s->looked_at == 0) {
            snprintf(s->first, sizeof s->first, "%s", job->reason);
        }
        s->looked_at++;
        s->unsure = s->looked_at >= SPELLED_MOST;
        rft_job_free(job);
    }
}

static int nothing_can_run(const rft_exec_opts *opts, rft_err *err) {
    fit_search s = {.opts = opts};
    for (size_t i = 0; i < opts->plan->sweep_count; i++) {
        const rft_sweep *sweep = opts->plan->sweeps[i];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            for (size_t p = 0; p < sweep->problem_count && !s.found && !s.unsure; p++) {
                if (!sweep->problems[p].odd) {
                    search_segment(&s, (rft_job_place){i, v, p});
                }
            }
        }
    }
    if (s.found || s.unsure || s.looked_at == 0) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_NOTHING, "nothing can run on %s: each of %llu configurations exceeds it; the first: %s",
                opts->run->gpu.name, (unsigned long long)s.looked_at, s.first);
    return rft_err_remedy(err, "`rooftune check` with --arch says what exceeds which device, and needs none");
}

int rft_preflight_begin(rft_preflight *preflight, const rft_exec_opts *opts, rft_err *err) {
    *preflight = (rft_preflight){.opts = opts};
    size_t variants = 0, skipped = 0;
    if (opts->replay || !opts->pool || opts->run->point_count > 0) {
        return RFT_OK;
    }
    for (size_t s = 0; s < opts->plan->sweep_count; s++) {
        variants += opts->plan->sweeps[s]->variant_count;
    }
    preflight->jobs = rft_calloc(variants + 1, sizeof *preflight->jobs);
    for (size_t s = 0; s < opts->plan->sweep_count; s++) {
        for (size_t v = 0; v < opts->plan->sweeps[s]->variant_count; v++) {
            rft_job *job = job_of_variant(opts, s, v);
            if (job) {
                rft_job_compile(opts, job);
                skipped += job->failed && job->outcome == RFT_OUTCOME_SKIPPED ? 1 : 0;
                preflight->jobs[preflight->count++] = job;
            }
        }
    }
    preflight->left = preflight->count;
    return preflight->count > 0 && skipped == preflight->count ? nothing_can_run(opts, err) : RFT_OK;
}

void rft_preflight_end(rft_preflight *preflight) {
    for (size_t i = 0; i < preflight->count; i++) {
        rft_job_free(preflight->jobs[i]);
    }
    free(preflight->jobs);
    *preflight = (rft_preflight){0};
}

/* ---- looking ---- */

static bool is_answered(const rft_job *job) {
    rft_ticket tickets[RFT_JOB_TICKETS_MAX];
    size_t count = rft_job_tickets(job, tickets);
    bool answered = true;
    for (size_t i = 0; i < count; i++) {
        answered = answered && rft_compile_pool_is_answered(job->pool, tickets[i]);
    }
    return answered;
}

static int end_run(const rft_exec_opts *opts, const rft_job *job, rft_err *err) {
    const rft_sweep *sweep = opts->plan->sweeps[job->sweep];
    const rft_variant *variant = &sweep->variants[job->variant];
    rft_err_set(err, RFT_E_SOURCE, "sweep %s, variant %s: %s", sweep->name, variant->name, job->reason);
    rft_err_place(err, "%s", variant->place ? variant->place : sweep->path);
    return rft_err_remedy(err, "correct it: `rooftune check` says more and needs no GPU%s",
                          sweep->variant_count > 1 ? "; --variant NAME runs another" : "");
}

static int look_at_one(const rft_preflight *preflight, rft_job *job, rft_err *err) {
    const rft_exec_opts *opts = preflight->opts;
    const rft_sweep *sweep = opts->plan->sweeps[job->sweep];
    const char *log = NULL;
    int rc = rft_job_await_others(opts, job, err);
    rc = rc == RFT_OK ? rft_job_await(opts, job, &log, err) : rc;
    if (rc != RFT_OK || !job->failed) {
        return rc;
    }
    if (job->outcome == RFT_OUTCOME_LAUNCH_FAILED ||
        (job->outcome == RFT_OUTCOME_COMPILE_FAILED && rft_log_lacks_kernel(log))) {
        return end_run(opts, job, err);
    }
    if (job->outcome == RFT_OUTCOME_COMPILE_FAILED) {
        rft_log_warn(opts->log,
                     "sweep %s, variant %s: its first configuration does not compile: %s\n  remedy: others are tried; "
                     "`rooftune check` shows the compiler's log",
                     sweep->name, sweep->variants[job->variant].name, job->reason);
    }
    return RFT_OK;
}

bool rft_preflight_wait_for(const rft_job *job, double patience_s) {
    rft_ticket tickets[RFT_JOB_TICKETS_MAX];
    size_t count = job ? rft_job_tickets(job, tickets) : 0;
    if (count > 0) {
        rft_compile_pool_settle(job->pool, tickets, count, fmin(patience_s, WAIT_MOST_S));
    }
    return count == 0 || is_answered(job);
}

static void wait_for_all(const rft_preflight *preflight, double patience_s) {
    rft_ticket *tickets = rft_calloc(RFT_JOB_TICKETS_MAX * preflight->count + 1, sizeof *tickets);
    size_t count = 0;
    for (size_t i = 0; i < preflight->count; i++) {
        count += preflight->jobs[i] ? rft_job_tickets(preflight->jobs[i], tickets + count) : 0;
    }
    rft_compile_pool_settle(preflight->opts->pool, tickets, count, patience_s);
    free(tickets);
}

int rft_preflight_look(rft_preflight *preflight, double patience_s, rft_err *err) {
    int rc = RFT_OK;
    if (preflight->left > 0 && patience_s > 0) {
        wait_for_all(preflight, patience_s);
    }
    for (size_t i = 0; i < preflight->count && preflight->left > 0 && rc == RFT_OK; i++) {
        rft_job *job = preflight->jobs[i];
        if (job && is_answered(job)) {
            rc = look_at_one(preflight, job, err);
            rft_job_free(job);
            preflight->jobs[i] = NULL;
            preflight->left--;
        }
    }
    return rc;
}
