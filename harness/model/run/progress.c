/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/progress.h"

#include <math.h>

static double swept_s(const rft_point *point) {
    if (!rft_outcome_is_measured(point->outcome)) {
        return NAN;
    }
    return point->rounds[0].n > 0 ? point->rounds[0].stats.median : rft_point_median_s(point);
}

static void collect(rft_progress *progress, const rft_run *run, size_t sweep, size_t problem) {
    double seconds = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem && point->alias_of == 0) {
            seconds += point->rounds[0].wall_s;
            progress->trials[progress->count] = (rft_trial){(double)progress->count + 1, seconds, swept_s(point)};
            progress->count++;
        }
    }
}

rft_progress rft_progress_of(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    rft_progress progress = {0};
    size_t most = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        most += run->points[i].sweep == sweep && run->points[i].problem == problem;
    }
    progress.trials = rft_arena_calloc(arena, most + 1, sizeof *progress.trials);
    collect(&progress, run, sweep, problem);
    progress.better = rft_arena_calloc(arena, progress.count + 1, sizeof(const rft_trial *));
    for (size_t i = 0; i < progress.count; i++) {
        const rft_trial *trial = &progress.trials[i];
        if (isfinite(trial->time_s) &&
            (progress.better_count == 0 || trial->time_s < progress.better[progress.better_count - 1]->time_s)) {
            progress.better[progress.better_count++] = trial;
        }
    }
    for (size_t i = progress.better_count; i-- > 0;) {
        const rft_trial *best = progress.better[progress.better_count - 1];
        bool near = best->time_s / progress.better[i]->time_s >= RFT_PROGRESS_NEAR_FRAC;
        progress.near = near ? progress.better[i] : progress.near;
    }
    return progress;
}
