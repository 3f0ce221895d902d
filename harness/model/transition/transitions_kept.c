/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transition/transitions_kept.h"

typedef struct kept_line {
    const rft_run *run;
    const rft_profile *profile;
    const rft_transition *items;
    size_t count;
} kept_line;

struct rft_transitions_kept {
    rft_arena *arena;
    kept_line *lines;
    size_t count, capacity;
};

rft_transitions_kept *rft_transitions_keep(rft_arena *arena) {
    rft_transitions_kept *kept = rft_arena_calloc(arena, 1, sizeof *kept);
    kept->arena = arena;
    return kept;
}

/* Profiles are made anew for each reader: the same line has the same bests. */
static bool is_line(const rft_profile *a, const rft_profile *z) {
    bool same = a->sweep == z->sweep && a->variant == z->variant && a->along_param == z->along_param &&
                a->index == z->index && a->problem == z->problem && a->step_count == z->step_count;
    for (size_t i = 0; same && i < a->step_count; i++) {
        same = a->steps[i].best == z->steps[i].best;
    }
    return same;
}

/* The profile's steps, for is_line(): its maker's arena may end before. */
static const rft_profile *copy_line(const rft_profile *profile, rft_arena *arena) {
    rft_profile *copy = rft_arena_memdup(arena, profile, sizeof *profile);
    copy->steps = rft_arena_memdup(arena, profile->steps, profile->step_count * sizeof *profile->steps);
    return copy;
}

size_t rft_transitions_kept_of(rft_transitions_kept *kept, const rft_run *run, const rft_profile *profile,
                               rft_arena *arena, const rft_transition **out) {
    rft_transition *found = NULL;
    for (size_t i = 0; kept && i < kept->count; i++) {
        if (kept->lines[i].run == run && is_line(kept->lines[i].profile, profile)) {
            *out = kept->lines[i].items;
            return kept->lines[i].count;
        }
    }
    const size_t count = rft_transitions_of(run, profile, kept ? kept->arena : arena, &found);
    *out = found;
    if (kept) {
        kept->lines = rft_arena_grown(kept->arena, kept->lines, kept->count, &kept->capacity, sizeof *kept->lines);
        kept->lines[kept->count++] = (kept_line){run, copy_line(profile, kept->arena), found, count};
    }
    return count;
}
