/* SPDX-License-Identifier: Apache-2.0 */
/* turn.c - is there a turn, where, and how surely (turn.h; docs/roofline.md). */
#include "model/stats/turn.h"

#include "model/stats/stats.h"
#include "model/stats/turn_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLICATES 40
/* Without known noise three points more than parameters, or the scatter is a guess. */
#define POINTS_MIN_NOISE_UNKNOWN 8
/* Noise below this part of the sweep's median noise, or below this at all, is luck of the samples. */
#define NOISE_LEAST_PART 0.5
#define NOISE_LEAST 1e-4
/* 95 % of chi squared with one degree of freedom. */
#define CHI_95 3.8415
/* Bartlett's factor is a mean of few replicates: kept to what small samples can make of it. */
#define FACTOR_LOW 1.0
#define FACTOR_HIGH 4.0
/* The widest interval of a place that counts as found: one step and so many times the width that noise alone gives. The
 * promise is twice, but the width is known from the fit only. */
#define NOISE_WIDTHS 1.5
#define SHARPER 2.0
/* When the times scatter by more than noise: this far from the curve (log of time), or with residuals of neighbours so
 * alike, they follow another one. */
#define FAR_OFF 0.10
#define RATIO_LEAST 0.8
#define RATIO_POINTS_MIN 8
/* A knee rounded over this part of a step of the axis. */
#define ROUND_STEPS 0.4
#define SEARCH_STEPS 60
#define BISECTIONS 24

/* Quantiles of F with 3 and `freedom` degrees of freedom (Abramowitz and Stegun 1964, table 26.9), times 3, so that
 * they compare with a gain in chi squared. */
typedef struct f_level {
    double freedom, strong, weak; /* 99 % and 95 % */
} f_level;
static const f_level levels[] = {{1, 16209, 647.1},  {2, 297.5, 57.48},  {3, 88.38, 27.84},  {4, 50.07, 19.77},
                                 {5, 36.18, 16.23},  {6, 29.34, 14.27},  {8, 22.77, 12.20},  {10, 19.66, 11.12},
                                 {15, 16.25, 9.862}, {20, 14.81, 9.295}, {30, 13.53, 8.767}, {60, 12.38, 8.274}};
/* Noise known: chi squared with 3 degrees of freedom; the place is searched for, so more than the table says. */
static const f_level known_level = {HUGE_VAL, 14.0, 7.815};

static f_level level_of(double freedom) {
    f_level found = levels[0];
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        found = levels[i].freedom <= freedom ? levels[i] : found; /* the stricter neighbour */
    }
    return found;
}

typedef struct turn_search {
    rft_turn_data data;
    bool noise_known;
    double params[RFT_TURN_PARAM_COUNT];
    double chi_line, chi_curve, freedom;
    double scale; /* chi squared of one degree of freedom: 1 when noise alone scatters */
    bool scatter_is_noise;
    double low, high; /* log axis */
} turn_search;

static int by_x(const void *a, const void *b) {
    double x = ((const rft_turn_point *)a)->x, y = ((const rft_turn_point *)b)->x;
    return (x > y) - (x < y);
}

static void take_noise(turn_search *t, const rft_turn_point *points) {
    rft_turn_data *d = &t->data;
    size_t known = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (points[i].noise_frac > 0.0 && isfinite(points[i].noise_frac)) {
            d->scratch[known++] = points[i].noise_frac;
        }
    }
    t->noise_known = known > 0;
    double median = known > 0 ? rft_median_of(d->scratch, known) : 1.0;
    for (size_t i = 0; i < d->count; i++) {
        bool has = points[i].noise_frac > 0.0 && isfinite(points[i].noise_frac);
        d->noise[i] = fmax(has ? fmax(points[i].noise_frac, NOISE_LEAST_PART * median) : median, NOISE_LEAST);
    }
}

static void take_points(turn_search *t, const rft_turn_point *points, size_t count, rft_arena *arena) {
    rft_turn_data *d = &t->data;
    rft_turn_point *kept = rft_arena_calloc(arena, count + 1, sizeof *kept);
    for (size_t i = 0; i < count; i++) {
        if (points[i].x > 0.0 && isfinite(points[i].x) && points[i].time_s > 0.0 && isfinite(points[i].time_s)) {
            kept[d->count++] = points[i];
        }
    }
    qsort(kept, d->count, sizeof *kept, by_x);
    double **arrays[] = {&d->x, &d->time, &d->noise, &d->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = rft_arena_calloc(arena, d->count + 1, sizeof(double));
    }
    for (size_t i = 0; i < d->count; i++) {
        d->x[i] = log(kept[i].x);
        d->time[i] = log(kept[i].time_s);
    }
    take_noise(t, kept);
}

/* Distinct values, counted up to and from an index: equal x are one value. */
static size_t distinct(const rft_turn_data *d) {
    size_t n = d->count > 0;
    for (size_t i = 1; i < d->count; i++) {
        n += d->x[i] > d->x[i - 1];
    }
    return n;
}

static void set_bounds(rft_turn_data *d) {
    double first = d->x[0], last = d->x[d->count - 1];
    d->middle = 0.5 * (first + last);
    for (size_t a = 0; a < RFT_TURN_PARAM_COUNT; a++) {
        d->low[a] = -1e3;
        d->high[a] = 1e3;
    }
    d->low[RFT_TURN_BEND] = 1e-6;
    d->low[RFT_TURN_PLACE] = first;
    d->high[RFT_TURN_PLACE] = last;
    d->low[RFT_TURN_KNEE] = 0.0;
    d->high[RFT_TURN_KNEE] = log(RFT_TURN_SHARPEST);
}

/* Sets the scale: noise as given, unless the times scatter about the curve by more than it explains. */
static void judge_scatter(turn_search *t) {
    t->freedom = (double)t->data.count - RFT_TURN_PARAM_COUNT;
    double scatter = t->freedom >= 1.0 ? t->chi_curve / t->freedom : 1.0;
    /* the mean of chi squared over its freedom and two standard deviations of it */
    t->scatter_is_noise = t->noise_known && (t->freedom < 1.0 || scatter <= 1.0 + 2.0 * sqrt(2.0 / t->freedom));
    t->scale = t->noise_known ? fmax(1.0, scatter) : fmax(scatter, 1e-12);
}

/* The step of the axis that holds the place. */
static double step_around(const rft_turn_data *d, double place) {
    size_t i = 1;
    while (i + 1 < d->count && d->x[i] < place) {
        i++;
    }
    return d->x[i] - d->x[i - 1];
}

/* Chi squared with the place held. A sharp knee has no gradient towards a round one: both are tried. */
static double chi_held(const turn_search *t, const rft_turn_data *d, double place,
                       double params[RFT_TURN_PARAM_COUNT]) {
    double round[RFT_TURN_PARAM_COUNT], bend = fmax(t->params[RFT_TURN_BEND], RFT_TURN_LEAST);
    memcpy(params, t->params, sizeof round);
    params[RFT_TURN_PLACE] = place;
    memcpy(round, params, sizeof round);
    round[RFT_TURN_KNEE] = fmax(0.0, -log(ROUND_STEPS * step_around(d, place) * bend));
    double chi = rft_turn_curve_fit(d, params, true), chi_round = rft_turn_curve_fit(d, round, true);
    if (chi_round < chi) {
        memcpy(params, round, sizeof round);
        chi = chi_round;
    }
    return chi;
}

static double ratio_at(const turn_search *t, double place) {
    double params[RFT_TURN_PARAM_COUNT];
    return (chi_held(t, &t->data, place, params) - t->chi_curve) / t->scale;
}

/* Bartlett's factor: what the likelihood ratio at the true place is on average, where theory for many points says 1. */
static double bartlett_factor(const turn_search *t, uint64_t seed, size_t replicates, rft_arena *arena) {
    rft_turn_data again = t->data;
    again.time = rft_arena_calloc(arena, again.count, sizeof *again.time);
    double sum = 0.0, spread = sqrt(t->scale);
    for (size_t r = 0; r < replicates; r++) {
        for (size_t i = 0; i < again.count; i++) {
            again.time[i] = rft_turn_curve_at(&t->data, i, t->params) + spread * again.noise[i] * rft_normal(&seed);
        }
        double params[RFT_TURN_PARAM_COUNT], free[RFT_TURN_PARAM_COUNT];
        memcpy(free, t->params, sizeof free);
        double held = chi_held(t, &again, t->params[RFT_TURN_PLACE], params);
        double best = fmin(rft_turn_curve_fit(&again, params, false), rft_turn_curve_fit(&again, free, false));
        double scatter = t->scale; /* as judge_scatter() would say, had these been the times */
        if (t->freedom >= 1.0) {
            scatter = fmax(best / t->freedom, t->noise_known ? 1.0 : 1e-3 * t->scale);
        }
        sum += fmax(held - best, 0.0) / scatter;
    }
    return fmin(fmax(sum / (double)replicates, FACTOR_LOW), FACTOR_HIGH);
}

/* From the best place outwards to where the likelihood ratio passes `level`; the end of the axis when it never does. */
static double interval_end(const turn_search *t, double direction, double step, double limit_ratio) {
    const rft_turn_data *d = &t->data;
    double end = direction < 0.0 ? d->x[0] : d->x[d->count - 1], inside = t->params[RFT_TURN_PLACE], outside = end;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double next = inside + direction * step;
        if (direction * (next - end) >= 0.0) {
            next = end;
        }
        if (ratio_at(t, next) > limit_ratio) {
            outside = next;
            break;
        }
        inside = next;
        if (next == end) {
            return end;
        }
        step *= 1.5;
    }
    for (int i = 0; i < BISECTIONS && fabs(outside - inside) > 1e-6; i++) {
        double middle = 0.5 * (inside + outside);
        *(ratio_at(t, middle) > limit_ratio ? &outside : &inside) = middle;
    }
    return outside;
}

static double least_step(const rft_turn_data *d) {
    return (d->x[d->count - 1] - d->x[0]) / (double)(d->count - 1);
}

static void find_interval(turn_search *t, uint64_t seed, size_t replicates, rft_arena *arena) {
    double limit_ratio = CHI_95 * (replicates > 0 ? bartlett_factor(t, seed, replicates, arena) : FACTOR_LOW);
    double error = rft_turn_curve_error(&t->data, t->params) * sqrt(t->scale);
    double step = fmin(fmax(error, 1e-6), 0.25 * least_step(&t->data));
    t->low = interval_end(t, -1.0, step, limit_ratio);
    t->high = interval_end(t, 1.0, step, limit_ratio);
}

/* The width that noise alone gives. Noise can make a knee look rounder, and so itself wider: a sharper one counts too.
 */
static double least_width(const turn_search *t) {
    double sharper[RFT_TURN_PARAM_COUNT];
    memcpy(sharper, t->params, sizeof sharper);
    sharper[RFT_TURN_KNEE] += log(SHARPER);
    double error = fmin(rft_turn_curve_error(&t->data, t->params), rft_turn_curve_error(&t->data, sharper));
    return 2.0 * 1.96 * error * (t->noise_known ? 1.0 : sqrt(t->scale));
}

static const char *objection(const turn_search *t, f_level needed, rft_arena *arena, bool *wide) {
    const rft_turn_data *d = &t->data;
    double gain = (t->chi_line - t->chi_curve) / t->scale, place = t->params[RFT_TURN_PLACE];
    if (gain < fmax(needed.strong, 3.0 * log((double)d->count))) {
        return "the times seem to bend, but noise could do that";
    }
    if (t->params[RFT_TURN_BEND] < RFT_TURN_LEAST) {
        return "the slope changes too little for two branches";
    }
    size_t before = 0, after = 0;
    for (size_t i = 0; i < d->count; i++) {
        before += d->x[i] <= place;
        after += d->x[i] >= place;
    }
    if (before < 2 || after < 2) {
        return "fewer than two values lie on one side of it";
    }
    if (t->low <= d->x[0] || t->high >= d->x[d->count - 1]) {
        return "it may lie outside the values measured";
    }
    double noise_width = NOISE_WIDTHS * least_width(t);
    if (t->high - t->low > step_around(d, place) + noise_width) {
        *wide = true;
        const char *factor = rft_arena_fixed(arena, exp(t->high - t->low), 1, "");
        return rft_arena_printf(arena, "the place is known within a factor of %s only", factor);
    }
    return NULL;
}

/* Times that scatter by more than noise because another curve is hidden in them: neighbours are off in the same
 * direction (von Neumann's ratio, 2 for independent residuals), or all are far off. `params` NULL: about the straight
 * line. */
static bool misses_a_shape(const turn_search *t, const double *params, double middle, double slope) {
    const rft_turn_data *d = &t->data;
    double sum = 0.0, steps = 0.0, chi = 0.0, before = 0.0;
    double freedom = (double)d->count - (params != NULL ? RFT_TURN_PARAM_COUNT : 2.0);
    for (size_t i = 0; i < d->count; i++) {
        double line = middle + slope * (d->x[i] - d->middle);
        double r = d->time[i] - (params != NULL ? rft_turn_curve_at(d, i, params) : line);
        sum += r * r;
        chi += r * r / (d->noise[i] * d->noise[i]);
        steps += i > 0 ? (r - before) * (r - before) : 0.0;
        before = r;
    }
    if (freedom < 1.0 || (t->noise_known && chi / freedom <= 1.0 + 2.0 * sqrt(2.0 / freedom))) {
        return false;
    }
    bool far = sqrt(sum / freedom) > (t->noise_known ? FAR_OFF : HUGE_VAL);
    return far || (d->count >= RATIO_POINTS_MIN && steps < RATIO_LEAST * sum);
}

static void fill_turn(const turn_search *t, rft_turn *out) {
    out->where = exp(t->params[RFT_TURN_PLACE]);
    out->low = exp(t->low);
    out->high = exp(t->high);
    out->slope_before = t->params[RFT_TURN_SLOPE];
    out->slope_after = out->slope_before + t->data.sign * t->params[RFT_TURN_BEND];
    out->sharpness = exp(t->params[RFT_TURN_KNEE]);
}

/* Of the times about a curve; in units of the noise where that is known. */
static double scatter_of(const turn_search *t, double chi, double freedom) {
    double scatter = freedom >= 1.0 ? sqrt(chi / freedom) : NAN;
    return t->noise_known ? scatter : scatter * t->data.noise[0];
}

rft_turn rft_turn_find(const rft_turn_point *points, size_t count, uint64_t seed, size_t replicates, rft_arena *arena) {
    rft_turn out = {RFT_TURN_NOT_EXPLORED, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false, false, NULL};
    turn_search t = {.scale = 1.0};
    take_points(&t, points, count, arena);
    rft_turn_data *d = &t.data;
    if (distinct(d) < (t.noise_known ? RFT_TURN_POINTS_MIN : POINTS_MIN_NOISE_UNKNOWN)) {
        out.why = t.noise_known ? "fewer than five values were measured"
                                : "fewer than eight values were measured, and their noise is not known";
        return out;
    }
    set_bounds(d);
    double middle, slope;
    t.chi_line = rft_turn_line(d, &middle, &slope);
    t.chi_curve = fmin(rft_turn_curve_search(d, t.params), t.chi_line);
    judge_scatter(&t);
    f_level needed = t.scatter_is_noise ? known_level : level_of(t.freedom);
    out.gain = t.chi_line - t.chi_curve;
    if (out.gain / t.scale < needed.weak) {
        out.other_shape = misses_a_shape(&t, NULL, middle, slope);
        out.kind = out.other_shape ? RFT_TURN_UNCLEAR : RFT_TURN_NONE;
        out.why = out.other_shape ? RFT_TURN_NO_SHAPE : NULL;
        out.slope_before = out.slope_after = slope;
        out.scatter = scatter_of(&t, t.chi_line, (double)d->count - 2.0);
        return out;
    }
    /* A place on a curve that the times do not follow needs no careful interval: the dear part is left out. */
    out.other_shape = misses_a_shape(&t, t.params, 0.0, 0.0);
    find_interval(&t, seed, out.other_shape ? 0 : replicates > 0 ? replicates : REPLICATES, arena);
    out.why = out.other_shape ? RFT_TURN_NO_SHAPE : objection(&t, needed, arena, &out.wide);
    out.kind = out.why == NULL ? RFT_TURN_FOUND : RFT_TURN_UNCLEAR;
    out.scatter = scatter_of(&t, t.chi_curve, t.freedom);
    fill_turn(&t, &out);
    return out;
}

/* ---- several turns on one axis: part after part, each the widest that one turn explains ---- */

/* Does each branch rule at three points at least? Two beside a step would do for a turn, at a place that is not one. */
static bool firm(const rft_turn_point *sorted, size_t n, const rft_turn *turn) {
    size_t before = 0, after = 0;
    for (size_t i = 0; i < n; i++) {
        before += sorted[i].x < turn->low;
        after += sorted[i].x > turn->high;
    }
    return turn->kind == RFT_TURN_FOUND && before >= 3 && after >= 3;
}

size_t rft_turns_find(const rft_turn_point *points, size_t count, uint64_t seed, rft_arena *arena, rft_turn **out) {
    rft_turn_point *sorted = rft_arena_calloc(arena, count + 1, sizeof *sorted);
    rft_turn *found = rft_arena_calloc(arena, count + 1, sizeof *found);
    size_t n = 0, turns = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].x > 0.0 && isfinite(points[i].x) && points[i].time_s > 0.0 && isfinite(points[i].time_s)) {
            sorted[n++] = points[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, by_x);
    *out = found;
    found[0] = rft_turn_find(sorted, n, seed, 0, arena);
    if (!found[0].other_shape) {
        return 1;
    }
    rft_turn whole = found[0];
    while (first + RFT_TURN_POINTS_MIN <= n) {
        rft_turn turn = {.kind = RFT_TURN_NONE};
        bool found_one = false;
        for (size_t last = n; last >= first + RFT_TURN_POINTS_MIN && !found_one; last--) {
            turn = rft_turn_find(&sorted[first], last - first, seed, 0, arena);
            found_one = firm(&sorted[first], last - first, &turn);
        }
        if (!found_one) {
            break;
        }
        found[turns++] = turn;
        while (first < n && sorted[first].x < turn.high) { /* the round part of this knee is no part of the next */
            first++;
        }
    }
    if (turns == 0) {
        found[turns++] = whole;
    }
    return turns;
}
