/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/counted.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/run/run_drift.h"
#include "model/transition/refine.h"

#include <math.h>
#include <string.h>

static void compare_default(const rft_build *b, rft_entry *entry) {
    const rft_point *standard = rft_run_default(b->run, entry->sweep, entry->best->variant, entry->problem);
    entry->over_default = NAN;
    if (!standard) {
        entry->why_default = "the default configuration is not among the points of the run";
    } else if (!rft_outcome_is_measured(standard->outcome)) {
        entry->why_default = rft_arena_printf(b->arena, "the default configuration was not measured: %s%s%s",
                                              rft_outcome_name(standard->outcome), standard->reason ? ", " : "",
                                              standard->reason ? standard->reason : "");
    } else {
        /* Both of one round: the last is minutes later, on a warmer card. */
        entry->over_default = rft_point_gain_of(standard, entry->best).ratio;
    }
}

static void fill_entry(const rft_build *b, rft_entry *entry) {
    const rft_point **ranked = NULL;
    entry->measured = rft_run_ranked(b->run, entry->sweep, SIZE_MAX, entry->problem, b->arena, &ranked);
    entry->best = rft_run_best(b->run, entry->sweep, SIZE_MAX, entry->problem);
    entry->over_default = NAN;
    if (!entry->best) {
        return;
    }
    double widen_frac = rft_run_widen_frac(b->run, entry->sweep, entry->problem);
    for (size_t i = 0; i < entry->measured; i++) {
        if (ranked[i] == entry->best || !rft_point_measurement(ranked[i])) {
            continue;
        }
        if (rft_run_tie(entry->best, ranked[i], widen_frac)) {
            entry->rival = entry->rival ? entry->rival : ranked[i];
            entry->tied++;
        }
    }
    entry->place = rft_placement_of(b->run, entry->best);
    entry->reach = rft_reach_of(b->run, entry->best);
    entry->bound = rft_bound_of(b->run, entry->best);
    compare_default(b, entry);
}

void rft_build_entries(rft_build *b) {
    const rft_run *run = b->run;
    size_t most = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        most += run->sweeps[s].sweep.problem_count;
    }
    b->entries = rft_arena_calloc(b->arena, most ? most : 1, sizeof *b->entries);
    for (size_t s = 0; s < run->sweep_count; s++) {
        const size_t *order = rft_refine_order(&run->sweeps[s].sweep, b->arena);
        for (size_t i = 0; i < run->sweeps[s].sweep.problem_count; i++) {
            if (!run->sweeps[s].sweep.problems[order[i]].odd) {
                rft_entry *entry = &b->entries[b->entry_count++];
                entry->sweep = s;
                entry->problem = order[i];
                fill_entry(b, entry);
            }
        }
    }
}

const rft_entry *rft_build_showcase(const rft_build *b, size_t sweep) {
    const rft_entry *found = NULL;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == sweep && entry->best &&
            (!found || rft_point_median_s(entry->best) > rft_point_median_s(found->best))) {
            found = entry;
        }
    }
    return found;
}

const char *rft_build_anchor(const rft_build *b, size_t sweep) {
    return rft_arena_printf(b->arena, "sweep-%zu", sweep + 1);
}

/* How many times the compulsory bytes its configuration takes from device memory; 1 when nothing says more. */
static double surplus(const rft_point *point) {
    double counted = rft_counted_traffic(point).level_bytes[RFT_LEVEL_DRAM];
    double modelled = point->traffic.present ? point->traffic.level_bytes[RFT_LEVEL_DRAM] : NAN;
    double moved = isnan(counted) ? modelled : counted;
    double ratio = moved / rft_work_bytes(&point->work);
    return isfinite(ratio) && ratio > 1 ? ratio : 1;
}

#define NEAR_FRAC 0.8
#define AT_FRAC 0.9

/* By what is left at the launches' own clock and behind the launch floor: where the ceiling itself is further away than
 * that, the sentence, which has its share, says what makes the difference. */
static const char *room_text(const rft_build *b, const rft_entry *entry) {
    double share = 1.0 / entry->reach.left_factor, clock = entry->place.clock_frac;
    const char *room = share >= AT_FRAC ? "at its ceiling" : share >= NEAR_FRAC ? "near its ceiling" : "room left";
    if (!(share >= NEAR_FRAC) || !(entry->reach.frac < NEAR_FRAC)) {
        return room;
    }
    return clock >= NEAR_FRAC ? rft_arena_printf(b->arena, "%s at its clock (%s of what that allows)", room,
                                                 rft_figure_percent(b->arena, clock))
                              : rft_arena_printf(b->arena, "%s behind the launch floor", room);
}

#define MUCH_MORE 1.1 /* of what the work declares */

/* The limit, and what a higher clock or less energy would bring, are told apart. The share is of the useful rate, as
 * the one before it, where the work's own pipe is the roof; what the bound is of beside it is told where that differs.
 */
static const char *held_text(const rft_build *b, const rft_entry *entry) {
    const rft_bound *bound = &entry->bound;
    const rft_placement *place = &entry->place;
    bool useful = place->roof == RFT_RESOURCE_PIPE && isfinite(place->clock_frac);
    const char *held = rft_resource_name(bound->held, bound->pipe), *beside = "";
    const char *evidence = rft_evidence_name(bound->evidence);
    bool own = bound->held == place->roof && bound->pipe == place->roof_pipe;
    if (useful && !own) {
        beside = rft_arena_printf(b->arena, " (%s at %s of what that allows, %s)", held,
                                  rft_figure_percent(b->arena, bound->frac), evidence);
    } else if (useful && bound->frac > MUCH_MORE * place->clock_frac) {
        beside = rft_arena_printf(b->arena, ": it does %s times the operations it must (%s)",
                                  rft_figure_plain(b->arena, bound->frac / place->clock_frac, 3), evidence);
    }
    return rft_arena_printf(b->arena, "%s of what %s does at its clock of %.0f MHz, held back by %s%s%s",
                            rft_figure_percent(b->arena, useful ? place->clock_frac : bound->frac),
                            useful ? rft_resource_name(place->roof, place->roof_pipe) : held, bound->clock.clock_mhz,
                            rft_resource_name(bound->resource, bound->pipe),
                            bound->clock.cause == RFT_THROTTLE_COUNT ? ", the cause of which is not known" : "",
                            beside);
}

/* The second half of a verdict: how good, and why not better. */
static const char *judgement(const rft_build *b, const rft_entry *entry) {
    const rft_bound *bound = &entry->bound;
    const char *room = room_text(b, entry);
    const rft_over_roof over = rft_over_roof_of(b->run, entry->best, b->arena);
    if (over.text && !entry->reach.back_to_back) {
        return over.text;
    }
    if (rft_bound_is_held(bound)) {
        return held_text(b, entry);
    }
    if (bound->resource == RFT_RESOURCE_DRAM && bound->firmness != RFT_FIRM_NONE && surplus(entry->best) > MUCH_MORE) {
        return rft_arena_printf(b->arena, "held back by dram, which moves %s times the bytes it must (%s)",
                                rft_figure_plain(b->arena, surplus(entry->best), 2),
                                rft_evidence_name(bound->evidence));
    }
    const char *turns = rft_words_turns(bound, b->arena);
    switch (bound->resource) {
    case RFT_RESOURCE_UNKNOWN:
        return "what holds it back is not known";
    case RFT_RESOURCE_LATENCY:
        return rft_arena_printf(b->arena, "%s, %s", room, turns ? turns : "waits on latency");
    case RFT_RESOURCE_LAUNCH:
        return rft_arena_printf(b->arena, "%s, most of the time goes into the launch", room);
    default:
        return rft_arena_printf(b->arena, "%s, %s by %s%s", room,
                                bound->firmness == RFT_FIRM_BOUND ? "held back" : "mostly held back",
                                rft_resource_name(bound->resource, bound->pipe), rft_bound_busy_text(bound, b->arena));
    }
}

const char *rft_build_verdict(const rft_build *b, const rft_entry *entry) {
    const char *name = rft_words_problem(b->run, entry->sweep, entry->problem, b->arena);
    if (!entry->best) {
        return rft_arena_printf(b->arena, "%s: no valid measurement", name);
    }
    if (isnan(entry->place.efficiency_frac)) {
        return rft_arena_printf(b->arena, "%s: %s; no measured ceiling to judge it by", name,
                                isnan(rft_rate_of(&entry->place))
                                    ? rft_figure_si(b->arena, rft_point_median_s(entry->best), "s")
                                    : rft_words_rate(&entry->place, b->arena));
    }
    return rft_arena_printf(b->arena, "%s: %s, %s of the measured %s ceiling: %s", name,
                            rft_words_rate(&entry->place, b->arena), rft_words_reach(&entry->reach, b->arena),
                            rft_words_roof(&entry->place), judgement(b, entry));
}
