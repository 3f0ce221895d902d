/* SPDX-License-Identifier: Apache-2.0 */
/* Which problems the summary shows where there are more than a buyer would read: the most telling of each sweep. */
#include "reports/doc_build.h"

#include <math.h>

typedef struct choice {
    const rft_build *b;
    size_t from, count; /* the sweep's entries */
    bool *taken;        /* per entry of the run */
    size_t left;
} choice;

static void take(choice *c, size_t index) {
    if (c->left > 0 && index < c->from + c->count && !c->taken[index]) {
        c->taken[index] = true;
        c->left--;
    }
}

static void take_extremes(choice *c) {
    const rft_entry *entries = c->b->entries;
    size_t longest = SIZE_MAX, best = SIZE_MAX, worst = SIZE_MAX;
    for (size_t i = c->from; i < c->from + c->count; i++) {
        double share = entries[i].best ? entries[i].place.efficiency_frac : (double)NAN;
        if (entries[i].best &&
            (longest == SIZE_MAX || rft_point_median_s(entries[i].best) > rft_point_median_s(entries[longest].best))) {
            longest = i;
        }
        if (!isnan(share)) {
            best = best == SIZE_MAX || share > entries[best].place.efficiency_frac ? i : best;
            worst = worst == SIZE_MAX || share < entries[worst].place.efficiency_frac ? i : worst;
        }
    }
    take(c, longest);
    take(c, worst);
    take(c, best);
}

/* Both sides of a change of bound; with several swept axes neighbours in this order change for many reasons. */
static void take_turns(choice *c) {
    const rft_entry *entries = c->b->entries;
    const rft_sweep *sweep = &c->b->run->sweeps[entries[c->from].sweep].sweep;
    size_t swept = 0;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        swept += sweep->axes[i].swept;
    }
    if (swept > 1) {
        return;
    }
    for (size_t i = c->from + 1; i < c->from + c->count; i++) {
        const rft_entry *a = &entries[i - 1], *z = &entries[i];
        if (a->best && z->best && (a->bound.resource != z->bound.resource || a->bound.pipe != z->bound.pipe)) {
            take(c, i - 1);
            take(c, i);
        }
    }
}

static void take_evenly(choice *c) {
    for (size_t parts = 2; c->left > 0 && parts <= 2 * c->count; parts *= 2) {
        for (size_t k = 0; k <= parts && c->left > 0; k++) {
            take(c, c->from + k * (c->count - 1) / parts);
        }
    }
}

static void choose_of_sweep(choice *c) {
    take_extremes(c);
    take(c, c->from);
    take(c, c->from + c->count - 1);
    size_t kept = c->left;
    c->left = kept / 2; /* the other half shows what lies between */
    take_turns(c);
    c->left += kept - kept / 2;
    take_evenly(c);
}

/* The entries of a sweep follow each other. */
static size_t end_of_sweep(const rft_build *b, size_t from) {
    size_t end = from;
    while (end < b->entry_count && b->entries[end].sweep == b->entries[from].sweep) {
        end++;
    }
    return end;
}

static size_t taken_of(const rft_build *b, const bool *taken, const rft_entry ***out) {
    size_t count = 0;
    *out = rft_arena_calloc(b->arena, b->entry_count + 1, sizeof **out);
    for (size_t i = 0; i < b->entry_count; i++) {
        if (taken[i]) {
            (*out)[count++] = &b->entries[i];
        }
    }
    return count;
}

size_t rft_build_choose_of(const rft_build *b, size_t sweep, size_t most, const rft_entry ***out) {
    bool *taken = rft_arena_calloc(b->arena, b->entry_count + 1, sizeof *taken);
    size_t from = 0;
    while (from < b->entry_count && b->entries[from].sweep != sweep) {
        from++;
    }
    size_t count = from < b->entry_count ? end_of_sweep(b, from) - from : 0;
    if (count > 0) {
        choice c = {b, from, count, taken, most < count ? most : count};
        choose_of_sweep(&c);
    }
    return taken_of(b, taken, out);
}

/* No summary counts what explains the card; where its chapters stand apart they have it. */
static bool is_summed(const rft_build *b, size_t from) {
    return !rft_build_experiments_apart(b) || b->run->sweeps[b->entries[from].sweep].sweep.diagnostic != 1;
}

size_t rft_build_summed(const rft_build *b) {
    size_t sweeps = 0;
    for (size_t i = 0; i < b->entry_count; i = end_of_sweep(b, i)) {
        sweeps += is_summed(b, i);
    }
    return sweeps;
}

size_t rft_build_choose(const rft_build *b, size_t most, const rft_entry ***out) {
    bool *taken = rft_arena_calloc(b->arena, b->entry_count + 1, sizeof *taken);
    size_t spare = most, sweeps = rft_build_summed(b);
    for (size_t from = 0, next; from < b->entry_count && spare > 0 && sweeps > 0; from = next) {
        next = end_of_sweep(b, from);
        if (!is_summed(b, from)) {
            continue;
        }
        size_t quota = b->entry_count <= most ? next - from : spare / sweeps > 0 ? spare / sweeps : 1;
        choice c = {b, from, next - from, taken, quota < next - from ? quota : next - from};
        spare -= c.left;
        sweeps--;
        choose_of_sweep(&c);
    }
    return taken_of(b, taken, out);
}
