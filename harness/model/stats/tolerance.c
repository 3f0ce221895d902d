/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/tolerance.h"

#include "model/stats/repeat.h"

#include <math.h>

#define SQRT_2 1.4142135623730951
#define STEPS 400 /* of Simpson's rule, even */
#define SPREADS 9.0

static double normal_below(double z) {
    return 0.5 * erfc(-z / SQRT_2);
}

/* ---- normal ---- */

/* P(mean - k s is below the share), over s by its chi distribution with n - 1 degrees of freedom:
 * P = E[ Phi(k sqrt(n) s - z sqrt(n)) ], s in units of sigma. */
static double confidence_of(double k, double n, double z) {
    double freedom = n - 1.0, spread = 1.0 / sqrt(2.0 * freedom);
    double from = fmax(1.0 - SPREADS * spread, 1e-9), to = 1.0 + SPREADS * spread;
    double constant = log(2.0) + freedom / 2.0 * log(freedom / 2.0) - lgamma(freedom / 2.0), sum = 0.0;
    double step = (to - from) / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double s = from + step * i, weight = i == 0 || i == STEPS ? 1.0 : i % 2 ? 4.0 : 2.0;
        double density = exp(constant + (freedom - 1.0) * log(s) - freedom / 2.0 * s * s);
        sum += weight * density * normal_below(sqrt(n) * (k * s - z));
    }
    return sum * step / 3.0;
}

double rft_tolerance_factor(size_t n, double content, double confidence) {
    double z = content > 0.5 ? rft_normal_quantile(2.0 * (1.0 - content)) : 0.0, low = 0.0, high = 1e4;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2.0;
        *(confidence_of(middle, (double)n, z) < confidence ? &low : &high) = middle;
    }
    return high;
}

/* ---- any distribution ---- */

size_t rft_tolerance_rank(size_t n, double content, double confidence) {
    /* P(at least r of n lie outside of the share) must be the confidence: binomial, term by term in logarithms. */
    double outside = log1p(-content), inside = log(content), below = 0.0;
    size_t rank = 0;
    for (size_t k = 0; k < n; k++) {
        double choose = lgamma((double)n + 1.0) - lgamma((double)k + 1.0) - lgamma((double)(n - k) + 1.0);
        below += exp(choose + (double)k * outside + (double)(n - k) * inside);
        if (1.0 - below < confidence) {
            break;
        }
        rank = k + 1;
    }
    return rank;
}

/* ---- risk ---- */

double rft_student_tail(double t, double freedom) {
    double low = log(1e-300), high = 0.0; /* of both sides together */
    if (!(fabs(t) > 0.0)) {
        return t == 0.0 ? 0.5 : t;
    }
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2.0;
        *(rft_student_t(exp(middle), freedom) > fabs(t) ? &low : &high) = middle;
    }
    double tail = exp(high) / 2.0;
    return t > 0.0 ? tail : 1.0 - tail;
}
