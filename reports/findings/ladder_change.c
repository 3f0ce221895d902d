/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rung of the ladder is faster or slower than the one before: what it no longer does, or does besides. */
#include "reports/findings/ladder_change.h"

#include "model/roofline/bound.h"
#include "model/roofline/counted.h"
#include "reports/figures.h"

#include <math.h>
#include <string.h>

#define ALIKE_FRAC 0.01     /* of the time: no reason is looked for */
#define EXPLAINED_FRAC 0.25 /* of the difference of the times, by the difference at a ceiling */
#define CHANGE_LEAST 1.02
#define COUNT_LEAST 1.1 /* of a count whose weight in the time is not known */
#define NEGLIGIBLE_FRAC 0.1
#define NEGLIGIBLE_TIME_FRAC 0.05

static const rft_level level_of[] = {[RFT_RESOURCE_DRAM] = RFT_LEVEL_DRAM,
                                     [RFT_RESOURCE_L2] = RFT_LEVEL_L2,
                                     [RFT_RESOURCE_L1] = RFT_LEVEL_L1,
                                     [RFT_RESOURCE_SHARED] = RFT_LEVEL_SHARED};

/* What a count of it means for the time. */
typedef enum meaning { COST, GAIN, EITHER } meaning;

typedef struct change {
    rft_arena *arena;
    const rft_point *before, *after;
    rft_bound bounds[2]; /* of the two, as wholes */
    rft_traffic counted[2];
    bool faster;
    const char *text; /* of the largest so far; NULL */
    double factor;    /* of it, > 1; before there is one, the least that counts */
} change;

/* NULL: nothing is known of that resource. */
static const rft_share *share_of(const rft_bound *bound, rft_resource resource, rft_pipe pipe) {
    for (size_t i = 0; i < bound->share_count; i++) {
        if (bound->shares[i].resource == resource && bound->shares[i].pipe == pipe) {
            return &bound->shares[i];
        }
    }
    return NULL;
}

/* Whether it is a larger change than what was found so far, in the direction of the times; the text is then the
 * caller's. */
static bool is_larger(change *most, double before, double after, meaning means) {
    double factor = before > 0 && after > 0 ? fmax(before / after, after / before) : NAN;
    bool fits = means == EITHER || (means == COST) == ((after < before) == most->faster);
    if (!isfinite(factor) || factor < most->factor || !fits || (most->text && factor <= most->factor)) {
        return false;
    }
    most->factor = factor;
    return true;
}

/* Bytes and operations with a prefix ("B", "op"), shares ("1"), else numbers of things. */
static void consider(change *most, const char *name, const char *unit, double before, double after, meaning means,
                     const char *evidence) {
    rft_arena *arena = most->arena;
    if (!is_larger(most, before, after, means)) {
        return;
    }
    const double values[2] = {before, after};
    const char *texts[2];
    for (size_t i = 0; i < 2; i++) {
        texts[i] = strcmp(unit, "1") == 0 ? rft_figure_percent(arena, values[i])
                   : *unit                ? rft_figure_si(arena, values[i], unit)
                                          : rft_arena_fixed(arena, values[i], 0, "");
    }
    most->text = rft_arena_printf(arena, "%s: %s to %s (%s)", name, texts[0], texts[1], evidence);
}

/* Below this a count weighs nothing: conflicts are held against all wavefronts of both. "From 33 M to none" counts. */
static double floor_of(rft_counter id, const double *before, const double *after) {
    double all = fmax(before[RFT_COUNTER_SHARED_WAVEFRONTS], after[RFT_COUNTER_SHARED_WAVEFRONTS]);
    return id == RFT_COUNTER_SHARED_CONFLICTS && all > 0 ? NEGLIGIBLE_FRAC * all : 0;
}

static void consider_counter(change *most, rft_counter id, meaning means) {
    if (!most->before->counters || !most->after->counters) { /* one of the two was not counted */
        return;
    }
    const double *before = most->before->counters->values, *after = most->after->counters->values;
    double least = floor_of(id, before, after);
    if (!isnan(before[id]) && !isnan(after[id]) &&
        is_larger(most, fmax(before[id], least), fmax(after[id], least), means)) {
        rft_arena *arena = most->arena;
        most->text = rft_arena_printf(arena, "%s: %s to %s (counted)", rft_counter_label(id),
                                      rft_counter_text(id, before[id], arena), rft_counter_text(id, after[id], arena));
    }
}

static void consider_level(change *most, rft_level level) {
    consider(most, rft_level_label(level), "B", most->counted[0].level_bytes[level],
             most->counted[1].level_bytes[level], COST, "counted");
}

/* What was counted of a resource. */
static void consider_counts(change *most, const rft_share *of) {
    switch (of->resource) {
    case RFT_RESOURCE_DRAM:
        consider_counter(most, RFT_COUNTER_DRAM_READ, COST);
        consider_counter(most, RFT_COUNTER_DRAM_WRITE, COST);
        break;
    case RFT_RESOURCE_L2:
        consider_counter(most, RFT_COUNTER_L2_READ, COST);
        consider_counter(most, RFT_COUNTER_L2_WRITE, COST);
        break;
    case RFT_RESOURCE_L1:
        consider_level(most, RFT_LEVEL_L1);
        break;
    case RFT_RESOURCE_SHARED:
        consider_counter(most, RFT_COUNTER_SHARED_CONFLICTS, COST);
        if (!most->text) {
            consider_level(most, RFT_LEVEL_SHARED);
        }
        break;
    case RFT_RESOURCE_PIPE:
        consider(most, rft_arena_printf(most->arena, "%s operations", rft_pipe_label(of->pipe)), "op",
                 most->counted[0].pipe_ops[of->pipe], most->counted[1].pipe_ops[of->pipe], COST, "counted");
        break;
    case RFT_RESOURCE_ISSUE:
        consider_counter(most, RFT_COUNTER_WARP_INSTRUCTIONS, COST);
        break;
    case RFT_RESOURCE_LAUNCH:
    case RFT_RESOURCE_LATENCY:
    case RFT_RESOURCE_UNKNOWN:
        break;
    }
}

static void consider_models(change *most, rft_level level) {
    if (most->before->traffic.present && most->after->traffic.present) {
        consider(most, rft_level_label(level), "B", most->before->traffic.level_bytes[level],
                 most->after->traffic.level_bytes[level], COST, "modelled");
    }
}

static void consider_share(change *most, const rft_share *share) {
    if (share->evidence == RFT_EVIDENCE_COUNTED) {
        consider_counts(most, share);
    } else if (share->resource <= RFT_RESOURCE_SHARED) {
        consider_models(most, level_of[share->resource]);
    }
}

/* The ceiling whose time went with the measured time, and most of all: what was counted there, or modelled. */
static void by_ceilings(change *most, double gained_s) {
    const rft_bound *both = most->bounds;
    double largest_s = EXPLAINED_FRAC * fabs(gained_s);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < both[i].share_count; k++) {
            const rft_share *share = &both[i].shares[k];
            const rft_share *there = share_of(&both[1 - i], share->resource, share->pipe);
            double other_s = there ? there->seconds : 0;
            double less_s = i == 0 ? share->seconds - other_s : other_s - share->seconds;
            change found = *most;
            found.text = NULL;
            found.factor = CHANGE_LEAST;
            if ((there && there->evidence != share->evidence) || (less_s > 0) != most->faster ||
                fabs(less_s) <= largest_s) {
                continue;
            }
            consider_share(&found, share);
            if (found.text) {
                *most = found;
                largest_s = fabs(less_s);
            }
        }
    }
}

static double launches(const rft_point *point) {
    return point->step_count > 0 ? (double)point->step_count : 1;
}

/* Of the longer of the two times it takes hardly any at its ceiling, in both. */
static bool is_negligible(const change *most, rft_resource resource) {
    double longest_s = fmax(rft_point_median_s(most->before), rft_point_median_s(most->after));
    bool known = false;
    for (size_t i = 0; i < 2; i++) {
        const rft_share *share = share_of(&most->bounds[i], resource, RFT_PIPE_COUNT);
        if (share && share->seconds >= NEGLIGIBLE_TIME_FRAC * longest_s) {
            return false;
        }
        known = known || share;
    }
    return known;
}

/* Where no ceiling explains it (what waits is far from all of them): the largest change of a count that could. What
 * would take hardly any time at its ceiling could not. */
static void by_counts(change *most) {
    static const struct {
        rft_counter id;
        meaning means;
        rft_resource at; /* UNKNOWN: it has no ceiling */
    } rows[] = {{RFT_COUNTER_DRAM_READ, COST, RFT_RESOURCE_DRAM},
                {RFT_COUNTER_DRAM_WRITE, COST, RFT_RESOURCE_DRAM},
                {RFT_COUNTER_L2_READ, COST, RFT_RESOURCE_L2},
                {RFT_COUNTER_L2_WRITE, COST, RFT_RESOURCE_L2},
                {RFT_COUNTER_L2_ATOMIC, COST, RFT_RESOURCE_UNKNOWN},
                {RFT_COUNTER_SHARED_CONFLICTS, COST, RFT_RESOURCE_SHARED},
                {RFT_COUNTER_LOAD_BYTES_PER_SECTOR, GAIN, RFT_RESOURCE_UNKNOWN},
                {RFT_COUNTER_WARP_INSTRUCTIONS, COST, RFT_RESOURCE_ISSUE},
                {RFT_COUNTER_STORE_BYTES_PER_SECTOR, GAIN, RFT_RESOURCE_UNKNOWN},
                {RFT_COUNTER_WARPS_ACTIVE, GAIN, RFT_RESOURCE_UNKNOWN}};
    most->factor = COUNT_LEAST;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_negligible(most, rows[i].at)) {
            consider_counter(most, rows[i].id, rows[i].means);
        }
    }
    static const rft_resource on_chip[] = {RFT_RESOURCE_L1, RFT_RESOURCE_SHARED};
    for (size_t i = 0; i < 2; i++) {
        if (!is_negligible(most, on_chip[i])) {
            consider_level(most, level_of[on_chip[i]]);
        }
    }
}

static void by_models(change *most) {
    most->factor = CHANGE_LEAST;
    consider(most, "launches a run", "", launches(most->before), launches(most->after), COST, "recorded");
    for (int level = 0; level < RFT_LEVEL_COUNT; level++) {
        consider_models(most, (rft_level)level);
    }
}

static void by_facts(change *most) {
    most->factor = CHANGE_LEAST;
    const rft_facts *f = &most->before->facts, *g = &most->after->facts;
    consider(most, "registers a thread", "", f->registers, g->registers, EITHER, "compiled");
    consider(most, "theoretical occupancy", "1", f->occupancy_frac, g->occupancy_frac, GAIN, "compiled");
    consider(most, "spilled", "B", f->spill_bytes, g->spill_bytes, COST, "compiled");
}

const char *rft_ladder_change(const rft_run *run, const rft_point *before, const rft_point *after, rft_arena *arena) {
    double before_s = rft_point_median_s(before), after_s = rft_point_median_s(after);
    if (fabs(before_s - after_s) < ALIKE_FRAC * fmin(before_s, after_s)) {
        return "nothing that matters: as fast";
    }
    change most = {.arena = arena,
                   .before = before,
                   .after = after,
                   .bounds = {rft_bound_whole_of(run, before), rft_bound_whole_of(run, after)},
                   .counted = {rft_counted_traffic(before), rft_counted_traffic(after)},
                   .faster = after_s < before_s};
    bool counted = rft_counted_any(before) && rft_counted_any(after);
    by_ceilings(&most, before_s - after_s);
    if (!most.text && counted) {
        by_counts(&most);
    }
    if (!most.text) {
        by_models(&most);
    }
    if (!most.text && !counted) {
        by_facts(&most);
    }
    return most.text ? most.text : "nothing that is known";
}
