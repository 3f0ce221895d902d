/* SPDX-License-Identifier: Apache-2.0 */
#include "run/transfer_starts.h"

/* The variant's best of the first round on a problem; aliases stand for another. NULL. */
static const rft_point *best_on(const rft_run *run, rft_job_place place, size_t problem) {
    const rft_point *best = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool here = point->sweep == place.sweep && point->variant == place.variant && point->problem == problem;
        if (here && !point->alias_of && point->rounds[0].n > 0 &&
            (!best || point->rounds[0].stats.median < best->rounds[0].stats.median)) {
            best = point;
        }
    }
    return best;
}

static size_t add_start(const rft_run *run, rft_job_place place, size_t problem, const rft_space *space, uint64_t *out,
                        size_t count) {
    const rft_sweep *sweep = &run->sweeps[place.sweep].sweep;
    if (problem >= place.problem || sweep->problems[problem].odd) { /* later ones were not measured before this one */
        return count;
    }
    const rft_point *best = best_on(run, place, problem);
    uint64_t index = best ? rft_space_find(space, best->config) : UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (out[i] == index) {
            return count;
        }
    }
    if (index != UINT64_MAX) {
        out[count++] = index;
    }
    return count;
}

size_t rft_transfer_starts(const rft_run *run, rft_job_place place, const rft_space *space, uint64_t *out) {
    size_t count = 0;
    for (size_t back = 1; back <= place.problem && count < RFT_TRANSFER_MOST; back++) {
        count = add_start(run, place, place.problem - back, space, out, count);
    }
    return count;
}
