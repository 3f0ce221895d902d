/* SPDX-License-Identifier: Apache-2.0 */
/* least_squares.c - Levenberg-Marquardt with Huber's loss (least_squares.h). */
#include "model/stats/least_squares.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 80
#define DAMPING_FIRST 1e-3
#define DAMPING_LOW 1e-12
#define DAMPING_HIGH 1e12
/* A step that gains less than this share of the loss, or this much of chi squared, is the last. */
#define GAIN_LEAST_FRAC 1e-10
#define GAIN_LEAST 1e-7
/* Below this share of its diagonal a pivot is a parameter that the points do not hold. */
#define PIVOT_LEAST 1e-13

/* The normal equations at one place: H = J'WJ, g = J'Wr. */
typedef struct normal {
    double h[RFT_CURVE_PARAMS_MAX][RFT_CURVE_PARAMS_MAX];
    double g[RFT_CURVE_PARAMS_MAX];
    double loss;
} normal;

static double huber_loss(double r, double k) {
    double size = fabs(r);
    return k <= 0.0 || size <= k ? r * r : k * (2.0 * size - k);
}

static double huber_weight(double r, double k) {
    double size = fabs(r);
    return k <= 0.0 || size <= k ? 1.0 : k / size;
}

static void equations(const rft_curve *c, const double *params, normal *out) {
    memset(out, 0, sizeof *out);
    double slopes[RFT_CURVE_PARAMS_MAX];
    for (size_t i = 0; i < c->point_count; i++) {
        double value = c->value(c->context, i, params, slopes), inverse = 1.0 / c->scale[i];
        double r = (c->measured[i] - value) * inverse, w = huber_weight(r, c->huber) * inverse;
        out->loss += huber_loss(r, c->huber);
        for (size_t a = 0; a < c->param_count; a++) {
            out->g[a] += w * r * slopes[a];
            for (size_t b = 0; b <= a; b++) {
                out->h[a][b] += w * inverse * slopes[a] * slopes[b];
            }
        }
    }
    for (size_t a = 0; a < c->param_count; a++) {
        for (size_t b = a + 1; b < c->param_count; b++) {
            out->h[a][b] = out->h[b][a];
        }
    }
    if (!isfinite(out->loss)) {
        out->loss = HUGE_VAL;
    }
}

/* A parameter at its bound that wants out stays there for this step. */
static bool held(const rft_curve *c, const double *params, const normal *at, size_t a) {
    return c->fixed[a] || (params[a] <= c->low[a] && at->g[a] <= 0.0) || (params[a] >= c->high[a] && at->g[a] >= 0.0);
}

/* Cholesky in place on the lower half; false where a pivot vanishes. */
static bool factor(double m[RFT_CURVE_PARAMS_MAX][RFT_CURVE_PARAMS_MAX], size_t n) {
    for (size_t j = 0; j < n; j++) {
        double diagonal = m[j][j], pivot = diagonal;
        for (size_t k = 0; k < j; k++) {
            pivot -= m[j][k] * m[j][k];
        }
        if (!(pivot > PIVOT_LEAST * diagonal) || !isfinite(pivot)) {
            return false;
        }
        m[j][j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = m[i][j];
            for (size_t k = 0; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            m[i][j] = sum / m[j][j];
        }
    }
    return true;
}

static void substitute(double m[RFT_CURVE_PARAMS_MAX][RFT_CURVE_PARAMS_MAX], size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= m[i][k] * x[k];
        }
        x[i] /= m[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= m[k][i] * x[k];
        }
        x[i] /= m[i][i];
    }
}

/* Where the damped step leads; false when it leads nowhere. */
static bool step_to(const rft_curve *c, const double *params, const normal *at, double damping, double *out) {
    double m[RFT_CURVE_PARAMS_MAX][RFT_CURVE_PARAMS_MAX], x[RFT_CURVE_PARAMS_MAX];
    size_t free_of[RFT_CURVE_PARAMS_MAX], n = 0;
    for (size_t a = 0; a < c->param_count; a++) {
        if (!held(c, params, at, a)) {
            free_of[n++] = a;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            m[i][j] = at->h[free_of[i]][free_of[j]];
        }
        m[i][i] += damping * m[i][i] + 1e-300;
        x[i] = at->g[free_of[i]];
    }
    if (n == 0 || !factor(m, n)) {
        return false;
    }
    substitute(m, n, x);
    memcpy(out, params, c->param_count * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        size_t a = free_of[i];
        out[a] = fmin(fmax(params[a] + x[i], c->low[a]), c->high[a]);
    }
    return true;
}

double rft_curve_fit(const rft_curve *c, double *params) {
    normal here, there;
    double next[RFT_CURVE_PARAMS_MAX], damping = DAMPING_FIRST;
    for (size_t a = 0; a < c->param_count; a++) {
        params[a] = c->fixed[a] ? params[a] : fmin(fmax(params[a], c->low[a]), c->high[a]);
    }
    equations(c, params, &here);
    for (int step = 0; step < STEPS_MAX && damping < DAMPING_HIGH; step++) {
        if (!step_to(c, params, &here, damping, next)) {
            damping *= 10.0;
            continue;
        }
        equations(c, next, &there);
        if (!(there.loss <= here.loss)) {
            damping *= 8.0;
            continue;
        }
        double gain = here.loss - there.loss;
        memcpy(params, next, c->param_count * sizeof *params);
        here = there;
        if (gain <= GAIN_LEAST_FRAC * here.loss || (gain <= GAIN_LEAST && here.loss > 1e-3)) {
            break;
        }
        damping = fmax(damping * 0.1, DAMPING_LOW);
    }
    return here.loss;
}

void rft_curve_errors(const rft_curve *c, const double *params, double *errors) {
    normal at;
    equations(c, params, &at);
    double m[RFT_CURVE_PARAMS_MAX][RFT_CURVE_PARAMS_MAX];
    size_t free_of[RFT_CURVE_PARAMS_MAX], n = 0;
    for (size_t a = 0; a < c->param_count; a++) {
        errors[a] = 0.0;
        if (!c->fixed[a]) {
            free_of[n++] = a;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            m[i][j] = at.h[free_of[i]][free_of[j]];
        }
    }
    bool held_all = factor(m, n);
    for (size_t i = 0; i < n; i++) {
        double x[RFT_CURVE_PARAMS_MAX] = {0};
        x[i] = 1.0;
        if (held_all) {
            substitute(m, n, x);
        }
        errors[free_of[i]] = held_all ? sqrt(x[i]) : HUGE_VAL;
    }
}

double rft_normal(uint64_t *seed) {
    return sqrt(-2.0 * log(1.0 - rft_random_unit(seed))) * cos(6.283185307179586 * rft_random_unit(seed));
}
