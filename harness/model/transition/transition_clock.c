/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition_clock.c - where the clock begins, or ceases, to hold a pipe or a level back: power, heat (bound.h). The
 * times need not turn there: they were near that limit before, and go away from it as the clock falls. So the place is
 * between two values whose verdicts are clear, and stands on what was read at each of them (transition_parts.h).
 */
#include "model/transition/transition_parts.h"

#include <math.h>
#include <stddef.h>

/* A verdict is clear when it stays the same with the time or the clock this much off: medians repeat within it. */
#define DOUBT_FRAC 0.01
/* So many clear values on a side, itself among them, are asked: most of them must agree with the one at the change. */
#define VOTERS 3u

/* How far over both thresholds a point is: above 1 the clock holds it back. NaN: not known. */
static double over_threshold(const rft_bound *bound, const rft_share *share) {
    double clock = (1.0 - RFT_THROTTLE_BELOW_FRAC) * bound->clock.run_mhz / bound->clock.clock_mhz;
    return isnan(clock) ? (double)NAN : fmin(share->clock_frac / RFT_HELD_FRAC, clock);
}

static const rft_bound *bound_at(const rft_profile_line *line, size_t at) {
    return &rft_line_step(line, at)->bound;
}

/* Of what is busy at a step; NaN where that has no share (latency, launch) or the clock is not known. */
static double over_at(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_share *share = rft_line_share(line, at, of);
    return share ? over_threshold(bound_at(line, at), share) : (double)NAN;
}

static bool is_clear(const rft_profile_line *line, size_t at) {
    const rft_bound *bound = bound_at(line, at);
    if (bound->resource == RFT_RESOURCE_UNKNOWN || isnan(bound->clock.clock_mhz) || isnan(bound->clock.run_mhz)) {
        return false;
    }
    double over = over_at(line, at, bound);
    return isnan(over) || fabs(over - 1.0) > DOUBT_FRAC;
}

static bool held_at(const rft_profile_line *line, size_t at) {
    return rft_bound_is_held(bound_at(line, at));
}

/* Do most of `count` clear values, the nearest VOTERS of them, agree with the first? */
static bool is_kept(const rft_profile_line *line, const size_t *nearest, size_t count, int direction) {
    size_t asked = count < VOTERS ? count : VOTERS, agree = 0;
    for (size_t i = 0; i < asked; i++) {
        agree += held_at(line, nearest[(ptrdiff_t)i * direction]) == held_at(line, *nearest);
    }
    return 2 * agree > asked;
}

/* The value from one clear one to the other where the clock does not hold back what is busy at `held`; if there is
 * none, the clear one that has another bound. */
static size_t free_between(const rft_profile_line *line, size_t first, size_t last, size_t held) {
    for (size_t i = first; i <= last; i++) {
        if (!held_at(line, i) && rft_bound_same(bound_at(line, i), bound_at(line, held))) {
            return i;
        }
    }
    return held == first ? last : first;
}

/* Where both thresholds are met, between the values on logarithmic scales; the middle where that cannot be told. */
static double crossing_of(const rft_profile_line *line, size_t left, size_t right, size_t held) {
    double a = log(over_at(line, left, bound_at(line, held))), b = log(over_at(line, right, bound_at(line, held)));
    double x = rft_value_number(&rft_line_step(line, left)->value),
           y = rft_value_number(&rft_line_step(line, right)->value);
    double part = a / (a - b);
    return x * pow(y / x, part >= 0.0 && part <= 1.0 ? part : 0.5);
}

/* From `left` to `right` the two neighbours between which the verdict changes, where it changes once: values that are
 * not clear have one, too. */
static void narrow(const rft_profile_line *line, size_t *left, size_t *right) {
    size_t changes = 0, at = *left;
    for (size_t i = *left; i < *right; i++) {
        if (held_at(line, i) != held_at(line, i + 1)) {
            changes++;
            at = i;
        }
    }
    if (changes == 1) {
        *left = at;
        *right = at + 1;
    }
}

static bool found_between(const rft_profile_line *line, size_t left, size_t right, rft_transition *out) {
    size_t held = held_at(line, left) ? left : right;
    size_t other = free_between(line, left, right, held);
    const rft_value *low = &rft_line_step(line, left)->value, *high = &rft_line_step(line, right)->value;
    bool numbers = rft_value_is_number(low) && rft_value_is_number(high) && rft_value_number(low) > 0.0;
    if (!numbers) {
        return false;
    }
    *out = rft_transition_plain(RFT_TRANSITION_FOUND, NULL);
    out->by_clock = out->at_steps = true;
    out->from = line->measured[held == left ? held : other];
    out->to = line->measured[held == left ? other : held];
    out->low = rft_value_number(low);
    out->high = rft_value_number(high);
    narrow(line, &left, &right);
    out->step = line->measured[left];
    out->where = crossing_of(line, left, right, held);
    rft_evidence a = bound_at(line, held)->evidence, b = bound_at(line, other)->evidence;
    out->evidence = a > b ? a : b; /* the weaker */
    return true;
}

size_t rft_transitions_by_clock(const rft_profile_line *line, rft_transition *out) {
    size_t *clear = rft_arena_calloc(line->arena, line->count + 1, sizeof *clear), count = 0, found = 0, since = 0;
    for (size_t i = 0; i < line->count; i++) {
        if (is_clear(line, i)) {
            clear[count++] = i;
        }
    }
    for (size_t i = 0; i + 1 < count; i++) {
        bool change = held_at(line, clear[i]) != held_at(line, clear[i + 1]);
        if (change && is_kept(line, &clear[i], i + 1 - since, -1) && is_kept(line, &clear[i + 1], count - i - 1, 1) &&
            found_between(line, clear[i], clear[i + 1], &out[found])) {
            found++;
            since = i + 1;
        }
    }
    return found;
}
