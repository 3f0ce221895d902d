/* SPDX-License-Identifier: Apache-2.0 */
/* transition_times.c - which times of a line turns are looked for in, and the turns found (transition_parts.h). */
#include "model/transition/transition_parts.h"

#include <math.h>

#define SEED 5
/* Of log time about two laws: beyond that they explain nothing. */
#define SCATTER_MOST 0.2
/* Of the whole change along a line: more between two neighbours is a step (ours). */
#define STEP_FRAC 0.8
/* Times the least: bytes that a growing intensity leaves as they are. */
#define ALIKE 3.0
/* In units of the noise: so much is more than noise. */
#define SCATTER_LEAST 2.0
/* One process does not know what others add: medians under 0.5 % apart are a tie (stats.h), which is two standard
 * deviations. */
#define REPEAT_FRAC 0.0025

static const rft_bound *bound_at(const rft_profile_line *line, size_t at) {
    return &rft_line_step(line, at)->bound;
}

static double amount_at(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_share *share = rft_line_share(line, at, of);
    double rate = share != NULL ? rft_ceilings_rate(&line->run->ceilings, share->ceiling) : NAN;
    return share != NULL ? share->seconds * rate : NAN; /* without the ceiling, which differs with the mix of reads */
}

/* Standard deviation of the median over it; NaN without a 95 % interval. */
static double noise_at(const rft_profile_line *line, size_t at) {
    const rft_measurement *measurement = rft_point_measurement(rft_line_step(line, at)->best);
    const rft_stats *stats = &measurement->stats;
    double others = rft_repeat_is_known(&measurement->repeat) ? 0.0 : REPEAT_FRAC; /* its interval has them */
    return stats->interval_is_95 ? hypot(rft_stats_half_width_frac(stats) / 1.96, others) : (double)NAN;
}

/* Second amount over first at every step, when it is known and rises. */
static bool intensities(const rft_profile_line *line, const rft_bound *first, const rft_bound *second, double *out) {
    for (size_t i = 0; i < line->count; i++) {
        out[i] = amount_at(line, i, second) / amount_at(line, i, first);
        if (!(out[i] > 0.0) || !isfinite(out[i]) || (i > 0 && !(out[i] > out[i - 1]))) {
            return false;
        }
    }
    return true;
}

/* The first two rates that follow each other and whose amounts are known all along. */
static const rft_line_change *find_rates(const rft_profile_line *line, const rft_line_change *changes, size_t count,
                                         double *x) {
    for (size_t i = 0; i < count; i++) {
        const rft_bound *first = bound_at(line, changes[i].left), *second = bound_at(line, changes[i].right);
        if (rft_bound_is_firm(first) && rft_bound_is_firm(second) && intensities(line, first, second, x)) {
            return &changes[i];
        }
    }
    return NULL;
}

/* The work that belongs to a bound: work, not traffic, for what a kernel moves too much is part of its times. */
static double work_at(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_work *work = &rft_line_step(line, at)->best->work;
    return rft_bound_limit(of) == RFT_RESOURCE_PIPE ? work->pipe_ops[of->pipe] : rft_work_bytes(work);
}

/* Whether one firm bound, with work of its kind, holds all along. */
static bool one_firm_bound(const rft_profile_line *line) {
    const rft_bound *first = bound_at(line, 0);
    for (size_t i = 0; i < line->count; i++) {
        const rft_bound *here = bound_at(line, i);
        if (!rft_bound_is_firm(here) || !rft_bound_same(here, first) || !(work_at(line, i, first) > 0.0)) {
            return false;
        }
    }
    return true;
}

/* Operations of a pipe that is a firm bound somewhere over bytes, both of the work; false unless they rise and the
 * bytes stay nearly alike, as when sequences grow of a constant number of tokens. What the axis does to the bytes
 * beside (a value that is no divisor, twice the tokens for the longest) is no turn. */
static bool intensities_of_work(const rft_profile_line *line, double *out) {
    const rft_bound *pipe = NULL;
    double least = INFINITY, most = 0.0, before = 0.0;
    for (size_t i = 0; i < line->count && !pipe; i++) {
        const rft_bound *here = bound_at(line, i);
        pipe = rft_bound_is_firm(here) && rft_bound_limit(here) == RFT_RESOURCE_PIPE ? here : NULL;
    }
    if (pipe == NULL) {
        return false;
    }
    for (size_t i = 0; i < line->count; i++) {
        const double bytes = rft_work_bytes(&rft_line_step(line, i)->best->work), rise = work_at(line, i, pipe) / bytes;
        if (!(rise > before) || !isfinite(rise)) {
            return false;
        }
        out[i] = before = rise;
        least = fmin(least, bytes);
        most = fmax(most, bytes);
    }
    return most <= ALIKE * least && out[line->count - 1] >= ALIKE * ALIKE * out[0];
}

/* From a place among `x` to the axis: straight between neighbours on logarithmic scales. */
static double on_axis(const rft_profile_line *line, const double *axis, const double *x, double place) {
    size_t i = 1;
    while (i + 1 < line->count && x[i] < place) {
        i++;
    }
    double part = log(place / x[i - 1]) / log(x[i] / x[i - 1]);
    return exp(log(axis[i - 1]) + part * log(axis[i] / axis[i - 1]));
}

/* Nearly all of the change lies between two neighbours, and the line goes on behind them: a tile or a kernel more. */
static bool is_step(const rft_turn_point *points, size_t count) {
    double least = INFINITY, most = -INFINITY, rise = 0.0;
    for (size_t i = 0; i < count; i++) {
        double time = log(points[i].time_s);
        least = fmin(least, time);
        most = fmax(most, time);
        rise = i > 0 && i + 1 < count ? fmax(rise, time - log(points[i - 1].time_s)) : rise;
    }
    return count > 3 && rise > STEP_FRAC * (most - least);
}

/* Times that follow no shape within their noise: waves of blocks, another kernel at another size. With what they
 * scatter in place of their noise they may still turn upwards for certain; a step does not pass for that. */
static bool turns_in_scatter(rft_turn_point *points, const rft_profile_line *line, rft_turn *out) {
    for (size_t i = 0; i < line->count; i++) {
        points[i].noise_frac = NAN;
    }
    *out = rft_turn_find(points, line->count, SEED, 0, line->arena);
    return out->kind == RFT_TURN_FOUND && out->slope_after > out->slope_before && out->scatter <= SCATTER_MOST;
}

rft_line_turns rft_line_turns_of(const rft_profile_line *line, const double *axis, const rft_line_change *changes,
                                 size_t change_count) {
    rft_line_turns out = {.of = RFT_TURN_OF_TIME, .scatter_frac = NAN};
    double *x = rft_arena_calloc(line->arena, line->count, sizeof *x);
    const rft_line_change *rates = find_rates(line, changes, change_count, x);
    const rft_bound *per = bound_at(line, rates != NULL ? rates->left : 0);
    if (rates != NULL) {
        out.of = RFT_TURN_OVER_INTENSITY;
    } else if (one_firm_bound(line)) {
        out.of = RFT_TURN_OF_TIME_PER_WORK;
    }
    rft_turn_point *points = rft_arena_calloc(line->arena, line->count, sizeof *points);
    for (size_t i = 0; i < line->count; i++) {
        x[i] = rates != NULL ? x[i] : axis[i];
        double unit = out.of == RFT_TURN_OVER_INTENSITY     ? amount_at(line, i, per)
                      : out.of == RFT_TURN_OF_TIME_PER_WORK ? work_at(line, i, per)
                                                            : 1.0;
        points[i] = (rft_turn_point){x[i], rft_point_median_s(rft_line_step(line, i)->best) / unit, noise_at(line, i)};
    }
    size_t count = rft_turns_find(points, line->count, SEED, line->arena, &out.turns);
    if (out.of == RFT_TURN_OF_TIME && out.turns[0].other_shape && intensities_of_work(line, x)) {
        out.of = RFT_TURN_OVER_INTENSITY;
        for (size_t i = 0; i < line->count; i++) {
            points[i].x = x[i];
            points[i].time_s /= rft_work_bytes(&rft_line_step(line, i)->best->work);
        }
        count = rft_turns_find(points, line->count, SEED, line->arena, &out.turns);
    }
    rft_turn first = out.turns[0], again;
    bool scatters = first.kind == RFT_TURN_UNCLEAR && (first.other_shape || first.scatter > SCATTER_LEAST);
    if (scatters && is_step(points, line->count)) {
        out.turns[0].other_shape = true;
        out.turns[0].wide = false;
        out.turns[0].why = RFT_TURN_NO_SHAPE;
    } else if (scatters && turns_in_scatter(points, line, &again)) {
        out.turns[0] = again;
        out.scatter_frac = again.scatter;
    }
    for (size_t i = 0; i < count; i++) {
        rft_turn *turn = &out.turns[i];
        if (isfinite(turn->where)) {
            turn->where = on_axis(line, axis, x, turn->where);
            turn->low = on_axis(line, axis, x, turn->low);
            turn->high = on_axis(line, axis, x, turn->high);
        }
    }
    out.whole = out.turns[0];
    out.count = out.whole.kind == RFT_TURN_FOUND ? count : 0;
    return out;
}
