/* SPDX-License-Identifier: Apache-2.0 */
/* turn_curve.c - log time = level + slope x + sign/p log(1 + exp(p bend (x - place))) (turn.h). */
#include "model/stats/turn_curve.h"

#include "model/stats/turn.h"

#include <math.h>
#include <string.h>

/* The grid of starts: so many places a step of the axis, and roundings in units of it. */
#define PLACES_PER_STEP 3

static double curve_value(const void *context, size_t point, const double *params, double *slopes) {
    const rft_turn_data *d = context;
    double p = exp(params[RFT_TURN_KNEE]), bend = params[RFT_TURN_BEND], off = d->x[point] - params[RFT_TURN_PLACE];
    double z = p * bend * off, less = exp(-fabs(z));
    double soft = fmax(z, 0.0) + log1p(less), share = z >= 0.0 ? 1.0 / (1.0 + less) : less / (1.0 + less);
    double across = d->x[point] - d->middle;
    slopes[RFT_TURN_LEVEL] = 1.0;
    slopes[RFT_TURN_SLOPE] = across;
    slopes[RFT_TURN_BEND] = d->sign * share * off;
    slopes[RFT_TURN_PLACE] = -d->sign * share * bend;
    slopes[RFT_TURN_KNEE] = d->sign * (share * bend * off - soft / p);
    return params[RFT_TURN_LEVEL] + params[RFT_TURN_SLOPE] * across + d->sign * soft / p;
}

static rft_curve curve_of(const rft_turn_data *d) {
    return (rft_curve){.value = curve_value,
                       .context = d,
                       .param_count = RFT_TURN_PARAM_COUNT,
                       .point_count = d->count,
                       .measured = d->time,
                       .scale = d->noise,
                       .low = d->low,
                       .high = d->high};
}

/* Weighted least squares of `values` on 1, x - middle and, if not NULL, `third`; the coefficients to `out`. */
static double linear_fit(const rft_turn_data *d, const double *third, double out[3]) {
    double h[3][3] = {{0.0}}, g[3] = {0.0};
    size_t n = third ? 3 : 2;
    for (size_t i = 0; i < d->count; i++) {
        double w = 1.0 / (d->noise[i] * d->noise[i]), row[3] = {1.0, d->x[i] - d->middle, third ? third[i] : 0.0};
        for (size_t a = 0; a < n; a++) {
            g[a] += w * row[a] * d->time[i];
            for (size_t b = 0; b < n; b++) {
                h[a][b] += w * row[a] * row[b];
            }
        }
    }
    for (size_t a = 0; a < n; a++) { /* no pivoting: positive definite */
        if (!(h[a][a] > 0.0)) {
            return HUGE_VAL;
        }
        for (size_t r = a + 1; r < n; r++) {
            double factor = h[r][a] / h[a][a];
            for (size_t b = a; b < n; b++) {
                h[r][b] -= factor * h[a][b];
            }
            g[r] -= factor * g[a];
        }
    }
    for (size_t a = n; a-- > 0;) {
        out[a] = g[a];
        for (size_t b = a + 1; b < n; b++) {
            out[a] -= h[a][b] * out[b];
        }
        out[a] /= h[a][a];
    }
    double chi = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        double r = d->time[i] - out[0] - out[1] * (d->x[i] - d->middle) - (third ? out[2] * third[i] : 0.0);
        chi += r * r / (d->noise[i] * d->noise[i]);
    }
    return isfinite(chi) ? chi : HUGE_VAL;
}

double rft_turn_line(const rft_turn_data *d, double *level, double *slope) {
    double out[3] = {0.0};
    double chi = linear_fit(d, NULL, out);
    *level = out[0];
    *slope = out[1];
    return chi;
}

typedef struct curve_start {
    double chi, sign, params[RFT_TURN_PARAM_COUNT];
} curve_start;

/* For a place and a rounding width in x the curve is linear in level, slope and bend. */
static curve_start start_at(const rft_turn_data *d, double place, double rounding) {
    double *third = d->scratch;
    for (size_t i = 0; i < d->count; i++) {
        double z = (d->x[i] - place) / rounding;
        third[i] = rounding * (fmax(z, 0.0) + log1p(exp(-fabs(z))));
    }
    double out[3] = {0.0};
    curve_start s = {.chi = linear_fit(d, third, out)};
    double bend = fabs(out[2]), p = 1.0 / (rounding * fmax(bend, 1e-9));
    s.sign = out[2] < 0.0 ? -1.0 : 1.0;
    s.params[RFT_TURN_LEVEL] = out[0];
    s.params[RFT_TURN_SLOPE] = out[1];
    s.params[RFT_TURN_BEND] = bend;
    s.params[RFT_TURN_PLACE] = place;
    s.params[RFT_TURN_KNEE] = log(fmin(fmax(p, 1.0), RFT_TURN_SHARPEST));
    return s;
}

double rft_turn_curve_search(rft_turn_data *d, double params[RFT_TURN_PARAM_COUNT]) {
    static const double roundings[] = {0.01, 0.15, 0.4, 1.0, 2.5}; /* in steps of the axis */
    double across = d->x[d->count - 1] - d->x[0], best = HUGE_VAL, best_sign = 1.0;
    size_t steps = d->count - 1;
    for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++) {
        curve_start top = {.chi = HUGE_VAL};
        for (size_t i = 1; i < PLACES_PER_STEP * steps; i++) {
            size_t left = i / PLACES_PER_STEP; /* steps may differ: each gets its places */
            double part = (double)(i % PLACES_PER_STEP) / PLACES_PER_STEP;
            double place = d->x[left] + part * (d->x[left + 1] - d->x[left]);
            curve_start next = start_at(d, place, roundings[r] * across / (double)steps);
            top = next.chi < top.chi ? next : top;
        }
        if (!isfinite(top.chi)) {
            continue;
        }
        d->sign = top.sign;
        double chi = rft_turn_curve_fit(d, top.params, false);
        if (chi < best) {
            best = chi;
            best_sign = top.sign;
            memcpy(params, top.params, sizeof top.params);
        }
    }
    d->sign = best_sign;
    return best;
}

double rft_turn_curve_fit(const rft_turn_data *d, double params[RFT_TURN_PARAM_COUNT], bool hold) {
    rft_curve curve = curve_of(d);
    curve.fixed[RFT_TURN_PLACE] = hold;
    return rft_curve_fit(&curve, params);
}

double rft_turn_curve_error(const rft_turn_data *d, const double params[RFT_TURN_PARAM_COUNT]) {
    rft_curve curve = curve_of(d);
    double errors[RFT_TURN_PARAM_COUNT];
    curve.fixed[RFT_TURN_KNEE] = true;
    rft_curve_errors(&curve, params, errors);
    return errors[RFT_TURN_PLACE];
}

double rft_turn_curve_at(const rft_turn_data *d, size_t point, const double params[RFT_TURN_PARAM_COUNT]) {
    double slopes[RFT_TURN_PARAM_COUNT];
    return curve_value(d, point, params, slopes);
}
