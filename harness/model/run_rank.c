/* SPDX-License-Identifier: Apache-2.0 */
/* run_rank.c - which point of a run is the best, and the order of the rest (run.h). */
#include "model/run.h"

#include <math.h>
#include <stdlib.h>

const rft_measurement *rft_point_measurement(const rft_point *point) {
    if (!rft_outcome_is_measured(point->outcome)) {
        return NULL;
    }
    for (int round = RFT_ROUNDS - 1; round >= 0; round--) {
        if (point->rounds[round].n > 0) {
            return &point->rounds[round];
        }
    }
    return NULL;
}

double rft_point_median_s(const rft_point *point) {
    const rft_measurement *measurement = rft_point_measurement(point);
    return measurement ? measurement->stats.median : NAN;
}

bool rft_run_is_candidate(const rft_run *run, const rft_point *point) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    return point->alias_of == 0 && rft_point_measurement(point) != NULL && !sweep->problems[point->problem].odd;
}

static bool belongs(const rft_point *point, size_t sweep, size_t variant, size_t problem) {
    return point->sweep == sweep && point->problem == problem && (variant == SIZE_MAX || point->variant == variant);
}

static bool is_final(const rft_point *point) {
    return point->rounds[RFT_ROUNDS - 1].n > 0;
}

/* The final round compares the best few side by side; medians of the sweep were taken minutes apart. So whoever was
 * in the final goes before whoever was not. Equal times: the earlier point. */
static bool goes_before(const rft_point *a, const rft_point *b) {
    if (is_final(a) != is_final(b)) {
        return is_final(a);
    }
    double x = rft_point_median_s(a), y = rft_point_median_s(b);
    return x != y ? x < y : a->id < b->id;
}

static int compare_points(const void *a, const void *b) {
    const rft_point *x = *(const rft_point *const *)a, *y = *(const rft_point *const *)b;
    return x == y ? 0 : goes_before(x, y) ? -1 : 1;
}

const rft_point *rft_run_best(const rft_run *run, size_t sweep, size_t variant, size_t problem) {
    const rft_point *best = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (belongs(point, sweep, variant, problem) && rft_run_is_candidate(run, point) &&
            (best == NULL || goes_before(point, best))) {
            best = point;
        }
    }
    return best;
}

size_t rft_run_ranked(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                      const rft_point ***out) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += belongs(&run->points[i], sweep, variant, problem) && rft_run_is_candidate(run, &run->points[i]);
    }
    const rft_point **ranked = rft_arena_calloc(arena, count, sizeof(const rft_point *));
    size_t filled = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        if (belongs(&run->points[i], sweep, variant, problem) && rft_run_is_candidate(run, &run->points[i])) {
            ranked[filled++] = &run->points[i];
        }
    }
    if (count > 1) {
        qsort(ranked, count, sizeof(const rft_point *), compare_points);
    }
    *out = ranked;
    return count;
}

const rft_point *rft_run_default(const rft_run *run, size_t sweep, size_t variant, size_t problem) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (belongs(&run->points[i], sweep, variant, problem) && run->points[i].is_default) {
            return &run->points[i];
        }
    }
    return NULL;
}
