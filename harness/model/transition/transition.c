/* SPDX-License-Identifier: Apache-2.0 */
/* transition.c - which changes of bound a profile has, and what there is to judge them by (transition.h;
 * docs/roofline.md). */
#include "model/roofline/counted.h"
#include "model/transition/transition_parts.h"

#include <math.h>
#include <stdlib.h>

const char *rft_transition_kind_name(rft_transition_kind kind) {
    static const char *const names[RFT_TRANSITION_KIND_COUNT] = {"none",   "found",   "turn of the times",
                                                                 "change", "unclear", "not explored"};
    return names[kind];
}

const rft_profile_step *rft_line_step(const rft_profile_line *line, size_t at) {
    return &line->profile->steps[line->measured[at]];
}

bool rft_bound_is_firm(const rft_bound *bound) {
    return bound->firmness != RFT_FIRM_NONE;
}

const rft_share *rft_line_share(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_bound *bound = &rft_line_step(line, at)->bound;
    rft_resource limit = rft_bound_limit(of);
    for (size_t i = 0; i < bound->share_count; i++) {
        const rft_share *share = &bound->shares[i];
        if (share->resource == limit && (limit != RFT_RESOURCE_PIPE || share->pipe == of->pipe)) {
            return share;
        }
    }
    return NULL;
}

rft_transition rft_transition_plain(rft_transition_kind kind, const char *why) {
    return (rft_transition){.kind = kind,
                            .low = NAN,
                            .high = NAN,
                            .where = NAN,
                            .ridge = NAN,
                            .ridge_datasheet = NAN,
                            .scatter_frac = NAN,
                            .turn = {.kind = RFT_TURN_NOT_EXPLORED,
                                     .where = NAN,
                                     .low = NAN,
                                     .high = NAN,
                                     .slope_before = NAN,
                                     .slope_after = NAN,
                                     .sharpness = NAN,
                                     .scatter = NAN,
                                     .gain = NAN},
                            .evidence = RFT_EVIDENCE_DECLARED,
                            .why = why};
}

/* Why the profile as a whole says nothing; NULL when it may. */
static const char *not_explored(const rft_profile_line *line) {
    if (line->count < 2) {
        return "fewer than two values were measured";
    }
    bool any_known = false;
    for (size_t i = 0; i < line->count; i++) {
        const rft_profile_step *step = rft_line_step(line, i);
        if (line->profile->along_param && !step->best->traffic.present && !rft_counted_any(step->best)) {
            return "declared work does not depend on parameters: no evidence along a parameter";
        }
        any_known = any_known || step->bound.resource != RFT_RESOURCE_UNKNOWN;
    }
    return any_known ? NULL : "no measured ceiling to judge the work by";
}

static rft_evidence weakest(const rft_profile_line *line) {
    rft_evidence evidence = RFT_EVIDENCE_COUNTED;
    for (size_t i = 0; i < line->count; i++) {
        rft_evidence here = rft_line_step(line, i)->bound.evidence;
        evidence = here > evidence ? here : evidence;
    }
    return evidence;
}

static size_t changes_on_grid(const rft_profile_line *line, rft_transition *out) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < line->count; i++) {
        if (!rft_bound_same(&rft_line_step(line, i)->bound, &rft_line_step(line, i + 1)->bound)) {
            out[count++] = rft_transition_on_grid(line, i);
        }
    }
    return count;
}

void rft_line_bracket(const rft_profile_line *line, double *low, double *high) {
    double below = NAN, above = NAN;
    for (size_t i = 0; i < line->count; i++) {
        double value = rft_value_number(&rft_line_step(line, i)->value);
        below = value <= *low && !(value <= below) ? value : below;
        above = value >= *high && !(value >= above) ? value : above;
    }
    *low = isnan(below) ? *low : below;
    *high = isnan(above) ? *high : above;
}

/* A parameter has the values that were tried and no others: nothing is located between them. */
static void keep_to_values(const rft_profile_line *line, rft_transition *found) {
    if (found->kind == RFT_TRANSITION_FOUND) {
        found->kind = RFT_TRANSITION_CHANGE;
    }
    if (isfinite(found->low) && isfinite(found->high)) {
        rft_line_bracket(line, &found->low, &found->high);
    }
    found->where = found->ridge = found->ridge_datasheet = NAN;
    found->turn.where = NAN;
    found->turn.low = found->low;
    found->turn.high = found->high;
}

/* "One bound all along" is not told beside others. */
static size_t without_none(rft_transition *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (count == 1 || items[i].kind != RFT_TRANSITION_NONE || items[i].at_steps) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

static int by_place(const void *a, const void *b) {
    const rft_transition *x = a, *y = b;
    double at_x = isnan(x->where) ? x->low : x->where, at_y = isnan(y->where) ? y->low : y->where;
    return (at_x > at_y) - (at_x < at_y);
}

static bool touches_held(const rft_profile_line *line, const rft_transition *of) {
    const rft_profile_step *steps = line->profile->steps;
    return of->at_steps && (rft_bound_is_held(&steps[of->from].bound) || rft_bound_is_held(&steps[of->to].bound));
}

/* One change, told twice: by the clock and by the times. Where these turn, their place is the better one. */
static bool is_told_by(const rft_profile_line *line, const rft_transition *one, const rft_transition *other) {
    if (one->by_clock == other->by_clock || !touches_held(line, one) || !touches_held(line, other)) {
        return false;
    }
    bool overlap = one->low <= other->high && other->low <= one->high;
    return overlap && (one->by_clock ? other->kind == RFT_TRANSITION_FOUND : one->kind != RFT_TRANSITION_FOUND);
}

static size_t without_told(const rft_profile_line *line, rft_transition *items, size_t count) {
    size_t kept = 0;
    bool *told = rft_arena_calloc(line->arena, count + 1, sizeof *told);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            told[i] = told[i] || is_told_by(line, &items[i], &items[k]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!told[i]) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

size_t rft_transitions_of(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_transition **out) {
    size_t *measured = rft_arena_calloc(arena, profile->step_count + 1, sizeof *measured);
    rft_profile_line line = {.run = run, .profile = profile, .measured = measured, .arena = arena};
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best != NULL) {
            measured[line.count++] = i;
        }
    }
    rft_transition *found = rft_arena_calloc(arena, 4 * line.count + 1, sizeof *found);
    *out = found;
    const char *why = not_explored(&line);
    if (why != NULL) {
        found[0] = rft_transition_plain(RFT_TRANSITION_NOT_EXPLORED, why);
        return 1;
    }
    size_t by_clock = profile->along_param ? 0 : rft_transitions_by_clock(&line, found);
    size_t count = rft_transitions_by_turns(&line, found + by_clock);
    count = by_clock + (count > 0 ? count : changes_on_grid(&line, found + by_clock));
    count = without_told(&line, found, without_none(found, count));
    qsort(found, count, sizeof *found, by_place);
    if (count == 0) {
        found[0] = rft_transition_plain(RFT_TRANSITION_NONE, NULL);
        found[0].evidence = weakest(&line);
        count = 1;
    }
    for (size_t i = 0; i < count && profile->along_param; i++) {
        keep_to_values(&line, &found[i]);
    }
    return count;
}
