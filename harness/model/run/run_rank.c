/* SPDX-License-Identifier: Apache-2.0 */
/* run_rank.c - which point of a run is the best, and the order of the rest (run.h). */
#include "model/run/run.h"

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

double rft_point_objective(const rft_run *run, const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    double median_s = rft_point_median_s(point), joules = load && !load->reason ? load->joules_per_run : (double)NAN;
    switch (run->sweeps[point->sweep].sweep.search.objective) {
    case RFT_OBJECTIVE_ENERGY:
        return joules;
    case RFT_OBJECTIVE_EDP:
        return joules * median_s;
    default:
        return median_s;
    }
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

/* What a point is ranked by, beside each other: points lie far apart, and a sort looks at each many times. */
typedef struct rank {
    const rft_point *point;
    double objective; /* NaN: not known, or time is asked for */
    double time_s;
    int64_t id;
    bool final;
} rank;

static rank rank_of(const rft_run *run, const rft_point *point) {
    bool timed = run->sweeps[point->sweep].sweep.search.objective == RFT_OBJECTIVE_TIME;
    return (rank){.point = point,
                  .objective = timed ? NAN : rft_point_objective(run, point),
                  .time_s = rft_point_median_s(point),
                  .id = point->id,
                  .final = is_final(point)};
}

/* Where energy is the objective: whose energy is known goes before whose is not. The final round compares the best few
 * side by side; medians of the sweep were taken minutes apart. So whoever was in the final goes before whoever was not.
 * Equal times: the earlier point. */
static bool goes_before(const rank *a, const rank *b) {
    if (isnan(a->objective) != isnan(b->objective)) {
        return isnan(b->objective);
    }
    if (a->objective != b->objective && !isnan(a->objective)) {
        return a->objective < b->objective;
    }
    if (a->final != b->final) {
        return a->final;
    }
    return a->time_s != b->time_s ? a->time_s < b->time_s : a->id < b->id;
}

static int compare_ranks(const void *a, const void *b) {
    const rank *x = a, *y = b;
    return x->point == y->point ? 0 : goes_before(x, y) ? -1 : 1;
}

const rft_point *rft_run_best(const rft_run *run, size_t sweep, size_t variant, size_t problem) {
    rank best = {.point = NULL};
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (belongs(point, sweep, variant, problem) && rft_run_is_candidate(run, point)) {
            rank own = rank_of(run, point);
            best = best.point == NULL || goes_before(&own, &best) ? own : best;
        }
    }
    return best.point;
}

size_t rft_run_ranked(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                      const rft_point ***out) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += belongs(&run->points[i], sweep, variant, problem) && rft_run_is_candidate(run, &run->points[i]);
    }
    rank *sorted = rft_arena_calloc(arena, count + 1, sizeof *sorted);
    const rft_point **ranked = rft_arena_calloc(arena, count + 1, sizeof(const rft_point *));
    size_t filled = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        if (belongs(&run->points[i], sweep, variant, problem) && rft_run_is_candidate(run, &run->points[i])) {
            sorted[filled++] = rank_of(run, &run->points[i]);
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_ranks);
    for (size_t i = 0; i < count; i++) {
        ranked[i] = sorted[i].point;
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
