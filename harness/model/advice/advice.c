/* SPDX-License-Identifier: Apache-2.0 */
#include "model/advice/advice.h"

#include "base/units.h"
#include "model/advice/advice_parts.h"
#include "model/roofline/amount.h"
#include "model/roofline/reach.h"
#include "model/run/run_drift.h"

#include <math.h>
#include <stdlib.h>

/* The decision tree: below half the ridge memory, above one and a half compute, both between. */
#define CLEARLY_MEMORY 0.5
#define CLEARLY_COMPUTE 1.5

#define CONTENDER_FRAC 0.1 /* as far behind as the race lets a configuration fall */
/* Of the cycles, ours: then the matrix units are what the time goes to, or the schedulers have none to spare. */
#define PIPE_HELD 0.9
#define ISSUE_HELD 0.9

typedef struct rule_entry {
    const char *name;
    unsigned cases; /* 0: all */
    bool same_work;
    rft_rule *judge;
} rule_entry;

static const rule_entry rules[] = {
#define RULE_ENTRY(name, cases, same_work) {#name, cases, same_work, rft_rule_##name},
    RFT_RULE_MAP(RULE_ENTRY)
#undef RULE_ENTRY
};
#define RULES (sizeof rules / sizeof *rules)
_Static_assert(RULES <= RFT_ADVICE_RULES_MAX, "room for all rules");

const char *rft_advice_rule_name(size_t index) {
    return index < RULES ? rules[index].name : NULL;
}

const char *rft_advice_evidence_name(rft_advice_evidence evidence) {
    static const char *const names[] = {"counted", "measured", "compiled", "modelled", "declared"};
    return names[evidence];
}

/* ---- for the rules ---- */

double rft_case_counter(const rft_advice_case *c, rft_counter counter) {
    return c->point->counters ? c->point->counters->values[counter] : (double)NAN;
}

rft_rule_verdict rft_case_lacks(rft_rule_answer *answer, const char *metric, const char *reason) {
    answer->missing.metric = metric;
    answer->missing.reason = reason;
    return RFT_RULE_MISSING;
}

rft_rule_verdict rft_case_lacks_counter(const rft_advice_case *c, rft_rule_answer *answer, rft_counter counter) {
    const rft_counters *counters = c->point->counters;
    const char *reason = counters ? counters->reasons[counter] : "not counted";
    return rft_case_lacks(answer, rft_counter_name(counter), reason ? reason : "nothing of the kind was counted");
}

void rft_case_trigger(rft_rule_answer *answer, const char *name, const char *unit, double value, double threshold) {
    if (answer->advice.trigger_count < RFT_ADVICE_TRIGGERS_MAX) {
        answer->advice.triggers[answer->advice.trigger_count++] = (rft_advice_trigger){name, unit, value, threshold};
    }
}

void rft_case_trigger_counter(const rft_advice_case *c, rft_rule_answer *answer, rft_counter counter,
                              double threshold) {
    rft_case_trigger(answer, rft_counter_name(counter), rft_counter_unit(counter), rft_case_counter(c, counter),
                     threshold);
}

void rft_case_remedy(rft_rule_answer *answer, rft_quantity quantity, bool more, const char *words) {
    answer->remedies[answer->remedy_count++] = (rft_remedy){quantity, more, words};
}

/* The clock is held down by what is busy at it, or the matrix units are counted to be. */
static bool is_busy(const rft_advice_case *c) {
    return rft_bound_is_held(&c->bound) || rft_case_counter(c, RFT_COUNTER_TENSOR_BUSY) >= PIPE_HELD;
}

/* And is less allowed at that clock? Device memory and the L2 do not follow it. */
static bool is_below_clock(const rft_advice_case *c) {
    return c->bound.clock.below && c->place.clock_frac > c->place.efficiency_frac;
}

rft_case_gain rft_case_roof(const rft_advice_case *c) {
    rft_ceiling_id ceiling = rft_placement_ceiling(c->run, c->point, &c->place);
    return (rft_case_gain){1.0 - c->place.efficiency_frac,
                           rft_arena_printf(c->arena, "its roof, %s", rft_ceiling_label(ceiling))};
}

/* What is left is left to the roof at the point's own clock, behind its launch, and as its writes were timed. */
rft_case_gain rft_case_room(const rft_advice_case *c) {
    const char *to = rft_case_roof(c).rests_on, *writes = "";
    bool floor = !isnan(rft_measurement_near_floor_s(rft_point_measurement(c->point), &c->run->ceilings));
    if (is_below_clock(c)) {
        rft_ceiling_id ceiling = rft_placement_ceiling(c->run, c->point, &c->place);
        bool pipe = c->place.roof == RFT_RESOURCE_PIPE; /* else another amount takes longer at that clock */
        to = rft_arena_printf(c->arena, "what %.0f MHz allow%s%s", c->bound.clock.clock_mhz, pipe ? ", " : "",
                              pipe ? rft_ceiling_label(ceiling) : "");
    }
    if (c->reach.back_to_back) {
        writes = ", back to back";
    } else if (c->reach.at_most && c->reach.unwritten.counted) {
        writes = ", without the writes left in the L2";
    }
    return (rft_case_gain){c->room_frac,
                           rft_arena_printf(c->arena, "%s%s%s", floor ? "the launch floor and " : "", to, writes)};
}

rft_case_gain rft_case_slack(const rft_advice_case *c) {
    rft_case_gain near = {c->slack_frac, ""};
    if (c->bound.share_count > 0) {
        near.rests_on = rft_arena_printf(c->arena, "the nearest ceiling, %s %s",
                                         rft_resource_name(c->bound.shares[0].resource, c->bound.shares[0].pipe),
                                         rft_case_percent(c, c->bound.frac));
    }
    return rft_case_least(near, rft_case_room(c));
}

rft_case_gain rft_case_least(rft_case_gain a, rft_case_gain b) {
    return isnan(a.frac) || b.frac < a.frac ? b : a;
}

rft_rule_verdict rft_case_offer(rft_rule_answer *answer, rft_case_gain gain, rft_advice_evidence evidence,
                                const char *text) {
    if (isnan(gain.frac)) {
        return rft_case_lacks(answer, "roof", "work without a measured ceiling");
    }
    if (gain.frac < RFT_ADVICE_LEAST_FRAC) {
        return RFT_RULE_SILENT;
    }
    answer->advice.text = text;
    answer->advice.gain_frac = gain.frac;
    answer->advice.rests_on = gain.rests_on;
    answer->advice.evidence = evidence;
    return RFT_RULE_SPEAKS;
}

const char *rft_case_percent(const rft_advice_case *c, double frac) {
    double percent = 100.0 * frac;
    return rft_arena_fixed(c->arena, percent, percent < 9.95 ? 1 : 0, " %");
}

const char *rft_case_si(const rft_advice_case *c, double value, const char *unit) {
    char text[48];
    return rft_arena_strdup(c->arena, rft_units_format_si(text, sizeof text, value, 3, unit));
}

/* ---- the case ---- */

/* The longest of the declared amounts on the memory side or the arithmetic side, at their ceilings. */
static double side_s(const rft_amount *amounts, size_t count, bool arithmetic) {
    double longest = 0.0;
    for (size_t i = 0; i < count; i++) {
        if ((amounts[i].resource == RFT_RESOURCE_PIPE) != arithmetic) {
            continue;
        }
        double seconds = amounts[i].amount / amounts[i].rate;
        if (isnan(seconds) || seconds > longest) {
            longest = seconds;
        }
        if (isnan(longest)) {
            break;
        }
    }
    return longest;
}

static unsigned where_of(const rft_advice_case *c) {
    unsigned where = 0;
    double memory = c->memory_s, compute = c->compute_s;
    where |= memory > 0.0 && !(compute > CLEARLY_COMPUTE * memory) ? RFT_CASE_MEMORY : 0u;
    where |= compute > 0.0 && !(compute < CLEARLY_MEMORY * memory) ? RFT_CASE_COMPUTE : 0u;
    bool judged = c->bound.share_count > 0;
    where |= judged && c->bound.firmness != RFT_FIRM_BOUND ? RFT_CASE_LOOSE : 0u;
    bool spare = !(rft_case_counter(c, RFT_COUNTER_ISSUE) >= ISSUE_HELD);
    where |= (where & RFT_CASE_LOOSE) && spare ? RFT_CASE_WAITS : 0u;
    if (c->median_s < RFT_NEAR_FLOOR * c->floor_s) {
        where |= RFT_CASE_SHORT;
    }
    if (c->bound.resource == RFT_RESOURCE_LAUNCH) { /* what it does in between hardly matters */
        where = RFT_CASE_SHORT;
    }
    bool hot = c->bound.resource == RFT_RESOURCE_POWER || c->bound.resource == RFT_RESOURCE_THERMAL;
    return where | (hot ? RFT_CASE_POWER : 0u);
}

/* Is a variant asked about a point of another? Only beside the best, and when its own best comes near: what a far
 * slower kernel does with the same quantity says nothing. */
static bool is_contender(const rft_advice_case *c, size_t variant) {
    const rft_point *own = c->point;
    if (variant == own->variant) {
        return true;
    }
    const rft_point *rival = rft_run_best(c->run, own->sweep, variant, own->problem);
    return rival && rft_point_median_s(rival) <= (1.0 + CONTENDER_FRAC) * c->median_s &&
           rft_run_best(c->run, own->sweep, SIZE_MAX, own->problem) == own;
}

/* Aliases stand for points that are there already. What lost the race was timed too: it is slower for certain. */
static void find_witnesses(rft_advice_case *c) {
    const rft_point *own = c->point;
    size_t variants = c->run->sweeps[own->sweep].sweep.variant_count;
    bool *asked = rft_arena_calloc(c->arena, variants + 1, sizeof *asked);
    for (size_t i = 0; i < variants; i++) {
        asked[i] = is_contender(c, i);
    }
    c->witnesses.widen_frac = rft_run_widen_frac(c->run, own->sweep, own->problem);
    size_t count = rft_run_ranked(c->run, own->sweep, SIZE_MAX, own->problem, c->arena, &c->witnesses.points);
    for (size_t i = 0; i < count; i++) {
        const rft_point *one = c->witnesses.points[i];
        if (asked[one->variant] && one != own) {
            c->witnesses.points[c->witnesses.count++] = one;
        }
    }
    c->witnesses.points[c->witnesses.count++] = own; /* there is room: it is one of them, or nothing ranks it */
}

static rft_advice_case case_of(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_advice_case c = {.run = run, .point = point, .arena = arena, .median_s = rft_point_median_s(point)};
    rft_amount amounts[RFT_AMOUNTS_MAX];
    size_t count = rft_amounts_of_work(run, point, amounts);
    c.place = rft_placement_of(run, point);
    c.bound = rft_bound_whole_of(run, point); /* gains are of the whole time */
    c.memory_s = side_s(amounts, count, false);
    c.compute_s = side_s(amounts, count, true);
    c.reach = rft_reach_of(run, point);
    c.room_frac = 1.0 - 1.0 / c.reach.left_factor;
    c.slack_frac = c.bound.share_count > 0 ? 1.0 - c.bound.frac : (double)NAN;
    c.occupancy_frac = rft_case_counter(&c, RFT_COUNTER_WARPS_ACTIVE);
    c.occupancy_counted = !isnan(c.occupancy_frac);
    if (!c.occupancy_counted) {
        c.occupancy_frac = point->facts.occupancy_frac;
    }
    const rft_measurement *measured = rft_point_measurement(point);
    double own = measured->floor_s;
    c.floor_s = own > 0.0 ? own : rft_ceilings_rate(&run->ceilings, RFT_CEILING_LAUNCH);
    c.floor_s = measured->batch > 1 ? (double)NAN : c.floor_s;
    c.where = where_of(&c);
    find_witnesses(&c);
    return c;
}

/* ---- the list ---- */

static void insert(rft_advice *items, size_t *count, const rft_advice *advice) {
    size_t at = *count;
    for (; at > 0 && items[at - 1].gain_frac < advice->gain_frac; at--) {
        items[at] = items[at - 1];
    }
    items[at] = *advice;
    (*count)++;
}

/* Two rules may ask for the same: it is told once. */
static void add_tried(rft_advice_list *list, const rft_tried *tried) {
    for (size_t i = 0; i < list->tried_count; i++) {
        const rft_tried *one = &list->tried[i];
        if (one->change.quantity == tried->change.quantity && one->change.more == tried->change.more) {
            return;
        }
    }
    list->tried[list->tried_count++] = *tried;
}

/* Asks the points about each remedy, and puts the words of those that are open behind the text: "REASON; A, B, or C
 * (tried by 2 of 60 points)". False when all were tried in vain. */
static bool hold_against_points(const rft_advice_case *c, rft_rule_answer *answer, rft_advice_list *list) {
    rft_advice *advice = &answer->advice;
    const char *open[RFT_ADVICE_CHANGES_MAX];
    size_t open_count = 0;
    for (size_t i = 0; i < answer->remedy_count; i++) {
        const rft_remedy *one = &answer->remedies[i];
        const rft_change change = {one->quantity, one->more};
        rft_tried *tried = &advice->changes[advice->change_count++];
        *tried = rft_tried_of(c->run, c->point, change, &c->witnesses, c->arena);
        if (tried->verdict == RFT_TRIED_IN_VAIN) {
            add_tried(list, tried);
            continue;
        }
        const char *note = rft_tried_note(tried, c->arena);
        open[open_count++] = note ? rft_arena_printf(c->arena, "%s (%s)", one->words, note) : one->words;
    }
    for (size_t i = 0; i < open_count; i++) {
        const char *between = i == 0 ? ";" : i + 1 < open_count ? "," : ", or";
        advice->text = rft_arena_printf(c->arena, "%s%s %s", advice->text, between, open[i]);
    }
    return open_count > 0 || answer->remedy_count == 0;
}

static void ask_rule(const rft_advice_case *c, const rule_entry *rule, rft_advice_list *list) {
    rft_rule_answer answer = {.advice = {.rule = rule->name}, .missing = {.rule = rule->name}};
    switch (rule->judge(c, &answer)) {
    case RFT_RULE_SILENT:
        return;
    case RFT_RULE_MISSING:
        list->missing[list->missing_count++] = answer.missing;
        return;
    case RFT_RULE_SPEAKS:
        break;
    }
    if (rule->same_work && answer.advice.gain_frac > c->room_frac) { /* never more than what is left */
        answer.advice.gain_frac = c->room_frac;
        answer.advice.rests_on = rft_case_room(c).rests_on;
    }
    if (!hold_against_points(c, &answer, list)) {
        return;
    }
    if (!rule->same_work && !answer.advice.with) {
        answer.advice.with = "other work";
    }
    insert(rule->same_work ? list->items : list->others, rule->same_work ? &list->count : &list->other_count,
           &answer.advice);
}

/* At its ceiling, or beyond it (why is told where the figure is): the reading rule "near the roof only other work
 * helps". */
static const char *at_ceiling_text(const rft_advice_case *c) {
    if (1.0 - c->reach.frac < RFT_ADVICE_LEAST_FRAC) {
        rft_ceiling_id ceiling = rft_placement_ceiling(c->run, c->point, &c->place);
        return rft_arena_printf(c->arena, "%sat %s of its ceiling, %s%s: with the same work there is nothing to be won",
                                c->reach.back_to_back ? "back to back " : "",
                                rft_case_percent(c, fmin(c->reach.frac, 1.0)), rft_ceiling_label(ceiling),
                                c->reach.at_most ? ", with writes still in the L2" : "");
    }
    return rft_arena_printf(c->arena, "at %s of %s: with the same work%s there is nothing to be won",
                            rft_case_percent(c, 1.0 - c->room_frac), rft_case_room(c).rests_on,
                            is_below_clock(c) ? ", at this clock," : "");
}

bool rft_case_is_library(const rft_advice_case *c) {
    return rft_variant_is_library(&c->run->sweeps[c->point->sweep].sweep.variants[c->point->variant]);
}

/* What is busy needs other work, or a higher clock; what is a library's can only be called otherwise. */
static bool is_asked(const rft_advice_case *c, const rule_entry *rule) {
    bool fits = rule->cases == 0 || (rule->cases & c->where) != 0;
    if (!fits || !rule->same_work) {
        return fits;
    }
    bool own = rule->cases == 0, callers = rule->judge == rft_rule_align;
    return !(c->room_frac < RFT_ADVICE_LEAST_FRAC) && (own || !is_busy(c)) &&
           (own || callers || !rft_case_is_library(c));
}

/* The clock holds it back: what would make it faster is not in the kernel's time, but in its energy. */
static const char *held_text(const rft_advice_case *c) {
    const char *bound = rft_bound_text(&c->bound, c->arena);
    double pico = 1e12 * rft_case_joules_per_op(c);
    const char *now =
        isnan(pico) ? "" : rft_arena_printf(c->arena, " (now %s)", rft_arena_fixed(c->arena, pico, 2, " pJ"));
    const char *how = c->bound.resource != RFT_RESOURCE_POWER  ? ", or better cooling,"
                      : rft_run_power_limit_is_highest(c->run) ? "" /* the card takes no higher one */
                                                               : ", or a higher limit,";
    return c->bound.resource == RFT_RESOURCE_CLOCK
               ? rft_arena_printf(c->arena, "%s: only a higher clock makes it faster", bound)
               : rft_arena_printf(c->arena, "%s: only less energy an operation%s%s makes it faster", bound, now, how);
}

/* "occupancy, STAGES" */
static const char *tried_names(const rft_advice_list *list, const rft_advice_case *c) {
    const char *names = "";
    for (size_t i = 0; i < list->tried_count; i++) {
        names = rft_arena_printf(c->arena, "%s%s%s", names, i ? ", " : "", rft_tried_name(&list->tried[i]));
    }
    return names;
}

static const char *nothing_text(const rft_advice_case *c, const rft_advice_list *list) {
    if (rft_bound_is_held(&c->bound)) {
        return held_text(c);
    }
    if (c->room_frac < RFT_ADVICE_LEAST_FRAC) {
        return at_ceiling_text(c);
    }
    if (is_busy(c)) {
        return rft_arena_printf(c->arena,
                                "the matrix units are busy in %s of the cycles: only less work for them, or a higher "
                                "clock, makes it faster",
                                rft_case_percent(c, rft_case_counter(c, RFT_COUNTER_TENSOR_BUSY)));
    }
    if (isnan(c->room_frac)) {
        return "there is no measured ceiling to judge its work by";
    }
    if (rft_case_is_library(c)) {
        return "a library's kernel is as it is: only another of its algorithms does the same work";
    }
    const char *left = rft_arena_printf(c->arena, "at most %s of the time is left (to %s)",
                                        rft_case_percent(c, c->room_frac), rft_case_room(c).rests_on);
    return list->tried_count > 0
               ? rft_arena_printf(c->arena, "%s; what its numbers suggest was tried in vain: %s", left,
                                  tried_names(list, c))
               : rft_arena_printf(c->arena, "%s, and no rule tells how to win it%s", left,
                                  list->missing_count > 0 ? "; some rules lack the numbers to judge by" : "");
}

rft_advice_list rft_advice_of(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_advice_list list = {.items = rft_arena_calloc(arena, RULES, sizeof *list.items),
                            .others = rft_arena_calloc(arena, RULES, sizeof *list.others),
                            .missing = rft_arena_calloc(arena, RULES, sizeof *list.missing),
                            .tried = rft_arena_calloc(arena, RULES * RFT_ADVICE_CHANGES_MAX, sizeof *list.tried)};
    if (!(rft_point_median_s(point) > 0.0)) {
        list.nothing = "not measured";
        return list;
    }
    rft_advice_case c = case_of(run, point, arena);
    for (size_t i = 0; i < RULES; i++) {
        if (is_asked(&c, &rules[i])) {
            ask_rule(&c, &rules[i], &list);
        }
    }
    if (list.count == 0) {
        list.nothing = nothing_text(&c, &list);
    }
    return list;
}

/* ---- words ---- */

const char *rft_advice_text(const rft_advice *advice, rft_arena *arena) {
    double percent = 100.0 * advice->gain_frac;
    return rft_arena_printf(arena, "%s: at most %s of %s (by %s; %s)", advice->text,
                            rft_arena_fixed(arena, percent, percent < 9.95 || percent > 99.0 ? 1 : 0, " %"),
                            advice->gain_of ? advice->gain_of : "the time", advice->rests_on,
                            rft_advice_evidence_name(advice->evidence));
}
