/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rung of the ladder is faster or slower than the one before: what it no longer does, or does besides. */
#include "reports/findings/ladder_change.h"

#include "model/roofline/bound.h"
#include "model/roofline/counted.h"
#include "model/run/run_drift.h"
#include "reports/figures.h"
#include "reports/findings/ladder_tie.h"

#include <math.h>

#define ALIKE_FRAC 0.01      /* of the time: no reason is looked for */
#define EXPLAINED_LEAST 0.5  /* of the change of the times: less does not explain it, */
#define EXPLAINED_MOST 2.0   /* and more says that something else does */
#define FIRM_FRAC 0.6        /* of the slower rung's time: what takes so much at its ceiling holds it back */
#define EQUAL_FRAC 0.05      /* amounts that differ by less are the same */
#define IDLE_FRAC 0.02       /* of the SMs' time: what differs by less is noise of the counted passes */
#define CLOCK_FRAC 0.01      /* clocks that differ by less are the same */
#define SCHEDULERS 4.0       /* of an SM, on every architecture so far */
#define NEGLIGIBLE_FRAC 0.25 /* of the nearest ceiling: what takes less at its own, in both, explains nothing */

typedef struct change {
    rft_arena *arena;
    const rft_point *points[2]; /* before, after */
    double time_s[2];
    rft_bound bounds[2]; /* as wholes */
    rft_traffic counted[2];
    double l2_bytes, sms;    /* 0: not known */
    const rft_bound *slower; /* of them */
    const char *text;        /* of the best explanation so far; NULL */
    double share;            /* of the change that it accounts for */
} change;

/* What was counted, or modelled, of both. NaN: of one of them it is not known. */
typedef struct pair {
    const char *name, *evidence;
    const char *words[2];
    double value[2];
} pair;

/* ---- amounts ---- */

static pair counter_pair(const change *c, rft_counter id) {
    pair p = {.name = rft_counter_label(id), .evidence = "counted"};
    for (size_t i = 0; i < 2; i++) {
        const rft_counters *counters = c->points[i]->counters;
        p.value[i] = counters ? counters->values[id] : (double)NAN;
        p.words[i] = rft_counter_text(id, p.value[i], c->arena);
    }
    return p;
}

static pair amount_pair(const change *c, const char *name, const char *evidence, const char *unit, double before,
                        double after) {
    pair p = {.name = name, .evidence = evidence, .value = {before, after}};
    for (size_t i = 0; i < 2; i++) {
        p.words[i] = *unit ? rft_figure_si(c->arena, p.value[i], unit) : rft_arena_fixed(c->arena, p.value[i], 0, "");
    }
    return p;
}

static pair level_pair(const change *c, rft_level level, bool counted) {
    double bytes[2];
    for (size_t i = 0; i < 2; i++) {
        const rft_traffic *modelled = &c->points[i]->traffic;
        bytes[i] = counted             ? c->counted[i].level_bytes[level]
                   : modelled->present ? modelled->level_bytes[level]
                                       : (double)NAN;
    }
    return amount_pair(c, rft_level_label(level), counted ? "counted" : "modelled", "B", bytes[0], bytes[1]);
}

/* What the L2 still holds when the kernel ends is not written yet, by chance more of one rung or of the other. */
static pair written_pair(const change *c) {
    pair p = counter_pair(c, RFT_COUNTER_DRAM_WRITE);
    if (fabs(p.value[0] - p.value[1]) <= c->l2_bytes) {
        p.value[0] = p.value[1] = NAN;
    }
    return p;
}

static double less(const pair *p) {
    return p->value[0] - p->value[1];
}

/* Of several amounts of one resource the one that changed most, in the direction of the times. */
static pair most_of(const change *c, const rft_counter *ids, size_t count) {
    bool faster = c->time_s[1] < c->time_s[0];
    pair most = counter_pair(c, ids[0]);
    for (size_t i = 1; i < count; i++) {
        pair p = ids[i] == RFT_COUNTER_DRAM_WRITE ? written_pair(c) : counter_pair(c, ids[i]);
        double by = faster ? less(&p) : -less(&p);
        most = by > (faster ? less(&most) : -less(&most)) || isnan(less(&most)) ? p : most;
    }
    return most;
}

/* Conflicts where they are half of what shared memory does less, or more. */
static pair shared_pair(const change *c) {
    pair all = counter_pair(c, RFT_COUNTER_SHARED_WAVEFRONTS),
         conflicts = counter_pair(c, RFT_COUNTER_SHARED_CONFLICTS);
    return less(&conflicts) / less(&all) >= EXPLAINED_LEAST ? conflicts : level_pair(c, RFT_LEVEL_SHARED, true);
}

static bool is_l2_atomic(rft_pipe pipe) {
    return pipe == RFT_PIPE_ATOMICS_L2 || pipe == RFT_PIPE_ATOMICS_L2_ONE || pipe == RFT_PIPE_ATOMICS_L2_F32 ||
           pipe == RFT_PIPE_ATOMICS_L2_F32_ONE;
}

/* Operations: counted; else as the kernel's formula, or the work, has them. Of atomics no counter tells the types. */
static pair pipe_pair(const change *c, const rft_share *share) {
    pair atomics = counter_pair(c, RFT_COUNTER_L2_ATOMIC);
    if (share->evidence != RFT_EVIDENCE_COUNTED && is_l2_atomic(share->pipe) && isfinite(less(&atomics))) {
        return atomics;
    }
    double ops[2];
    for (size_t i = 0; i < 2; i++) {
        const rft_traffic *modelled = &c->points[i]->traffic;
        ops[i] = share->evidence == RFT_EVIDENCE_COUNTED    ? c->counted[i].pipe_ops[share->pipe]
                 : share->evidence == RFT_EVIDENCE_MODELLED ? modelled->pipe_ops[share->pipe]
                                                            : c->points[i]->work.pipe_ops[share->pipe];
    }
    return amount_pair(c, rft_arena_printf(c->arena, "%s operations", rft_pipe_label(share->pipe)),
                       rft_evidence_name(share->evidence), "op", ops[0], ops[1]);
}

/* What was counted, or modelled, of what a share is of. */
static pair pair_of(const change *c, const rft_share *share) {
    static const rft_counter dram[] = {RFT_COUNTER_DRAM_READ, RFT_COUNTER_DRAM_WRITE};
    static const rft_counter l2[] = {RFT_COUNTER_L2_READ, RFT_COUNTER_L2_WRITE, RFT_COUNTER_L2_ATOMIC};
    static const rft_level levels[] = {[RFT_RESOURCE_DRAM] = RFT_LEVEL_DRAM,
                                       [RFT_RESOURCE_L2] = RFT_LEVEL_L2,
                                       [RFT_RESOURCE_L1] = RFT_LEVEL_L1,
                                       [RFT_RESOURCE_SHARED] = RFT_LEVEL_SHARED};
    if (share->resource == RFT_RESOURCE_PIPE) {
        return pipe_pair(c, share);
    }
    if (share->evidence != RFT_EVIDENCE_COUNTED) {
        return share->resource <= RFT_RESOURCE_SHARED ? level_pair(c, levels[share->resource], false)
                                                      : (pair){.value = {NAN, NAN}};
    }
    switch (share->resource) {
    case RFT_RESOURCE_DRAM:
        return most_of(c, dram, 2);
    case RFT_RESOURCE_L2:
        return most_of(c, l2, 3);
    case RFT_RESOURCE_L1:
        return level_pair(c, RFT_LEVEL_L1, true);
    case RFT_RESOURCE_SHARED:
        return shared_pair(c);
    case RFT_RESOURCE_ISSUE:
        return counter_pair(c, RFT_COUNTER_WARP_INSTRUCTIONS);
    default:
        return (pair){.value = {NAN, NAN}};
    }
}

/* ---- what it means for the time ---- */

/* Whether it accounts for the times, and better than what was found so far. */
static bool explains(change *c, double share) {
    bool enough = share >= EXPLAINED_LEAST && share <= EXPLAINED_MOST;
    if (!enough || (c->text && fabs(log(share)) >= fabs(log(c->share)))) {
        return false;
    }
    c->share = share;
    return true;
}

/* `share` of the difference of the times. */
static const char *part_text(const change *c, double share) {
    return share >= 0.995 ? "all" : rft_arena_fixed(c->arena, 100 * share, 0, " %");
}

static double gained_s(const change *c) {
    return c->time_s[0] - c->time_s[1];
}

/* The time at a ceiling that goes, of the difference. Atomics that a formula has in one rung alone follow the counts.
 */
static double part_at_ceiling(const change *c, const rft_share *share, const pair *p) {
    const rft_share *before = rft_bound_share(&c->bounds[0], share->resource, share->pipe);
    const rft_share *after = rft_bound_share(&c->bounds[1], share->resource, share->pipe);
    if (before && after) {
        return before->evidence == after->evidence ? (before->seconds - after->seconds) / gained_s(c) : (double)NAN;
    }
    bool follows =
        share->resource == RFT_RESOURCE_PIPE && is_l2_atomic(share->pipe) && share->evidence != RFT_EVIDENCE_COUNTED;
    return follows ? share->seconds * less(p) / p->value[before == NULL] / gained_s(c) : (double)NAN;
}

/* Of device memory's bytes those read, where those written are not named. */
static double named_part(const change *c, const rft_share *share, const pair *p) {
    bool reads = share->resource == RFT_RESOURCE_DRAM && share->evidence == RFT_EVIDENCE_COUNTED;
    pair written = written_pair(c);
    double all = c->counted[0].level_bytes[RFT_LEVEL_DRAM] - c->counted[1].level_bytes[RFT_LEVEL_DRAM];
    return reads && isnan(written.value[0]) ? less(p) / all : 1;
}

/* What holds the slower rung back, or comes nearest to it: the difference of its times at the ceiling. */
static void by_ceilings(change *c) {
    for (size_t k = 0; k < c->slower->share_count && !c->text; k++) {
        const rft_share *share = &c->slower->shares[k];
        if (k > 0 && share->frac < FIRM_FRAC) {
            return;
        }
        pair p = pair_of(c, share);
        double part = part_at_ceiling(c, share, &p) * named_part(c, share, &p);
        if (isfinite(less(&p)) && less(&p) / gained_s(c) > 0 && isfinite(part) && explains(c, part)) {
            c->text = rft_arena_printf(c->arena, "%s: %s to %s (%s), at its ceiling %s of the difference", p.name,
                                       p.words[0], p.words[1], p.evidence, part_text(c, part));
        }
    }
}

static bool is_on_sm(rft_resource resource) {
    return resource == RFT_RESOURCE_PIPE || resource == RFT_RESOURCE_ISSUE || resource == RFT_RESOURCE_SHARED ||
           resource == RFT_RESOURCE_L1;
}

/* The same arithmetic on another pipe: what holds back both rungs. */
static void by_pipes(change *c) {
    const rft_bound *before = &c->bounds[0], *after = &c->bounds[1];
    if (rft_bound_limit(before) != RFT_RESOURCE_PIPE || rft_bound_limit(after) != RFT_RESOURCE_PIPE ||
        before->pipe == after->pipe) {
        return;
    }
    const rft_share *from = rft_bound_share(before, RFT_RESOURCE_PIPE, before->pipe);
    const rft_share *to = rft_bound_share(after, RFT_RESOURCE_PIPE, after->pipe);
    double part = (from->seconds - to->seconds) / gained_s(c);
    if (explains(c, part)) {
        pair p = pair_of(c, from), q = pair_of(c, to);
        c->text =
            rft_arena_printf(c->arena, "%s: %s, to %s: %s (%s), at their ceilings %s of the difference", p.name,
                             p.words[0], q.name, q.words[1], rft_evidence_name(from->evidence), part_text(c, part));
    }
}

/* What holds it back, or comes nearest to it. */
static rft_resource nearest_of(const rft_bound *bound) {
    rft_resource limit = rft_bound_limit(bound);
    return limit == RFT_RESOURCE_LATENCY && bound->share_count > 0 ? bound->shares[0].resource : limit;
}

/* Pipes and levels of the SM do as much a cycle at any clock, and waiting inside the SM takes as many. */
static void by_clock(change *c) {
    double mhz[2] = {c->bounds[0].clock.clock_mhz, c->bounds[1].clock.clock_mhz};
    double times = c->time_s[0] / c->time_s[1];
    bool follows = is_on_sm(nearest_of(&c->bounds[0])) && is_on_sm(nearest_of(&c->bounds[1]));
    if (follows && mhz[0] > 0 && mhz[1] > 0 && explains(c, log(mhz[1] / mhz[0]) / log(times))) {
        c->text =
            rft_arena_printf(c->arena, "SM clock: %.0f MHz to %.0f MHz (measured), %s where the times differ by %s",
                             mhz[0], mhz[1], rft_figure_ratio(c->arena, fmax(mhz[1] / mhz[0], mhz[0] / mhz[1])),
                             rft_figure_ratio(c->arena, fmax(times, 1 / times)));
    }
}

/* Where the clock differs, as power leaves it, what the step itself does is in the cycles that it takes. */
static const char *at_one_clock(const change *c, const char *why) {
    double mhz[2] = {c->bounds[0].clock.clock_mhz, c->bounds[1].clock.clock_mhz};
    bool follows = is_on_sm(nearest_of(&c->bounds[0])) && is_on_sm(nearest_of(&c->bounds[1]));
    if (!follows || !(mhz[0] > 0 && mhz[1] > 0) || fabs(log(mhz[1] / mhz[0])) < CLOCK_FRAC) {
        return why;
    }
    return rft_arena_printf(c->arena, "%s; at one SM clock %s", why,
                            rft_figure_ratio(c->arena, c->time_s[0] * mhz[0] / (c->time_s[1] * mhz[1])));
}

/* It takes hardly any time at its ceiling beside the nearest of all, in both. `part`: this much of the level. */
static bool is_negligible(const change *c, rft_resource resource, const pair *part, const pair *level) {
    bool known = false;
    for (size_t i = 0; i < 2; i++) {
        const rft_share *share = rft_bound_share(&c->bounds[i], resource, RFT_PIPE_COUNT);
        double frac = part && level && level->value[i] > 0 ? part->value[i] / level->value[i] : 1;
        if (share && share->seconds * frac >= NEGLIGIBLE_FRAC * c->bounds[i].shares[0].seconds) {
            return false;
        }
        known = known || share;
    }
    return known;
}

/* The factor by which a count changed, beside that of the times. `gain`: more of it is faster. */
static void in_proportion(change *c, const pair *p, bool gain) {
    double times = c->time_s[0] / c->time_s[1];
    double factor = gain ? p->value[1] / p->value[0] : p->value[0] / p->value[1];
    if (p->value[0] > 0 && p->value[1] > 0 && isfinite(factor) && explains(c, log(factor) / log(times))) {
        c->text = rft_arena_printf(c->arena, "%s: %s to %s (%s), %s where the times differ by %s", p->name, p->words[0],
                                   p->words[1], p->evidence, rft_figure_ratio(c->arena, fmax(factor, 1 / factor)),
                                   rft_figure_ratio(c->arena, fmax(times, 1 / times)));
    }
}

/* A request of a warp fetches whole sectors: what matters is how many it takes for the bytes that are used. */
static pair sectors_of_loads(const change *c) {
    pair useful = counter_pair(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    pair sectors = counter_pair(c, RFT_COUNTER_SECTORS_PER_LOAD);
    for (size_t i = 0; i < 2; i++) { /* more is one sector for several threads */
        useful.value[i] = useful.value[i] > RFT_SECTOR_BYTES ? RFT_SECTOR_BYTES : useful.value[i];
    }
    for (size_t i = 0; i < 2 && isfinite(less(&sectors)) && isfinite(less(&useful)); i++) {
        useful.name = sectors.name;
        useful.words[i] =
            rft_arena_printf(c->arena, "%s for %s used", rft_arena_fixed(c->arena, sectors.value[i], 1, ""),
                             rft_figure_si(c->arena, sectors.value[i] * useful.value[i], "B"));
    }
    return useful;
}

/* How memory is accessed, which warps, instructions and bytes on their way follow from. */
static void by_access(change *c) {
    pair loads = sectors_of_loads(c), stores = counter_pair(c, RFT_COUNTER_STORE_BYTES_PER_SECTOR);
    pair written = counter_pair(c, RFT_COUNTER_L2_WRITE), l2 = level_pair(c, RFT_LEVEL_L2, true);
    written.value[0] *= RFT_SECTOR_BYTES;
    written.value[1] *= RFT_SECTOR_BYTES;
    if (!is_negligible(c, RFT_RESOURCE_L1, NULL, NULL)) {
        in_proportion(c, &loads, true);
    }
    if (!is_negligible(c, RFT_RESOURCE_L2, &written, &l2)) {
        in_proportion(c, &stores, true);
    }
}

/* Where no ceiling is near, and what waits goes with how often it waits. */
static void by_counts(change *c) {
    static const struct {
        rft_counter id;
        rft_resource at;
        rft_level level;
        double bytes; /* of one of them */
    } rows[] = {{RFT_COUNTER_DRAM_READ, RFT_RESOURCE_DRAM, RFT_LEVEL_DRAM, 1},
                {RFT_COUNTER_DRAM_WRITE, RFT_RESOURCE_DRAM, RFT_LEVEL_DRAM, 1},
                {RFT_COUNTER_L2_READ, RFT_RESOURCE_L2, RFT_LEVEL_L2, RFT_SECTOR_BYTES},
                {RFT_COUNTER_L2_WRITE, RFT_RESOURCE_L2, RFT_LEVEL_L2, RFT_SECTOR_BYTES},
                {RFT_COUNTER_SHARED_CONFLICTS, RFT_RESOURCE_SHARED, RFT_LEVEL_SHARED, RFT_WAVEFRONT_BYTES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p = rows[i].id == RFT_COUNTER_DRAM_WRITE ? written_pair(c) : counter_pair(c, rows[i].id);
        pair part = p, level = level_pair(c, rows[i].level, true);
        part.value[0] *= rows[i].bytes;
        part.value[1] *= rows[i].bytes;
        if (!is_negligible(c, rows[i].at, &part, &level)) {
            in_proportion(c, &p, false);
        }
    }
    pair l1 = level_pair(c, RFT_LEVEL_L1, true), instructions = counter_pair(c, RFT_COUNTER_WARP_INSTRUCTIONS);
    if (!is_negligible(c, RFT_RESOURCE_L1, NULL, NULL)) {
        in_proportion(c, &l1, false);
    }
    if (!is_negligible(c, RFT_RESOURCE_ISSUE, NULL, NULL)) {
        in_proportion(c, &instructions, false);
    }
    pair atomics = counter_pair(c, RFT_COUNTER_L2_ATOMIC), warps = counter_pair(c, RFT_COUNTER_WARPS_ACTIVE);
    in_proportion(c, &atomics, false);
    if (!rft_pipe_is_tensor(rft_work_main_pipe(&c->points[0]->work))) { /* a warpgroup's instruction is no warp's */
        in_proportion(c, &warps, true);
    }
}

/* Launches that are gone, at an empty kernel's time each. */
static void by_launches(change *c, double floor_s) {
    double counts[2];
    for (size_t i = 0; i < 2; i++) {
        counts[i] = c->points[i]->step_count > 0 ? (double)c->points[i]->step_count : 1;
    }
    double part = (counts[0] - counts[1]) * floor_s / (c->time_s[0] - c->time_s[1]);
    if (counts[0] != counts[1] && explains(c, part)) {
        pair p = amount_pair(c, "launches a run", "recorded", "", counts[0], counts[1]);
        c->text = rft_arena_printf(c->arena, "%s: %s to %s (%s), at an empty kernel's time %s of the difference",
                                   p.name, p.words[0], p.words[1], p.evidence, part_text(c, part));
    }
}

/* ---- what is busy ---- */

static pair share_pair(const change *c, const char *name, double before, double after) {
    pair p = {.name = name, .evidence = "counted", .value = {before, after}};
    int decimals = lround(100 * before) == lround(100 * after);
    for (size_t i = 0; i < 2; i++) {
        p.words[i] = rft_arena_fixed(c->arena, 100 * p.value[i], decimals, " %");
    }
    return p;
}

/* The cycles in which an SM has a warp, of those of the measured time: what its instructions took at the rate they were
 * issued at. The counted range is longer than the launch, by much of a short one. */
static pair working_pair(const change *c) {
    double frac[2];
    for (size_t i = 0; i < 2; i++) {
        const double *values = c->points[i]->counters ? c->points[i]->counters->values : NULL;
        double all = SCHEDULERS * c->sms * c->bounds[i].clock.clock_mhz * 1e6 * c->time_s[i];
        frac[i] = values ? values[RFT_COUNTER_WARP_INSTRUCTIONS] / values[RFT_COUNTER_ISSUE] / all : (double)NAN;
        frac[i] = frac[i] <= 1 + IDLE_FRAC ? fmin(frac[i], 1) : (double)NAN;
    }
    pair p = share_pair(c, "SMs with work", frac[0], frac[1]);
    if (!(fabs(less(&p)) >= IDLE_FRAC)) {
        p.value[0] = p.value[1] = NAN;
    }
    return p;
}

/* Blocks that are spread more evenly, or fewer waves of them that end part-filled. */
static void by_work_for_all(change *c) {
    pair working = working_pair(c);
    in_proportion(c, &working, true);
}

/* Of rungs that tensor units come nearest to holding back. */
static pair units_pair(const change *c) {
    const rft_share *nearest = c->slower->share_count > 0 ? &c->slower->shares[0] : NULL;
    bool tensor = nearest && nearest->resource == RFT_RESOURCE_PIPE && rft_pipe_is_tensor(nearest->pipe);
    pair busy = counter_pair(c, RFT_COUNTER_TENSOR_BUSY);
    busy = share_pair(c, "cycles with tensor units at work", busy.value[0], busy.value[1]);
    if (!tensor || !(fabs(less(&busy)) >= IDLE_FRAC)) {
        busy.value[0] = busy.value[1] = NAN;
    }
    return busy;
}

/* Units that wait less often do as much in a shorter time; what they waited for no count says. */
static void by_units(change *c) {
    pair busy = units_pair(c);
    in_proportion(c, &busy, true);
}

/* "; SMs with work 97 % of the time in place of 80 %": what changed of how busy both are; "". */
static const char *busy_words(const change *c) {
    const pair pairs[] = {units_pair(c), working_pair(c)};
    const char *text = "";
    for (size_t i = 0; i < 2; i++) {
        if (isfinite(less(&pairs[i]))) {
            text = rft_arena_printf(c->arena, "%s; %s %s in place of %s (counted)", text, pairs[i].name,
                                    pairs[i].words[1], pairs[i].words[0]);
        }
    }
    return text;
}

/* ---- what warps wait for ---- */

/* Seconds of a rung by the state in which its resident warps spend them; false: not all states were counted. */
static bool states_of(const change *c, size_t rung, double seconds[RFT_COUNTER_STATES]) {
    const rft_counters *counters = c->points[rung]->counters;
    bool known = counters && rft_counters_states(counters, seconds);
    for (size_t i = 0; known && i < RFT_COUNTER_STATES; i++) {
        seconds[i] *= c->time_s[rung];
    }
    return known;
}

/* Where device memory or the L2 holds a rung back, warps that wait for it say only that. */
static bool says_something(const change *c, rft_counter state) {
    rft_resource limit = c->slower->share_count > 0 ? c->slower->shares[0].resource : RFT_RESOURCE_UNKNOWN;
    bool outside = limit == RFT_RESOURCE_DRAM || limit == RFT_RESOURCE_L2;
    bool memory =
        state == RFT_COUNTER_STALL_LONG_SCOREBOARD || state == RFT_COUNTER_STALL_LG || state == RFT_COUNTER_STALL_DRAIN;
    bool held = outside && c->slower->shares[0].frac >= FIRM_FRAC;
    return state != RFT_COUNTER_STALL_NOT_SELECTED && !(memory && held);
}

/* The one state whose time changed most, in either direction. */
static void by_states(change *c) {
    double before[RFT_COUNTER_STATES], after[RFT_COUNTER_STATES];
    if (!states_of(c, 0, before) || !states_of(c, 1, after)) {
        return;
    }
    size_t most = 0;
    for (size_t i = 1; i < RFT_COUNTER_STATES; i++) {
        most = fabs(before[i] - after[i]) > fabs(before[most] - after[most]) ? i : most;
    }
    double part = (before[most] - after[most]) / gained_s(c);
    if (says_something(c, rft_counter_state(most)) && explains(c, part)) {
        c->text =
            rft_arena_printf(c->arena, "warps %s: %s to %s of the time (counted), %s of the difference",
                             rft_counter_label(rft_counter_state(most)), rft_figure_si(c->arena, before[most], "s"),
                             rft_figure_si(c->arena, after[most], "s"), part_text(c, part));
    }
}

/* That it is no amount is known where the same ceiling holds both back and has as much to do: it is used better, or
 * worse. */
static const char *not_known(const change *c) {
    const rft_share *slower = c->slower->share_count > 0 ? &c->slower->shares[0] : NULL;
    const char *busy = busy_words(c);
    const rft_share *own[2];
    for (size_t i = 0; i < 2; i++) {
        own[i] = slower ? rft_bound_share(&c->bounds[i], slower->resource, slower->pipe) : NULL;
    }
    bool same = slower && slower->frac >= FIRM_FRAC && own[0] && own[1] && own[0]->evidence == own[1]->evidence &&
                fabs(own[0]->seconds - own[1]->seconds) <= EQUAL_FRAC * fmin(own[0]->seconds, own[1]->seconds);
    if (!same) {
        const char *changes = rft_ladder_changes(c->points, c->bounds, c->arena);
        return changes ? rft_arena_printf(c->arena, "not known; %s%s", changes, busy) : "not known: not counted";
    }
    const double more = own[1]->seconds / own[0]->seconds - 1, longer = c->time_s[1] / c->time_s[0] - 1;
    if (more * longer > 0 && fabs(more) >= EXPLAINED_LEAST * fabs(longer)) { /* little, but so is the step */
        return rft_arena_printf(
            c->arena, "%s has %s %s to do (%s), where the times differ by %s; at %s of its ceiling both times",
            rft_resource_name(slower->resource, slower->pipe), rft_arena_fixed(c->arena, 100 * fabs(more), 1, " %"),
            more > 0 ? "more" : "less", rft_evidence_name(slower->evidence),
            rft_arena_fixed(c->arena, 100 * fabs(longer), 1, " %"),
            rft_arena_fixed(c->arena, 100 * own[1]->frac, 0, " %"));
    }
    int decimals = lround(100 * own[0]->frac) == lround(100 * own[1]->frac);
    return rft_arena_printf(c->arena,
                            "%s has as much to do (%s), at %s of its ceiling in place of %s: why is not known%s",
                            rft_resource_name(slower->resource, slower->pipe), rft_evidence_name(slower->evidence),
                            rft_arena_fixed(c->arena, 100 * own[1]->frac, decimals, " %"),
                            rft_arena_fixed(c->arena, 100 * own[0]->frac, decimals, " %"), busy);
}

const char *rft_ladder_change(const rft_run *run, const rft_point *before, const rft_point *after, rft_arena *arena) {
    change c = {.arena = arena,
                .points = {before, after},
                .time_s = {rft_point_median_s(before), rft_point_median_s(after)},
                .bounds = {rft_bound_whole_of(run, before), rft_bound_whole_of(run, after)},
                .counted = {rft_counted_traffic(before), rft_counted_traffic(after)},
                .l2_bytes = (double)run->gpu.l2_bytes,
                .sms = (double)run->gpu.sms};
    double widen_frac = rft_run_widen_frac(run, before->sweep, before->problem);
    bool alike = fabs(c.time_s[0] - c.time_s[1]) < ALIKE_FRAC * fmin(c.time_s[0], c.time_s[1]);
    if (alike || rft_run_tie(before, after, widen_frac)) {
        return at_one_clock(&c, rft_arena_printf(arena, "%s: %s", alike ? "as fast" : "a tie",
                                                 rft_ladder_tie(c.points, c.bounds, arena)));
    }
    if (fabs(c.time_s[0] - c.time_s[1]) < rft_point_gain_of(before, after).apart_s) {
        return "not known: one was timed alone, and the launch takes as long as they are apart";
    }
    c.slower = &c.bounds[c.time_s[1] > c.time_s[0]];
    by_ceilings(&c);
    by_pipes(&c);
    by_clock(&c);
    if (!c.text && !(c.slower->share_count > 0 && c.slower->shares[0].frac >= FIRM_FRAC)) {
        by_access(&c);
        if (!c.text) {
            by_counts(&c);
        }
    }
    if (!c.text) {
        by_launches(&c, rft_ceilings_rate(&run->ceilings, RFT_CEILING_LAUNCH));
    }
    if (!c.text && c.slower->resource != RFT_RESOURCE_LAUNCH) {
        by_work_for_all(&c);
        by_states(&c);
    }
    if (!c.text) {
        by_units(&c);
    }
    return at_one_clock(&c, c.text ? c.text : not_known(&c));
}
