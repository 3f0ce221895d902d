/* SPDX-License-Identifier: Apache-2.0 */
#include "run/final_round.h"

#include <stdlib.h>
#include <string.h>

#define FINALISTS_LEAST 3
#define WITHIN_FRAC 0.05 /* of the best of the first round; nobody else is measured again */
#define NEAR_FRAC 0.02   /* four times what the first round knows medians to */

static int faster_in_sweep(const void *a, const void *b) {
    const rft_point *x = *(const rft_point *const *)a;
    const rft_point *y = *(const rft_point *const *)b;
    double x_s = x->rounds[0].stats.median;
    double y_s = y->rounds[0].stats.median;
    return x_s != y_s ? (x_s < y_s ? -1 : 1) : (x->id < y->id ? -1 : 1);
}

/* By the first round alone, so that a run that was stopped in its final round goes on with the same finalists: who has
 * failed there since is one of them. Fastest first. */
static size_t rank(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, const rft_point ***out) {
    const rft_point **ranked = rft_arena_calloc(arena, run->point_count + 1, sizeof *ranked);
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem && !point->alias_of &&
            (rft_run_is_candidate(run, point) || rft_recorder_failed_final(point))) {
            ranked[count++] = point;
        }
    }
    if (count > 1) {
        qsort(ranked, count, sizeof *ranked, faster_in_sweep);
    }
    *out = ranked;
    return count;
}

static void add_once(int64_t ids[], size_t *count, int64_t id) {
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] == id) {
            return;
        }
    }
    ids[(*count)++] = id;
}

/* Near enough to be the best after all: noise decides between a few, and they are known to be within it. */
static bool is_near(const rft_point *point, const rft_point *best) {
    const rft_stats *stats = &point->rounds[0].stats;
    const rft_stats *fastest = &best->rounds[0].stats;
    return stats->median <= (1 + NEAR_FRAC) * fastest->median || stats->low <= fastest->high;
}

/* The fastest few: RFT_FINALISTS of those near the best, at least FINALISTS_LEAST where so many are within 5 %, and the
 * best of each variant for the ladder. */
static size_t finalists(const rft_exec_state *e, size_t sweep, size_t problem, int64_t ids[], rft_arena *arena) {
    const rft_run *run = e->opts->run;
    const rft_point **ranked = NULL;
    size_t found = rank(run, sweep, problem, arena, &ranked);
    size_t count = 0;
    for (size_t i = 0; i < found && count < RFT_FINALISTS; i++) {
        bool within = ranked[i]->rounds[0].stats.median <= (1 + WITHIN_FRAC) * ranked[0]->rounds[0].stats.median;
        if (within && (count < FINALISTS_LEAST || is_near(ranked[i], ranked[0]))) {
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
    if (point->rounds[1].n > 0 || rft_recorder_failed_final(point)) {
        return NULL; /* done in an earlier session */
    }
    rft_job *job = rft_job_new(e->opts, (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    job->round = 1;
    rft_job_compile(e->opts, job);
    return job;
}

static int take_finalist(rft_exec_state *e, rft_job *job, int64_t id, rft_err *err) {
    const rft_point *point = &e->opts->run->points[id - 1];
    rft_outcome before = point->outcome;
    bool stored = false;
    int rc = rft_recorder_final(&e->recorder, job, id, &stored, err);
    if (rc == RFT_OK) {
        rft_exec_note_final(e, point, before, stored);
    }
    return rc;
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
        if (jobs[i]) {
            rft_exec_ask_stop(e, stopped);
            rc = *stopped ? RFT_OK : take_finalist(e, jobs[i], ids[i], err);
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
