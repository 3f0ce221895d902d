/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.c - where the bound changes along a profile (transition.h; docs/roofline.md).
 *
 * A branch is the time a bound predicts along the axis: tA left of the change, tB right of it. In the logarithms of
 * axis and time both are straight lines between two neighbours, and time = max(tA, tB) turns upward where they cross.
 */
#include "model/transition.h"

#include "base/str.h"
#include "model/counted.h"

#include <math.h>

/* Half the turn that the branches predict has to be seen in the measured times. */
#define TURN_FRAC 0.5
/* Branches that part by less than this (log of time) between two neighbours cannot be told apart by measured times. */
#define LEAST_PARTING 0.05
/* A crossing this near a neighbour, as a share of the interval, is not seen between the two. */
#define EDGE_FRAC 0.05

const char *rft_transition_kind_name(rft_transition_kind kind) {
    switch (kind) {
    case RFT_TRANSITION_NONE:
        return "none";
    case RFT_TRANSITION_FOUND:
        return "found";
    case RFT_TRANSITION_UNCLEAR:
        return "unclear";
    case RFT_TRANSITION_NOT_EXPLORED:
        break;
    }
    return "not explored";
}

/* One change of bound, between measured steps `left` and `right`. */
typedef struct change {
    const rft_profile *profile;
    size_t left, right;
    size_t before, after;    /* the measured steps beyond; SIZE_MAX: none */
    double x, width;         /* log of the left value; log distance to the right one */
    double time, rise;       /* log of the left time; log of the times' ratio */
    double slope_a, slope_b; /* of the branches, in the interval */
    double apart_left;       /* log(tA / tB) at the left */
} change;

static const rft_profile_step *step_at(const rft_profile *profile, size_t index) {
    return &profile->steps[index];
}

static bool same_bound(const rft_bound *a, const rft_bound *b) {
    return a->resource == b->resource && (a->resource != RFT_RESOURCE_PIPE || a->pipe == b->pipe);
}

/* Seconds that a bound's resource needs at a step; NaN when its amount is not known there. */
static double share_seconds(const rft_profile_step *step, const rft_bound *of) {
    for (size_t i = 0; i < step->bound.share_count; i++) {
        const rft_share *share = &step->bound.shares[i];
        if (share->resource == of->resource && (of->resource != RFT_RESOURCE_PIPE || share->pipe == of->pipe)) {
            return share->seconds;
        }
    }
    return NAN;
}

static double log_x(const rft_profile *profile, size_t index) {
    return log(rft_value_number(&step_at(profile, index)->value));
}

static double log_time(const rft_profile *profile, size_t index) {
    return log(rft_point_median_s(step_at(profile, index)->best));
}

static double measured_slope(const rft_profile *profile, size_t a, size_t b) {
    return (log_time(profile, b) - log_time(profile, a)) / (log_x(profile, b) - log_x(profile, a));
}

static void fill_branches(change *c) {
    const rft_profile_step *left = step_at(c->profile, c->left), *right = step_at(c->profile, c->right);
    double a_left = share_seconds(left, &left->bound), a_right = share_seconds(right, &left->bound);
    double b_left = share_seconds(left, &right->bound), b_right = share_seconds(right, &right->bound);
    c->x = log_x(c->profile, c->left);
    c->width = log_x(c->profile, c->right) - c->x;
    c->time = log_time(c->profile, c->left);
    c->rise = log_time(c->profile, c->right) - c->time;
    c->slope_a = log(a_right / a_left) / c->width;
    c->slope_b = log(b_right / b_left) / c->width;
    c->apart_left = log(a_left / b_left);
}

/* Where a line of slope `a` through the left time meets one of slope `b` through the right time: log distance from the
 * left value; NaN when they do not meet inside. */
static double crossing(const change *c, double a, double b) {
    double at = (b * c->width - c->rise) / (b - a);
    return at >= 0.0 && at <= c->width ? at : NAN;
}

/* The slopes measured beside the change, when each side has two steps of its bound. */
static bool outer_slopes(const change *c, double *a, double *b) {
    if (c->before == SIZE_MAX || c->after == SIZE_MAX ||
        !same_bound(&step_at(c->profile, c->before)->bound, &step_at(c->profile, c->left)->bound) ||
        !same_bound(&step_at(c->profile, c->after)->bound, &step_at(c->profile, c->right)->bound)) {
        return false;
    }
    *a = measured_slope(c->profile, c->before, c->left);
    *b = measured_slope(c->profile, c->right, c->after);
    return isfinite(*a) && isfinite(*b);
}

static bool times_turn(const change *c) {
    double a, b;
    if (outer_slopes(c, &a, &b)) {
        return b - a >= TURN_FRAC * (c->slope_b - c->slope_a);
    }
    double at = crossing(c, c->slope_a, c->slope_b);
    return at >= EDGE_FRAC * c->width && at <= (1.0 - EDGE_FRAC) * c->width;
}

static double ridge_of(const change *c) {
    double at = c->apart_left / (c->slope_b - c->slope_a);
    return at >= 0.0 && at <= c->width ? exp(c->x + at) : NAN;
}

/* The branches, each drawn through its own neighbour's measured time. (Lines through two measured times a side would
 * cross further off: real knees are round, and the nearest times already lie on the round part.) */
static double where_of(const change *c) {
    double at = crossing(c, c->slope_a, c->slope_b);
    return isnan(at) ? ridge_of(c) : exp(c->x + at);
}

static const char *not_firm_text(const rft_profile *profile, size_t index, rft_arena *arena) {
    const rft_profile_step *step = step_at(profile, index);
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, "at ");
    rft_value_format(&text, &step->value);
    rft_str_addf(&text, ": %s", rft_bound_text(&step->bound, arena));
    const char *copy = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return copy;
}

/* Why a change of bound cannot be claimed; NULL when it can. */
static const char *objection(const change *c, rft_arena *arena) {
    const rft_profile_step *left = step_at(c->profile, c->left), *right = step_at(c->profile, c->right);
    if (left->bound.firmness == RFT_FIRM_NONE) {
        return not_firm_text(c->profile, c->left, arena);
    }
    if (right->bound.firmness == RFT_FIRM_NONE) {
        return not_firm_text(c->profile, c->right, arena);
    }
    if (!rft_value_is_number(&left->value) || !rft_value_is_number(&right->value)) {
        return "its values are not numbers: there is no place between them";
    }
    if (rft_value_number(&left->value) <= 0.0) {
        return "its values are not positive: branches are followed on a logarithmic axis";
    }
    if (!isfinite(c->slope_a) || !isfinite(c->slope_b)) {
        return "the amount behind one of the bounds is not known on both sides";
    }
    if ((c->slope_b - c->slope_a) * c->width < LEAST_PARTING) {
        return "both bounds predict nearly the same time on both sides";
    }
    return times_turn(c) ? NULL : "the measured times do not turn there";
}

static rft_transition judge(change *c, rft_arena *arena) {
    const rft_profile_step *left = step_at(c->profile, c->left), *right = step_at(c->profile, c->right);
    rft_transition out = {.step = c->left,
                          .low = rft_value_is_number(&left->value) ? rft_value_number(&left->value) : NAN,
                          .high = rft_value_is_number(&right->value) ? rft_value_number(&right->value) : NAN,
                          .where = NAN,
                          .ridge = NAN};
    out.evidence =
        left->bound.evidence > right->bound.evidence ? left->bound.evidence : right->bound.evidence; /* the weaker */
    fill_branches(c);
    out.why = objection(c, arena);
    out.kind = out.why ? RFT_TRANSITION_UNCLEAR : RFT_TRANSITION_FOUND;
    if (out.kind == RFT_TRANSITION_FOUND) {
        out.where = where_of(c);
    }
    if (isfinite(c->slope_a) && isfinite(c->slope_b)) {
        out.ridge = ridge_of(c);
    }
    return out;
}

/* Why the profile as a whole says nothing; NULL when it may. */
static const char *not_explored(const rft_profile *profile, const size_t *measured, size_t count) {
    if (count < 2) {
        return "fewer than two values were measured";
    }
    bool any_known = false;
    for (size_t i = 0; i < count; i++) {
        const rft_profile_step *step = step_at(profile, measured[i]);
        if (profile->along_param && !step->best->traffic.present && !rft_counted_any(step->best)) {
            return "declared work does not depend on parameters: no evidence along a parameter";
        }
        any_known = any_known || step->bound.resource != RFT_RESOURCE_UNKNOWN;
    }
    return any_known ? NULL : "no measured ceiling to judge the work by";
}

static rft_transition whole_profile(rft_transition_kind kind, const char *why) {
    return (rft_transition){.kind = kind,
                            .low = NAN,
                            .high = NAN,
                            .where = NAN,
                            .ridge = NAN,
                            .evidence = RFT_EVIDENCE_DECLARED,
                            .why = why};
}

size_t rft_transitions_of(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_transition **out) {
    (void)run; /* a profile carries its bounds; the run stays in the signature for evidence that needs more */
    size_t *measured = rft_arena_calloc(arena, profile->step_count + 1, sizeof *measured);
    size_t count = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (step_at(profile, i)->best != NULL) {
            measured[count++] = i;
        }
    }
    rft_transition *found = rft_arena_calloc(arena, count + 1, sizeof *found);
    *out = found;
    const char *why = not_explored(profile, measured, count);
    if (why != NULL) {
        found[0] = whole_profile(RFT_TRANSITION_NOT_EXPLORED, why);
        return 1;
    }
    size_t changes = 0;
    rft_evidence weakest = RFT_EVIDENCE_COUNTED;
    for (size_t i = 0; i < count; i++) {
        const rft_bound *bound = &step_at(profile, measured[i])->bound;
        weakest = bound->evidence > weakest ? bound->evidence : weakest;
        if (i + 1 < count && !same_bound(bound, &step_at(profile, measured[i + 1])->bound)) {
            change c = {.profile = profile,
                        .left = measured[i],
                        .right = measured[i + 1],
                        .before = i > 0 ? measured[i - 1] : SIZE_MAX,
                        .after = i + 2 < count ? measured[i + 2] : SIZE_MAX};
            found[changes++] = judge(&c, arena);
        }
    }
    if (changes == 0) {
        found[0] = whole_profile(RFT_TRANSITION_NONE, NULL);
        found[0].evidence = weakest;
        return 1;
    }
    return changes;
}
