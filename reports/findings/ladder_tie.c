/* SPDX-License-Identifier: Apache-2.0 */
/* What a rung changed, and what holds both back: why a step does not pay. */
#include "reports/findings/ladder_tie.h"

#include "base/str.h"
#include "model/roofline/counted.h"
#include "reports/figures.h"

#include <math.h>
#include <stdlib.h>

#define CHANGED_FRAC 0.05 /* of the lesser amount: what differs by less is the same */
#define COSTS_FRAC 0.02   /* of the time, at its ceiling: what differs by less costs nothing */
#define MOST 3            /* changes that are told */

typedef struct changed {
    const char *name;
    rft_evidence evidence;
    double amount[2];
    double cost_frac; /* by which the times at its ceiling differ, of the lesser time */
} changed;

/* ---- what changed ---- */

static const char *name_of(const rft_share *share, bool reads, rft_arena *arena) {
    static const char *const names[] = {[RFT_RESOURCE_DRAM] = "device memory",
                                        [RFT_RESOURCE_L2] = "L2",
                                        [RFT_RESOURCE_L1] = "L1",
                                        [RFT_RESOURCE_SHARED] = "shared memory"};
    if (share->resource == RFT_RESOURCE_PIPE) {
        return rft_arena_printf(arena, "%s operations", rft_pipe_label(share->pipe));
    }
    return share->resource == RFT_RESOURCE_ISSUE ? "instructions"
           : reads                               ? "reads of device memory"
                                                 : names[share->resource];
}

/* Of device memory the reads, where they were counted: what was written last may still lie in the L2. */
static changed changed_of(const rft_point *const points[2], const rft_share *const shares[2], double least_s,
                          rft_arena *arena) {
    bool reads = shares[0]->resource == RFT_RESOURCE_DRAM && shares[0]->evidence == RFT_EVIDENCE_COUNTED;
    changed c = {.name = name_of(shares[0], reads, arena), .evidence = shares[0]->evidence};
    for (size_t i = 0; i < 2; i++) {
        double part = reads ? points[i]->counters->values[RFT_COUNTER_DRAM_READ] /
                                  rft_counted_traffic(points[i]).level_bytes[RFT_LEVEL_DRAM]
                            : 1;
        c.amount[i] = shares[i]->seconds * part;
    }
    c.cost_frac = fabs(c.amount[0] - c.amount[1]) / least_s;
    return c;
}

static bool is_change(const changed *c) {
    return fabs(c->amount[0] - c->amount[1]) > CHANGED_FRAC * fmin(c->amount[0], c->amount[1]) &&
           c->cost_frac > COSTS_FRAC; /* false for NaN */
}

static int by_cost(const void *a, const void *b) {
    double x = ((const changed *)a)->cost_frac, y = ((const changed *)b)->cost_frac;
    return (x < y) - (x > y);
}

/* "34 % less" */
static const char *difference(const changed *c, rft_arena *arena) {
    double factor = c->amount[1] / c->amount[0];
    return factor >= 2 ? rft_arena_printf(arena, "%s as much", rft_figure_ratio(arena, factor))
                       : rft_arena_printf(arena, "%.0f %% %s", 100 * fabs(factor - 1), factor < 1 ? "less" : "more");
}

/* An evidence is told behind the last of those that have it. */
static const char *list(const changed *changes, size_t count, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count || changes[i + 1].evidence != changes[i].evidence;
        rft_str_addf(&text, "%s%s %s", i > 0 ? ", " : "", changes[i].name, difference(&changes[i], arena));
        if (last) {
            rft_str_addf(&text, " (%s)", rft_evidence_name(changes[i].evidence));
        }
    }
    const char *said = rft_arena_printf(arena, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return said;
}

static bool counted(const rft_point *const points[2]) {
    return rft_counted_any(points[0]) && rft_counted_any(points[1]);
}

const char *rft_ladder_changes(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena) {
    changed changes[RFT_SHARES_MAX];
    double least_s = fmin(rft_point_median_s(points[0]), rft_point_median_s(points[1]));
    size_t count = 0;
    for (size_t i = 0; i < bounds[1].share_count; i++) {
        const rft_share *share = &bounds[1].shares[i];
        const rft_share *shares[2] = {rft_bound_share(&bounds[0], share->resource, share->pipe), share};
        if (shares[0] && shares[0]->evidence == share->evidence) {
            changes[count] = changed_of(points, shares, least_s, arena);
            count += is_change(&changes[count]);
        }
    }
    qsort(changes, count, sizeof *changes, by_cost);
    return count > 0         ? list(changes, count < MOST ? count : MOST, arena)
           : counted(points) ? "no count that costs time changed"
                             : NULL;
}

/* ---- what holds both ---- */

/* "84 and 82 %", "84 %" */
static const char *both(double before, double after, rft_arena *arena) {
    const long percent[2] = {lround(100 * before), lround(100 * after)};
    return percent[0] == percent[1] ? rft_arena_printf(arena, "%ld %%", percent[1])
                                    : rft_arena_printf(arena, "%ld and %ld %%", percent[0], percent[1]);
}

/* What a warp does most of its time that is no instruction; COUNT: not all states were counted. */
static rft_counter main_state(const rft_point *point, double *frac) {
    double fracs[RFT_COUNTER_STATES];
    if (!point->counters || !rft_counters_states(point->counters, fracs)) {
        return RFT_COUNTER_COUNT;
    }
    size_t most = 0;
    for (size_t i = 1; i < RFT_COUNTER_STATES; i++) {
        most = fracs[i] > fracs[most] ? i : most;
    }
    *frac = fracs[most];
    return rft_counter_state(most);
}

/* Empty where nothing was counted. */
static const char *waiting(const rft_point *const points[2], rft_arena *arena) {
    double frac[2];
    rft_counter state[2] = {main_state(points[0], &frac[0]), main_state(points[1], &frac[1])};
    if (state[0] == RFT_COUNTER_COUNT || state[1] == RFT_COUNTER_COUNT) {
        return "";
    }
    if (state[0] == state[1]) {
        return rft_arena_printf(arena, "; warps most often %s, %s of their time", rft_counter_label(state[1]),
                                both(frac[0], frac[1], arena));
    }
    return rft_arena_printf(arena, "; warps most often %s, %.0f %% of their time; before %s, %.0f %%",
                            rft_counter_label(state[1]), 100 * frac[1], rft_counter_label(state[0]), 100 * frac[0]);
}

/* Where the clock of both is below the run's, what that allows. */
static const char *by_clock(const rft_bound bounds[2], const rft_share *const shares[2], rft_arena *arena) {
    const rft_resource resource = shares[0]->resource;
    if (!bounds[0].clock.below || !bounds[1].clock.below || resource == RFT_RESOURCE_DRAM ||
        resource == RFT_RESOURCE_L2) {
        return "";
    }
    const rft_bound *held = rft_bound_is_held(&bounds[1]) ? &bounds[1] : &bounds[0];
    return rft_arena_printf(
        arena, ", %s of what their clocks allow%s%s",
        both(rft_bound_share_most(&bounds[0], shares[0]), rft_bound_share_most(&bounds[1], shares[1]), arena),
        rft_bound_is_held(held) ? ", held by " : "",
        rft_bound_is_held(held) ? rft_resource_name(held->resource, held->pipe) : "");
}

const char *rft_ladder_holds(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena) {
    const rft_share *after = bounds[1].share_count > 0 ? &bounds[1].shares[0] : NULL;
    const rft_share *before = after ? rft_bound_share(&bounds[0], after->resource, after->pipe) : NULL;
    if (!before) {
        return NULL;
    }
    const char *name = rft_resource_name(after->resource, after->pipe);
    const char *fracs = both(before->frac, after->frac, arena);
    bool firm[2] = {bounds[0].firmness != RFT_FIRM_NONE, bounds[1].firmness != RFT_FIRM_NONE};
    if (!firm[0] && !firm[1] && !rft_bound_turns(&bounds[1])) {
        return rft_arena_printf(arena, "both wait, %s nearest its ceiling (%s, %s)%s", name, fracs,
                                rft_evidence_name(after->evidence), waiting(points, arena));
    }
    if (before != &bounds[0].shares[0] || !firm[0] || !firm[1]) {
        return rft_arena_printf(arena, "before: %s; now: %s", rft_bound_text(&bounds[0], arena),
                                rft_bound_text(&bounds[1], arena));
    }
    bool mostly = bounds[0].firmness == RFT_FIRM_MOSTLY || bounds[1].firmness == RFT_FIRM_MOSTLY;
    return rft_arena_printf(arena, "%s %sholds both, at %s of its ceiling (%s)%s", name, mostly ? "mostly " : "", fracs,
                            rft_evidence_name(after->evidence),
                            by_clock(bounds, (const rft_share *const[]){before, after}, arena));
}

const char *rft_ladder_tie(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena) {
    const char *changes = rft_ladder_changes(points, bounds, arena);
    const char *holds = rft_ladder_holds(points, bounds, arena);
    return rft_arena_printf(arena, "%s%s%s", changes ? changes : "not counted", holds ? "; " : "", holds ? holds : "");
}
