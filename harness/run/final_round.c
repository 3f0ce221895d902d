/* SPDX-License-Identifier: Apache-2.0 */
#include "run/final_round.h"

#include <stdlib.h>
#include <string.h>

double rft_exec_elapsed_s(const rft_exec_state *e) {
    const rft_clock *clock = e->opts->clock;
    return (double)(clock->monotonic_ns(clock->self) - e->started_ns) * 1e-9;
}

void rft_exec_ask_stop(const rft_exec_state *e, bool *stopped) {
    *stopped = e->opts->stop && e->opts->stop(e->opts->payload);
}

void rft_exec_report(rft_exec_state *e) {
    e->progress.elapsed_s = rft_exec_elapsed_s(e);
    if (e->opts->progress) {
        e->opts->progress(e->opts->payload, &e->progress);
    }
}

/* By the first round alone, so that a run that was stopped in its final round goes on with the same finalists. */
static int faster_in_sweep(const void *a, const void *b) {
    const rft_point *x = *(const rft_point *const *)a;
    const rft_point *y = *(const rft_point *const *)b;
    double x_s = x->rounds[0].stats.median;
    double y_s = y->rounds[0].stats.median;
    return x_s != y_s ? (x_s < y_s ? -1 : 1) : (x->id < y->id ? -1 : 1);
}

static void add_once(int64_t ids[], size_t *count, int64_t id) {
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] == id) {
            return;
        }
    }
    ids[(*count)++] = id;
}

/* The fastest few within 5 % of the best, and the best of each variant for the ladder: at most RFT_FINALISTS and one a
 * variant. */
static size_t finalists(const rft_exec_state *e, size_t sweep, size_t problem, int64_t ids[], rft_arena *arena) {
    const rft_run *run = e->opts->run;
    const rft_point **ranked = NULL;
    size_t found = rft_run_ranked(run, sweep, SIZE_MAX, problem, arena, &ranked);
    size_t count = 0;
    if (found > 1) {
        qsort(ranked, found, sizeof *ranked, faster_in_sweep);
    }
    for (size_t i = 0; i < found && count < RFT_FINALISTS; i++) {
        if (ranked[i]->rounds[0].stats.median <= 1.05 * ranked[0]->rounds[0].stats.median) {
            ids[count++] = ranked[i]->id;
        }
    }
    for (size_t v = 0; v < run->sweeps[sweep].sweep.variant_count; v++) {
        size_t first = 0;
        while (first < found && ranked[first]->variant != v) {
            first++;
        }
        if (first < found) {
            add_once(ids, &count, ranked[first]->id);
        }
    }
    return count;
}

static rft_job *new_finalist(const rft_exec_state *e, int64_t id) {
    const rft_point *point = &e->opts->run->points[id - 1];
    if (point->rounds[1].n > 0) {
        return NULL; /* done in an earlier session */
    }
    rft_job *job = rft_job_new(e->opts, (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    job->round = 1;
    rft_job_compile(e->opts, job);
    return job;
}

static int final_of_problem(rft_exec_state *e, size_t sweep, size_t problem, bool *stopped, rft_err *err) {
    const rft_run *run = e->opts->run;
    rft_arena *arena = rft_arena_new();
    size_t most = RFT_FINALISTS + run->sweeps[sweep].sweep.variant_count;
    int64_t *ids = rft_arena_calloc(arena, most, sizeof *ids);
    rft_job **jobs = rft_arena_calloc(arena, most, sizeof *jobs);
    size_t count = finalists(e, sweep, problem, ids, arena);
    int rc = RFT_OK;
    for (size_t i = 0; i < count; i++) {
        jobs[i] = new_finalist(e, ids[i]);
    }
    for (size_t i = 0; i < count && rc == RFT_OK && !*stopped; i++) {
        if (!jobs[i]) {
            continue;
        }
        rft_exec_ask_stop(e, stopped);
        if (!*stopped) {
            rc = rft_recorder_final(&e->recorder, jobs[i], ids[i], err);
        }
        if (!*stopped && rc == RFT_OK) {
            e->progress.last = &run->points[ids[i] - 1];
            e->progress.best = rft_run_best(run, sweep, SIZE_MAX, problem);
            rft_exec_report(e);
        }
    }
    for (size_t i = 0; i < count; i++) {
        rft_job_free(jobs[i]);
    }
    rft_arena_free(arena);
    return rc;
}

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err) {
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
