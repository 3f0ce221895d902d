/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition_grid.c - a change of bound between two neighbours of a profile, where nothing but these two and the next
 * ones on each side is there to judge by (transition_parts.h; docs/roofline.md).
 *
 * A branch is the time a bound predicts along the axis: tA left of the change, tB right of it. In the logarithms of
 * axis and time both are straight lines between two neighbours, and time = max(tA, tB) turns upward where they cross.
 */
#include "model/transition/transition_parts.h"

#include "base/str.h"

#include <math.h>

/* Half the turn that the branches predict has to be seen in the measured times. */
#define TURN_FRAC 0.5
/* Branches that part by less than this (log of time) between two neighbours cannot be told apart by measured times. */
#define LEAST_PARTING 0.05
/* A crossing this near a neighbour, as a share of the interval, is not seen between the two. */
#define EDGE_FRAC 0.05

/* One change of bound, between measured steps `left` and `right`. */
typedef struct grid_change {
    const rft_profile_line *line;
    size_t left, right;
    double x, width;         /* log of the left value; log distance to the right one */
    double time, rise;       /* log of the left time; log of the times' ratio */
    double slope_a, slope_b; /* of the branches, in the interval */
    double apart_left;       /* log(tA / tB) at the left */
} grid_change;

/* Seconds that a bound's resource needs at a step; NaN when its amount is not known there. */
static double share_seconds(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_share *share = rft_line_share(line, at, of);
    return share != NULL ? share->seconds : NAN;
}

static double log_x(const rft_profile_line *line, size_t at) {
    return log(rft_value_number(&rft_line_step(line, at)->value));
}

static double log_time(const rft_profile_line *line, size_t at) {
    return log(rft_point_median_s(rft_line_step(line, at)->best));
}

static double measured_slope(const rft_profile_line *line, size_t a, size_t b) {
    return (log_time(line, b) - log_time(line, a)) / (log_x(line, b) - log_x(line, a));
}

static void fill_branches(grid_change *c) {
    const rft_profile_step *left = rft_line_step(c->line, c->left), *right = rft_line_step(c->line, c->right);
    double a_left = share_seconds(c->line, c->left, &left->bound),
           a_right = share_seconds(c->line, c->right, &left->bound);
    double b_left = share_seconds(c->line, c->left, &right->bound),
           b_right = share_seconds(c->line, c->right, &right->bound);
    c->x = log_x(c->line, c->left);
    c->width = log_x(c->line, c->right) - c->x;
    c->time = log_time(c->line, c->left);
    c->rise = log_time(c->line, c->right) - c->time;
    c->slope_a = log(a_right / a_left) / c->width;
    c->slope_b = log(b_right / b_left) / c->width;
    c->apart_left = log(a_left / b_left);
}

/* Where a line of slope `a` through the left time meets one of slope `b` through the right time: log distance from the
 * left value; NaN when they do not meet inside. */
static double crossing(const grid_change *c, double a, double b) {
    double at = (b * c->width - c->rise) / (b - a);
    return at >= 0.0 && at <= c->width ? at : NAN;
}

/* The slopes measured beside the change, when each side has two steps of its bound. */
static bool outer_slopes(const grid_change *c, double *a, double *b) {
    if (c->left == 0 || c->right + 1 >= c->line->count ||
        !rft_bound_same(&rft_line_step(c->line, c->left - 1)->bound, &rft_line_step(c->line, c->left)->bound) ||
        !rft_bound_same(&rft_line_step(c->line, c->right + 1)->bound, &rft_line_step(c->line, c->right)->bound)) {
        return false;
    }
    *a = measured_slope(c->line, c->left - 1, c->left);
    *b = measured_slope(c->line, c->right, c->right + 1);
    return isfinite(*a) && isfinite(*b);
}

static bool times_turn(const grid_change *c) {
    double a, b;
    if (outer_slopes(c, &a, &b)) {
        return b - a >= TURN_FRAC * (c->slope_b - c->slope_a);
    }
    double at = crossing(c, c->slope_a, c->slope_b);
    return at >= EDGE_FRAC * c->width && at <= (1.0 - EDGE_FRAC) * c->width;
}

static double ridge_of(const grid_change *c) {
    double at = c->apart_left / (c->slope_b - c->slope_a);
    return at >= 0.0 && at <= c->width ? exp(c->x + at) : NAN;
}

/* The branches, each drawn through its own neighbour's measured time. (Lines through two measured times a side would
 * cross further off: real knees are round, and the nearest times already lie on the round part.) */
static double where_of(const grid_change *c) {
    double at = crossing(c, c->slope_a, c->slope_b);
    return isnan(at) ? ridge_of(c) : exp(c->x + at);
}

static const char *not_firm_text(const rft_profile_line *line, size_t at) {
    const rft_profile_step *step = rft_line_step(line, at);
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, "at ");
    rft_value_format(&text, &step->value);
    rft_str_addf(&text, ": %s", rft_bound_text(&step->bound, line->arena));
    const char *copy = rft_arena_strdup(line->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return copy;
}

/* Why a change of bound cannot be claimed; NULL when it can. */
static const char *objection(const grid_change *c) {
    const rft_profile_step *left = rft_line_step(c->line, c->left), *right = rft_line_step(c->line, c->right);
    if (left->bound.firmness == RFT_FIRM_NONE) {
        return not_firm_text(c->line, c->left);
    }
    if (right->bound.firmness == RFT_FIRM_NONE) {
        return not_firm_text(c->line, c->right);
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

rft_transition rft_transition_on_grid(const rft_profile_line *line, size_t at) {
    const rft_profile_step *left = rft_line_step(line, at), *right = rft_line_step(line, at + 1);
    grid_change c = {.line = line, .left = at, .right = at + 1};
    fill_branches(&c);
    const char *why = objection(&c);
    rft_transition out = rft_transition_plain(why ? RFT_TRANSITION_UNCLEAR : RFT_TRANSITION_FOUND, why);
    out.at_steps = true;
    out.step = out.from = line->measured[at];
    out.to = line->measured[at + 1];
    out.low = rft_value_is_number(&left->value) ? rft_value_number(&left->value) : NAN;
    out.high = rft_value_is_number(&right->value) ? rft_value_number(&right->value) : NAN;
    out.evidence =
        left->bound.evidence > right->bound.evidence ? left->bound.evidence : right->bound.evidence; /* the weaker */
    out.where = why ? (double)NAN : where_of(&c);
    if (isfinite(c.slope_a) && isfinite(c.slope_b)) {
        out.ridge = ridge_of(&c);
    }
    return out;
}
