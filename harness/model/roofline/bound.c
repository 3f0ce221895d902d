/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/bound.h"

#include "base/str.h"
#include "model/roofline/amount.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NAME_MOST 28

/* Shares of the measured time from which a ceiling is said to hold a point back (docs/roofline.md). */
#define BOUND_FRAC 0.8
#define MOSTLY_FRAC 0.6
#define LAUNCH_FLOORS 3.0
#define OVER_ROOF 0.98
#define BUSY_FRAC 0.9 /* ours: of the cycles; units that work in more have hardly any left */
/* Ours: two ceilings that are as long as the time together, and neither of which is a trifle, are met in turns; if they
 * are longer together, in part at once. */
#define TURNS_LEAST_FRAC 0.25
#define TURNS_FRAC 0.9

rft_ceiling_id rft_bound_dram_ceiling(const rft_ceilings *ceilings, double read_frac) {
    static const struct {
        rft_ceiling_id id;
        double read_frac;
    } mixes[] = {{RFT_CEILING_DRAM_READ, 1.0},
                 {RFT_CEILING_DRAM_2TO1, 2.0 / 3.0},
                 {RFT_CEILING_DRAM_COPY, 0.5},
                 {RFT_CEILING_DRAM_WRITE, 0.0}};
    rft_ceiling_id nearest = RFT_CEILING_DRAM_COPY;
    double distance = INFINITY;
    /* First among the measured; only when there are none, among all. */
    for (int measured = 1; measured >= 0 && distance > 2.0; measured--) {
        for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
            double d = fabs(mixes[i].read_frac - read_frac);
            if (d < distance && (!measured || !isnan(rft_ceilings_rate(ceilings, mixes[i].id)))) {
                distance = d;
                nearest = mixes[i].id;
            }
        }
    }
    return nearest;
}

static int compare_shares(const void *a, const void *b) {
    const rft_share *x = a, *y = b;
    if (x->seconds != y->seconds) {
        return x->seconds > y->seconds ? -1 : 1;
    }
    return x->resource != y->resource ? (int)x->resource - (int)y->resource : (int)x->pipe - (int)y->pipe;
}

/* Fills the shares. Returns whether an amount without a measured ceiling may take enough of the time to be the bound:
 * then nothing can be said about a point that is near none of the others. */
static bool fill_shares(const rft_run *run, const rft_point *point, double median_s, rft_bound *bound) {
    rft_amount amounts[RFT_AMOUNTS_MAX];
    size_t count = rft_amounts_with_traffic(run, point, amounts);
    bool unjudged = false;
    for (size_t i = 0; i < count; i++) {
        const rft_amount *amount = &amounts[i];
        if (isnan(amount->rate)) {
            double most_s = amount->amount / amount->least_rate;
            unjudged = unjudged || isnan(most_s) || most_s >= MOSTLY_FRAC * median_s;
            continue;
        }
        double seconds = amount->amount / amount->rate;
        bound->shares[bound->share_count++] = (rft_share){.resource = amount->resource,
                                                          .pipe = amount->pipe,
                                                          .seconds = seconds,
                                                          .frac = seconds / median_s,
                                                          .clock_frac = amount->amount / amount->clock_rate / median_s,
                                                          .ceiling = amount->ceiling,
                                                          .evidence = amount->evidence};
    }
    if (bound->share_count > 1) {
        qsort(bound->shares, bound->share_count, sizeof *bound->shares, compare_shares);
    }
    return unjudged;
}

bool rft_bound_is_above(const rft_run *run, const rft_point *point, rft_ceiling_id ceiling, double frac) {
    const rft_stats *time = &rft_point_measurement(point)->stats;
    const rft_stats *rate = ceiling < RFT_CEILING_COUNT ? &run->ceilings.items[ceiling].stats : NULL;
    bool known = time->interval_is_95 && (!rate || rate->interval_is_95);
    double least = time->median / time->high * (rate ? rate->median / rate->high : 1.0);
    return frac * (known ? least : 1.0 / RFT_OVER_ROOF_FRAC) > 1.0;
}

const rft_share *rft_bound_share(const rft_bound *bound, rft_resource resource, rft_pipe pipe) {
    for (size_t i = 0; i < bound->share_count; i++) {
        if (bound->shares[i].resource == resource && bound->shares[i].pipe == pipe) {
            return &bound->shares[i];
        }
    }
    return NULL;
}

double rft_bound_share_most(const rft_bound *bound, const rft_share *share) {
    bool apart = share->resource == RFT_RESOURCE_DRAM || share->resource == RFT_RESOURCE_L2;
    return bound->clock.below && !apart ? fmax(share->frac, share->clock_frac) : share->frac;
}

/* Behind the others, the largest first on both sides. */
static void set_refuted_apart(const rft_run *run, const rft_point *point, rft_bound *bound) {
    rft_share refuted[RFT_SHARES_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < bound->share_count; i++) {
        const rft_share *share = &bound->shares[i];
        double most = rft_bound_share_most(bound, share) / RFT_OVER_ROOF_FRAC;
        if (share->evidence == RFT_EVIDENCE_MODELLED && rft_bound_is_above(run, point, share->ceiling, most)) {
            refuted[bound->refuted_count++] = *share;
        } else {
            bound->shares[kept++] = *share;
        }
    }
    bound->share_count = kept;
    for (size_t i = 0; i < bound->refuted_count; i++) {
        bound->shares[kept + i] = refuted[i];
    }
}

static rft_bound bound_unknown(void) {
    return (rft_bound){.resource = RFT_RESOURCE_UNKNOWN,
                       .pipe = RFT_PIPE_COUNT,
                       .firmness = RFT_FIRM_NONE,
                       .frac = NAN,
                       .clock = {.clock_mhz = NAN, .run_mhz = NAN, .cause = RFT_THROTTLE_COUNT},
                       .evidence = RFT_EVIDENCE_DECLARED};
}

/* The nearest share that does nearly all that the point's own clock allows, where that is below the run's; NULL where
 * device memory or the L2, which do not follow that clock, take longer. */
static const rft_share *held_share(const rft_bound *bound) {
    double apart_frac = 0.0;
    const rft_share *found = NULL;
    for (size_t i = 0; bound->clock.below && i < bound->share_count; i++) {
        const rft_share *share = &bound->shares[i];
        if (share->resource == RFT_RESOURCE_DRAM || share->resource == RFT_RESOURCE_L2) {
            apart_frac = fmax(apart_frac, share->frac);
        } else if (!found && share->clock_frac >= RFT_HELD_FRAC) {
            found = share;
        }
    }
    return found && found->clock_frac >= apart_frac ? found : NULL;
}

static rft_resource resource_of_cause(rft_throttle_cause cause) {
    switch (cause) {
    case RFT_THROTTLE_POWER_CAP:
    case RFT_THROTTLE_POWER_BRAKE:
        return RFT_RESOURCE_POWER;
    case RFT_THROTTLE_SW_THERMAL:
    case RFT_THROTTLE_HW_THERMAL:
        return RFT_RESOURCE_THERMAL;
    case RFT_THROTTLE_SYNC_BOOST:
    case RFT_THROTTLE_COUNT:
        break;
    }
    return RFT_RESOURCE_CLOCK;
}

static void set_bound(rft_bound *bound, const rft_share *share, double frac) {
    bound->resource = share->resource;
    bound->pipe = share->pipe;
    bound->frac = frac;
    bound->evidence = share->evidence;
    bound->firmness = frac >= BOUND_FRAC ? RFT_FIRM_BOUND : RFT_FIRM_MOSTLY;
}

static bool is_tensor_bound(const rft_bound *bound) {
    return rft_bound_limit(bound) == RFT_RESOURCE_PIPE && rft_pipe_is_tensor(bound->pipe);
}

static double busy_frac_of(const rft_bound *bound, const rft_point *point) {
    double busy = point->counters ? point->counters->values[RFT_COUNTER_TENSOR_BUSY] : 0.0;
    return busy >= BUSY_FRAC && bound->resource != RFT_RESOURCE_LAUNCH && !is_tensor_bound(bound) ? busy : 0.0;
}

rft_bound rft_bound_whole_of(const rft_run *run, const rft_point *point) {
    rft_bound bound = bound_unknown();
    double median_s = rft_point_median_s(point);
    if (!(median_s > 0.0)) {
        return bound;
    }
    bound.clock = rft_held_clock_of(run, point);
    bool unjudged = fill_shares(run, point, median_s, &bound);
    set_refuted_apart(run, point, &bound);
    unjudged = unjudged || bound.refuted_count > 0;
    const rft_share *first = bound.share_count > 0 ? &bound.shares[0] : NULL;
    if (first != NULL) {
        bound.frac = first->frac;
        bound.evidence = first->evidence;
        bound.over_roof_frac = first->frac > 1.0 / OVER_ROOF ? first->frac : 0.0;
    }
    const rft_share *held = held_share(&bound);
    bool near = held || (first != NULL && first->frac >= MOSTLY_FRAC);
    bool hidden = near && rft_point_measurement(point)->batch > 1; /* runs in a row: launches overlap */
    if (!hidden && median_s < LAUNCH_FLOORS * rft_ceilings_rate(&run->ceilings, RFT_CEILING_LAUNCH)) {
        bound.resource = RFT_RESOURCE_LAUNCH;
    } else if (held) {
        set_bound(&bound, held, held->clock_frac);
        bound.held = held->resource;
        bound.resource = resource_of_cause(bound.clock.cause);
    } else if (near) {
        set_bound(&bound, first, first->frac);
    } else if (first != NULL && !unjudged) {
        bound.resource = RFT_RESOURCE_LATENCY;
    }
    bound.busy_frac = busy_frac_of(&bound, point);
    return bound;
}

bool rft_bound_is_held(const rft_bound *bound) {
    return bound->resource >= RFT_RESOURCE_POWER && bound->resource <= RFT_RESOURCE_CLOCK;
}

rft_resource rft_bound_limit(const rft_bound *bound) {
    return rft_bound_is_held(bound) ? bound->held : bound->resource;
}

bool rft_bound_same(const rft_bound *a, const rft_bound *b) {
    rft_resource limit = rft_bound_limit(a);
    if (rft_bound_is_held(a) && rft_bound_is_held(b)) {
        return true;
    }
    return limit == rft_bound_limit(b) && (limit != RFT_RESOURCE_PIPE || a->pipe == b->pipe);
}

const char *rft_resource_name(rft_resource resource, rft_pipe pipe) {
    switch (resource) {
    case RFT_RESOURCE_DRAM:
        return "dram";
    case RFT_RESOURCE_L2:
        return "l2";
    case RFT_RESOURCE_L1:
        return "l1";
    case RFT_RESOURCE_SHARED:
        return "shared";
    case RFT_RESOURCE_PIPE:
        return pipe < RFT_PIPE_COUNT ? rft_pipe_label(pipe) : "pipe";
    case RFT_RESOURCE_ISSUE:
        return "issue";
    case RFT_RESOURCE_POWER:
        return "power";
    case RFT_RESOURCE_THERMAL:
        return "thermal";
    case RFT_RESOURCE_CLOCK:
        return "clock";
    case RFT_RESOURCE_LAUNCH:
        return "launch";
    case RFT_RESOURCE_LATENCY:
        return "latency";
    case RFT_RESOURCE_UNKNOWN:
        break;
    }
    return "unknown";
}

static bool is_memory(const rft_share *share) {
    return share->resource == RFT_RESOURCE_DRAM || share->resource == RFT_RESOURCE_L2;
}

const rft_share *rft_bound_turns(const rft_bound *bound) {
    if (bound->resource != RFT_RESOURCE_LATENCY || bound->share_count < 2) {
        return NULL;
    }
    const rft_share *first = &bound->shares[0], *second = &bound->shares[1];
    bool pipes = (first->resource == RFT_RESOURCE_PIPE || is_memory(first)) &&
                 (second->resource == RFT_RESOURCE_PIPE || is_memory(second)) &&
                 !(is_memory(first) && is_memory(second));
    double both = first->frac + second->frac;
    return pipes && second->frac >= TURNS_LEAST_FRAC && both >= TURNS_FRAC ? second : NULL;
}

const char *rft_bound_turns_word(const rft_bound *bound) {
    return bound->shares[0].frac + bound->shares[1].frac > RFT_OVER_ROOF_FRAC ? "in part at once" : "in turns";
}

static int percent(double frac) {
    return (int)lround(fmin(frac, 1e6) * 100.0);
}

/* "rope_heads<__nv_bfloat16, ...>": a kernel's name with its first argument, where all of them would fill the sentence.
 */
static const char *step_name(const rft_bound *bound, rft_arena *arena) {
    const char *comma = strchr(bound->step_name, ',');
    size_t kept = comma ? (size_t)(comma - bound->step_name) : 0;
    bool cut = strlen(bound->step_name) > STEP_NAME_MOST && kept > 0 && memchr(bound->step_name, '<', kept);
    return cut ? rft_arena_printf(arena, "%.*s, ...>", (int)kept, bound->step_name) : bound->step_name;
}

const char *rft_bound_busy_text(const rft_bound *bound, rft_arena *arena) {
    return bound->busy_frac > 0
               ? rft_arena_printf(arena, "; tensor units busy in %d %% of the cycles", percent(bound->busy_frac))
               : "";
}

const char *rft_bound_text(const rft_bound *bound, rft_arena *arena) {
    const char *name = rft_resource_name(bound->resource, bound->pipe), *of = rft_bound_busy_text(bound, arena);
    if (bound->step > 0) {
        of = rft_arena_printf(arena, ", step %zu, %s, %d %% of the launches' time", bound->step,
                              step_name(bound, arena), percent(bound->step_frac));
    }
    if (rft_bound_is_held(bound)) {
        const char *cause = bound->resource == RFT_RESOURCE_CLOCK ? rft_throttle_words(bound->clock.cause) : NULL;
        return rft_arena_printf(arena, "bound by %s (%s at %d %% of what %.0f MHz allow, %s%s%s)%s", name,
                                rft_resource_name(bound->held, bound->pipe), percent(bound->frac),
                                bound->clock.clock_mhz, rft_evidence_name(bound->evidence), cause ? "; " : "",
                                cause ? cause : "", of);
    }
    if (bound->firmness != RFT_FIRM_NONE) {
        return rft_arena_printf(arena, "%s %s (%d %%, %s)%s", bound->firmness == RFT_FIRM_BOUND ? "bound by" : "mostly",
                                name, percent(bound->frac), rft_evidence_name(bound->evidence), of);
    }
    const rft_share *refuted = bound->refuted_count > 0 ? &bound->shares[bound->share_count] : NULL;
    const char *note = "work without a measured ceiling; ";
    if (refuted) {
        note = rft_arena_printf(arena, "its `traffic` says more than %s can do; ",
                                rft_resource_name(refuted->resource, refuted->pipe));
    }
    if (bound->share_count == 0) {
        return bound->resource != RFT_RESOURCE_UNKNOWN ? name
               : refuted                               ? rft_arena_printf(arena, "unknown: %sno other amount", note)
                                                       : "unknown: no measured ceiling to judge by";
    }
    const rft_share *nearest = &bound->shares[0], *other = rft_bound_turns(bound);
    if (other) {
        return rft_arena_printf(arena, "%s: %s %d %% and %s %d %%, as if %s%s", name,
                                rft_resource_name(nearest->resource, nearest->pipe), percent(nearest->frac),
                                rft_resource_name(other->resource, other->pipe), percent(other->frac),
                                rft_bound_turns_word(bound), of);
    }
    note = bound->resource == RFT_RESOURCE_UNKNOWN ? note : "";
    return rft_arena_printf(arena, "%s: %snearest ceiling %s %d %%%s", name, note,
                            rft_resource_name(nearest->resource, nearest->pipe), percent(nearest->frac), of);
}

/* ---- points of several launches ---- */

size_t rft_step_bound_count(const rft_point *point) {
    const rft_measurement *m = rft_point_measurement(point);
    bool timed = m != NULL && point->step_count > 1 && m->step_count == point->step_count && m->step_s != NULL;
    return timed ? point->step_count : 0;
}

/* The step as if it were a point: bound.c judges it by the same rule. */
static rft_bound judge_step(const rft_run *run, const rft_point *point, size_t i, rft_cache_mode cache) {
    rft_point alone = *point;
    rft_measurement *m = &alone.rounds[RFT_ROUNDS - 1];
    *m = *rft_point_measurement(point);
    double part = m->step_s[i] / m->stats.median; /* its interval is that of the whole */
    m->stats.median = m->step_s[i];
    m->stats.low *= part;
    m->stats.high *= part;
    m->cache = cache;
    alone.work = point->steps[i].work;
    alone.traffic = point->steps[i].traffic;
    alone.counters = NULL;
    alone.step_count = 0;
    return rft_bound_whole_of(run, &alone);
}

static bool same_verdict(const rft_bound *a, const rft_bound *b) {
    return a->resource == b->resource && a->pipe == b->pipe && a->firmness == b->firmness;
}

/* Behind the first step the L2 holds what the step before left, so bytes that fit it come from there or from device
 * memory: a verdict stands when it is the same either way. */
static void judge_after_others(const rft_run *run, const rft_point *point, size_t i, rft_step_bound *out) {
    const rft_step *step = &point->steps[i];
    bool says_where = step->traffic.present && !isnan(step->traffic.level_bytes[RFT_LEVEL_DRAM]);
    if (i == 0 || says_where || out->bound.resource == RFT_RESOURCE_LAUNCH) {
        return;
    }
    rft_bound from_l2 = judge_step(run, point, i, RFT_CACHE_HOT);
    if (!same_verdict(&out->bound, &from_l2)) {
        out->bound.resource = RFT_RESOURCE_UNKNOWN;
        out->bound.pipe = RFT_PIPE_COUNT;
        out->bound.firmness = RFT_FIRM_NONE;
        out->reason = "its bytes fit the L2 and may come from there or from device memory: traffic = { dram = ... } "
                      "would tell";
    }
}

rft_step_bound rft_step_bound_of(const rft_run *run, const rft_point *point, size_t i) {
    const rft_measurement *m = rft_point_measurement(point);
    double total_s = 0.0;
    for (size_t k = 0; k < m->step_count; k++) {
        total_s += m->step_s[k];
    }
    rft_step_bound out = {.name = point->steps[i].name,
                          .seconds = m->step_s[i],
                          .frac = m->step_s[i] / total_s,
                          .bound = bound_unknown()};
    if (!point->steps[i].has_work && !point->steps[i].traffic.present) {
        out.reason = "the launch declares no work of its own";
        return out;
    }
    out.bound = judge_step(run, point, i, m->cache);
    judge_after_others(run, point, i, &out);
    return out;
}

size_t rft_step_bound_longest(const rft_point *point) {
    size_t count = rft_step_bound_count(point), longest = count > 0 ? 0 : SIZE_MAX;
    for (size_t i = 1; i < count; i++) {
        const double *step_s = rft_point_measurement(point)->step_s;
        longest = step_s[i] > step_s[longest] ? i : longest;
    }
    return longest;
}

rft_bound rft_bound_of(const rft_run *run, const rft_point *point) {
    size_t longest = rft_step_bound_longest(point);
    if (longest == SIZE_MAX) {
        return rft_bound_whole_of(run, point);
    }
    rft_step_bound step = rft_step_bound_of(run, point, longest);
    if (step.bound.resource == RFT_RESOURCE_UNKNOWN) {
        return rft_bound_whole_of(run, point);
    }
    step.bound.step = longest + 1;
    step.bound.step_name = step.name;
    step.bound.step_frac = step.frac;
    return step.bound;
}

const char *rft_step_bound_text(const rft_step_bound *step, rft_arena *arena) {
    return step->reason ? rft_arena_printf(arena, "unknown: %s", step->reason) : rft_bound_text(&step->bound, arena);
}
